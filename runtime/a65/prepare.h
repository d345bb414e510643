/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIMAAI_KERNELS_RUNTIME_A65_PREPARE_H
#define SIMAAI_KERNELS_RUNTIME_A65_PREPARE_H

/* Preparation with every choice made by the caller: for tests and benchmarks. */

#include "dequant_kernel.h"

/*
 * Output bytes from which on a dense tensor is stored past the caches, unless the caller says how.
 * Measured for writing and then reading once: docs/x86.md. Writing alone breaks even at a tenth of
 * this. What a machine reports of its caches is no guide: it may share them with strangers.
 */
#define SIMA_A65_DEQUANT_STREAM_BYTES ((size_t)40 << 20)

/* sima_a65_dequant_prepare_with() for a family that runs here, see cpu.h. */
sima_status sima_a65_dequant_prepare_for(const sima_dequant_plan *shared,
                                         const sima_a65_dequant_family *family,
                                         sima_a65_dequant_stores stores,
                                         sima_a65_dequant_plan *plan, sima_error *error);

#endif /* SIMAAI_KERNELS_RUNTIME_A65_PREPARE_H */
