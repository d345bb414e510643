# SPDX-License-Identifier: Apache-2.0
"""Solver proofs: each sequence equals the staged expression over its whole domain.

What each step of a sequence does to one lane is written down once, here, as bit-vectors and IEEE
floating point; the solver (Debian: python3-z3) then looks for an input, a zero point and a scale of
the domain for which sequence and definition differ, and shows that there are none. The definition
is the expression itself in floating point, not the models of sequences.py.

A claim is cut into cases that are quick: by the binade of the zero point, and by exponents where
two multiplications must be compared. Each case has a time limit; one that is not settled is a
failure and is named.
"""

import multiprocessing
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import z3

from . import legality, prove_x86, sequences, sequences_x86, steps
from .family import Family
from .specification import (
    BIAS,
    INT32_MAX,
    INT32_MIN,
    LARGEST_UNDER104,
    Scale,
    Specification,
    ZeroPointClass,
)

SECONDS_PER_CASE = 120

RNE = z3.RNE()
F16, F32, F64 = z3.Float16(), z3.Float32(), z3.Float64()
# BF16 as a format of its own: 8 bits of exponent, 8 of significand with the hidden one.
BF16 = z3.FPSort(8, 8)


def bits_of(value: z3.FPRef) -> z3.BitVecRef:
    return z3.fpToIEEEBV(value)


def f32_of(bits: z3.BitVecRef) -> z3.FPRef:
    return z3.fpBVToFP(bits, F32)


def f16_of(bits: z3.BitVecRef) -> z3.FPRef:
    return z3.fpBVToFP(bits, F16)


def f32(value: float) -> z3.FPRef:
    return z3.FPVal(value, F32)


def power(exponent: int) -> z3.FPRef:
    return f32(2.0**exponent)


# ---- the definition ----


@dataclass
class Operands:
    """One lane's input, zero point and scale, as bits."""

    x: z3.BitVecRef
    zero_point: z3.BitVecRef
    scale: z3.BitVecRef
    # Set where the difference in 16 bits has been shown to be the staged one: it stands for both.
    integer: z3.BitVecRef | None = None

    @property
    def zero_point_f32(self) -> z3.FPRef:
        return z3.fpSignedToFP(RNE, self.zero_point, F32)

    @property
    def difference(self) -> z3.FPRef:
        if self.integer is not None:
            return z3.fpSignedToFP(RNE, self.integer, F32)
        return z3.fpSub(RNE, z3.fpSignedToFP(RNE, self.x, F32), self.zero_point_f32)

    @property
    def scale_f32(self) -> z3.FPRef:
        """A constant where the bits are: terms that are the same then look the same."""
        value = f32_of(self.scale)
        return z3.simplify(value) if z3.is_bv_value(self.scale) else value

    @property
    def staged(self) -> z3.FPRef:
        return z3.fpMul(RNE, self.difference, self.scale_f32)


def symbolic(spec: Specification) -> Operands:
    low, high = spec.zero_points.low, spec.zero_points.high
    zero_point = z3.BitVecVal(low, 32) if low == high else z3.BitVec("zero_point", 32)
    scale = z3.BitVec("scale", 32)
    if spec.scale.is_fixed:
        scale = z3.BitVecVal(spec.scale.bits[0], 32)
    return Operands(z3.BitVec("x", 8), zero_point, scale)


def has_bias(zero_point: z3.FPRef) -> z3.BoolRef:
    """That the sum in binary32 is the sum in binary64, which is exact."""
    single = z3.fpAdd(RNE, f32(BIAS), zero_point)
    double = z3.fpAdd(RNE, z3.FPVal(float(BIAS), F64), z3.fpToFP(RNE, zero_point, F64))
    return z3.fpToFP(RNE, single, F64) == double


def domain(spec: Specification, operands: Operands) -> list[z3.BoolRef]:
    low, high = spec.scale.bits
    assumed = [
        operands.zero_point >= spec.zero_points.low,
        operands.zero_point <= spec.zero_points.high,
        z3.ULE(low, operands.scale),
        z3.ULE(operands.scale, high),
    ]
    if spec.scale.is_power:
        assumed.append(z3.Extract(22, 0, operands.scale) == 0)
    if spec.zero_points.biased:
        assumed.append(has_bias(operands.zero_point_f32))
    return assumed


# ---- what each step does to one lane ----


@dataclass
class Lane:
    """What a block's constants and registers hold for one element, named as in the templates."""

    spec: Specification
    operands: Operands
    constants: dict[str, z3.ExprRef] = field(default_factory=dict)
    registers: dict[str, z3.ExprRef] = field(default_factory=dict)

    @property
    def exponent(self) -> int:
        return self.spec.scale.exponent if self.spec.scale.is_fixed else 0


Step = Callable[[Lane], None]


def _scale(lane: Lane) -> None:
    lane.constants["scale"] = lane.operands.scale_f32


def _scale_lifted(lane: Lane) -> None:
    lane.constants["scale"] = z3.fpMul(RNE, lane.operands.scale_f32, power(24))


def _offset_zero_point(lane: Lane) -> None:
    lane.constants["offset"] = z3.Extract(15, 0, -lane.operands.zero_point)


def _offset_input(lane: Lane) -> None:
    lane.constants["offset"] = z3.BitVecVal(128, 16)


def _offset_half_pattern(lane: Lane) -> None:
    """1024 * 2^e in half precision has 25 + e in its exponent field."""
    lane.constants["offset"] = z3.BitVecVal(((25 + lane.exponent) << 10) + 128, 16)
    bias = z3.fpAdd(RNE, f32(1152.0), lane.operands.zero_point_f32)
    scaled = z3.fpMul(RNE, bias, power(lane.exponent))
    lane.constants["half_subtrahend"] = z3.fpToFP(RNE, scaled, F16)


def _zero_point_f32(lane: Lane) -> None:
    lane.constants["subtrahend"] = lane.operands.zero_point_f32


def _zero_point_scaled(lane: Lane) -> None:
    scaled = z3.fpMul(RNE, lane.operands.zero_point_f32, power(lane.exponent))
    lane.constants["subtrahend"] = scaled


def _bias(lane: Lane) -> None:
    lane.constants["subtrahend"] = z3.fpAdd(RNE, f32(BIAS), lane.operands.zero_point_f32)


def _bias_scaled(lane: Lane) -> None:
    bias = z3.fpAdd(RNE, f32(BIAS), lane.operands.zero_point_f32)
    lane.constants["subtrahend"] = z3.fpMul(RNE, bias, lane.operands.scale_f32)


def _pattern(lane: Lane) -> None:
    lane.constants["pattern"] = z3.BitVecVal(0x4B00, 16)


def _pattern_scaled(lane: Lane) -> None:
    lane.constants["pattern"] = z3.Extract(31, 16, lane.operands.scale) + (23 << 7)


def _half_pattern(lane: Lane) -> None:
    lane.constants["offset"] = z3.BitVecVal(0x6400 + 128, 16)


def _half_pattern_bias(lane: Lane) -> None:
    bias = z3.fpAdd(RNE, f32(legality.HALF_BIAS), lane.operands.zero_point_f32)
    lane.constants["subtrahend"] = bias


def _nothing(lane: Lane) -> None:
    """Look-up indices and the like: they say where a lane comes from, not what it becomes."""
    del lane


CONSTANTS: dict[str, Step] = {
    "scale": _scale,
    "scale_lifted": _scale_lifted,
    "offset_zero_point": _offset_zero_point,
    "offset_input": _offset_input,
    "offset_half_pattern": _offset_half_pattern,
    "zero_point_f32": _zero_point_f32,
    "zero_point_scaled": _zero_point_scaled,
    "bias": _bias,
    "bias_scaled": _bias_scaled,
    "pattern": _pattern,
    "pattern_scaled": _pattern_scaled,
    "half_pattern": _half_pattern,
    "half_pattern_bias": _half_pattern_bias,
    "top_bytes": _nothing,
    "tie_addend": _nothing,
}


def _widen_s16(lane: Lane) -> None:
    lane.registers["s16"] = z3.SignExt(8, lane.operands.x)


def _add_offset(lane: Lane) -> None:
    """Widening addition: the sum wraps at 16 bits."""
    wrapped = lane.constants["offset"] + z3.SignExt(8, lane.operands.x)
    integer = lane.operands.integer
    lane.registers["s16"] = wrapped if integer is None else integer


def _f32_pattern(lane: Lane) -> None:
    joined = z3.Concat(lane.constants["pattern"], lane.registers["s16"])
    lane.registers["y"] = f32_of(joined)


def _convert(lane: Lane) -> None:
    """Of a lane widened to 32 bits and shifted there, if the exponent is positive."""
    shifted = z3.SignExt(16, lane.registers["s16"]) << max(lane.exponent, 0)
    lane.registers["y"] = _fixed_point(shifted, max(-lane.exponent, 0))


def _fixed_point(integer: z3.BitVecRef, fraction_bits: int) -> z3.FPRef:
    """An integer over 2^fraction_bits, rounded once: in the conversion, since division by at most
    2^32 leaves the quotient a normal number and rounds nothing."""
    converted = z3.fpSignedToFP(RNE, integer, F32)
    return z3.fpMul(RNE, converted, power(-fraction_bits)) if fraction_bits else converted


def _plain_convert(lane: Lane) -> None:
    lane.registers["y"] = z3.fpSignedToFP(RNE, z3.SignExt(16, lane.registers["s16"]), F32)


def _flip_sign(lane: Lane) -> None:
    lane.registers["x"] = lane.operands.x ^ 0x80


def _lookup(lane: Lane) -> None:
    byte = lane.registers.get("x", lane.operands.x)
    lane.registers["top"] = z3.Concat(byte, z3.BitVecVal(0, 24))


def _convert_top(lane: Lane) -> None:
    lane.registers["y"] = _fixed_point(lane.registers["top"], 24 - lane.exponent)


def _convert_top_unsigned(lane: Lane) -> None:
    """One more bit in front tells the solver that the number is not negative."""
    widened = z3.ZeroExt(1, lane.registers["top"])
    lane.registers["y"] = _fixed_point(widened, 24 - lane.exponent)


def _half_bits(lane: Lane) -> None:
    lane.registers["half"] = f16_of(lane.registers["s16"])


def _subtract_half(lane: Lane) -> None:
    pattern = f16_of(lane.registers["s16"])
    lane.registers["half"] = z3.fpSub(RNE, pattern, lane.constants["half_subtrahend"])


def _convert_half(lane: Lane) -> None:
    """16 bits over 2^-exponent, rounded once: binary32 holds the quotient."""
    exact = z3.fpSignedToFP(RNE, lane.registers["s16"], F32)
    quotient = z3.fpMul(RNE, exact, power(lane.exponent)) if lane.exponent else exact
    lane.registers["half"] = z3.fpToFP(RNE, quotient, F16)


def _widen_half(lane: Lane) -> None:
    lane.registers["y"] = z3.fpToFP(RNE, lane.registers["half"], F32)


def _subtract(lane: Lane) -> None:
    lane.registers["y"] = z3.fpSub(RNE, lane.registers["y"], lane.constants["subtrahend"])


def _multiply(lane: Lane) -> None:
    lane.registers["y"] = z3.fpMul(RNE, lane.registers["y"], lane.constants["scale"])


WORK: dict[str, Step] = {
    "widen_s16": _widen_s16,
    "add_offset": _add_offset,
    "f32_pattern": _f32_pattern,
    "convert": _plain_convert,
    "convert_fraction": _convert,
    "convert_shifted": _convert,
    "lookup": _lookup,
    "convert_top": _convert_top,
    "flip_sign": _flip_sign,
    "convert_top_unsigned": _convert_top_unsigned,
    "half_bits": _half_bits,
    "subtract_half": _subtract_half,
    "convert_half": _convert_half,
    "convert_half_fraction": _convert_half,
    "widen_half": _widen_half,
    "subtract": _subtract,
    "multiply": _multiply,
}


def _portable(spec: Specification, operands: Operands, load: tuple[str, ...]) -> z3.FPRef:
    zero_point = f32(0.0) if "zero_point_zero" in load else operands.zero_point_f32
    scale = power(spec.scale.exponent) if "scale_constant" in load else operands.scale_f32
    difference = z3.fpSub(RNE, z3.fpSignedToFP(RNE, operands.x, F32), zero_point)
    return z3.fpMul(RNE, difference, scale)


class NoSemantics(Exception):
    """A step that this module does not know: nothing is proved of it."""


def result_of(spec: Specification, operands: Operands) -> z3.FPRef:
    """What a sequence leaves in a lane before it is narrowed."""
    spelt = steps.of(spec)
    if spec.isa == "portable":
        return _portable(spec, operands, spelt.load)
    lane = Lane(spec, operands)
    x86 = spec.isa in sequences_x86.ISAS
    constants = CONSTANTS | prove_x86.CONSTANTS if x86 else CONSTANTS
    work = WORK | prove_x86.WORK if x86 else WORK
    for name in spelt.load:
        _known(constants, name)(lane)
    for name, _ in spelt.work:
        _known(work, name)(lane)
    return lane.registers["y"]


def _known(table: dict[str, Step], name: str) -> Step:
    if name not in table:
        raise NoSemantics(f"step '{name}' has no meaning in generator/prove.py")
    return table[name]


# ---- narrowing to BF16 ----


def nearest_even(value: z3.FPRef) -> z3.BitVecRef:
    """By definition: the one rounding of IEEE arithmetic to a format of 8 significant bits."""
    return z3.fpToIEEEBV(z3.fpToFP(RNE, value, BF16))


def narrowed_even(bits: z3.BitVecRef) -> z3.BitVecRef:
    """A halving sum keeps its carry; its top bit goes into the upper half."""
    upper, lower = z3.Extract(31, 16, bits), z3.Extract(15, 0, bits)
    addend = (upper & 1) + 0x7FFF
    halved = z3.Extract(16, 1, z3.ZeroExt(1, lower) + z3.ZeroExt(1, addend))
    return upper + z3.LShR(halved, 15)


def narrowed_by(bits: z3.BitVecRef, addend: z3.BitVecRef) -> z3.BitVecRef:
    """Rounding narrowing of a sum: half of the lost places is added, a carry out of 32 bits is
    lost."""
    return z3.Extract(31, 16, bits + addend + 0x8000)


# ---- claims ----


@dataclass(frozen=True)
class Claim:
    """Something to be shown, in cases: each the terms that must be unsatisfiable together."""

    name: str
    cases: Callable[[], Iterator[list[z3.BoolRef]]]


def _same_operation(left: z3.ExprRef, right: z3.ExprRef) -> bool:
    kinds = (z3.Z3_OP_FPA_MUL, z3.Z3_OP_FPA_SUB)
    return (
        left.decl().kind() in kinds
        and left.decl().kind() == right.decl().kind()
        and left.arg(0).eq(right.arg(0))
        and left.arg(2).eq(right.arg(2))
    )


def peel(left: z3.FPRef, right: z3.FPRef) -> tuple[z3.FPRef, z3.FPRef]:
    """Equal operands give equal results: what both do last, with the same operand, is left out."""
    while _same_operation(left, right):
        left, right = left.arg(1), right.arg(1)
    return left, right


def differ(left: z3.FPRef, right: z3.FPRef) -> z3.BoolRef:
    """By bits, so that zeros are told apart; a NaN is a difference."""
    return z3.Or(z3.fpIsNaN(left), z3.fpIsNaN(right), bits_of(left) != bits_of(right))


def _binades(low: int, high: int) -> Iterator[tuple[int, int]]:
    """Cuts an interval where numbers change their length."""
    if high - low < 2**9:
        yield low, high
        return
    inner = 2**8
    bounds = [(-inner, inner - 1)]
    for length in range(8, 32):
        start, end = 2**length, 2 ** (length + 1) - 1
        bounds += [(start, end), (-end - 1, -start - 1)]
    for start, end in bounds:
        if max(low, start) <= min(high, end):
            yield max(low, start), min(high, end)


def _body_cases(spec: Specification) -> Iterator[list[z3.BoolRef]]:
    operands = symbolic(spec)
    result, staged = peel(result_of(spec, operands), operands.staged)
    for low, high in _binades(spec.zero_points.low, spec.zero_points.high):
        within = [operands.zero_point >= low, operands.zero_point <= high]
        yield [*within, *domain(spec, operands), differ(result, staged)]


def _subtracts_in_16_bits(spec: Specification) -> bool:
    spelt = steps.of(spec)
    return "offset_zero_point" in spelt.load and "add_offset" in (name for name, _ in spelt.work)


def _integer_cases(spec: Specification) -> Iterator[list[z3.BoolRef]]:
    """The difference in 16 bits, converted, is the staged difference, and lies where the claims
    about it assume it to lie."""
    operands = symbolic(spec)
    lane = Lane(spec, operands)
    _offset_zero_point(lane)
    _add_offset(lane)
    integer = z3.SignExt(16, lane.registers["s16"])
    wrong = differ(z3.fpSignedToFP(RNE, integer, F32), operands.difference)
    outside = z3.Or(integer < -spec.largest_difference, integer > spec.largest_difference)
    yield [*domain(spec, operands), z3.Or(wrong, outside)]


def _from_integer_cases(spec: Specification) -> Iterator[list[z3.BoolRef]]:
    """From there on x and zero point are in the difference alone."""
    operands = replace(symbolic(spec), integer=z3.BitVec("difference", 16))
    result, staged = peel(result_of(spec, operands), operands.staged)
    largest = spec.largest_difference
    wide = z3.SignExt(16, operands.integer)
    within = [wide >= -largest, wide <= largest]
    yield [*within, *domain(spec, operands), differ(result, staged)]


def _is_lifted(spec: Specification) -> bool:
    return "scale_lifted" in steps.of(spec).load


LIFT = 24
# Exponent fields of the integers from 1 to 255.
_DIFFERENCE_FIELDS = range(127, 135)


def _lifted_operand_cases(spec: Specification) -> Iterator[list[z3.BoolRef]]:
    """The operand is the difference with 24 less in its exponent field, or both are +0; and the
    difference has the form that the products below are compared for."""
    operands = symbolic(spec)
    operand = bits_of(result_of(spec, operands).arg(1))
    difference = bits_of(operands.difference)
    fields = z3.Extract(31, 23, difference)
    in_form = z3.And(
        z3.ULE(_DIFFERENCE_FIELDS[0], fields),
        z3.ULE(fields, _DIFFERENCE_FIELDS[-1]),
        z3.Extract(15, 0, difference) == 0,
        operand == difference - (LIFT << 23),
    )
    both_zero = z3.And(operand == 0, difference == 0)
    yield [*domain(spec, operands), z3.Not(z3.Or(in_form, both_zero))]


def _lifted_scales() -> Iterator[tuple[z3.FPRef, z3.FPRef]]:
    """Each scale below 2^104 and the same with 24 more in its exponent, by exponent: the fraction
    bits are free. A subnormal scale is normalized by the lifting."""
    fraction = z3.BitVec("fraction", 23)
    sign = z3.BitVecVal(0, 1)
    for exponent in range(1, (LARGEST_UNDER104 >> 23) + 1):
        scale = z3.Concat(sign, z3.BitVecVal(exponent, 8), fraction)
        lifted = z3.Concat(sign, z3.BitVecVal(exponent + LIFT, 8), fraction)
        yield f32_of(scale), f32_of(lifted)
    for leading in range(23):
        below = [z3.Extract(leading - 1, 0, fraction)] if leading else []
        scale = z3.Concat(z3.BitVecVal(1, 32 - leading), *below) if leading else z3.BitVecVal(1, 32)
        zeros = z3.BitVecVal(0, 23 - leading)
        significand = z3.Concat(*below, zeros) if leading else zeros
        lifted = z3.Concat(sign, z3.BitVecVal(leading + LIFT - 22, 8), significand)
        yield f32_of(scale), f32_of(lifted)


def _lifted_product_cases() -> Iterator[list[z3.BoolRef]]:
    """That lifting is the multiplication by 2^24, and that products do not change when one operand
    is lifted and the other lowered. Exponents are constants, so that both products come down to the
    same multiplication of significands."""
    significand = z3.BitVec("significand", 7)
    low = z3.BitVecVal(0, 16)
    for scale, lifted in _lifted_scales():
        yield [differ(z3.fpMul(RNE, scale, power(LIFT)), lifted)]
        yield [differ(z3.fpMul(RNE, f32(0.0), lifted), z3.fpMul(RNE, f32(0.0), scale))]
        for exponent in _DIFFERENCE_FIELDS:
            whole = z3.Concat(z3.BitVecVal(exponent, 9), significand, low)
            lowered = z3.Concat(z3.BitVecVal(exponent - LIFT, 9), significand, low)
            left = z3.fpMul(RNE, f32_of(lowered), lifted)
            yield [differ(left, z3.fpMul(RNE, f32_of(whole), scale))]


def _upper_cases(spec: Specification) -> Iterator[list[z3.BoolRef]]:
    """The staged result ends in 16 zeros, so its upper half is its nearest BF16."""
    operands = symbolic(spec)
    bits = bits_of(operands.staged)
    for low, high in _binades(spec.zero_points.low, spec.zero_points.high):
        within = [operands.zero_point >= low, operands.zero_point <= high]
        yield [*within, *domain(spec, operands), z3.Extract(15, 0, bits) != 0]


def _number() -> tuple[z3.BitVecRef, z3.BoolRef]:
    """Any bits that are no NaN."""
    bits = z3.BitVec("bits", 32)
    return bits, z3.Not(z3.fpIsNaN(f32_of(bits)))


def _even_cases() -> Iterator[list[z3.BoolRef]]:
    bits, is_number = _number()
    yield [is_number, narrowed_even(bits) != nearest_even(f32_of(bits))]


def _upper_half_cases() -> Iterator[list[z3.BoolRef]]:
    bits, is_number = _number()
    exact = z3.Extract(15, 0, bits) == 0
    yield [is_number, exact, z3.Extract(31, 16, bits) != nearest_even(f32_of(bits))]


def _tie_free_cases() -> Iterator[list[z3.BoolRef]]:
    bits, is_number = _number()
    is_midpoint = z3.Extract(15, 0, bits) == 0x8000
    is_odd = z3.Extract(16, 16, bits) == 1
    for addend, absent in ((0, z3.Not(is_odd)), (-1, is_odd)):
        free = z3.Not(z3.And(is_midpoint, absent))
        result = narrowed_by(bits, z3.BitVecVal(addend, 32))
        yield [is_number, free, result != nearest_even(f32_of(bits))]


def _average_cases() -> Iterator[list[z3.BoolRef]]:
    bits, is_number = _number()
    yield [is_number, prove_x86.averaged_even(bits) != nearest_even(f32_of(bits))]


def _conversion_cases() -> Iterator[list[z3.BoolRef]]:
    bits, is_number = _number()
    normal = z3.Not(prove_x86.is_subnormal(bits))
    yield [is_number, normal, prove_x86.converted(bits) != nearest_even(f32_of(bits))]


def _no_subnormal_cases(spec: Specification) -> Iterator[list[z3.BoolRef]]:
    """A staged difference is 0 or at least 1, and times 1 or more no normal scale leaves the normal
    numbers: rounding keeps order, and the scale itself is the product with 1."""
    operands = symbolic(spec)
    magnitude = z3.fpAbs(operands.difference)
    between = z3.And(z3.Not(z3.fpIsZero(magnitude)), z3.fpLT(magnitude, f32(1.0)))
    for low, high in _binades(spec.zero_points.low, spec.zero_points.high):
        within = [operands.zero_point >= low, operands.zero_point <= high]
        yield [*within, *domain(spec, operands), between]
    one = z3.fpMul(RNE, f32(1.0), operands.scale_f32)
    yield [*domain(spec, operands), differ(one, operands.scale_f32)]
    yield [*domain(spec, operands), prove_x86.is_subnormal(operands.scale)]


_NARROWINGS = (
    Claim("narrowing: half-even on bits is the nearest BF16", _even_cases),
    Claim("narrowing: an upper half above 16 zeros is the nearest BF16", _upper_half_cases),
    Claim("narrowing: an addend is right where its kind of midpoint is absent", _tie_free_cases),
    Claim("narrowing: half-even by an average is the nearest BF16", _average_cases),
    Claim("narrowing: the processor's conversion is, of normal numbers and 0", _conversion_cases),
)


def _ways(table: Family) -> list[Specification]:
    """One specification for each body and each way of computing it; tails share bodies."""
    ways: dict[Specification, None] = {}
    for spec in table.specifications:
        body = replace(spec, tail="", plain_sequence=None)
        ways[body] = None
        if spec.plain_sequence is not None:
            ways[replace(body, sequence=spec.plain_sequence)] = None
    return list(ways)


def claims(table: Family) -> list[Claim]:
    """All that is to be shown of a family: what differs in narrowing alone is shown once."""
    made = {claim.name: claim for claim in _NARROWINGS}
    for spec in _ways(table):
        words = f"{spec.isa} {spec.sequence}, {legality.describe_domain(spec)}"
        for claim in _body_claims(spec, words):
            made.setdefault(claim.name, claim)
    for reach in REACHES:
        words = f"reach of {reach.sequence}, {legality.describe_domain(reach.spec)}"
        for claim in _body_claims(reach.spec, words):
            made.setdefault(claim.name, claim)
    return list(made.values())


def _body_claims(spec: Specification, words: str) -> Iterator[Claim]:
    if _is_lifted(spec):
        yield Claim(f"{words}: operand", lambda: _lifted_operand_cases(spec))
        yield Claim("products with a lifted scale below 2^104", _lifted_product_cases)
    elif _subtracts_in_16_bits(spec):
        zero_points = f"zero points {spec.zero_points.low}..{spec.zero_points.high}"
        yield Claim(f"difference in 16 bits, {zero_points}", lambda: _integer_cases(spec))
        yield Claim(words, lambda: _from_integer_cases(spec))
    else:
        yield Claim(words, lambda: _body_cases(spec))
    if spec.sequence == "bias_multiply_native":
        yield Claim(f"{words}: no subnormal result", lambda: _no_subnormal_cases(spec))
    if spec.output == "bf16_upper":
        domain_words = legality.describe_domain(spec)
        yield Claim(f"upper half, {domain_words}", lambda: _upper_cases(spec))


# ---- the largest domains ----


@dataclass(frozen=True)
class Reach:
    """How far a sequence is exact in zero points, at one scale, where that is further than the rows
    of the table may use it: a row's own class ends it sooner."""

    sequence: str
    scale: Scale
    low: int
    high: int

    @property
    def spec(self) -> Specification:
        reached = ZeroPointClass("reach", self.low, self.high)
        return Specification("neon", "f32", reached, self.scale, "", self.sequence)


# Declared for zero points of INT8 and exact beyond them; `scaled_difference` is declared for
# differences that binary32 holds and exact without that, since both roundings fall on one place.
# The points just outside are rows of OUTSIDE_FILE.
REACHES = (
    Reach("fixed_point", Scale("pow2", 0), -32640, 32640),
    Reach("integer_difference", Scale("any"), -32640, 32640),
    Reach("half_fixed_point", Scale("pow2", -8), -1921, 1920),
    Reach("half_multiply", Scale("any"), -1921, 1920),
    Reach("half_bias", Scale("pow2", -8), -1921, 896),
    Reach("scaled_difference", Scale("pow2", -4), INT32_MIN, INT32_MAX),
)

OUTSIDE_FILE = Path(__file__).with_name("outside.csv")


@dataclass(frozen=True)
class Outside:
    """A point one step outside a domain: what the staged expression gives there, and what the
    sequence, or a narrowing, would give instead."""

    what: str
    zero_point: int
    scale: int
    x: int
    staged: int
    result: int

    @property
    def operands(self) -> Operands:
        values = ((self.x, 8), (self.zero_point, 32), (self.scale, 32))
        return Operands(*(z3.BitVecVal(value, bits) for value, bits in values))


def outside_points() -> list[Outside]:
    points = []
    for line in OUTSIDE_FILE.read_text(encoding="utf-8").splitlines():
        if line.startswith(("#", "what,")):
            continue
        what, *numbers = line.split(",")
        points.append(Outside(what, *(int(number, 0) for number in numbers)))
    return points


def _evaluated(term: z3.ExprRef) -> int:
    return z3.simplify(term).as_long()


# Narrowings of the staged result, by the name that they have in a row.
_NARROWED = {
    "upper_half": lambda bits: z3.Extract(31, 16, bits),
    "half_up": lambda bits: narrowed_by(bits, z3.BitVecVal(0, 32)),
    "half_down": lambda bits: narrowed_by(bits, z3.BitVecVal(-1, 32)),
}


def evaluate(point: Outside) -> tuple[int, int]:
    """What the definition and the named sequence or narrowing give at a point."""
    operands = point.operands
    if point.what in _NARROWED:
        bits = bits_of(operands.staged)
        return _evaluated(nearest_even(operands.staged)), _evaluated(_NARROWED[point.what](bits))
    result = result_of(_spec_at(point), operands)
    if z3.is_true(z3.simplify(z3.fpIsNaN(result))):
        return _evaluated(bits_of(operands.staged)), _A_NAN
    return _evaluated(bits_of(operands.staged)), _evaluated(bits_of(result))


# Stands for every NaN: the definition never gives one.
_A_NAN = 0x7FC00000


def _spec_at(point: Outside) -> Specification:
    """The sequence at a point, with the scale fixed where the sequence fixes it."""
    field, fraction = point.scale >> 23, point.scale & 0x7FFFFF
    fixed = "pow2" in sequences.find(point.what, "neon").scales and field and not fraction
    powers = "powers" in sequences.find(point.what, "neon").scales
    scale = Scale("powers") if powers else Scale("pow2", field - 127) if fixed else Scale("any")
    alone = ZeroPointClass("alone", point.zero_point, point.zero_point)
    return Specification("neon", "f32", alone, scale, "", point.what)


def refused_spec(point: Outside) -> Specification:
    """What a row of a table would ask for, to get the sequence at a point."""
    spec = _spec_at(point)
    if spec.scale.is_power:
        return replace(spec, scale=Scale("pow2", (point.scale >> 23) - 127), tail="overlap")
    kind = "under104" if point.scale <= LARGEST_UNDER104 else "any"
    return replace(spec, scale=Scale(kind), tail="overlap")


def check_outside(point: Outside) -> str:
    """Why a point is no counterexample, or nothing."""
    staged, result = evaluate(point)
    if staged == result:
        return f"the definition and {point.what} agree on 0x{staged:08x}"
    if (staged, result) != (point.staged, point.result):
        return f"the definition gives 0x{staged:08x}, {point.what} 0x{result:08x}"
    return ""


def _prove_outside() -> int:
    """Prints each point that is no counterexample; how many those are."""
    points = outside_points()
    wrong = 0
    for point in points:
        complaint = check_outside(point)
        wrong += bool(complaint)
        if complaint:
            print(f"{OUTSIDE_FILE.name}: {point}: {complaint}")
    print(f"{len(points)} points one step outside: {len(points) - wrong} are counterexamples")
    return wrong


# ---- the solver ----


@dataclass(frozen=True)
class Outcome:
    name: str
    cases: int
    seconds: float
    complaint: str


def _answer(terms: list[z3.BoolRef]) -> tuple[z3.CheckSatResult, str]:
    """Whether terms can hold together, and where they do."""
    quick = z3.Then("simplify", "fpa2bv", "simplify", "bit-blast", "sat").solver()
    # The quick one shows that there is no model; it does not always give one that there is.
    for solver in (quick, z3.SolverFor("QF_FPBV")):
        solver.set("timeout", SECONDS_PER_CASE * 1000)
        solver.add(*terms)
        answer = solver.check()
        if answer == z3.sat:
            return answer, str(solver.model())
        if answer == z3.unsat or solver.reason_unknown() != "incomplete":
            break
    return answer, ""


def settle(claim: Claim) -> Outcome:
    """Shows a claim, or says which case has a counterexample or was not settled in time."""
    started = time.monotonic()
    count = 0
    complaint = ""
    try:
        for count, terms in enumerate(claim.cases(), start=1):
            answer, model = _answer(terms)
            if answer == z3.sat:
                complaint = f"case {count}: counterexample {model}"
            elif answer == z3.unknown:
                complaint = f"case {count}: not settled in {SECONDS_PER_CASE} s"
            if complaint:
                break
    except NoSemantics as error:
        complaint = str(error)
    if count == 0 and not complaint:
        complaint = "no case"
    return Outcome(claim.name, count, time.monotonic() - started, complaint)


_CLAIMS: list[Claim] = []


def _settle_by_index(index: int) -> Outcome:
    return settle(_CLAIMS[index])


def prove(table: Family, only: str = "") -> bool:
    """Settles all claims whose names hold `only`, and prints each. True where all were shown."""
    _CLAIMS[:] = [claim for claim in claims(table) if only in claim.name]
    failed = 0
    cases = 0
    # Processes, since the solver holds one thread; forked, since claims are functions.
    with multiprocessing.get_context("fork").Pool(os.cpu_count()) as pool:
        for outcome in pool.imap_unordered(_settle_by_index, range(len(_CLAIMS)), chunksize=1):
            verdict = outcome.complaint or "proved"
            print(f"{outcome.seconds:7.1f} s  {outcome.name}: {verdict}", flush=True)
            failed += bool(outcome.complaint)
            cases += outcome.cases
    print(f"{len(_CLAIMS)} claims in {cases} cases: {len(_CLAIMS) - failed} proved, {failed} not")
    return _prove_outside() + failed == 0 and bool(_CLAIMS)
