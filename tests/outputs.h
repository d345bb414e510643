/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIMA_TESTS_OUTPUTS_H
#define SIMA_TESTS_OUTPUTS_H

/* One number for all that a family computes, to be compared across machines and instruction sets.
 */

#include "dequant_kernel.h"

/* A hash of what the family's kernels give for a fixed list of parameters, lengths and ways to
 * store. The family must run here. */
uint64_t outputs_hash(const sima_a65_dequant_family *family);

#endif /* SIMA_TESTS_OUTPUTS_H */
