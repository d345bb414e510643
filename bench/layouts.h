/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIMAAI_KERNELS_BENCH_LAYOUTS_H
#define SIMAAI_KERNELS_BENCH_LAYOUTS_H

/* The layouts that are measured. A layout more is one row of the table in layouts.c. */

#include <simaai/kernels/ops/dequant.h>

#include <stddef.h>

typedef struct bench_layout {
    const char *name;
    int32_t rank;
    int64_t extent[SIMA_MAX_RANK];
    /* In elements. */
    int64_t input_stride[SIMA_MAX_RANK];
    int64_t output_stride[SIMA_MAX_RANK];
} bench_layout;

extern const bench_layout bench_layouts[];
extern const size_t bench_layout_count;

/* NULL where there is none of this name. */
const bench_layout *bench_find_layout(const char *name);

size_t bench_layout_elements(const bench_layout *layout);

/* The layout's two ports. */
void bench_layout_specs(const bench_layout *layout, sima_dtype type, sima_tensor_spec specs[2]);

#endif /* SIMAAI_KERNELS_BENCH_LAYOUTS_H */
