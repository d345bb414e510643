/* SPDX-License-Identifier: Apache-2.0 */

/* What preparation proves in integers, against what it means. */

#include "checks.h"

#include "reference.h"
#include "select.h"
#include "ties.h"

#include <inttypes.h>
#include <stdio.h>

enum { FARTHEST = 255, SIGNIFICANDS = 1 << 23 };

/* Kinds of BF16 midpoint, as bits of a set. */
enum { NO_MIDPOINT = 0, EVEN_MIDPOINT = 1, ODD_MIDPOINT = 2, BOTH_MIDPOINTS = 3 };

static unsigned midpoint_kind(const uint32_t bits)
{
    if ((bits & 0xffff) != 0x8000) {
        return NO_MIDPOINT;
    }
    return (bits & 0x10000) != 0 ? ODD_MIDPOINT : EVEN_MIDPOINT;
}

/* By definition: what one result after the other is. */
static unsigned midpoints_of_results(const int32_t zero_point, const uint32_t scale)
{
    unsigned found = NO_MIDPOINT;
    for (int value = -128; value < 128; ++value) {
        found |= midpoint_kind(reference_f32((int8_t)value, zero_point, scale));
    }
    return found;
}

/* Half-up differs from half-even at even midpoints alone, half-down at odd ones. */
static bool is_right(const sima_dequant_params *const params, const unsigned midpoints)
{
    uint32_t addend = 7;
    const bool proved = sima_a65_dequant_prove_tie_free(params, &addend);
    if (!proved) {
        return midpoints == BOTH_MIDPOINTS;
    }
    return (addend == 0 && (midpoints & EVEN_MIDPOINT) == 0) ||
           (addend == UINT32_MAX && (midpoints & ODD_MIDPOINT) == 0);
}

/* The kinds of all differences from -255 to 255, by magnitude: a difference and its negative are
 * midpoints together, which is compared too. */
typedef struct difference_kinds {
    unsigned of[FARTHEST + 1];
} difference_kinds;

static difference_kinds kinds_of_differences(const uint32_t scale, tally *const count)
{
    difference_kinds kinds;
    for (int32_t magnitude = 0; magnitude <= FARTHEST; ++magnitude) {
        const int32_t value = magnitude / 2;
        const uint32_t plus = reference_f32((int8_t)value, value - magnitude, scale);
        const uint32_t minus = reference_f32((int8_t)-value, magnitude - value, scale);
        kinds.of[magnitude] = midpoint_kind(plus);
        count_one(count, midpoint_kind(minus) == kinds.of[magnitude], "sign", magnitude, scale);
    }
    return kinds;
}

static unsigned midpoints_of_zero_point(const difference_kinds *const kinds,
                                        const int32_t zero_point)
{
    unsigned midpoints = NO_MIDPOINT;
    for (int32_t value = -128; value < 128; ++value) {
        midpoints |= kinds->of[value < zero_point ? zero_point - value : value - zero_point];
    }
    return midpoints;
}

typedef struct verdicts {
    uint64_t of[BOTH_MIDPOINTS + 1];
} verdicts;

/* Each INT8 zero point, which together have every difference from -255 to 255. The scale lies in
 * [1, 2): all its results are normal, and any other normal scale of the same significand gives the
 * same ones in other binades, or infinity. */
static void check_significand(const uint32_t significand, verdicts *const seen, tally *const count)
{
    const uint32_t scale = 0x3f800000 | significand;
    const difference_kinds kinds = kinds_of_differences(scale, count);
    for (int32_t zero_point = -128; zero_point < 128; ++zero_point) {
        const unsigned midpoints = midpoints_of_zero_point(&kinds, zero_point);
        const sima_dequant_params params = {float_from_bits(scale), zero_point};
        count_one(count, is_right(&params, midpoints), "tie verdict", zero_point, scale);
        ++seen->of[midpoints];
    }
}

/* All significands. Planted in every sample: those of 8 significant bits, whose products have ties
 * of both parities, and those a step beside them, whose products round to ties or just miss them.
 */
void check_ties(const slice of, tally *const count)
{
    verdicts seen = {{0}};
    for (uint64_t i = slice_first(of); i < SIGNIFICANDS; i += slice_step(of)) {
        check_significand((uint32_t)i, &seen, count);
    }
    for (uint32_t i = 0; i < 128 * 3; ++i) {
        const uint32_t planted = (i / 3 << 16) + i % 3 - 1;
        check_significand(planted & (SIGNIFICANDS - 1), &seen, count);
    }
    printf("midpoints: none %" PRIu64 ", even %" PRIu64 ", odd %" PRIu64 ", both %" PRIu64 "\n",
           seen.of[NO_MIDPOINT], seen.of[EVEN_MIDPOINT], seen.of[ODD_MIDPOINT],
           seen.of[BOTH_MIDPOINTS]);
    for (unsigned kind = NO_MIDPOINT; kind <= BOTH_MIDPOINTS; ++kind) {
        count_one(count, seen.of[kind] > 0, "a kind of midpoint that never occurred", kind, 0);
    }
}

/* A number below `bound`, one for each index and draw. */
static uint64_t drawn(const uint64_t index, const uint64_t draw, const uint64_t bound)
{
    uint64_t bits = (index * 8 + draw + 1) * UINT64_C(0x9e3779b97f4a7c15);
    bits = (bits ^ bits >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return (bits ^ bits >> 32) % bound;
}

/* Zero points from INT8 to the limit of what is looked into, with scales near one that sends a
 * chosen difference to a midpoint: 2^24 of them, made from the index. */
void check_distant_ties(const slice of, tally *const count)
{
    for (uint64_t i = slice_first(of); i < UINT64_C(1) << 24; i += slice_step(of)) {
        const int64_t limit = (1 << 24) - 128;
        const int64_t distance = 1 + (int64_t)drawn(i, 0, UINT64_C(1) << drawn(i, 1, 25));
        const uint64_t midpoint = (2 * (128 + drawn(i, 2, 128)) + 1) << 47;
        uint64_t significand = midpoint / (uint64_t)distance + drawn(i, 3, 3) - 1;
        while (significand >= UINT64_C(1) << 24) {
            significand >>= 1;
        }
        const uint32_t scale = 0x3f800000 | ((uint32_t)significand & 0x7fffff);
        const int64_t value = (int64_t)drawn(i, 4, 256) - 128;
        const int64_t wanted = drawn(i, 5, 2) == 0 ? value - distance : value + distance;
        const int32_t zero_point = (int32_t)(wanted > limit    ? limit
                                             : wanted < -limit ? -limit
                                                               : wanted);
        const sima_dequant_params params = {float_from_bits(scale), zero_point};
        count_one(count, is_right(&params, midpoints_of_results(zero_point, scale)), "tie verdict",
                  zero_point, scale);
    }
}

/* To the nearest multiple of a binary32's last place, ties to an even multiple. */
static int64_t nearest_binary32(const int64_t value)
{
    int64_t place = 1;
    while (value >= place << 24 || -value >= place << 24) {
        place <<= 1;
    }
    const int64_t below = value - ((value % place) + place) % place;
    const int64_t rest = value - below;
    const bool up = 2 * rest > place || (2 * rest == place && below / place % 2 != 0);
    return up ? below + place : below;
}

/* All of int32: which zero points have a representable bias. */
void check_bias(const slice of, tally *const count)
{
    uint64_t biased = 0;
    for (uint64_t i = slice_first(of); i < UINT64_C(1) << 32; i += slice_step(of)) {
        const int32_t zero_point = (int32_t)((int64_t)i + INT32_MIN);
        const int64_t bias = (1 << 23) + 128 + nearest_binary32(zero_point);
        const bool wanted = nearest_binary32(bias) == bias;
        count_one(count, sima_a65_dequant_has_bias(zero_point) == wanted, "bias", zero_point, 0);
        biased += wanted;
    }
    printf("zero points with a representable bias: %" PRIu64 "\n", biased);
}
