/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DEQUANT_CONVERT_H
#define DEQUANT_CONVERT_H

/* From an INT8 array in memory to its dequantized elements, through the library's public calls. */

#include "npy.h"

#include <simaai/kernels/a65/dequant.h>

enum { CONVERT_KERNELS = 64 };

/* What is asked for. */
typedef struct conversion {
    const npy_array *array;
    const int8_t *input; /* array->elements of them, in the array's own order */
    sima_dtype output;   /* SIMA_DTYPE_FLOAT32 or SIMA_DTYPE_BFLOAT16 */
    int32_t zero_point;
    const float *scales;
    bool per_row; /* one scale for each index of the first axis, else one for all */
} conversion;

/* How it was done, for --explain. */
typedef struct explanation {
    size_t input_bytes;  /* of one plan */
    size_t output_bytes; /* of one plan */
    size_t input_alignment;
    size_t output_alignment;
    int64_t plans;
    int64_t spans;    /* in one plan */
    int64_t elements; /* in one span */
    bool dense;
    const char *kernel[CONVERT_KERNELS];
    int64_t kernel_plans[CONVERT_KERNELS];
    int kernels;
    int64_t other_plans; /* by kernels beyond those */
    double seconds;      /* in sima_a65_dequant_execute() alone */
} explanation;

/* Writes array->elements results to `output`, in C order. False with the library's own error. */
bool convert(const conversion *wanted, void *output, explanation *explained, sima_error *error);

#endif /* DEQUANT_CONVERT_H */
