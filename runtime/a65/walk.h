/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIMAAI_KERNELS_RUNTIME_A65_WALK_H
#define SIMAAI_KERNELS_RUNTIME_A65_WALK_H

/* How a strided tensor is visited: one kernel call for each span, in logical order. */

#include "dequant_kernel.h"

void sima_a65_dequant_walk(const sima_a65_dequant_plan *plan, const int8_t *input,
                           unsigned char *output);

#endif /* SIMAAI_KERNELS_RUNTIME_A65_WALK_H */
