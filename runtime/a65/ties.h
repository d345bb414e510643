/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIMAAI_KERNELS_RUNTIME_A65_TIES_H
#define SIMAAI_KERNELS_RUNTIME_A65_TIES_H

/*
 * BF16 narrowing rounds half-even. It differs from half-up only where an FP32 result is a BF16
 * midpoint with an even upper half, and from half-down only where it is one with an odd upper
 * half. For one scale and zero point there are 256 results, so which midpoints occur is decided
 * here, in integers.
 */

#include <simaai/kernels/ops/dequant.h>

#include <stdbool.h>

/* Elements from which on a tensor repays the proof: it costs about as many instructions as the
 * simpler narrowing saves on this many. */
enum { SIMA_A65_DEQUANT_PROOF_ELEMENTS = 2048 };

/*
 * True where one addend stands for half-even on all 256 results: *addend is 0 for half-up,
 * UINT32_MAX for half-down. False where both kinds of midpoint occur, products that overflow
 * included, and where the question is not looked into: subnormal scales, and zero points beyond
 * 2^24 - 128.
 */
bool sima_a65_dequant_prove_tie_free(const sima_dequant_params *params, uint32_t *addend);

#endif /* SIMAAI_KERNELS_RUNTIME_A65_TIES_H */
