# SPDX-License-Identifier: Apache-2.0
"""Why a sequence gives the staged result: obligations over a whole domain, in exact integers.

An obligation either yields the line of proof that a reader finds in the generated file, or
refuses the specification with an input and a zero point that break it.
"""

from fractions import Fraction
from functools import cache

from . import binary32
from .specification import (
    BIAS,
    INT8_MAX,
    INT8_MIN,
    LARGEST_UNDER104,
    Specification,
    SpecificationError,
)

# What the conversion instructions can encode.
MOST_FRACTION_BITS = 32
MOST_WIDENING_SHIFT = 15

# A byte in the top lane of 32 bits is the byte times 2^24.
TOP_BYTE_BITS = 24

BF16_SIGNIFICAND_BITS = 8

# Half precision: integers up to 2^11 are exact, 2^-14 is the smallest normal number. An x + 128 in
# the lowest bits of 1024's pattern is this much more than x.
HALF_BIAS = 1024 + 128
HALF_SMALLEST_EXPONENT = -14
HALF_LARGEST_BIAS_EXPONENT = 5


class IllegalSpecification(SpecificationError):
    """A specification outside the domain on which its sequence is exact."""

    def __init__(self, spec: Specification, reason: str, pair: tuple[int, int] | None = None):
        self.pair = pair
        witness = "" if pair is None else f"input {pair[0]}, zero point {pair[1]}: "
        self.reason = f"{witness}{reason}"
        where = f"{spec.isa} {spec.output} {spec.sequence}, {describe_domain(spec)}"
        super().__init__(f"{where}: {self.reason}")


def describe_domain(spec: Specification) -> str:
    zero_points = spec.zero_points
    interval = (
        f"zero point {zero_points.low}"
        if zero_points.low == zero_points.high
        else f"zero points {zero_points.low}..{zero_points.high}"
    )
    if zero_points.biased:
        interval += " with a representable bias"
    return f"{interval}, {spec.scale.words}"


def _outermost_pair(spec: Specification) -> tuple[int, int]:
    pair = spec.pair_for(spec.largest_difference)
    assert pair is not None
    return pair


def zero_point_fits_int8(spec: Specification) -> str:
    for zero_point in (spec.zero_points.low, spec.zero_points.high):
        if not INT8_MIN <= zero_point <= INT8_MAX:
            value = 1
            raise IllegalSpecification(
                spec,
                f"the zero point is not one of INT8 "
                f"({INT8_MIN}..{INT8_MAX})",
                (value, zero_point),
            )
    largest = spec.largest_difference
    return (
        f"x and zp are INT8, so x - zp lies in [-{largest}, {largest}]: sums of 16 bits cannot "
        "wrap, and binary32 holds both operands and the difference exactly."
    )


def difference_is_exact(spec: Specification) -> str:
    limit = 2**binary32.SIGNIFICAND_BITS
    if spec.largest_difference > limit:
        pair = spec.pair_for(limit + 1) or _outermost_pair(spec)
        difference = pair[0] - pair[1]
        raise IllegalSpecification(
            spec,
            f"the difference {difference} needs more than the {binary32.SIGNIFICAND_BITS} "
            "significant bits of binary32",
            pair,
        )
    return (
        f"|zp| and |x - zp| are at most {spec.largest_difference} <= 2^24: binary32 holds the zero "
        "point and every difference exactly."
    )


def scaling_is_exact(spec: Specification) -> str:
    exponent = spec.scale.exponent
    largest = spec.largest_difference
    if exponent < binary32.SMALLEST_NORMAL_EXPONENT:
        pair = spec.pair_for(1) or _outermost_pair(spec)
        raise IllegalSpecification(
            spec, f"scaled by 2^{exponent}, the difference leaves the normal numbers", pair
        )
    if largest * Fraction(2) ** exponent >= Fraction(2) ** (binary32.LARGEST_EXPONENT + 1):
        raise IllegalSpecification(
            spec,
            f"scaled by 2^{exponent}, the difference exceeds the largest finite number",
            _outermost_pair(spec),
        )
    return (
        f"A nonzero |x - zp| lies in [1, {largest}]; times 2^{exponent} it is still a normal "
        "number: the exponent moves, the significand stays, nothing is rounded."
    )


def conversion_scales(spec: Specification) -> str:
    exponent = spec.scale.exponent
    if -exponent > MOST_FRACTION_BITS or exponent > MOST_WIDENING_SHIFT:
        raise IllegalSpecification(
            spec,
            f"exponent {exponent}: the conversion divides by at most 2^{MOST_FRACTION_BITS}, the "
            f"widening shift multiplies by at most 2^{MOST_WIDENING_SHIFT}; use an any-scale row",
            _outermost_pair(spec),
        )
    if exponent < 0:
        return (
            f"Conversion with {-exponent} fraction bits reads the integer as a multiple of "
            f"2^{exponent}; the value is representable, so nothing is rounded."
        )
    if exponent == 0:
        return "The scale is 1: the converted integer is the result."
    return (
        f"The shift by {exponent} cannot wrap 32 bits, and conversion of the shifted integer is "
        "exact: it has no more significant bits than before."
    )


def product_rounds_once(spec: Specification) -> str:
    del spec
    return (
        "Conversion of the difference is exact, so the one multiplication rounds the same product "
        "as the staged expression, overflow and subnormal results included."
    )


def upper_half_is_result(spec: Specification) -> str:
    limit = 2**BF16_SIGNIFICAND_BITS
    if spec.largest_difference > limit:
        pair = spec.pair_for(limit + 1) or _outermost_pair(spec)
        raise IllegalSpecification(
            spec,
            f"the difference {pair[0] - pair[1]} needs more than the {BF16_SIGNIFICAND_BITS} "
            "significant bits of BF16: its narrowing rounds",
            pair,
        )
    return (
        f"|x - zp| <= {spec.largest_difference} has at most {BF16_SIGNIFICAND_BITS} significant "
        "bits: the lower 16 bits of the FP32 result are zero, and its upper half is the answer."
    )


def scaled_difference_is_exact(spec: Specification) -> str:
    return (
        f"x * 2^{spec.scale.exponent} - zp * 2^{spec.scale.exponent} equals "
        f"(x - zp) * 2^{spec.scale.exponent}, which is representable: the subtraction rounds "
        "nothing, and equal operands give +0 in both orders of work."
    )


def is_staged_expression(spec: Specification) -> str:
    if spec.scale.kind == "unit":
        return (
            "The staged expression, step for step; multiplication by 1 returns its operand, zeros "
            "and their signs included, and is left out."
        )
    return "The staged expression, step for step: every step is one instruction that rounds once."


def half_even_on_bits(spec: Specification) -> str:
    del spec
    return (
        "The upper half goes up just when the lower half plus the lowest kept bit exceeds 0x8000: "
        "above one half, or one half with an odd upper half. Infinity keeps its bits, and NaN does "
        "not occur."
    )


def fixed_operands(spec: Specification) -> str:
    parts = []
    if spec.zero_points.is_zero:
        parts.append("x - 0 = x, and 0 - 0 = +0, so the subtraction is left out")
    if spec.scale.kind == "unit" or (spec.scale.kind == "pow2" and spec.scale.exponent == 0):
        parts.append("multiplication by 1 returns its operand and is left out")
    if spec.scale.kind == "pow2" and spec.scale.exponent != 0:
        parts.append(f"{spec.scale.literal} has the bits of the scale that selected this kernel")
    if not parts:
        return "The staged expression as it is defined, one rounding a step."
    return f"The staged expression, one rounding a step: {'; '.join(parts)}."


def top_byte_converts(spec: Specification) -> str:
    fraction = TOP_BYTE_BITS - (spec.scale.exponent if spec.scale.is_fixed else 0)
    if not 1 <= fraction <= MOST_FRACTION_BITS:
        raise IllegalSpecification(
            spec,
            f"exponent {spec.scale.exponent}: the conversion would take {fraction} fraction bits; "
            f"1 to {MOST_FRACTION_BITS} can be encoded",
            _outermost_pair(spec),
        )
    return (
        f"The look-up makes 2^{TOP_BYTE_BITS} times it of each byte; conversion with {fraction} "
        f"fraction bit{'s' if fraction > 1 else ''} divides by 2^{fraction}. At most 8 significant "
        "bits: exact."
    )


def input_converts(spec: Specification) -> str:
    del spec
    return "Every INT8 value converts exactly."


def zero_point_is_zero(spec: Specification) -> str:
    if not spec.zero_points.is_zero:
        raise IllegalSpecification(
            spec, "the sequence subtracts nothing", _outermost_pair(spec)
        )
    return "The zero point is 0, so the difference is the input: x - 0 = x, and 0 - 0 = +0."


def difference_is_a_byte(spec: Specification) -> str:
    if (spec.zero_points.low, spec.zero_points.high) != (INT8_MIN, INT8_MIN):
        raise IllegalSpecification(
            spec,
            "the difference must lie in 0..255, whatever the input",
            (INT8_MIN, spec.zero_points.high),
        )
    return "The zero point is -128: x - zp is x + 128, the byte x with its top bit flipped."


def half_holds_difference(spec: Specification) -> str:
    return (
        f"Half precision holds integers up to 2^11, so it holds x - zp, at most "
        f"{spec.largest_difference} in magnitude; widening to FP32 changes no value."
    )


def half_holds_scaled_difference(spec: Specification) -> str:
    exponent = spec.scale.exponent
    if not HALF_SMALLEST_EXPONENT <= exponent <= 0:
        raise IllegalSpecification(
            spec,
            f"exponent {exponent}: the half-precision conversion is shown exact for "
            f"{HALF_SMALLEST_EXPONENT}..0",
            _outermost_pair(spec),
        )
    return (
        f"(x - zp) * 2^{exponent} has at most 8 significant bits and lies between 2^{exponent} and "
        f"255 * 2^{exponent}: a normal half-precision number or zero, so the conversion rounds "
        "nothing and no flushing mode of half precision touches it. Widening to FP32 changes no "
        "value."
    )


def half_holds_biased_input(spec: Specification) -> str:
    exponent = spec.scale.exponent
    if not HALF_SMALLEST_EXPONENT <= exponent <= HALF_LARGEST_BIAS_EXPONENT:
        raise IllegalSpecification(
            spec,
            f"exponent {exponent}: half precision holds (1024 + 255) * 2^e and 2^e as normal "
            f"numbers for e in {HALF_SMALLEST_EXPONENT}..{HALF_LARGEST_BIAS_EXPONENT}",
            _outermost_pair(spec),
        )
    return (
        f"The half-precision pattern of 1024 * 2^{exponent} with x + 128 in its lowest byte is "
        f"(1152 + x) * 2^{exponent}. Less (1152 + zp) * 2^{exponent} it is (x - zp) * 2^{exponent}"
        ", at most 8 significant bits: exact, normal or +0. Widening to FP32 changes no value."
    )


def difference_is_a_half_subnormal(spec: Specification) -> str:
    if (spec.zero_points.low, spec.zero_points.high) != (INT8_MIN, INT8_MIN):
        raise IllegalSpecification(
            spec,
            "the difference must not be negative, whatever the input",
            (INT8_MIN, spec.zero_points.high),
        )
    return (
        "x + 128 lies in 0..255; as the bits of a half-precision number it is the subnormal "
        "(x + 128) * 2^-24. Widening to FP32 keeps it, in every mode."
    )


def product_with_lifted_scale(spec: Specification) -> str:
    if spec.scale.bits[1] > LARGEST_UNDER104:
        raise IllegalSpecification(
            spec, "the scale times 2^24 would overflow from 2^104 on", _outermost_pair(spec)
        )
    return (
        "scale * 2^24 is exact below 2^104; times (x + 128) * 2^-24 it is the real product of "
        "difference and scale, rounded once."
    )


# Zero points just past a binade of the bias, where it needs a 25th bit.
_UNBIASED = (8388481, 33554430)


def has_bias(zero_point: int) -> bool:
    """Whether BIAS + binary32(zero point) is itself a binary32."""
    converted = binary32.decode(binary32.encode(Fraction(zero_point)))
    return not encode_fails(BIAS + int(converted))


def bias_is_representable(spec: Specification) -> str:
    if not spec.zero_points.has_bias:
        low, high = spec.zero_points.low, spec.zero_points.high
        for zero_point in (*_UNBIASED, low, high):
            if low <= zero_point <= high and not has_bias(zero_point):
                raise IllegalSpecification(
                    spec, "2^23 + 128 + float(zero point) is not a binary32", (1, zero_point)
                )
        raise IllegalSpecification(
            spec,
            "a representable bias is shown for -25165952..8388480 and for biased classes only",
            _outermost_pair(spec),
        )
    return (
        f"The FP32 pattern 0x4b000000 with x + 128 in its lowest byte is {BIAS} + x. Less the bias "
        f"{BIAS} + float(zp), itself a binary32 in this class, it is x - float(zp), rounded once: "
        "the staged difference."
    )


def _lacks_half_bias(zero_point: int) -> bool:
    converted = binary32.decode(binary32.encode(Fraction(zero_point)))
    return encode_fails(HALF_BIAS + int(converted))


def _zero_points_below_binades() -> list[int]:
    """Those whose conversion lies less than HALF_BIAS below a power of two from 2^24 on. Elsewhere
    HALF_BIAS + float(zp) stays among the multiples of float(zp)'s last bit within its binade, or
    comes nearer to zero, and HALF_BIAS is a multiple of 2^7, the largest such bit of an int32."""
    return [
        zero_point
        for exponent in range(binary32.SIGNIFICAND_BITS, 32)
        for zero_point in range(2**exponent - HALF_BIAS, min(2**exponent, 2**31))
    ]


@cache
def _without_half_bias(though_biased: bool) -> tuple[int, ...]:
    """All zero points whose half bias no binary32 holds; or those among them that have a bias."""
    return tuple(
        zero_point
        for zero_point in _zero_points_below_binades()
        if _lacks_half_bias(zero_point) and not (though_biased and not has_bias(zero_point))
    )


def half_bias_is_representable(spec: Specification) -> str:
    for zero_point in _without_half_bias(spec.zero_points.biased):
        if spec.zero_points.low <= zero_point <= spec.zero_points.high:
            raise IllegalSpecification(
                spec, f"{HALF_BIAS} + float(zero point) is not a binary32", (1, zero_point)
            )
    return (
        f"The half-precision pattern 0x6400 is 1024 and its last bit counts 1, so with x + 128 "
        f"added it is {HALF_BIAS} + x; widening keeps it. Less the bias {HALF_BIAS} + float(zp), "
        "itself a binary32 in this class, it is x - float(zp), rounded once: the staged difference."
    )


def encode_fails(integer: int) -> bool:
    """Whether binary32 does not hold an integer."""
    return binary32.decode(binary32.encode(Fraction(integer))) != integer


def power_scales_bias(spec: Specification) -> str:
    low, high = spec.scale.bits
    if low < binary32.power_of_two(binary32.SMALLEST_NORMAL_EXPONENT) or not spec.scale.is_power:
        raise IllegalSpecification(spec, "the scale may be subnormal", spec.pair_for(1))
    top = Fraction(2) ** (high >> 23) / Fraction(2) ** 127
    if (spec.largest_difference + 2 * BIAS) * top >= Fraction(2) ** 128:
        raise IllegalSpecification(spec, "the scaled bias overflows", _outermost_pair(spec))
    return (
        "Pattern and bias are both multiplied by 2^e, one through its exponent field, one by an "
        "exact product; the difference rounds at the same place, e binades up or down, and a "
        "nonzero one is at least 2^e: normal."
    )


def ties_are_absent(spec: Specification) -> str:
    del spec
    return (
        "Preparation has shown, for this scale and zero point, that no FP32 result is a BF16 "
        "midpoint with an even upper half (the addend is 0: halves go up) or none with an odd one "
        "(the addend is -1: halves go down). Elsewhere all three roundings agree."
    )
