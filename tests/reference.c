/* SPDX-License-Identifier: Apache-2.0 */
#include "reference.h"

#include <stdbool.h>

/* A magnitude of significand * 2^exponent, with a sign. */
typedef struct number {
    bool negative;
    uint64_t significand;
    int exponent;
} number;

static int bit_length(const uint64_t value)
{
    return value == 0 ? 0 : 64 - __builtin_clzll(value);
}

/* value / 2^shift, to the nearest integer, ties to even. */
static uint64_t shift_right_rounded(const uint64_t value, const int shift)
{
    if (shift > 63) {
        return 0; /* below a half: no significand here reaches 2^63 */
    }
    const uint64_t floor = value >> shift;
    const uint64_t rest = value - (floor << shift);
    const uint64_t half = UINT64_C(1) << (shift - 1);
    return floor + (rest > half || (rest == half && (floor & 1) != 0));
}

static uint32_t encode(const number value)
{
    const uint32_t sign = value.negative ? 0x80000000u : 0;
    if (value.significand == 0) {
        return sign;
    }
    const int leading = bit_length(value.significand) - 1 + value.exponent;
    const int binade = leading < -126 ? -126 : leading;
    const int shift = binade - 23 - value.exponent;
    const uint64_t significand =
        shift > 0 ? shift_right_rounded(value.significand, shift) : value.significand << -shift;
    if (binade > 127) {
        return sign | 0x7f800000u;
    }
    const uint64_t bits = ((uint64_t)(binade + 126) << 23) + significand;
    return sign | (uint32_t)(bits > 0x7f800000u ? 0x7f800000u : bits);
}

/* Of a finite value. */
static number decode(const uint32_t bits)
{
    const uint32_t field = (bits >> 23) & 0xff;
    const uint32_t fraction = bits & 0x7fffff;
    const number value = {
        .negative = (bits >> 31) != 0,
        .significand = field == 0 ? fraction : fraction | 0x800000,
        .exponent = (field == 0 ? 1 : (int)field) - 150,
    };
    return value;
}

static number from_integer(const int64_t integer)
{
    const number value = {integer < 0, (uint64_t)(integer < 0 ? -integer : integer), 0};
    return value;
}

/* Of a binary32 value that is an integer. */
static int64_t to_integer(const uint32_t bits)
{
    const number value = decode(bits);
    const uint64_t magnitude = value.exponent >= 0 ? value.significand << value.exponent
                                                   : value.significand >> -value.exponent;
    return value.negative ? -(int64_t)magnitude : (int64_t)magnitude;
}

uint32_t reference_f32(const int8_t input, const int32_t zero_point, const uint32_t scale_bits)
{
    const int64_t rounded_zero_point =
        zero_point == 0 ? 0 : to_integer(encode(from_integer(zero_point)));
    const number difference = decode(encode(from_integer(input - rounded_zero_point)));
    const number scale = decode(scale_bits);
    const number product = {
        .negative = difference.negative,
        .significand = difference.significand * scale.significand,
        .exponent = difference.exponent + scale.exponent,
    };
    return encode(product);
}

uint16_t reference_narrow(const uint32_t bits)
{
    const uint32_t below = bits >> 16;
    const uint32_t to_below = bits - (below << 16);
    const uint32_t to_above = 0x10000u - to_below;
    if (to_below == to_above) {
        return (uint16_t)(below % 2 == 0 ? below : below + 1);
    }
    return (uint16_t)(to_below < to_above ? below : below + 1);
}

uint16_t reference_bf16(const int8_t input, const int32_t zero_point, const uint32_t scale_bits)
{
    return reference_narrow(reference_f32(input, zero_point, scale_bits));
}
