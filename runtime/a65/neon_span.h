/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIMAAI_KERNELS_RUNTIME_A65_NEON_SPAN_H
#define SIMAAI_KERNELS_RUNTIME_A65_NEON_SPAN_H

/*
 * How a span of adjacent elements is walked on NEON. A generated kernel brings the arithmetic, a
 * `convert` function from 16 inputs to 16 results; what is loaded and stored, and where, stands
 * here once for all of them. Everything is inlined, the call through `convert` included.
 *
 * No access leaves input[0, count) or output[0, count).
 */

#include "build_policy.h"
#include "dequant_kernel.h"
#include "staged.h"

#include "neon_compat.h"

#include <string.h>

/* Vectors that a kernel sets up once a call. Each kernel sets and reads the few that it needs. */
typedef struct sima_neon_constants {
    float32x4_t scale;
    int16x8_t offset;
    float32x4_t subtrahend;
    uint32x4_t tie_addend;
    uint8x16x4_t top_bytes;
    int16x8_t pattern;
#if defined(__ARM_FEATURE_FP16_VECTOR_ARITHMETIC)
    float16x8_t half_subtrahend;
#endif
} sima_neon_constants;

/* 16 results in order, as they go to memory: 4 vectors of FP32, or 2 of BF16 and 2 unused. */
typedef struct sima_neon_block {
    uint8x16_t part[4];
} sima_neon_block;

/* How a kernel gets them. */
typedef sima_neon_block sima_neon_convert(int8x16_t x, sima_neon_constants k);

/* ---- Pieces of several sequences ---- */

/* Look-up indices that put byte 4j + i into the top of lane i, zeros below it. */
SIMA_NEON_INLINE uint8x16x4_t sima_neon_top_bytes(void)
{
    static const uint8_t first[16] = {255, 255, 255, 0, 255, 255, 255, 1,
                                      255, 255, 255, 2, 255, 255, 255, 3};
    /* 255 + 4j would wrap around to a valid index: the lower bytes stay at 255. */
    const uint8x16_t step = vreinterpretq_u8_u32(vdupq_n_u32(UINT32_C(4) << 24));
    uint8x16x4_t indices;
    indices.val[0] = sima_neon_keep_u8(vld1q_u8(first));
    indices.val[1] = vaddq_u8(indices.val[0], step);
    indices.val[2] = vaddq_u8(indices.val[1], step);
    indices.val[3] = vaddq_u8(indices.val[2], step);
    return indices;
}

SIMA_NEON_INLINE int32x4x4_t sima_neon_lookup_top(const int8x16_t x, const uint8x16x4_t indices)
{
    const uint8x16_t bytes = vreinterpretq_u8_s8(x);
    const int32x4x4_t top = {{
        vreinterpretq_s32_u8(vqtbl1q_u8(bytes, indices.val[0])),
        vreinterpretq_s32_u8(vqtbl1q_u8(bytes, indices.val[1])),
        vreinterpretq_s32_u8(vqtbl1q_u8(bytes, indices.val[2])),
        vreinterpretq_s32_u8(vqtbl1q_u8(bytes, indices.val[3])),
    }};
    return top;
}

/* Upper half of 2^23 * scale, for a scale that is a power of two: 23 more in the exponent field. */
SIMA_NEON_INLINE int16_t sima_neon_scaled_pattern(const float scale)
{
    uint32_t bits;
    memcpy(&bits, &scale, sizeof bits);
    return (int16_t)((bits >> 16) + (23u << 7));
}

#if defined(__ARM_FEATURE_FP16_VECTOR_ARITHMETIC)
/* (1152 + zero point) * scale in half precision: at most 11 significant bits, so exact. */
SIMA_NEON_INLINE float16x8_t sima_neon_half_bias(const int32_t zero_point, const float scale)
{
    const float32x4_t bias = vdupq_n_f32((1152.0f + (float)zero_point) * scale);
    return vcombine_f16(vcvt_f16_f32(bias), vcvt_f16_f32(bias));
}
#endif

/* ---- The result of a block ---- */

/* FP32 as it is. */
SIMA_NEON_INLINE sima_neon_block sima_neon_words(const float32x4x4_t y)
{
    const sima_neon_block words = {{
        vreinterpretq_u8_f32(y.val[0]),
        vreinterpretq_u8_f32(y.val[1]),
        vreinterpretq_u8_f32(y.val[2]),
        vreinterpretq_u8_f32(y.val[3]),
    }};
    return words;
}

SIMA_NEON_INLINE sima_neon_block sima_neon_halves(const uint16x8_t low, const uint16x8_t high)
{
    const sima_neon_block halves = {{vreinterpretq_u8_u16(low), vreinterpretq_u8_u16(high)}};
    return halves;
}

/* BF16 of results whose lower halves are zero. */
SIMA_NEON_INLINE sima_neon_block sima_neon_upper_halves(const float32x4x4_t y)
{
    return sima_neon_halves(
        vuzp2q_u16(vreinterpretq_u16_f32(y.val[0]), vreinterpretq_u16_f32(y.val[1])),
        vuzp2q_u16(vreinterpretq_u16_f32(y.val[2]), vreinterpretq_u16_f32(y.val[3])));
}

/* The upper halves of value + addend + 0x8000: halves go up with 0, down with -1. */
SIMA_NEON_INLINE uint16x8_t sima_neon_narrow_pair(const float32x4_t first, const float32x4_t second,
                                                  const uint32x4_t addend)
{
    const uint16x4_t low =
        sima_neon_in_place_u16(vraddhn_u32(vreinterpretq_u32_f32(first), addend));
    return vraddhn_high_u32(low, vreinterpretq_u32_f32(second), addend);
}

SIMA_NEON_INLINE sima_neon_block sima_neon_narrow_by(const float32x4x4_t y, const uint32x4_t addend)
{
    return sima_neon_halves(sima_neon_narrow_pair(y.val[0], y.val[1], addend),
                            sima_neon_narrow_pair(y.val[2], y.val[3], addend));
}

/* On the halves taken apart: lower + 0x7fff + lowest kept bit carries out of 16 bits just when the
 * upper half goes up; halved, that carry is the top bit. */
SIMA_NEON_INLINE uint16x8_t sima_neon_even_pair(const float32x4_t first, const float32x4_t second)
{
    const uint16x8_t a = vreinterpretq_u16_f32(first);
    const uint16x8_t b = vreinterpretq_u16_f32(second);
    const uint16x8_t lower = vuzp1q_u16(a, b);
    const uint16x8_t upper = vuzp2q_u16(a, b);
    const uint16x8_t lowest_kept = vandq_u16(upper, vdupq_n_u16(1));
    const uint16x8_t addend = vaddq_u16(lowest_kept, vdupq_n_u16(0x7fff));
    return vsraq_n_u16(upper, vhaddq_u16(lower, addend), 15);
}

SIMA_NEON_INLINE sima_neon_block sima_neon_nearest_even(const float32x4x4_t y)
{
    return sima_neon_halves(sima_neon_even_pair(y.val[0], y.val[1]),
                            sima_neon_even_pair(y.val[2], y.val[3]));
}

/* ---- Exact-size loads for spans shorter than a block ---- */

/* Elements 0..7 and the last 8, for 8 <= count < 16. */
SIMA_NEON_INLINE int8x16_t sima_neon_load_two_eights(const int8_t *input, const size_t count)
{
    return vcombine_s8(vld1_s8(input), vld1_s8(input + count - 8));
}

/* Elements 0..3 and the last 4 in the lower half, for 4 <= count < 8. */
SIMA_NEON_INLINE int8x16_t sima_neon_load_two_fours(const int8_t *input, const size_t count)
{
    uint32_t first;
    uint32_t last;
    memcpy(&first, input, sizeof first);
    memcpy(&last, input + count - 4, sizeof last);
    const uint32x2_t words = vset_lane_u32(last, vdup_n_u32(first), 1);
    return vcombine_s8(vreinterpret_s8_u32(words), vdup_n_s8(0));
}

/* Elements 0, 1 and the last 2 in lanes 0 to 3, for 2 <= count < 4. */
SIMA_NEON_INLINE int8x16_t sima_neon_load_two_twos(const int8_t *input, const size_t count)
{
    uint16_t first;
    uint16_t last;
    memcpy(&first, input, sizeof first);
    memcpy(&last, input + count - 2, sizeof last);
    const uint16x4_t pairs = vset_lane_u16(last, vdup_n_u16(first), 1);
    return vcombine_s8(vreinterpret_s8_u16(pairs), vdup_n_s8(0));
}

/* One element, in every lane of the lower half. */
SIMA_NEON_INLINE int8x16_t sima_neon_load_one(const int8_t *input)
{
    return vcombine_s8(vld1_dup_s8(input), vdup_n_s8(0));
}

/* ---- Stores ----
 *
 * `width` is that of an output element in bytes, 4 or 2, and known to the compiler. */

SIMA_NEON_INLINE void sima_neon_store(unsigned char *output, const sima_neon_block y,
                                      const size_t width)
{
    vst1q_u8(output, y.part[0]);
    vst1q_u8(output + 16, y.part[1]);
    if (width == 4) {
        vst1q_u8(output + 32, y.part[2]);
        vst1q_u8(output + 48, y.part[3]);
    }
}

/* Results 0 to 7, and 8 to 15. */
SIMA_NEON_INLINE void sima_neon_store_low_eight(unsigned char *output, const sima_neon_block y,
                                                const size_t width)
{
    vst1q_u8(output, y.part[0]);
    if (width == 4) {
        vst1q_u8(output + 16, y.part[1]);
    }
}

SIMA_NEON_INLINE void sima_neon_store_high_eight(unsigned char *output, const sima_neon_block y,
                                                 const size_t width)
{
    if (width == 4) {
        vst1q_u8(output, y.part[2]);
        vst1q_u8(output + 16, y.part[3]);
    } else {
        vst1q_u8(output, y.part[1]);
    }
}

/* Results 0 to 3, and 4 to 7. */
SIMA_NEON_INLINE void sima_neon_store_two_fours(unsigned char *first, unsigned char *second,
                                                const sima_neon_block y, const size_t width)
{
    if (width == 4) {
        vst1q_u8(first, y.part[0]);
        vst1q_u8(second, y.part[1]);
    } else {
        vst1_u8(first, vget_low_u8(y.part[0]));
        vst1_u8(second, vget_high_u8(y.part[0]));
    }
}

/* Results 0 and 1, and 2 and 3. */
SIMA_NEON_INLINE void sima_neon_store_two_twos(unsigned char *first, unsigned char *second,
                                               const sima_neon_block y, const size_t width)
{
    if (width == 4) {
        vst1_u8(first, vget_low_u8(y.part[0]));
        vst1_u8(second, vget_high_u8(y.part[0]));
    } else {
        const uint32x4_t pairs = vreinterpretq_u32_u8(y.part[0]);
        const uint32_t low = vgetq_lane_u32(pairs, 0);
        const uint32_t high = vgetq_lane_u32(pairs, 1);
        memcpy(first, &low, sizeof low);
        memcpy(second, &high, sizeof high);
    }
}

SIMA_NEON_INLINE void sima_neon_store_one(unsigned char *output, const sima_neon_block y,
                                          const size_t width)
{
    if (width == 4) {
        vst1q_lane_u32((void *)output, vreinterpretq_u32_u8(y.part[0]), 0);
    } else {
        vst1q_lane_u16((void *)output, vreinterpretq_u16_u8(y.part[0]), 0);
    }
}

/* ---- Spans ---- */

/* Complete blocks only: count is a multiple of 16. Two independent blocks a turn, both converted
 * before either is stored, so that one's latencies hide behind the other's work. */
SIMA_NEON_INLINE void sima_neon_whole(const int8_t *restrict input, unsigned char *restrict output,
                                      const size_t count, const size_t width,
                                      const sima_neon_constants k, sima_neon_convert *const convert)
{
    for (size_t pairs = count / 32; pairs > 0; --pairs) {
        const int8x16_t x0 = vld1q_s8(input);
        const int8x16_t x1 = vld1q_s8(input + 16);
        const sima_neon_block y0 = convert(x0, k);
        const sima_neon_block y1 = convert(x1, k);
        sima_neon_store(output, y0, width);
        sima_neon_store(output + 16 * width, y1, width);
        input += 32;
        output += 32 * width;
    }
    if (count & 16) {
        sima_neon_store(output, convert(vld1q_s8(input), k), width);
    }
}

/* At least one block; a remainder is served by a block over the last 16 elements. */
SIMA_NEON_INLINE void sima_neon_overlap(const int8_t *restrict input,
                                        unsigned char *restrict output, const size_t count,
                                        const size_t width, const sima_neon_constants k,
                                        sima_neon_convert *const convert)
{
    sima_neon_whole(input, output, count, width, k, convert);
    if (count & 15) {
        const size_t last = count - 16;
        sima_neon_store(output + last * width, convert(vld1q_s8(input + last), k), width);
    }
}

/* 1 to 15 elements. */
SIMA_NEON_INLINE void sima_neon_short(const int8_t *restrict input, unsigned char *restrict output,
                                      const size_t count, const size_t width,
                                      const sima_neon_constants k, sima_neon_convert *const convert)
{
    if (count & 8) {
        const sima_neon_block y = convert(sima_neon_load_two_eights(input, count), k);
        sima_neon_store_low_eight(output, y, width);
        sima_neon_store_high_eight(output + (count - 8) * width, y, width);
    } else if (count & 4) {
        const sima_neon_block y = convert(sima_neon_load_two_fours(input, count), k);
        sima_neon_store_two_fours(output, output + (count - 4) * width, y, width);
    } else if (count & 2) {
        const sima_neon_block y = convert(sima_neon_load_two_twos(input, count), k);
        sima_neon_store_two_twos(output, output + (count - 2) * width, y, width);
    } else {
        sima_neon_store_one(output, convert(sima_neon_load_one(input), k), width);
    }
}

/* Any length: complete blocks, then the staged expression for each element that remains. */
SIMA_NEON_INLINE void sima_neon_scalar(const int8_t *restrict input, unsigned char *restrict output,
                                       const size_t count, const size_t width,
                                       const sima_neon_constants k,
                                       sima_neon_convert *const convert,
                                       const sima_a65_dequant_operands *const operands)
{
    const size_t blocks = count & ~(size_t)15;
    const float zero_point = (float)operands->zero_point;
    sima_neon_whole(input, output, blocks, width, k, convert);
    for (size_t i = blocks; i < count; ++i) {
        const float result = sima_staged_f32(input[i], zero_point, operands->scale);
        const uint16_t narrowed = sima_narrow_even(result);
        memcpy(output + i * width, width == 4 ? (const void *)&result : &narrowed, width);
    }
}

#endif /* SIMAAI_KERNELS_RUNTIME_A65_NEON_SPAN_H */
