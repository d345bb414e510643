# SPDX-License-Identifier: Apache-2.0
"""Exact models of binary32 and BF16 arithmetic, in integers and rationals.

Results are bit patterns, so that signed zeros and infinities are told apart. NaN does not occur.
"""

from fractions import Fraction

SIGNIFICAND_BITS = 24
SMALLEST_NORMAL_EXPONENT = -126
SMALLEST_SUBNORMAL_EXPONENT = -149
LARGEST_EXPONENT = 127
INFINITY = 0x7F800000
SIGN = 0x80000000


def _round_half_even(value: Fraction) -> int:
    """The integer nearest to a nonnegative rational, ties to the even one."""
    floor, rest = divmod(value.numerator, value.denominator)
    twice = 2 * rest
    if twice > value.denominator or (twice == value.denominator and floor & 1):
        return floor + 1
    return floor


def _floor_log2(value: Fraction) -> int:
    """The largest e with 2**e <= value, for a positive rational."""
    guess = value.numerator.bit_length() - value.denominator.bit_length()
    return guess if Fraction(2) ** guess <= value else guess - 1


def encode(value: Fraction, negative_zero: bool = False) -> int:
    """The bits of the binary32 value nearest to a rational, ties to even."""
    if value == 0:
        return SIGN if negative_zero else 0
    sign = SIGN if value < 0 else 0
    magnitude = abs(value)
    exponent = max(_floor_log2(magnitude), SMALLEST_NORMAL_EXPONENT)
    quantum = Fraction(2) ** (exponent - SIGNIFICAND_BITS + 1)
    significand = _round_half_even(magnitude / quantum)
    # A carry out of the significand moves into the exponent field by itself; a subnormal has a
    # field of zero, one below that of the smallest normal.
    field = exponent - SMALLEST_NORMAL_EXPONENT
    bits = (field << (SIGNIFICAND_BITS - 1)) + significand
    return sign | min(bits, INFINITY)


def decode(bits: int) -> Fraction:
    """The value of a finite bit pattern; both zeros give 0."""
    field = (bits >> 23) & 0xFF
    if field == 0xFF:
        raise ValueError(f"0x{bits:08x} is not finite")
    fraction = bits & 0x7FFFFF
    significand = fraction if field == 0 else fraction | 0x800000
    magnitude = significand * Fraction(2) ** (max(field, 1) - 150)
    return -magnitude if bits & SIGN else magnitude


def subtract(left: int, right: int) -> int:
    """Bits of left - right, for finite operands. An exact zero is +0 unless it is -0 - +0."""
    both_negative = left == SIGN and right == 0
    return encode(decode(left) - decode(right), negative_zero=both_negative)


def multiply(left: int, right: int) -> int:
    """Bits of left * right; the left operand may be infinite, the right one is positive."""
    if left & ~SIGN == INFINITY:
        return left
    product = decode(left) * decode(right)
    bits = encode(product, negative_zero=bool(left & SIGN))
    # A product too small to be represented keeps its sign.
    return bits | (left & SIGN)


def power_of_two(exponent: int) -> int:
    """Bits of 2**exponent."""
    return encode(Fraction(2) ** exponent)


def staged(value: int, zero_point: int, scale_bits: int) -> int:
    """The definition of the operation: every step rounded to binary32."""
    difference = subtract(encode(Fraction(value)), encode(Fraction(zero_point)))
    return multiply(difference, scale_bits)


def narrow_half_even(bits: int) -> int:
    """The BF16 word nearest to a binary32 value, ties to the even word."""
    upper, lower = bits >> 16, bits & 0xFFFF
    if lower > 0x8000 or (lower == 0x8000 and upper & 1):
        upper += 1
    return upper
