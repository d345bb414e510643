/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DEQUANT_CONVERT_H
#define DEQUANT_CONVERT_H

/* From INT8 elements in memory to dequantized ones, through the library's public calls. */

#include "npy.h"

#include <simaai/kernels/a65/dequant.h>

enum { CONVERT_KERNELS = 64 };

/* What is asked for: of an array, or of a piece of one. */
typedef struct conversion {
    const npy_array *array; /* its shape and order; the rest is not looked at */
    const int8_t *input;    /* array->elements of them, in the array's own order */
    sima_dtype output;      /* SIMA_DTYPE_FLOAT32 or SIMA_DTYPE_BFLOAT16 */
    int32_t zero_point;
    const float *scales;
    bool per_row; /* one scale for each index of the first axis, else one for all */
} conversion;

/* How it was done, for --explain. */
typedef struct explanation {
    /* Of one plan for the whole array or, with scales, for one index of its first axis. */
    size_t input_bytes;
    size_t output_bytes;
    size_t input_alignment;
    size_t output_alignment;
    int64_t spans;
    int64_t elements; /* in one span */
    bool dense;
    /* Of the work, done piece by piece. */
    int64_t pieces;
    int64_t piece_elements; /* of the largest */
    const char *kernel[CONVERT_KERNELS];
    int64_t kernel_calls[CONVERT_KERNELS];
    int kernels;
    int64_t other_calls; /* of kernels beyond those */
    double numerical;    /* seconds in sima_a65_dequant_execute() alone */
    double whole;        /* seconds, reading and writing included */
    double bytes;        /* read and written */
} explanation;

/* Bytes of one result. */
size_t result_width(sima_dtype output);

/* What the library says of a scale, alone. */
bool admit_scale(float scale, sima_error *error);

/* Admits the whole array, or one index of its first axis, and explains that plan. False with the
 * library's own error. Neither elements nor scales are looked at. */
bool admit_shape(const conversion *wanted, explanation *explained, sima_error *error);

/* Writes array->elements results to `output`, in C order. False with the library's own error. */
bool convert(const conversion *wanted, void *output, explanation *explained, sima_error *error);

#endif /* DEQUANT_CONVERT_H */
