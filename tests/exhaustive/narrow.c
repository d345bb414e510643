/* SPDX-License-Identifier: Apache-2.0 */

/* BF16 narrowing: all 2^32 bit patterns, for each function that narrows. */

#include "checks.h"

#include "reference.h"
#include "staged.h"

#if defined(__aarch64__)
#include "neon_span.h"

/* The halves that come from the pattern's own bits, as the kernels get them: from vectors. */
typedef struct narrowed {
    uint16_t even[16];
    uint16_t up[16];
    uint16_t down[16];
} narrowed;

static narrowed narrow_block(const uint32_t first)
{
    uint32_t bits[16];
    float32x4x4_t y;
    narrowed words;
    for (uint32_t lane = 0; lane < 16; ++lane) {
        bits[lane] = first + lane;
    }
    memcpy(&y, bits, sizeof y);
    const sima_neon_block even = sima_neon_nearest_even(y);
    const sima_neon_block up = sima_neon_narrow_by(y, vdupq_n_u32(0));
    const sima_neon_block down = sima_neon_narrow_by(y, vdupq_n_u32(UINT32_MAX));
    memcpy(words.even, &even, sizeof words.even);
    memcpy(words.up, &up, sizeof words.up);
    memcpy(words.down, &down, sizeof words.down);
    return words;
}

/* Half-up and half-down, by what lies below the kept half. */
static void check_block(const uint32_t first, tally *const count)
{
    const narrowed words = narrow_block(first);
    for (uint32_t lane = 0; lane < 16; ++lane) {
        const uint32_t bits = first + lane;
        const uint32_t below = bits & 0xffff;
        const uint16_t up = (uint16_t)((bits >> 16) + (below >= 0x8000));
        const uint16_t down = (uint16_t)((bits >> 16) + (below > 0x8000));
        const bool agrees = words.even[lane] == reference_narrow(bits) && words.up[lane] == up &&
                            words.down[lane] == down;
        count_one(count, agrees, "vector narrowing", bits, words.even[lane]);
    }
}
#else
static void check_block(const uint32_t first, tally *const count)
{
    (void)first;
    (void)count;
}
#endif

void check_narrow(const slice of, tally *const count)
{
    for (uint64_t block = slice_first(of); block < UINT64_C(1) << 28; block += slice_step(of)) {
        const uint32_t first = (uint32_t)(block * 16);
        for (uint32_t lane = 0; lane < 16; ++lane) {
            const uint16_t word = sima_narrow_even(float_from_bits(first + lane));
            count_one(count, word == reference_narrow(first + lane), "scalar narrowing",
                      first + lane, word);
        }
        check_block(first, count);
    }
}
