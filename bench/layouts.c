/* SPDX-License-Identifier: Apache-2.0 */
#include "layouts.h"

#include <string.h>

/* 16,384 rows of `n` elements, with gaps of different lengths after them on the two ports. */
/* clang-format off */
#define ROWS(n) {"rows_of_" #n, 2, {16384, n}, {(n) + 3, 1}, {(n) + 5, 1}}

const bench_layout bench_layouts[] = {
    /* name                   rank  extents            input strides       output strides */
    {"dense",                   1,  {65536},           {1},                {1}},
    /* NCHW in memory on both sides, seen as NHWC. */
    {"permuted",                4,  {4, 32, 32, 16},   {16384, 32, 1, 1024}, {16384, 32, 1, 1024}},
    {"rows_of_64",              2,  {1024, 64},        {80, 1},            {72, 1}},
    ROWS(4),
    ROWS(5),
    ROWS(6),
    ROWS(7),
    ROWS(8),
    ROWS(9),
    ROWS(12),
    ROWS(15),
    /* Pairs taken apart into two planes. */
    {"iq_deinterleave",         2,  {2, 32768},        {1, 2},             {32768, 1}},
    /* One channel of an image with four. */
    {"nhwc_channel",            2,  {256, 256},        {1024, 4},          {256, 1}},
    {"transpose",               2,  {256, 256},        {1, 256},           {256, 1}},
    {"planes_to_interleaved",   2,  {3, 21824},        {21824, 1},         {1, 3}},
    {"interleaved_to_planes",   2,  {3, 21824},        {1, 3},             {21824, 1}},
};
/* clang-format on */
const size_t bench_layout_count = sizeof bench_layouts / sizeof bench_layouts[0];

const bench_layout *bench_find_layout(const char *const name)
{
    for (size_t i = 0; i < bench_layout_count; ++i) {
        if (strcmp(bench_layouts[i].name, name) == 0) {
            return &bench_layouts[i];
        }
    }
    return NULL;
}

size_t bench_layout_elements(const bench_layout *const layout)
{
    size_t elements = 1;
    for (int32_t axis = 0; axis < layout->rank; ++axis) {
        elements *= (size_t)layout->extent[axis];
    }
    return elements;
}

void bench_layout_specs(const bench_layout *const layout, const sima_dtype type,
                        sima_tensor_spec specs[2])
{
    const int64_t width = type == SIMA_DTYPE_FLOAT32 ? 4 : 2;
    specs[0] = (sima_tensor_spec){
        .dtype = SIMA_DTYPE_INT8, .rank = layout->rank, .layout = SIMA_LAYOUT_STRIDED};
    memcpy(specs[0].extent, layout->extent, sizeof layout->extent);
    memcpy(specs[0].stride, layout->input_stride, sizeof layout->input_stride);
    specs[1] = specs[0];
    specs[1].dtype = type;
    for (int32_t axis = 0; axis < layout->rank; ++axis) {
        specs[1].stride[axis] = layout->output_stride[axis] * width;
    }
}
