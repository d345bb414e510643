/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIMAAI_KERNELS_RUNTIME_A65_DEQUANT_KERNEL_H
#define SIMAAI_KERNELS_RUNTIME_A65_DEQUANT_KERNEL_H

/*
 * The one seam between the handwritten runtime and the generated kernels: what a kernel looks
 * like, and how the dispatch table is read. Kernels see this header and no plan; the runtime sees
 * this header and no kernel.
 */

#include <simaai/kernels/a65/dequant.h>

/*
 * Converts `count` adjacent INT8 values at `input` to `count` adjacent values at `output` (float,
 * or uint16_t words of BF16). Touches exactly those bytes. `count` lies in the kernel's own range,
 * `operands` in its domain; neither is checked again. The thread rounds to nearest and keeps
 * subnormals.
 */
typedef void (*sima_a65_dequant_span_fn)(const int8_t *input, void *output, size_t count,
                                         const sima_a65_dequant_operands *operands);

/*
 * Converts `plane->rows` rows of `plane->count` elements. Touches exactly their bytes. The plane is
 * of the kernel's own shape; the rest is as above.
 */
typedef void (*sima_a65_dequant_plane_fn)(const int8_t *input, void *output,
                                          const sima_a65_dequant_plane *plane,
                                          const sima_a65_dequant_operands *operands);

/* Elements that a vector kernel converts in one block, and the length below which a span has
 * code of its own. */
enum { SIMA_A65_DEQUANT_BLOCK = 16 };

/* Elements that a kernel for long spans, or one that stores past the caches, takes at least. */
enum { SIMA_A65_DEQUANT_LONG_BLOCK = 64 };

/* Which lengths a span can have, as far as selection cares, and whether it is stored past the
 * caches. Indexes a dispatch row. */
typedef enum sima_a65_dequant_length {
    SIMA_A65_DEQUANT_SHORT,  /* below one block */
    SIMA_A65_DEQUANT_WHOLE,  /* one or more complete blocks */
    SIMA_A65_DEQUANT_RAGGED, /* one or more complete blocks and a remainder */
    SIMA_A65_DEQUANT_LONG,   /* so many that a long set-up is repaid */
    SIMA_A65_DEQUANT_STREAM, /* LONG_BLOCK or more, to be stored past the caches */
    SIMA_A65_DEQUANT_LENGTHS
} sima_a65_dequant_length;

/* What planes there are kernels for. Unless said otherwise a step is one element on both ports and
 * a row has 16 elements or more. */
typedef enum sima_a65_dequant_shape {
    SIMA_A65_DEQUANT_ROWS,
    SIMA_A65_DEQUANT_FRAGMENTS,    /* 2 to 15 elements; sima_a65_dequant_fragment_rows() or more */
    SIMA_A65_DEQUANT_TRANSPOSE,    /* input: a row lies across; 16 rows or more, 1 element apart */
    SIMA_A65_DEQUANT_INTERLEAVE,   /* 2 to 4 rows become the parts of one row */
    SIMA_A65_DEQUANT_DEINTERLEAVE, /* the parts of one row become 2 to 4 rows */
    SIMA_A65_DEQUANT_GATHER,       /* input: any step */
    SIMA_A65_DEQUANT_SCATTER,      /* output: any step */
    SIMA_A65_DEQUANT_STRIDED,      /* any step on both ports */
    SIMA_A65_DEQUANT_SHAPES
} sima_a65_dequant_shape;

/* Rows of 2 to 15 elements that fill two blocks, in pieces of 8, 4 or 2, two a row where one is not
 * enough. */
static inline int64_t sima_a65_dequant_fragment_rows(const int64_t count)
{
    const int64_t piece = count >= 8 ? 8 : count >= 4 ? 4 : 2;
    return INT64_C(2) * SIMA_A65_DEQUANT_BLOCK / piece / (count > piece ? 2 : 1);
}

/* The output axis of the dispatch table. */
typedef enum sima_a65_dequant_output {
    SIMA_A65_DEQUANT_TO_F32,
    SIMA_A65_DEQUANT_TO_BF16,
    /* BF16 where the operands' tie_addend has been proved to stand for half-even. */
    SIMA_A65_DEQUANT_TO_BF16_TIEFREE,
    SIMA_A65_DEQUANT_OUTPUTS
} sima_a65_dequant_output;

/* What a kernel stores, and how it gets from the FP32 result to BF16. */
typedef enum sima_a65_dequant_result {
    SIMA_A65_DEQUANT_F32,
    SIMA_A65_DEQUANT_BF16_UPPER,   /* the lower half is known to be zero */
    SIMA_A65_DEQUANT_BF16_TIEFREE, /* halves go where tie_addend says */
    SIMA_A65_DEQUANT_BF16_EVEN     /* halves go to even */
} sima_a65_dequant_result;

/* One generated kernel and the whole domain on which it is exact. */
struct sima_a65_dequant_kernel {
    /* One of the two; the other is NULL. */
    sima_a65_dequant_span_fn run;
    sima_a65_dequant_plane_fn run_plane;
    /* The symbol of the function, the key in manifest.json. */
    const char *name;
    sima_a65_dequant_result result;
    int32_t zero_point_min;
    int32_t zero_point_max;
    /* 1: only zero points with a representable bias, see sima_a65_dequant_has_bias(). */
    int32_t biased;
    /* Scales, as bits of binary32; 1: only powers of two among them. */
    uint32_t scale_min;
    uint32_t scale_max;
    int32_t power_of_two;
    /* Lengths of a span or row: count_min..count_max elements, in multiples of count_step. */
    size_t count_min;
    size_t count_max;
    size_t count_step;
    /* 1: the results go past the caches. */
    int32_t streams;
};
typedef struct sima_a65_dequant_kernel sima_a65_dequant_kernel;

/* A class of zero points: an interval, both ends included; 1: only those with a representable
 * bias. */
typedef struct sima_a65_dequant_zero_points {
    const char *name;
    int32_t min;
    int32_t max;
    int32_t biased;
} sima_a65_dequant_zero_points;

/* The first slots of the scale axis; the exponents of the family follow. */
enum {
    SIMA_A65_DEQUANT_SCALE_SUBNORMAL,
    SIMA_A65_DEQUANT_SCALE_UNDER_2_104, /* from 2^-126 on */
    SIMA_A65_DEQUANT_SCALE_HUGE,
    SIMA_A65_DEQUANT_SCALE_POWER_OF_TWO, /* 2^-126..2^96 */
    SIMA_A65_DEQUANT_SCALE_EXPONENTS
};

/* Indices into `kernels`, one for each length. */
typedef struct sima_a65_dequant_row {
    uint16_t kernel[SIMA_A65_DEQUANT_LENGTHS];
} sima_a65_dequant_row;

/* Indices into `planes`, one for each shape; plane_count where the family has no such kernel. */
typedef struct sima_a65_dequant_plane_row {
    uint16_t kernel[SIMA_A65_DEQUANT_SHAPES];
} sima_a65_dequant_plane_row;
/* What the processor and the system must offer for a family, beyond what the compiler was told. */
typedef enum sima_a65_dequant_needs {
    SIMA_A65_DEQUANT_NEEDS_NOTHING,
    SIMA_A65_DEQUANT_NEEDS_AVX2,
    SIMA_A65_DEQUANT_NEEDS_AVX512
} sima_a65_dequant_needs;

/*
 * All kernels of one instruction set, and which of them serves a request. The generator has
 * resolved every fallback: each cell holds a kernel whose domain contains the cell's.
 *
 * Row of (output, zero-point class z, scale slot s):
 *     rows[(output * zero_point_count + z) * scale_count + s]
 * Slot SIMA_A65_DEQUANT_SCALE_EXPONENTS + e - exponent_min is 2^e, for the exponents that have one.
 */
typedef struct sima_a65_dequant_family {
    const char *isa;
    const sima_a65_dequant_kernel *kernels;
    size_t kernel_count;
    /* The first class that contains a zero point is its class; the last contains all of int32. */
    const sima_a65_dequant_zero_points *zero_points;
    size_t zero_point_count;
    int32_t exponent_min;
    size_t scale_count;
    const sima_a65_dequant_row *rows;
    /* Kernels for planes; they admit every scale. Row of (output, zero-point class z):
     * plane_rows[output * zero_point_count + z]. */
    const sima_a65_dequant_kernel *planes;
    size_t plane_count;
    const sima_a65_dequant_plane_row *plane_rows;
    sima_a65_dequant_needs needs;
} sima_a65_dequant_family;

/* The families in this build, best first; cpu.h says which of them run here. The portable one is
 * always there, last. */
extern const sima_a65_dequant_family *const sima_a65_dequant_families[];
extern const size_t sima_a65_dequant_family_count;

#endif /* SIMAAI_KERNELS_RUNTIME_A65_DEQUANT_KERNEL_H */
