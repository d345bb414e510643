/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIMAAI_KERNELS_RUNTIME_A65_AVX512_SPAN_H
#define SIMAAI_KERNELS_RUNTIME_A65_AVX512_SPAN_H

/*
 * How a span of adjacent elements is walked with AVX-512. A generated kernel brings the
 * arithmetic, a `convert` function from 64 inputs to 64 results; what is loaded and stored, and
 * where, stands here once for all of them. Everything is inlined, the call through `convert`
 * included.
 *
 * No access leaves input[0, count) or output[0, count): what a mask leaves out is not accessed.
 */

#include "build_policy.h"
#include "dequant_kernel.h"
#include "x86_common.h"

#include <immintrin.h>
#include <stdbool.h>

/* The instructions that cpu.c asks the processor for before it lets one of these kernels run. */
#define SIMA_AVX512_KERNEL                                                                         \
    __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512bf16")))
#define SIMA_AVX512_INLINE SIMA_AVX512_KERNEL SIMA_X86_INLINE

/* Elements of a block, and of the part of one that fills a register with FP32. */
enum { SIMA_AVX512_BLOCK = 64, SIMA_AVX512_QUARTER = 16 };

enum { SIMA_AVX512_LINE = 64 };

/* The BF16 results of all 256 inputs: lower and upper bytes, 64 entries a register. Entry u belongs
 * to the input whose byte, taken for unsigned, is u. `order` puts elements 0 to 31 into even bytes,
 * 32 to 63 into odd ones. */
typedef struct sima_avx512_entries {
    __m512i lower[4];
    __m512i upper[4];
    __m512i order;
    __mmask64 odd_bytes;
} sima_avx512_entries;

/* Vectors that a kernel sets up once a call. Each kernel sets and reads the few that it needs. */
typedef struct sima_avx512_constants {
    __m512i lanes[4];
    __mmask64 lowest_bytes;
    __m512i pattern;
    __m512 input_bias;
    __m512 subtrahend;
    __m512 scale;
    __m512i rounding;
    sima_avx512_entries table;
} sima_avx512_constants;

/* FP32 results of a block, in the order that `lanes` says. */
typedef struct sima_avx512_floats {
    __m512 val[4];
} sima_avx512_floats;

/* What a block stores: 64 results in order, in four parts as FP32, in two as BF16. */
typedef struct sima_avx512_stores {
    __m512i part[4];
} sima_avx512_stores;

typedef sima_avx512_stores sima_avx512_convert(__m512i x, sima_avx512_constants k);

/* ---- Pieces of several sequences ---- */

/* A mask whose value is kept from the compiler: clang would take a masked permutation by a constant
 * apart, and make shift and blend one slower permutation. */
SIMA_AVX512_INLINE __mmask64 sima_avx512_mask(__mmask64 mask)
{
    __asm__("" : "+k"(mask));
    return mask;
}

/* The lowest byte of each 32-bit lane. */
SIMA_AVX512_INLINE __mmask64 sima_avx512_lowest_bytes(void)
{
    return sima_avx512_mask(UINT64_C(0x1111111111111111));
}

/* Indices of bytes first, first + step, ... in the lowest byte of each 32-bit lane. */
SIMA_AVX512_INLINE __m512i sima_avx512_lanes(const int first, const int step)
{
    const __m512i counts = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    return _mm512_add_epi32(_mm512_mullo_epi32(counts, _mm512_set1_epi32(step)),
                            _mm512_set1_epi32(first));
}

/* The pattern with one of the bytes in the lowest byte of each lane. */
SIMA_AVX512_INLINE __m512 sima_avx512_place(const __m512i bytes, const __m512i lanes,
                                            const sima_avx512_constants k)
{
    return _mm512_castsi512_ps(
        _mm512_mask_permutexvar_epi8(k.pattern, k.lowest_bytes, lanes, bytes));
}

/* ---- The result of a block ---- */

/* FP32 as it is. */
SIMA_AVX512_INLINE sima_avx512_stores sima_avx512_words(const sima_avx512_floats y)
{
    const sima_avx512_stores words = {{
        _mm512_castps_si512(y.val[0]),
        _mm512_castps_si512(y.val[1]),
        _mm512_castps_si512(y.val[2]),
        _mm512_castps_si512(y.val[3]),
    }};
    return words;
}

/* Of both vectors' lanes the upper halves, alternating. */
SIMA_AVX512_INLINE __m512i sima_avx512_uppers(const __m512i even, const __m512i odd)
{
    return _mm512_mask_blend_epi16(0xaaaaaaaa, _mm512_srli_epi32(even, 16), odd);
}

SIMA_AVX512_INLINE __m512i sima_avx512_lowers(const __m512i even, const __m512i odd)
{
    return _mm512_mask_blend_epi16(0xaaaaaaaa, even, _mm512_slli_epi32(odd, 16));
}

/* BF16 of results whose lower halves are zero; lanes alternate. */
SIMA_AVX512_INLINE sima_avx512_stores sima_avx512_upper_halves(const sima_avx512_floats y)
{
    const sima_avx512_stores halves = {{
        sima_avx512_uppers(_mm512_castps_si512(y.val[0]), _mm512_castps_si512(y.val[1])),
        sima_avx512_uppers(_mm512_castps_si512(y.val[2]), _mm512_castps_si512(y.val[3])),
    }};
    return halves;
}

/* The upper halves of value + rounding, which is 0x8000 where halves go up, one less where they go
 * down; lanes alternate. */
SIMA_AVX512_INLINE sima_avx512_stores sima_avx512_narrow_by(sima_avx512_floats y,
                                                            const __m512i rounding)
{
    for (int i = 0; i < 4; ++i) {
        y.val[i] = _mm512_castsi512_ps(_mm512_add_epi32(_mm512_castps_si512(y.val[i]), rounding));
    }
    return sima_avx512_upper_halves(y);
}

/* On the halves taken apart: lower + 0x7fff + lowest kept bit carries out of 16 bits just when the
 * upper half goes up; halved, that carry is the top bit. The average adds one of its own. */
SIMA_AVX512_INLINE __m512i sima_avx512_even_pair(const __m512 even, const __m512 odd)
{
    const __m512i lower = sima_avx512_lowers(_mm512_castps_si512(even), _mm512_castps_si512(odd));
    const __m512i upper = sima_avx512_uppers(_mm512_castps_si512(even), _mm512_castps_si512(odd));
    const __m512i lowest_kept = _mm512_and_si512(upper, _mm512_set1_epi16(1));
    const __m512i addend = _mm512_or_si512(lowest_kept, _mm512_set1_epi16(0x7ffe));
    const __m512i carry = _mm512_srli_epi16(_mm512_avg_epu16(lower, addend), 15);
    return _mm512_add_epi16(upper, carry);
}

SIMA_AVX512_INLINE sima_avx512_stores sima_avx512_nearest_even(const sima_avx512_floats y)
{
    const sima_avx512_stores halves = {{
        sima_avx512_even_pair(y.val[0], y.val[1]),
        sima_avx512_even_pair(y.val[2], y.val[3]),
    }};
    return halves;
}

/* By the processor's own conversion, for results that are zero or normal; lanes in order. */
SIMA_AVX512_INLINE sima_avx512_stores sima_avx512_narrow_natively(const sima_avx512_floats y)
{
    const sima_avx512_stores halves = {{
        (__m512i)_mm512_cvtne2ps_pbh(y.val[1], y.val[0]),
        (__m512i)_mm512_cvtne2ps_pbh(y.val[3], y.val[2]),
    }};
    return halves;
}

/* ---- A table of all 256 results ---- */

/* The staged expression on 16 inputs. */
SIMA_AVX512_INLINE __m512 sima_avx512_staged(const __m128i x, const __m512 zero_point,
                                             const __m512 scale)
{
    const __m512 value = _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(x));
    return _mm512_mul_ps(_mm512_sub_ps(value, zero_point), scale);
}

/* BF16 of 32 successive inputs, as bytes: even places, then odd ones. */
SIMA_AVX512_INLINE __m512i sima_avx512_results_from(const int first, const __m512 zero_point,
                                                    const __m512 scale)
{
    const __m128i counts = _mm_setr_epi8(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    const __m128i even = _mm_add_epi8(counts, _mm_set1_epi8((char)first));
    const __m128i odd = _mm_add_epi8(even, _mm_set1_epi8(1));
    return sima_avx512_even_pair(sima_avx512_staged(even, zero_point, scale),
                                 sima_avx512_staged(odd, zero_point, scale));
}

/* The lower bytes of 64 words. */
SIMA_AVX512_INLINE __m512i sima_avx512_lower_bytes(const __m512i first, const __m512i second)
{
    const __m512i low = _mm512_castsi256_si512(_mm512_cvtepi16_epi8(first));
    return _mm512_inserti64x4(low, _mm512_cvtepi16_epi8(second), 1);
}

SIMA_AVX512_INLINE __m512i sima_avx512_table_order(void)
{
    const __m512i twice = sima_avx512_lanes(0, 2);
    const __m512i next = _mm512_add_epi32(twice, _mm512_set1_epi32(1));
    const __m512i low = _mm512_or_si512(twice, _mm512_slli_epi32(next, 16));
    const __m512i high = _mm512_add_epi16(low, _mm512_set1_epi16(32));
    return _mm512_or_si512(low, _mm512_slli_epi16(high, 8));
}

SIMA_AVX512_INLINE sima_avx512_entries
sima_avx512_table(const sima_a65_dequant_operands *const operands)
{
    const __m512 zero_point = _mm512_set1_ps((float)operands->zero_point);
    const __m512 scale = _mm512_set1_ps(operands->scale);
    sima_avx512_entries table;
    for (int quarter = 0; quarter < 4; ++quarter) {
        const int first = 64 * quarter;
        const __m512i words = sima_avx512_results_from(first, zero_point, scale);
        const __m512i more = sima_avx512_results_from(first + 32, zero_point, scale);
        table.lower[quarter] = sima_avx512_lower_bytes(words, more);
        table.upper[quarter] =
            sima_avx512_lower_bytes(_mm512_srli_epi16(words, 8), _mm512_srli_epi16(more, 8));
    }
    table.order = sima_avx512_table_order();
    table.odd_bytes = sima_avx512_mask(UINT64_C(0xaaaaaaaaaaaaaaaa));
    return table;
}

/* One byte of the entries that the bytes name: `second` where the index has bit 6, the upper half
 * of the table where it has bit 7. */
SIMA_AVX512_INLINE __m512i sima_avx512_look_up(const __m512i bytes, const __mmask64 bit6,
                                               const __mmask64 bit7, const __m512i table[4])
{
    const __m512i first = _mm512_permutexvar_epi8(bytes, table[0]);
    const __m512i third = _mm512_permutexvar_epi8(bytes, table[2]);
    const __m512i low = _mm512_mask_permutexvar_epi8(first, bit6, bytes, table[1]);
    const __m512i high = _mm512_mask_permutexvar_epi8(third, bit6, bytes, table[3]);
    return _mm512_mask_blend_epi8(bit7, low, high);
}

SIMA_AVX512_INLINE sima_avx512_stores sima_avx512_from_table(const __m512i x,
                                                             const sima_avx512_entries table)
{
    const __m512i bytes = _mm512_permutexvar_epi8(table.order, x);
    const __mmask64 bit7 = _mm512_movepi8_mask(bytes);
    /* Kept from clang, which would test for the bit on the port that permutes. */
    __m512i doubled = _mm512_add_epi8(bytes, bytes);
    __asm__("" : "+v"(doubled));
    const __mmask64 bit6 = _mm512_movepi8_mask(doubled);
    const __m512i lower = sima_avx512_look_up(bytes, bit6, bit7, table.lower);
    const __m512i upper = sima_avx512_look_up(bytes, bit6, bit7, table.upper);
    const sima_avx512_stores halves = {{
        _mm512_mask_blend_epi8(table.odd_bytes, lower, _mm512_slli_epi16(upper, 8)),
        _mm512_mask_blend_epi8(table.odd_bytes, _mm512_srli_epi16(lower, 8), upper),
    }};
    return halves;
}

/* ---- Stores ----
 *
 * `width` is that of an output element in bytes, 4 or 2, and known to the compiler. */

SIMA_AVX512_INLINE void sima_avx512_store_block(unsigned char *output, const sima_avx512_stores y,
                                                const size_t width)
{
    _mm512_storeu_si512(output, y.part[0]);
    _mm512_storeu_si512(output + 64, y.part[1]);
    if (width == 4) {
        _mm512_storeu_si512(output + 128, y.part[2]);
        _mm512_storeu_si512(output + 192, y.part[3]);
    }
}

/* Past the caches; `output` is the beginning of a cache line. */
SIMA_AVX512_INLINE void sima_avx512_stream_block(unsigned char *output, const sima_avx512_stores y,
                                                 const size_t width)
{
    _mm512_stream_si512((__m512i *)(void *)output, y.part[0]);
    _mm512_stream_si512((__m512i *)(void *)(output + 64), y.part[1]);
    if (width == 4) {
        _mm512_stream_si512((__m512i *)(void *)(output + 128), y.part[2]);
        _mm512_stream_si512((__m512i *)(void *)(output + 192), y.part[3]);
    }
}

SIMA_AVX512_INLINE void sima_avx512_put(unsigned char *output, const sima_avx512_stores y,
                                        const size_t width, const bool past_caches)
{
    if (past_caches) {
        sima_avx512_stream_block(output, y, width);
    } else {
        sima_avx512_store_block(output, y, width);
    }
}

SIMA_AVX512_INLINE void sima_avx512_store_quarter(unsigned char *output, const sima_avx512_stores y,
                                                  const size_t width)
{
    if (width == 4) {
        _mm512_storeu_si512(output, y.part[0]);
    } else {
        _mm256_storeu_si256((__m256i *)(void *)output, _mm512_castsi512_si256(y.part[0]));
    }
}

/* ---- Spans ---- */

SIMA_AVX512_INLINE __m512i sima_avx512_load_quarter(const int8_t *input)
{
    return _mm512_zextsi128_si512(_mm_loadu_si128((const __m128i *)(const void *)input));
}

/* Complete blocks from `done` on; a remainder is served by a block over the last 64 elements. */
SIMA_AVX512_INLINE void
sima_avx512_blocks(const int8_t *restrict input, unsigned char *restrict output, const size_t count,
                   const size_t width, size_t done, const sima_avx512_constants k,
                   sima_avx512_convert *const convert, const bool past_caches)
{
    for (; count - done >= SIMA_AVX512_BLOCK; done += SIMA_AVX512_BLOCK) {
        sima_avx512_put(output + done * width, convert(_mm512_loadu_si512(input + done), k), width,
                        past_caches);
    }
    if (done < count) {
        const size_t last = count - SIMA_AVX512_BLOCK;
        sima_avx512_store_block(output + last * width, convert(_mm512_loadu_si512(input + last), k),
                                width);
    }
}

/* At least 64 elements. Where the output does not begin with a cache line, a block is stored there
 * and the next one begins with the first line that does. */
SIMA_AVX512_INLINE void sima_avx512_from_line(const int8_t *restrict input,
                                              unsigned char *restrict output, const size_t count,
                                              const size_t width, const sima_avx512_constants k,
                                              sima_avx512_convert *const convert,
                                              const bool past_caches)
{
    const size_t past = (uintptr_t)output % SIMA_AVX512_LINE;
    const size_t before = (SIMA_AVX512_LINE - past) % SIMA_AVX512_LINE / width;
    if (before != 0) {
        sima_avx512_store_block(output, convert(_mm512_loadu_si512(input), k), width);
    }
    sima_avx512_blocks(input, output, count, width, before, k, convert, past_caches);
}

SIMA_AVX512_INLINE void sima_avx512_long(const int8_t *restrict input,
                                         unsigned char *restrict output, const size_t count,
                                         const size_t width, const sima_avx512_constants k,
                                         sima_avx512_convert *const convert)
{
    sima_avx512_from_line(input, output, count, width, k, convert, false);
}

/* Stores past the caches are not ordered with others until the fence. */
SIMA_AVX512_INLINE void sima_avx512_stream(const int8_t *restrict input,
                                           unsigned char *restrict output, const size_t count,
                                           const size_t width, const sima_avx512_constants k,
                                           sima_avx512_convert *const convert)
{
    sima_avx512_from_line(input, output, count, width, k, convert, true);
    _mm_sfence();
}

/* 16 elements and more. Below 64, quarters of a block, the last one over the last 16 elements. */
SIMA_AVX512_INLINE void sima_avx512_overlap(const int8_t *restrict input,
                                            unsigned char *restrict output, const size_t count,
                                            const size_t width, const sima_avx512_constants k,
                                            sima_avx512_convert *const convert)
{
    if (count >= SIMA_X86_ALIGNED_FROM) {
        sima_avx512_from_line(input, output, count, width, k, convert, false);
        return;
    }
    if (count >= SIMA_AVX512_BLOCK) {
        sima_avx512_blocks(input, output, count, width, 0, k, convert, false);
        return;
    }
    const size_t last = count - SIMA_AVX512_QUARTER;
    for (size_t done = 0; done < last; done += SIMA_AVX512_QUARTER) {
        sima_avx512_store_quarter(output + done * width,
                                  convert(sima_avx512_load_quarter(input + done), k), width);
    }
    sima_avx512_store_quarter(output + last * width,
                              convert(sima_avx512_load_quarter(input + last), k), width);
}

/* 1 to 15 elements, in one masked quarter. */
SIMA_AVX512_INLINE void sima_avx512_short(const int8_t *restrict input,
                                          unsigned char *restrict output, const size_t count,
                                          const size_t width, const sima_avx512_constants k,
                                          sima_avx512_convert *const convert)
{
    const __mmask16 live = (__mmask16)((1u << count) - 1);
    const __m512i x = _mm512_zextsi128_si512(_mm_maskz_loadu_epi8(live, input));
    const sima_avx512_stores y = convert(x, k);
    if (width == 4) {
        _mm512_mask_storeu_epi32(output, live, y.part[0]);
    } else {
        _mm256_mask_storeu_epi16(output, live, _mm512_castsi512_si256(y.part[0]));
    }
}

/* Any length. */
SIMA_AVX512_INLINE void sima_avx512_every(const int8_t *restrict input,
                                          unsigned char *restrict output, const size_t count,
                                          const size_t width, const sima_avx512_constants k,
                                          sima_avx512_convert *const convert)
{
    if (count < SIMA_AVX512_QUARTER) {
        sima_avx512_short(input, output, count, width, k, convert);
    } else {
        sima_avx512_overlap(input, output, count, width, k, convert);
    }
}

#endif /* SIMAAI_KERNELS_RUNTIME_A65_AVX512_SPAN_H */
