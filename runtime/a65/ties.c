/* SPDX-License-Identifier: Apache-2.0 */
#include "ties.h"

#include "../error.h"
#include "binary32.h"

enum { SIMA_EVEN_MIDPOINT = 1, SIMA_ODD_MIDPOINT = 2, SIMA_BOTH_MIDPOINTS = 3 };

/*
 * A product's magnitude, shifted so that its highest bit is bit 63, begins with the 24 bits of
 * its binary32 significand: 8 that BF16 keeps, then 16. It rounds to a midpoint just when these 16
 * and what follows lie within half a binary32 step of 0x8000 (both ends round to it: its last bit
 * is even). LOW_END is the lower end, one binary32 step the distance to the upper.
 */
#define SIMA_BINARY32_STEP (UINT64_C(1) << 40)
#define SIMA_LOW_END ((UINT64_C(0x8000) << 40) - SIMA_BINARY32_STEP / 2)
#define SIMA_KEPT_BITS 8

static bool is_midpoint(const uint64_t below)
{
    return below <= SIMA_BINARY32_STEP << SIMA_KEPT_BITS;
}

/* The products of a progression of differences, all of one bit length, shifted to bit 63. */
typedef struct sima_progression {
    uint64_t product;
    uint64_t step;
    uint64_t count;
} sima_progression;

static SIMA_COLD unsigned midpoints_one_by_one(const sima_progression of)
{
    unsigned found = 0;
    uint64_t product = of.product;
    for (uint64_t left = of.count; left > 0; --left, product += of.step) {
        if (is_midpoint((product - SIMA_LOW_END) << SIMA_KEPT_BITS)) {
            const bool odd = (product >> (64 - SIMA_KEPT_BITS) & 1) != 0;
            found |= odd ? SIMA_ODD_MIDPOINT : SIMA_EVEN_MIDPOINT;
        }
    }
    return found;
}

static sima_progression part_of(const sima_progression of, const uint64_t from,
                                const uint64_t count)
{
    return (sima_progression){of.product + from * of.step, of.step, count};
}

static bool any_of_four(const uint64_t first, const uint64_t step)
{
    return is_midpoint(first) || is_midpoint(first + step) || is_midpoint(first + 2 * step) ||
           is_midpoint(first + 3 * step);
}

/* Eight at a time, since hardly any is a midpoint: the work on one stays out of the loop. The 8
 * kept bits are shifted out, so that each test is one comparison. */
static unsigned midpoints_in_binade(const sima_progression of)
{
    const uint64_t step = of.step << SIMA_KEPT_BITS;
    uint64_t first = (of.product - SIMA_LOW_END) << SIMA_KEPT_BITS;
    uint64_t left = of.count;
    unsigned found = 0;
    for (; left >= 8; left -= 8, first += 8 * step) {
        if (any_of_four(first, step) || any_of_four(first + 4 * step, step)) {
            found |= midpoints_one_by_one(part_of(of, of.count - left, 8));
        }
    }
    return found | midpoints_one_by_one(part_of(of, of.count - left, left));
}

/* The kinds of midpoint among the products of significand and first, first + 1, ..., last. */
static unsigned midpoints_among(const uint64_t significand, uint64_t first, const uint64_t last)
{
    unsigned found = 0;
    while (first <= last && found != SIMA_BOTH_MIDPOINTS) {
        const int32_t length = sima_bit_length(first * significand);
        const uint64_t longest = ((UINT64_C(1) << length) - 1) / significand;
        const uint64_t end = longest < last ? longest : last;
        const int32_t shift = 64 - length;
        found |= midpoints_in_binade((sima_progression){first * significand << shift,
                                                        significand << shift, end - first + 1});
        first = end + 1;
    }
    return found;
}

/* Over all differences of an INT8 value and the zero point. Doubling a difference leaves its
 * significand alone, so where all from 1 on occur the larger half speaks for the smaller. */
static unsigned midpoints_of(const uint64_t significand, const int32_t zero_point)
{
    const int64_t low = INT8_MIN - (int64_t)zero_point;
    const int64_t high = INT8_MAX - (int64_t)zero_point;
    if (low <= 0 && high >= 0) {
        const uint64_t farthest = (uint64_t)(high > -low ? high : -low);
        return midpoints_among(significand, farthest / 2 + 1, farthest);
    }
    const uint64_t nearest = (uint64_t)(low > 0 ? low : -high);
    const uint64_t farthest = (uint64_t)(low > 0 ? high : -low);
    return midpoints_among(significand, nearest, farthest);
}

bool sima_a65_dequant_prove_tie_free(const sima_dequant_params *const params,
                                     uint32_t *const addend)
{
    const uint32_t bits = sima_bits_of(&params->scale);
    const int32_t zero_point = params->zero_point;
    const int32_t limit = (INT32_C(1) << SIMA_SIGNIFICAND_BITS) + INT8_MIN;
    /* Results of a normal scale are normal: |x - zp| >= 1. Zeros and infinities are no midpoints.
     */
    if (bits >> SIMA_FRACTION_BITS == 0 || zero_point > limit || zero_point < -limit) {
        return false;
    }
    const uint64_t significand = (bits & SIMA_FRACTION_MASK) | (UINT32_C(1) << SIMA_FRACTION_BITS);
    const unsigned found = midpoints_of(significand, zero_point);
    *addend = found & SIMA_ODD_MIDPOINT ? 0 : UINT32_MAX;
    return found != SIMA_BOTH_MIDPOINTS;
}
