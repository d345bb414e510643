/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIMAAI_KERNELS_RUNTIME_A65_BINARY32_H
#define SIMAAI_KERNELS_RUNTIME_A65_BINARY32_H

/* binary32 numbers looked at as integers: preparation does no floating-point arithmetic. */

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { SIMA_FRACTION_BITS = 23, SIMA_EXPONENT_BIAS = 127, SIMA_SIGNIFICAND_BITS = 24 };
#define SIMA_FRACTION_MASK ((UINT32_C(1) << SIMA_FRACTION_BITS) - 1)

static inline uint32_t sima_bits_of(const float *const value)
{
    uint32_t bits;
    memcpy(&bits, value, sizeof bits);
    return bits;
}

/* Bits that a positive integer takes. */
static inline int32_t sima_bit_length(const uint64_t value)
{
    return 64 - __builtin_clzll(value);
}

/* The integer that conversion to binary32 gives, to nearest even, for |value| < 2^62. */
static inline int64_t sima_round_to_binary32(const int64_t value)
{
    const uint64_t magnitude = (uint64_t)(value < 0 ? -value : value);
    if (magnitude <= UINT64_C(1) << SIMA_SIGNIFICAND_BITS) {
        return value;
    }
    const int32_t dropped = sima_bit_length(magnitude) - SIMA_SIGNIFICAND_BITS;
    const uint64_t lowest_kept = (magnitude >> dropped) & 1;
    const uint64_t carried = magnitude + (UINT64_C(1) << (dropped - 1)) - 1 + lowest_kept;
    const int64_t rounded = (int64_t)(carried >> dropped << dropped);
    return value < 0 ? -rounded : rounded;
}

/* Whether binary32 holds an integer, for |value| < 2^62. */
static inline bool sima_is_binary32(const int64_t value)
{
    const uint64_t magnitude = (uint64_t)(value < 0 ? -value : value);
    /* The lowest bit that is set, times 2^24, lies above all others. */
    return magnitude == 0 || magnitude >> SIMA_SIGNIFICAND_BITS < (magnitude & (~magnitude + 1));
}

#endif /* SIMAAI_KERNELS_RUNTIME_A65_BINARY32_H */
