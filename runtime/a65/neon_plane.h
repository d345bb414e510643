/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIMAAI_KERNELS_RUNTIME_A65_NEON_PLANE_H
#define SIMAAI_KERNELS_RUNTIME_A65_NEON_PLANE_H

/*
 * How planes are walked on NEON: rows that are short, apart, across or stepped through. As in
 * neon_span.h a kernel brings the arithmetic on 16 elements, and what is loaded and stored stands
 * here. dequant_kernel.h says which planes each shape admits.
 *
 * Only bytes of elements are read or written: where they lie apart, each is an access of its own.
 */

#include "neon_span.h"

/* Takes the next 16 elements of a row, and moves on to those after them. `width`: bytes of an
 * output element. */
typedef void sima_neon_next_block(const int8_t **from, unsigned char **to,
                                  const sima_a65_dequant_plane *plane, size_t width,
                                  const sima_neon_constants *k, sima_neon_convert *convert);

/* One row of at least 16 elements, block by block; a remainder is served by a block over the last
 * 16. Gives the same bits twice where they overlap. */
SIMA_NEON_INLINE void sima_neon_along_row(const int8_t *from, unsigned char *to,
                                          const sima_a65_dequant_plane *const plane,
                                          const size_t width, const sima_neon_constants *const k,
                                          sima_neon_convert *const convert,
                                          sima_neon_next_block *const block)
{
    for (size_t blocks = plane->count / 16; blocks > 0; --blocks) {
        block(&from, &to, plane, width, k, convert);
    }
    const size_t rest = plane->count % 16;
    if (rest > 0) {
        from -= (16 - rest) * plane->input_step;
        to -= (16 - rest) * plane->output_step;
        block(&from, &to, plane, width, k, convert);
    }
}

SIMA_NEON_INLINE void sima_neon_along_rows(const int8_t *input, unsigned char *output,
                                           const sima_a65_dequant_plane *const plane,
                                           const size_t width, const sima_neon_constants *const k,
                                           sima_neon_convert *const convert,
                                           sima_neon_next_block *const block)
{
    for (size_t left = plane->rows; left > 0; --left) {
        sima_neon_along_row(input, output, plane, width, k, convert, block);
        input += plane->input_row;
        output += plane->output_row;
    }
}

/* ---- Rows of adjacent elements ---- */

SIMA_NEON_INLINE void sima_neon_rows(const int8_t *input, unsigned char *output,
                                     const sima_a65_dequant_plane plane, const size_t width,
                                     const sima_neon_constants k, sima_neon_convert *const convert)
{
    for (size_t left = plane.rows; left > 0; --left) {
        sima_neon_overlap(input, output, plane.count, width, k, convert);
        input += plane.input_row;
        output += plane.output_row;
    }
}

/* ---- Fragments ---- */

/* Steps between the pieces of a row, and from its last piece to the next row. With one piece a row
 * both are the same. */
typedef struct sima_neon_steps {
    size_t within;
    size_t onward;
} sima_neon_steps;

SIMA_NEON_INLINE int8x16_t sima_neon_take_twos(const int8_t **const from, const sima_neon_steps by)
{
    int16x8_t x;
    SIMA_NEON_TAKE_FIRST(x, 8h, *from, by.within);
    SIMA_NEON_TAKE(x, h, 1, *from, by.onward);
    SIMA_NEON_TAKE(x, h, 2, *from, by.within);
    SIMA_NEON_TAKE(x, h, 3, *from, by.onward);
    SIMA_NEON_TAKE(x, h, 4, *from, by.within);
    SIMA_NEON_TAKE(x, h, 5, *from, by.onward);
    SIMA_NEON_TAKE(x, h, 6, *from, by.within);
    SIMA_NEON_TAKE(x, h, 7, *from, by.onward);
    return vreinterpretq_s8_s16(x);
}

SIMA_NEON_INLINE int8x16_t sima_neon_take_fours(const int8_t **const from, const sima_neon_steps by)
{
    int32x4_t x;
    SIMA_NEON_TAKE_FIRST(x, 4s, *from, by.within);
    SIMA_NEON_TAKE(x, s, 1, *from, by.onward);
    SIMA_NEON_TAKE(x, s, 2, *from, by.within);
    SIMA_NEON_TAKE(x, s, 3, *from, by.onward);
    return vreinterpretq_s8_s32(x);
}

SIMA_NEON_INLINE int8x16_t sima_neon_take_eights(const int8_t **const from,
                                                 const sima_neon_steps by)
{
    int64x2_t x;
    SIMA_NEON_TAKE_FIRST(x, 2d, *from, by.within);
    SIMA_NEON_TAKE(x, d, 1, *from, by.onward);
    return vreinterpretq_s8_s64(x);
}

/* Two, four and eight results a piece. */
SIMA_NEON_INLINE void sima_neon_put_twos(unsigned char **const to, const sima_neon_block y,
                                         const sima_neon_steps by, const size_t width)
{
    for (int part = 0; part < (width == 4 ? 4 : 2); ++part) {
        if (width == 4) {
            SIMA_NEON_PUT(y.part[part], d, 0, *to, by.within);
            SIMA_NEON_PUT(y.part[part], d, 1, *to, by.onward);
        } else {
            SIMA_NEON_PUT(y.part[part], s, 0, *to, by.within);
            SIMA_NEON_PUT(y.part[part], s, 1, *to, by.onward);
            SIMA_NEON_PUT(y.part[part], s, 2, *to, by.within);
            SIMA_NEON_PUT(y.part[part], s, 3, *to, by.onward);
        }
    }
}

SIMA_NEON_INLINE void sima_neon_put_fours(unsigned char **const to, const sima_neon_block y,
                                          const sima_neon_steps by, const size_t width)
{
    if (width == 4) {
        SIMA_NEON_PUT_ALL(y.part[0], *to, by.within);
        SIMA_NEON_PUT_ALL(y.part[1], *to, by.onward);
        SIMA_NEON_PUT_ALL(y.part[2], *to, by.within);
        SIMA_NEON_PUT_ALL(y.part[3], *to, by.onward);
    } else {
        SIMA_NEON_PUT(y.part[0], d, 0, *to, by.within);
        SIMA_NEON_PUT(y.part[0], d, 1, *to, by.onward);
        SIMA_NEON_PUT(y.part[1], d, 0, *to, by.within);
        SIMA_NEON_PUT(y.part[1], d, 1, *to, by.onward);
    }
}

SIMA_NEON_INLINE void sima_neon_put_eights(unsigned char **const to, const sima_neon_block y,
                                           const sima_neon_steps by, const size_t width)
{
    if (width == 4) {
        SIMA_NEON_PUT_NEXT(y.part[0], *to);
        SIMA_NEON_PUT_ALL(y.part[1], *to, by.within - 16);
        SIMA_NEON_PUT_NEXT(y.part[2], *to);
        SIMA_NEON_PUT_ALL(y.part[3], *to, by.onward - 16);
    } else {
        SIMA_NEON_PUT_ALL(y.part[0], *to, by.within);
        SIMA_NEON_PUT_ALL(y.part[1], *to, by.onward);
    }
}

typedef int8x16_t sima_neon_take(const int8_t **from, sima_neon_steps by);
typedef void sima_neon_put(unsigned char **to, sima_neon_block y, sima_neon_steps by, size_t width);

/*
 * Rows of `piece` elements, or of more in two pieces that may overlap. Two blocks a turn; rows that
 * are left over are served by a turn over the last ones.
 */
SIMA_NEON_INLINE void sima_neon_pieces(const int8_t *input, unsigned char *output,
                                       const sima_a65_dequant_plane plane, const size_t piece,
                                       const size_t width, const sima_neon_constants k,
                                       sima_neon_convert *const convert, sima_neon_take *const take,
                                       sima_neon_put *const put)
{
    const size_t second = plane.count - piece; /* where the second piece begins; 0: there is none */
    const size_t turn = 32 / piece >> (second > 0); /* rows; a power of two */
    const sima_neon_steps in = {second > 0 ? second : plane.input_row, plane.input_row - second};
    const sima_neon_steps out = {second > 0 ? second * width : plane.output_row,
                                 plane.output_row - second * width};
    size_t turns = plane.rows / turn;
    size_t rest = plane.rows & (turn - 1);
    for (;;) {
        do {
            const int8x16_t x0 = take(&input, in);
            const int8x16_t x1 = take(&input, in);
            const sima_neon_block y0 = convert(x0, k);
            const sima_neon_block y1 = convert(x1, k);
            put(&output, y0, out, width);
            put(&output, y1, out, width);
        } while (--turns > 0);
        if (rest == 0) {
            return;
        }
        input -= (turn - rest) * plane.input_row;
        output -= (turn - rest) * plane.output_row;
        rest = 0;
        turns = 1;
    }
}

SIMA_NEON_INLINE void sima_neon_fragments(const int8_t *const input, unsigned char *const output,
                                          const sima_a65_dequant_plane plane, const size_t width,
                                          const sima_neon_constants k,
                                          sima_neon_convert *const convert)
{
    if (plane.count >= 8) {
        sima_neon_pieces(input, output, plane, 8, width, k, convert, sima_neon_take_eights,
                         sima_neon_put_eights);
    } else if (plane.count >= 4) {
        sima_neon_pieces(input, output, plane, 4, width, k, convert, sima_neon_take_fours,
                         sima_neon_put_fours);
    } else {
        sima_neon_pieces(input, output, plane, 2, width, k, convert, sima_neon_take_twos,
                         sima_neon_put_twos);
    }
}

/* ---- Single elements ---- */

SIMA_NEON_INLINE int8x16_t sima_neon_take_ones(const int8_t **const from, const size_t step)
{
    int8x16_t x;
    SIMA_NEON_TAKE_FIRST(x, 16b, *from, step);
    SIMA_NEON_TAKE(x, b, 1, *from, step);
    SIMA_NEON_TAKE(x, b, 2, *from, step);
    SIMA_NEON_TAKE(x, b, 3, *from, step);
    SIMA_NEON_TAKE(x, b, 4, *from, step);
    SIMA_NEON_TAKE(x, b, 5, *from, step);
    SIMA_NEON_TAKE(x, b, 6, *from, step);
    SIMA_NEON_TAKE(x, b, 7, *from, step);
    SIMA_NEON_TAKE(x, b, 8, *from, step);
    SIMA_NEON_TAKE(x, b, 9, *from, step);
    SIMA_NEON_TAKE(x, b, 10, *from, step);
    SIMA_NEON_TAKE(x, b, 11, *from, step);
    SIMA_NEON_TAKE(x, b, 12, *from, step);
    SIMA_NEON_TAKE(x, b, 13, *from, step);
    SIMA_NEON_TAKE(x, b, 14, *from, step);
    SIMA_NEON_TAKE(x, b, 15, *from, step);
    return x;
}

SIMA_NEON_INLINE void sima_neon_put_ones(unsigned char **const to, const sima_neon_block y,
                                         const size_t step, const size_t width)
{
    for (int part = 0; part < (width == 4 ? 4 : 2); ++part) {
        if (width == 4) {
            SIMA_NEON_PUT(y.part[part], s, 0, *to, step);
            SIMA_NEON_PUT(y.part[part], s, 1, *to, step);
            SIMA_NEON_PUT(y.part[part], s, 2, *to, step);
            SIMA_NEON_PUT(y.part[part], s, 3, *to, step);
        } else {
            SIMA_NEON_PUT(y.part[part], h, 0, *to, step);
            SIMA_NEON_PUT(y.part[part], h, 1, *to, step);
            SIMA_NEON_PUT(y.part[part], h, 2, *to, step);
            SIMA_NEON_PUT(y.part[part], h, 3, *to, step);
            SIMA_NEON_PUT(y.part[part], h, 4, *to, step);
            SIMA_NEON_PUT(y.part[part], h, 5, *to, step);
            SIMA_NEON_PUT(y.part[part], h, 6, *to, step);
            SIMA_NEON_PUT(y.part[part], h, 7, *to, step);
        }
    }
}

SIMA_NEON_INLINE void sima_neon_gather_block(const int8_t **const from, unsigned char **const to,
                                             const sima_a65_dequant_plane *const plane,
                                             const size_t width, const sima_neon_constants *const k,
                                             sima_neon_convert *const convert)
{
    sima_neon_store(*to, convert(sima_neon_take_ones(from, plane->input_step), *k), width);
    *to += 16 * width;
}

SIMA_NEON_INLINE void sima_neon_scatter_block(const int8_t **const from, unsigned char **const to,
                                              const sima_a65_dequant_plane *const plane,
                                              const size_t width,
                                              const sima_neon_constants *const k,
                                              sima_neon_convert *const convert)
{
    sima_neon_put_ones(to, convert(vld1q_s8(*from), *k), plane->output_step, width);
    *from += 16;
}

SIMA_NEON_INLINE void sima_neon_strided_block(const int8_t **const from, unsigned char **const to,
                                              const sima_a65_dequant_plane *const plane,
                                              const size_t width,
                                              const sima_neon_constants *const k,
                                              sima_neon_convert *const convert)
{
    sima_neon_put_ones(to, convert(sima_neon_take_ones(from, plane->input_step), *k),
                       plane->output_step, width);
}

SIMA_NEON_INLINE void sima_neon_gather(const int8_t *const input, unsigned char *const output,
                                       const sima_a65_dequant_plane plane, const size_t width,
                                       const sima_neon_constants k,
                                       sima_neon_convert *const convert)
{
    sima_neon_along_rows(input, output, &plane, width, &k, convert, sima_neon_gather_block);
}

SIMA_NEON_INLINE void sima_neon_scatter(const int8_t *const input, unsigned char *const output,
                                        const sima_a65_dequant_plane plane, const size_t width,
                                        const sima_neon_constants k,
                                        sima_neon_convert *const convert)
{
    sima_neon_along_rows(input, output, &plane, width, &k, convert, sima_neon_scatter_block);
}

SIMA_NEON_INLINE void sima_neon_strided(const int8_t *const input, unsigned char *const output,
                                        const sima_a65_dequant_plane plane, const size_t width,
                                        const sima_neon_constants k,
                                        sima_neon_convert *const convert)
{
    sima_neon_along_rows(input, output, &plane, width, &k, convert, sima_neon_strided_block);
}

/* ---- Two to four rows to one, and back ---- */

SIMA_NEON_INLINE void sima_neon_deinterleave_2(const int8_t **const from, unsigned char **const to,
                                               const sima_a65_dequant_plane *const plane,
                                               const size_t width,
                                               const sima_neon_constants *const k,
                                               sima_neon_convert *const convert)
{
    const int8x16x2_t x = vld2q_s8(*from);
    sima_neon_store(*to, convert(x.val[0], *k), width);
    sima_neon_store(*to + plane->output_row, convert(x.val[1], *k), width);
    *from += sizeof x;
    *to += 16 * width;
}

SIMA_NEON_INLINE void sima_neon_deinterleave_3(const int8_t **const from, unsigned char **const to,
                                               const sima_a65_dequant_plane *const plane,
                                               const size_t width,
                                               const sima_neon_constants *const k,
                                               sima_neon_convert *const convert)
{
    const int8x16x3_t x = vld3q_s8(*from);
    sima_neon_store(*to, convert(x.val[0], *k), width);
    sima_neon_store(*to + plane->output_row, convert(x.val[1], *k), width);
    sima_neon_store(*to + 2 * plane->output_row, convert(x.val[2], *k), width);
    *from += sizeof x;
    *to += 16 * width;
}

SIMA_NEON_INLINE void sima_neon_deinterleave_4(const int8_t **const from, unsigned char **const to,
                                               const sima_a65_dequant_plane *const plane,
                                               const size_t width,
                                               const sima_neon_constants *const k,
                                               sima_neon_convert *const convert)
{
    const int8x16x4_t x = vld4q_s8(*from);
    sima_neon_store(*to, convert(x.val[0], *k), width);
    sima_neon_store(*to + plane->output_row, convert(x.val[1], *k), width);
    sima_neon_store(*to + 2 * plane->output_row, convert(x.val[2], *k), width);
    sima_neon_store(*to + 3 * plane->output_row, convert(x.val[3], *k), width);
    *from += sizeof x;
    *to += 16 * width;
}

SIMA_NEON_INLINE void sima_neon_deinterleave(const int8_t *const input, unsigned char *const output,
                                             const sima_a65_dequant_plane plane, const size_t width,
                                             const sima_neon_constants k,
                                             sima_neon_convert *const convert)
{
    if (plane.rows == 2) {
        sima_neon_along_row(input, output, &plane, width, &k, convert, sima_neon_deinterleave_2);
    } else if (plane.rows == 3) {
        sima_neon_along_row(input, output, &plane, width, &k, convert, sima_neon_deinterleave_3);
    } else {
        sima_neon_along_row(input, output, &plane, width, &k, convert, sima_neon_deinterleave_4);
    }
}

/* One part of each block, the same of all, as one interleaved run. */
SIMA_NEON_INLINE void sima_neon_store_parts_of_2(unsigned char *const to, const uint8x16_t a,
                                                 const uint8x16_t b, const size_t width)
{
    if (width == 4) {
        const uint32x4x2_t parts = {{vreinterpretq_u32_u8(a), vreinterpretq_u32_u8(b)}};
        vst2q_u32((void *)to, parts);
    } else {
        const uint16x8x2_t parts = {{vreinterpretq_u16_u8(a), vreinterpretq_u16_u8(b)}};
        vst2q_u16((void *)to, parts);
    }
}

SIMA_NEON_INLINE void sima_neon_store_parts_of_3(unsigned char *const to, const uint8x16_t a,
                                                 const uint8x16_t b, const uint8x16_t c,
                                                 const size_t width)
{
    if (width == 4) {
        const uint32x4x3_t parts = {
            {vreinterpretq_u32_u8(a), vreinterpretq_u32_u8(b), vreinterpretq_u32_u8(c)}};
        vst3q_u32((void *)to, parts);
    } else {
        const uint16x8x3_t parts = {
            {vreinterpretq_u16_u8(a), vreinterpretq_u16_u8(b), vreinterpretq_u16_u8(c)}};
        vst3q_u16((void *)to, parts);
    }
}

SIMA_NEON_INLINE void sima_neon_store_parts_of_4(unsigned char *const to, const uint8x16_t a,
                                                 const uint8x16_t b, const uint8x16_t c,
                                                 const uint8x16_t d, const size_t width)
{
    if (width == 4) {
        const uint32x4x4_t parts = {{vreinterpretq_u32_u8(a), vreinterpretq_u32_u8(b),
                                     vreinterpretq_u32_u8(c), vreinterpretq_u32_u8(d)}};
        vst4q_u32((void *)to, parts);
    } else {
        const uint16x8x4_t parts = {{vreinterpretq_u16_u8(a), vreinterpretq_u16_u8(b),
                                     vreinterpretq_u16_u8(c), vreinterpretq_u16_u8(d)}};
        vst4q_u16((void *)to, parts);
    }
}

SIMA_NEON_INLINE sima_neon_block sima_neon_block_of_row(const int8_t *const from,
                                                        const sima_a65_dequant_plane *const plane,
                                                        const size_t row,
                                                        const sima_neon_constants *const k,
                                                        sima_neon_convert *const convert)
{
    return convert(vld1q_s8(from + row * plane->input_row), *k);
}

SIMA_NEON_INLINE void sima_neon_interleave_2(const int8_t **const from, unsigned char **const to,
                                             const sima_a65_dequant_plane *const plane,
                                             const size_t width, const sima_neon_constants *const k,
                                             sima_neon_convert *const convert)
{
    const sima_neon_block a = sima_neon_block_of_row(*from, plane, 0, k, convert);
    const sima_neon_block b = sima_neon_block_of_row(*from, plane, 1, k, convert);
    for (size_t part = 0; part < width; ++part) {
        sima_neon_store_parts_of_2(*to + part * 32, a.part[part], b.part[part], width);
    }
    *from += 16;
    *to += 32 * width;
}

SIMA_NEON_INLINE void sima_neon_interleave_3(const int8_t **const from, unsigned char **const to,
                                             const sima_a65_dequant_plane *const plane,
                                             const size_t width, const sima_neon_constants *const k,
                                             sima_neon_convert *const convert)
{
    const sima_neon_block a = sima_neon_block_of_row(*from, plane, 0, k, convert);
    const sima_neon_block b = sima_neon_block_of_row(*from, plane, 1, k, convert);
    const sima_neon_block c = sima_neon_block_of_row(*from, plane, 2, k, convert);
    for (size_t part = 0; part < width; ++part) {
        sima_neon_store_parts_of_3(*to + part * 48, a.part[part], b.part[part], c.part[part],
                                   width);
    }
    *from += 16;
    *to += 48 * width;
}

SIMA_NEON_INLINE void sima_neon_interleave_4(const int8_t **const from, unsigned char **const to,
                                             const sima_a65_dequant_plane *const plane,
                                             const size_t width, const sima_neon_constants *const k,
                                             sima_neon_convert *const convert)
{
    const sima_neon_block a = sima_neon_block_of_row(*from, plane, 0, k, convert);
    const sima_neon_block b = sima_neon_block_of_row(*from, plane, 1, k, convert);
    const sima_neon_block c = sima_neon_block_of_row(*from, plane, 2, k, convert);
    const sima_neon_block d = sima_neon_block_of_row(*from, plane, 3, k, convert);
    for (size_t part = 0; part < width; ++part) {
        sima_neon_store_parts_of_4(*to + part * 64, a.part[part], b.part[part], c.part[part],
                                   d.part[part], width);
    }
    *from += 16;
    *to += 64 * width;
}

SIMA_NEON_INLINE void sima_neon_interleave(const int8_t *const input, unsigned char *const output,
                                           const sima_a65_dequant_plane plane, const size_t width,
                                           const sima_neon_constants k,
                                           sima_neon_convert *const convert)
{
    if (plane.rows == 2) {
        sima_neon_along_row(input, output, &plane, width, &k, convert, sima_neon_interleave_2);
    } else if (plane.rows == 3) {
        sima_neon_along_row(input, output, &plane, width, &k, convert, sima_neon_interleave_3);
    } else {
        sima_neon_along_row(input, output, &plane, width, &k, convert, sima_neon_interleave_4);
    }
}

/* ---- Transposition, 16 x 16 bytes at a time, before they are widened ---- */

typedef struct sima_neon_tile {
    int8x16_t row[16];
} sima_neon_tile;

/* Rows i and i + 8 shuffled into rows 2i and 2i + 1. Four times, and rows have become columns. */
SIMA_NEON_INLINE sima_neon_tile sima_neon_shuffle(const sima_neon_tile t)
{
    const sima_neon_tile shuffled = {{
        vzip1q_s8(t.row[0], t.row[8]),
        vzip2q_s8(t.row[0], t.row[8]),
        vzip1q_s8(t.row[1], t.row[9]),
        vzip2q_s8(t.row[1], t.row[9]),
        vzip1q_s8(t.row[2], t.row[10]),
        vzip2q_s8(t.row[2], t.row[10]),
        vzip1q_s8(t.row[3], t.row[11]),
        vzip2q_s8(t.row[3], t.row[11]),
        vzip1q_s8(t.row[4], t.row[12]),
        vzip2q_s8(t.row[4], t.row[12]),
        vzip1q_s8(t.row[5], t.row[13]),
        vzip2q_s8(t.row[5], t.row[13]),
        vzip1q_s8(t.row[6], t.row[14]),
        vzip2q_s8(t.row[6], t.row[14]),
        vzip1q_s8(t.row[7], t.row[15]),
        vzip2q_s8(t.row[7], t.row[15]),
    }};
    return shuffled;
}

SIMA_NEON_INLINE void sima_neon_transpose_block(const int8_t **const from, unsigned char **const to,
                                                const sima_a65_dequant_plane *const plane,
                                                const size_t width,
                                                const sima_neon_constants *const k,
                                                sima_neon_convert *const convert)
{
    sima_neon_tile tile;
    for (int i = 0; i < 16; ++i) {
        tile.row[i] = vld1q_s8(*from);
        *from += plane->input_step;
    }
    tile = sima_neon_shuffle(sima_neon_shuffle(sima_neon_shuffle(sima_neon_shuffle(tile))));
    unsigned char *row = *to;
    for (int i = 0; i < 16; ++i) {
        sima_neon_store(row, convert(tile.row[i], *k), width);
        row += plane->output_row;
    }
    *to += 16 * width;
}

SIMA_NEON_INLINE void sima_neon_transpose(const int8_t *input, unsigned char *output,
                                          const sima_a65_dequant_plane plane, const size_t width,
                                          const sima_neon_constants k,
                                          sima_neon_convert *const convert)
{
    for (size_t left = plane.rows; left > 0;) {
        if (left < 16) {
            input -= 16 - left;
            output -= (16 - left) * plane.output_row;
            left = 16;
        }
        sima_neon_along_row(input, output, &plane, width, &k, convert, sima_neon_transpose_block);
        input += 16;
        output += 16 * plane.output_row;
        left -= 16;
    }
}

#endif /* SIMAAI_KERNELS_RUNTIME_A65_NEON_PLANE_H */
