/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIMAAI_KERNELS_RUNTIME_A65_AVX2_SPAN_H
#define SIMAAI_KERNELS_RUNTIME_A65_AVX2_SPAN_H

/*
 * How a span of adjacent elements is walked with AVX2. A generated kernel brings the arithmetic, a
 * `convert` function from 16 inputs to 16 results; what is loaded and stored, and where, stands
 * here once for all of them. Everything is inlined, the call through `convert` included.
 *
 * No access leaves input[0, count) or output[0, count).
 */

#include "build_policy.h"
#include "dequant_kernel.h"
#include "x86_common.h"

#include <immintrin.h>
#include <stdbool.h>

/* The instructions that cpu.c asks the processor for before it lets one of these kernels run. */
#define SIMA_AVX2_KERNEL __attribute__((target("avx2")))
#define SIMA_AVX2_INLINE SIMA_AVX2_KERNEL SIMA_X86_INLINE

enum { SIMA_AVX2_BLOCK = 16, SIMA_AVX2_LINE = 64 };

/* Vectors that a kernel sets up once a call. Each kernel sets and reads the few that it needs. */
typedef struct sima_avx2_constants {
    __m256i lanes[2];
    __m256i pattern;
    __m256 input_bias;
    __m256 subtrahend;
    __m256 scale;
    __m256i rounding;
} sima_avx2_constants;

/* FP32 results of a block, in the order that `lanes` says. */
typedef struct sima_avx2_floats {
    __m256 val[2];
} sima_avx2_floats;

/* What a block stores: 16 results in order, in two parts as FP32, in one as BF16. */
typedef struct sima_avx2_stores {
    __m256i part[2];
} sima_avx2_stores;

/* The 16 inputs stand in both halves of x. */
typedef sima_avx2_stores sima_avx2_convert(__m256i x, sima_avx2_constants k);

/* ---- Pieces of several sequences ---- */

/* Shuffle indices of bytes first, first + step, ... in the lowest byte of each 32-bit lane, zeros
 * above them. */
SIMA_AVX2_INLINE __m256i sima_avx2_lanes(const int first, const int step)
{
    const __m256i counts = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const __m256i index = _mm256_add_epi32(_mm256_mullo_epi32(counts, _mm256_set1_epi32(step)),
                                           _mm256_set1_epi32(first));
    return _mm256_or_si256(index, _mm256_set1_epi32((int32_t)0x80808000));
}

/* The pattern with one of the bytes in the lowest byte of each lane, its top bit flipped. */
SIMA_AVX2_INLINE __m256 sima_avx2_place(const __m256i x, const __m256i lanes, const __m256i pattern)
{
    return _mm256_castsi256_ps(_mm256_xor_si256(_mm256_shuffle_epi8(x, lanes), pattern));
}

/* ---- The result of a block ---- */

/* FP32 as it is. */
SIMA_AVX2_INLINE sima_avx2_stores sima_avx2_words(const sima_avx2_floats y)
{
    const sima_avx2_stores words = {{_mm256_castps_si256(y.val[0]), _mm256_castps_si256(y.val[1])}};
    return words;
}

/* Of both vectors' lanes the upper halves, alternating. */
SIMA_AVX2_INLINE __m256i sima_avx2_uppers(const __m256i even, const __m256i odd)
{
    return _mm256_blend_epi16(_mm256_srli_epi32(even, 16), odd, 0xaa);
}

SIMA_AVX2_INLINE __m256i sima_avx2_lowers(const __m256i even, const __m256i odd)
{
    return _mm256_blend_epi16(even, _mm256_slli_epi32(odd, 16), 0xaa);
}

/* BF16 of results whose lower halves are zero; lanes alternate. */
SIMA_AVX2_INLINE sima_avx2_stores sima_avx2_upper_halves(const sima_avx2_floats y)
{
    const sima_avx2_stores halves = {
        {sima_avx2_uppers(_mm256_castps_si256(y.val[0]), _mm256_castps_si256(y.val[1]))}};
    return halves;
}

/* The upper halves of value + rounding, which is 0x8000 where halves go up, one less where they go
 * down; lanes alternate. */
SIMA_AVX2_INLINE sima_avx2_stores sima_avx2_narrow_by(const sima_avx2_floats y,
                                                      const __m256i rounding)
{
    const sima_avx2_stores halves = {
        {sima_avx2_uppers(_mm256_add_epi32(_mm256_castps_si256(y.val[0]), rounding),
                          _mm256_add_epi32(_mm256_castps_si256(y.val[1]), rounding))}};
    return halves;
}

/* On the halves taken apart: lower + 0x7fff + lowest kept bit carries out of 16 bits just when the
 * upper half goes up; halved, that carry is the top bit. The average adds one of its own. */
SIMA_AVX2_INLINE sima_avx2_stores sima_avx2_nearest_even(const sima_avx2_floats y)
{
    const __m256i even = _mm256_castps_si256(y.val[0]);
    const __m256i odd = _mm256_castps_si256(y.val[1]);
    const __m256i upper = sima_avx2_uppers(even, odd);
    const __m256i lowest_kept = _mm256_and_si256(upper, _mm256_set1_epi16(1));
    const __m256i addend = _mm256_or_si256(lowest_kept, _mm256_set1_epi16(0x7ffe));
    const __m256i halved = _mm256_avg_epu16(sima_avx2_lowers(even, odd), addend);
    const sima_avx2_stores halves = {{_mm256_add_epi16(upper, _mm256_srli_epi16(halved, 15))}};
    return halves;
}

/* ---- Loads: a block, and exact sizes for spans shorter than one ---- */

SIMA_AVX2_INLINE __m256i sima_avx2_load(const int8_t *input)
{
    return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)input));
}

/* Elements 0..7 and the last 8, for 8 <= count < 16. */
SIMA_AVX2_INLINE __m256i sima_avx2_load_two_eights(const int8_t *input, const size_t count)
{
    int64_t first;
    int64_t last;
    memcpy(&first, input, sizeof first);
    memcpy(&last, input + count - 8, sizeof last);
    return _mm256_broadcastsi128_si256(_mm_set_epi64x(last, first));
}

/* Elements 0..3 and the last 4, for 4 <= count < 8. */
SIMA_AVX2_INLINE __m256i sima_avx2_load_two_fours(const int8_t *input, const size_t count)
{
    int32_t first;
    int32_t last;
    memcpy(&first, input, sizeof first);
    memcpy(&last, input + count - 4, sizeof last);
    return _mm256_broadcastsi128_si256(_mm_set_epi32(0, 0, last, first));
}

/* Elements 0, 1 and the last 2, for 2 <= count < 4. */
SIMA_AVX2_INLINE __m256i sima_avx2_load_two_twos(const int8_t *input, const size_t count)
{
    uint16_t first;
    uint16_t last;
    memcpy(&first, input, sizeof first);
    memcpy(&last, input + count - 2, sizeof last);
    const uint32_t pairs = first | (uint32_t)last << 16;
    return _mm256_broadcastsi128_si256(_mm_cvtsi32_si128((int32_t)pairs));
}

SIMA_AVX2_INLINE __m256i sima_avx2_load_one(const int8_t *input)
{
    return _mm256_broadcastsi128_si256(_mm_cvtsi32_si128((uint8_t)*input));
}

/* ---- Stores ----
 *
 * `width` is that of an output element in bytes, 4 or 2, and known to the compiler. */

SIMA_AVX2_INLINE void sima_avx2_store_block(unsigned char *output, const sima_avx2_stores y,
                                            const size_t width)
{
    _mm256_storeu_si256((__m256i *)(void *)output, y.part[0]);
    if (width == 4) {
        _mm256_storeu_si256((__m256i *)(void *)(output + 32), y.part[1]);
    }
}

/* Past the caches; `output` is a multiple of 32. */
SIMA_AVX2_INLINE void sima_avx2_stream_block(unsigned char *output, const sima_avx2_stores y,
                                             const size_t width)
{
    _mm256_stream_si256((__m256i *)(void *)output, y.part[0]);
    if (width == 4) {
        _mm256_stream_si256((__m256i *)(void *)(output + 32), y.part[1]);
    }
}

SIMA_AVX2_INLINE void sima_avx2_put(unsigned char *output, const sima_avx2_stores y,
                                    const size_t width, const bool past_caches)
{
    if (past_caches) {
        sima_avx2_stream_block(output, y, width);
    } else {
        sima_avx2_store_block(output, y, width);
    }
}

/* Results 0 to 7 to `first`, 8 to 15 to `second`. */
SIMA_AVX2_INLINE void sima_avx2_store_two_eights(unsigned char *first, unsigned char *second,
                                                 const sima_avx2_stores y, const size_t width)
{
    if (width == 4) {
        _mm256_storeu_si256((__m256i *)(void *)first, y.part[0]);
        _mm256_storeu_si256((__m256i *)(void *)second, y.part[1]);
    } else {
        _mm_storeu_si128((__m128i *)(void *)first, _mm256_castsi256_si128(y.part[0]));
        _mm_storeu_si128((__m128i *)(void *)second, _mm256_extracti128_si256(y.part[0], 1));
    }
}

/* Results 0 to 3, and 4 to 7. */
SIMA_AVX2_INLINE void sima_avx2_store_two_fours(unsigned char *first, unsigned char *second,
                                                const sima_avx2_stores y, const size_t width)
{
    const __m128i low = _mm256_castsi256_si128(y.part[0]);
    if (width == 4) {
        _mm_storeu_si128((__m128i *)(void *)first, low);
        _mm_storeu_si128((__m128i *)(void *)second, _mm256_extracti128_si256(y.part[0], 1));
    } else {
        _mm_storel_epi64((__m128i *)(void *)first, low);
        _mm_storel_epi64((__m128i *)(void *)second, _mm_srli_si128(low, 8));
    }
}

/* Results 0 and 1, and 2 and 3. */
SIMA_AVX2_INLINE void sima_avx2_store_two_twos(unsigned char *first, unsigned char *second,
                                               const sima_avx2_stores y, const size_t width)
{
    const __m128i low = _mm256_castsi256_si128(y.part[0]);
    if (width == 4) {
        _mm_storel_epi64((__m128i *)(void *)first, low);
        _mm_storel_epi64((__m128i *)(void *)second, _mm_srli_si128(low, 8));
    } else {
        const int32_t pairs[2] = {_mm_extract_epi32(low, 0), _mm_extract_epi32(low, 1)};
        memcpy(first, &pairs[0], sizeof pairs[0]);
        memcpy(second, &pairs[1], sizeof pairs[1]);
    }
}

SIMA_AVX2_INLINE void sima_avx2_store_one(unsigned char *output, const sima_avx2_stores y,
                                          const size_t width)
{
    const int32_t word = _mm_cvtsi128_si32(_mm256_castsi256_si128(y.part[0]));
    memcpy(output, &word, width);
}

/* ---- Spans ---- */

/* Complete blocks from `done` on, two a turn, both converted before either is stored. Returns how
 * many elements are done then. */
SIMA_AVX2_INLINE size_t sima_avx2_blocks(const int8_t *restrict input,
                                         unsigned char *restrict output, const size_t count,
                                         const size_t width, size_t done,
                                         const sima_avx2_constants k,
                                         sima_avx2_convert *const convert, const bool past_caches)
{
    const size_t pair = (size_t)2 * SIMA_AVX2_BLOCK;
    for (; count - done >= pair; done += pair) {
        const sima_avx2_stores y0 = convert(sima_avx2_load(input + done), k);
        const sima_avx2_stores y1 = convert(sima_avx2_load(input + done + SIMA_AVX2_BLOCK), k);
        sima_avx2_put(output + done * width, y0, width, past_caches);
        sima_avx2_put(output + (done + SIMA_AVX2_BLOCK) * width, y1, width, past_caches);
    }
    if (count - done >= SIMA_AVX2_BLOCK) {
        sima_avx2_put(output + done * width, convert(sima_avx2_load(input + done), k), width,
                      past_caches);
        done += SIMA_AVX2_BLOCK;
    }
    return done;
}

/* The block that ends the span, where `done` elements do not. */
SIMA_AVX2_INLINE void sima_avx2_last(const int8_t *restrict input, unsigned char *restrict output,
                                     const size_t count, const size_t width, const size_t done,
                                     const sima_avx2_constants k, sima_avx2_convert *const convert)
{
    if (done < count) {
        const size_t last = count - SIMA_AVX2_BLOCK;
        sima_avx2_store_block(output + last * width, convert(sima_avx2_load(input + last), k),
                              width);
    }
}

/* At least 64 elements. Where the output does not begin with a cache line, blocks are stored up to
 * the first line that does and over its beginning. */
SIMA_AVX2_INLINE void sima_avx2_from_line(const int8_t *restrict input,
                                          unsigned char *restrict output, const size_t count,
                                          const size_t width, const sima_avx2_constants k,
                                          sima_avx2_convert *const convert, const bool past_caches)
{
    const size_t past = (uintptr_t)output % SIMA_AVX2_LINE;
    const size_t before = (SIMA_AVX2_LINE - past) % SIMA_AVX2_LINE / width;
    for (size_t done = 0; done < before; done += SIMA_AVX2_BLOCK) {
        sima_avx2_store_block(output + done * width, convert(sima_avx2_load(input + done), k),
                              width);
    }
    const size_t done =
        sima_avx2_blocks(input, output, count, width, before, k, convert, past_caches);
    sima_avx2_last(input, output, count, width, done, k, convert);
}

SIMA_AVX2_INLINE void sima_avx2_long(const int8_t *restrict input, unsigned char *restrict output,
                                     const size_t count, const size_t width,
                                     const sima_avx2_constants k, sima_avx2_convert *const convert)
{
    sima_avx2_from_line(input, output, count, width, k, convert, false);
}

/* Stores past the caches are not ordered with others until the fence. */
SIMA_AVX2_INLINE void sima_avx2_stream(const int8_t *restrict input, unsigned char *restrict output,
                                       const size_t count, const size_t width,
                                       const sima_avx2_constants k,
                                       sima_avx2_convert *const convert)
{
    sima_avx2_from_line(input, output, count, width, k, convert, true);
    _mm_sfence();
}

/* 16 elements and more. */
SIMA_AVX2_INLINE void sima_avx2_overlap(const int8_t *restrict input,
                                        unsigned char *restrict output, const size_t count,
                                        const size_t width, const sima_avx2_constants k,
                                        sima_avx2_convert *const convert)
{
    if (count >= SIMA_X86_ALIGNED_FROM) {
        sima_avx2_from_line(input, output, count, width, k, convert, false);
        return;
    }
    const size_t done = sima_avx2_blocks(input, output, count, width, 0, k, convert, false);
    sima_avx2_last(input, output, count, width, done, k, convert);
}

/* 1 to 15 elements. */
SIMA_AVX2_INLINE void sima_avx2_short(const int8_t *restrict input, unsigned char *restrict output,
                                      const size_t count, const size_t width,
                                      const sima_avx2_constants k, sima_avx2_convert *const convert)
{
    if (count & 8) {
        sima_avx2_store_two_eights(output, output + (count - 8) * width,
                                   convert(sima_avx2_load_two_eights(input, count), k), width);
    } else if (count & 4) {
        sima_avx2_store_two_fours(output, output + (count - 4) * width,
                                  convert(sima_avx2_load_two_fours(input, count), k), width);
    } else if (count & 2) {
        sima_avx2_store_two_twos(output, output + (count - 2) * width,
                                 convert(sima_avx2_load_two_twos(input, count), k), width);
    } else {
        sima_avx2_store_one(output, convert(sima_avx2_load_one(input), k), width);
    }
}

/* Any length. */
SIMA_AVX2_INLINE void sima_avx2_every(const int8_t *restrict input, unsigned char *restrict output,
                                      const size_t count, const size_t width,
                                      const sima_avx2_constants k, sima_avx2_convert *const convert)
{
    if (count < SIMA_AVX2_BLOCK) {
        sima_avx2_short(input, output, count, width, k, convert);
    } else {
        sima_avx2_overlap(input, output, count, width, k, convert);
    }
}

#endif /* SIMAAI_KERNELS_RUNTIME_A65_AVX2_SPAN_H */
