# SPDX-License-Identifier: Apache-2.0
"""Why a sequence gives the staged result: obligations over a whole domain, in exact integers.

An obligation either yields the line of proof that a reader finds in the generated file, or
refuses the specification with an input and a zero point that break it.
"""

from fractions import Fraction

from . import binary32
from .specification import INT8_MAX, INT8_MIN, Specification, SpecificationError

# What the conversion instructions can encode.
MOST_FRACTION_BITS = 32
MOST_WIDENING_SHIFT = 15

BF16_SIGNIFICAND_BITS = 8


class IllegalSpecification(SpecificationError):
    """A specification outside the domain on which its sequence is exact."""

    def __init__(self, spec: Specification, reason: str, pair: tuple[int, int] | None = None):
        self.pair = pair
        where = f"{spec.isa} {spec.output} {spec.sequence}, {describe_domain(spec)}"
        witness = "" if pair is None else f"input {pair[0]}, zero point {pair[1]}: "
        super().__init__(f"{where}: {witness}{reason}")


def describe_domain(spec: Specification) -> str:
    zero_points = spec.zero_points
    interval = (
        f"zero point {zero_points.low}"
        if zero_points.low == zero_points.high
        else f"zero points {zero_points.low}..{zero_points.high}"
    )
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
                f"the zero point does not fit the INT8 lanes that it is subtracted in "
                f"({INT8_MIN}..{INT8_MAX})",
                (value, zero_point),
            )
    if spec.zero_points.is_zero:
        return "The zero point is 0, so the difference is the input: x - 0 = x, and 0 - 0 = +0."
    largest = spec.largest_difference
    return (
        f"x and zp are INT8, so x - zp lies in [-{largest}, {largest}]: the widened subtraction "
        "cannot wrap, and binary32 holds both operands and the difference exactly."
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
        "Adding 0x7fff and the lowest kept bit carries into the upper half just when the lower "
        "half is above 0x8000, or equal to it with an odd upper half. Infinity keeps its bits, "
        "and NaN does not occur."
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
