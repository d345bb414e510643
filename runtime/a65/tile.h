/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIMAAI_KERNELS_RUNTIME_A65_TILE_H
#define SIMAAI_KERNELS_RUNTIME_A65_TILE_H

/*
 * For operations that dequantize as one step of several: a span function, prepared once for runs
 * of one length and called run after run. Nothing is classified or checked again in a call.
 *
 * The caller answers for what sima_a65_dequant_execute() would check: an admitted scale, buffers
 * that hold a run, aligned to the element and apart, and, once for all runs of a call, that
 * sima_fpenv_is_admitted().
 */

#include "dequant_kernel.h"

/* A prepared run. Plain data: copy it, share it. */
typedef struct sima_a65_dequant_tile {
    sima_a65_dequant_span_fn run;
    size_t elements;
    sima_a65_dequant_operands operands;
} sima_a65_dequant_tile;

/* Prepares runs of `elements` (1 or more) adjacent INT8 values into `output`, which is
 * SIMA_A65_DEQUANT_TO_F32 or SIMA_A65_DEQUANT_TO_BF16. No floating-point arithmetic is done. */
sima_a65_dequant_tile sima_a65_dequant_prepare_tile(const sima_dequant_params *params,
                                                    sima_a65_dequant_output output,
                                                    size_t elements);

static inline void sima_a65_dequant_run_tile(const sima_a65_dequant_tile *const tile,
                                             const int8_t *const input, void *const output)
{
    tile->run(input, output, tile->elements, &tile->operands);
}

#endif /* SIMAAI_KERNELS_RUNTIME_A65_TILE_H */
