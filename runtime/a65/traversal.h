/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIMAAI_KERNELS_RUNTIME_A65_TRAVERSAL_H
#define SIMAAI_KERNELS_RUNTIME_A65_TRAVERSAL_H

/*
 * How a strided tensor is visited: what a kernel takes in one call, and the walk over the axes that
 * are left. Preparation decides; execution follows.
 */

#include "dequant_kernel.h"

/* From this many elements on, finding a plane repays itself. */
enum { SIMA_A65_DEQUANT_PLANE_ELEMENTS = 128 };

/* An axis that moves, strides in bytes. */
typedef struct sima_axis {
    int64_t extent;
    int64_t input_stride;
    int64_t output_stride;
} sima_axis;

/* The axes of a tensor in physical order, the one with the smallest output stride first. Neighbours
 * that are one axis on both ports have been merged. */
typedef struct sima_axes {
    sima_axis axis[SIMA_MAX_RANK];
    int32_t count;
} sima_axes;

sima_axes sima_a65_dequant_order_axes(const sima_dequant_plan *shared);

/* One call for each run that is contiguous on both ports. Where physical order gives no longer runs
 * than logical order does, the tensor is walked in logical order. */
void sima_a65_dequant_traverse_spans(const sima_dequant_plan *shared, const sima_axes *axes,
                                     sima_a65_dequant_traversal *traversal);

/*
 * One call for each plane: the shape that fits the tensor best. SIMA_A65_DEQUANT_SHAPES, and
 * nothing written, where spans are as good.
 */
sima_a65_dequant_shape sima_a65_dequant_traverse_planes(const sima_dequant_plan *shared,
                                                        const sima_axes *axes,
                                                        sima_a65_dequant_traversal *traversal);

/* Runs the plan's kernel over the whole tensor. */
void sima_a65_dequant_traverse(const sima_a65_dequant_plan *plan, const int8_t *input,
                               unsigned char *output);

/* What a plan will do, for tests: calls of its kernel, rows or spans in them, elements. */
typedef struct sima_a65_dequant_tally {
    int64_t calls;
    int64_t spans;
    int64_t elements;
} sima_a65_dequant_tally;

/* All zero for an empty tensor and for a plan that was never prepared. */
sima_a65_dequant_tally sima_a65_dequant_tally_of(const sima_a65_dequant_plan *plan);

#endif /* SIMAAI_KERNELS_RUNTIME_A65_TRAVERSAL_H */
