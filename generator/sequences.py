# SPDX-License-Identifier: Apache-2.0
"""The instruction sequences that a row may name, each with its proof and its exact model.

A sequence says which specifications it is written for (`applies`), what must hold for it to be
exact (`obligations`), how the templates spell it (`steps`), and what it computes (`model`). The
model serves the generator's own cross-check and its tests; it is not the staged definition.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache

from . import binary32, legality
from .specification import BLOCK, INT8_MAX, INT8_MIN, Specification, SpecificationError

Obligation = Callable[[Specification], str]
Model = Callable[[Specification, int, int, int], int]


@dataclass(frozen=True)
class Sequence:
    name: str
    isa: str
    words: str
    tails: tuple[str, ...]
    scales: tuple[str, ...]
    outputs: tuple[str, ...]
    obligations: tuple[Obligation, ...]
    model: Model

    def check_axes(self, spec: Specification) -> None:
        """Refuses axis values that the sequence has no code for."""
        for axis, value, admitted in (
            ("isa", spec.isa, (self.isa,)),
            ("output", spec.output, self.outputs),
            ("scale", spec.scale.kind, self.scales),
            ("tail", spec.tail, self.tails),
        ):
            if value not in admitted:
                raise SpecificationError(
                    f"axis {axis}: sequence '{self.name}' is not written for '{value}', "
                    f"only for {', '.join(admitted)}"
                )


def _scaled(integer: int, exponent: int) -> int:
    return binary32.encode(integer * Fraction(2) ** exponent)


def _model_fixed_point(spec: Specification, value: int, zero_point: int, scale_bits: int) -> int:
    del scale_bits
    return _scaled(value - zero_point, spec.scale.exponent)


def _model_integer_difference(
    spec: Specification, value: int, zero_point: int, scale_bits: int
) -> int:
    del spec
    return binary32.multiply(binary32.encode(Fraction(value - zero_point)), scale_bits)


def _model_scaled_difference(
    spec: Specification, value: int, zero_point: int, scale_bits: int
) -> int:
    exponent = spec.scale.exponent
    converted = binary32.encode(Fraction(zero_point))
    return binary32.subtract(_scaled(value, exponent), binary32.multiply(converted, scale_bits))


def _model_staged(spec: Specification, value: int, zero_point: int, scale_bits: int) -> int:
    difference = binary32.subtract(
        binary32.encode(Fraction(value)), binary32.encode(Fraction(zero_point))
    )
    fixed_to_one = not spec.scale.is_any and spec.scale.exponent == 0
    return difference if fixed_to_one else binary32.multiply(difference, scale_bits)


_NEON_TAILS = ("short", "whole", "overlap", "scalar")

SEQUENCES = (
    Sequence(
        name="fixed_point",
        isa="neon",
        words="integer difference, scaled by the conversion to FP32",
        tails=_NEON_TAILS,
        scales=("pow2", "unit"),
        outputs=("f32", "bf16_upper", "bf16_even"),
        obligations=(
            legality.zero_point_fits_int8,
            legality.scaling_is_exact,
            legality.conversion_scales,
        ),
        model=_model_fixed_point,
    ),
    Sequence(
        name="integer_difference",
        isa="neon",
        words="integer difference, converted, multiplied",
        tails=_NEON_TAILS,
        scales=("any",),
        outputs=("f32", "bf16_even"),
        obligations=(legality.zero_point_fits_int8, legality.product_rounds_once),
        model=_model_integer_difference,
    ),
    Sequence(
        name="scaled_difference",
        isa="neon",
        words="scaled input minus scaled zero point",
        tails=_NEON_TAILS,
        scales=("pow2",),
        outputs=("f32", "bf16_upper", "bf16_even"),
        obligations=(
            legality.difference_is_exact,
            legality.scaling_is_exact,
            legality.conversion_scales,
            legality.scaled_difference_is_exact,
        ),
        model=_model_scaled_difference,
    ),
    Sequence(
        name="staged",
        isa="neon",
        words="converted, subtracted, multiplied: each step rounds",
        tails=_NEON_TAILS,
        scales=("unit", "any"),
        outputs=("f32", "bf16_even"),
        obligations=(legality.is_staged_expression,),
        model=_model_staged,
    ),
    Sequence(
        name="expression",
        isa="portable",
        words="the staged expression in C, element by element",
        tails=("scalar",),
        scales=("pow2", "unit", "any"),
        outputs=("f32", "bf16_even"),
        obligations=(legality.fixed_operands,),
        model=_model_staged,
    ),
)

ISAS = tuple(dict.fromkeys(sequence.isa for sequence in SEQUENCES))

_NARROWING: dict[str, tuple[Obligation, ...]] = {
    "f32": (),
    "bf16_upper": (legality.upper_half_is_result,),
    "bf16_even": (legality.half_even_on_bits,),
}

_TAIL_PROOFS = {
    "short": "Accesses of 8, 4 or 1 elements cover [0, count) and may overlap; none leaves it.",
    "whole": f"count is a multiple of {BLOCK}: the blocks tile [0, count).",
    "overlap": (
        f"The last block covers [count - {BLOCK}, count), inside the span since count >= {BLOCK}; "
        "elements that it repeats get the same bits again."
    ),
    "scalar": "One element at a time after the last complete block; none past count.",
}


def tail_proof(spec: Specification) -> str:
    if spec.isa == "portable":
        return "One element at a time, from 0 to count - 1."
    return _TAIL_PROOFS[spec.tail]


def find(name: str, isa: str) -> Sequence:
    for sequence in SEQUENCES:
        if sequence.name == name and sequence.isa == isa:
            return sequence
    known = ", ".join(sequence.name for sequence in SEQUENCES if sequence.isa == isa)
    raise SpecificationError(f"axis sequence: '{name}' is unknown for {isa}; known: {known}")


def proof(spec: Specification) -> list[str]:
    """The proof lines of a specification's body, or IllegalSpecification."""
    find(spec.sequence, spec.isa).check_axes(spec)
    # All tails share one body and its proof.
    return list(_body_proof(replace(spec, tail="")))


@cache
def _body_proof(spec: Specification) -> tuple[str, ...]:
    sequence = find(spec.sequence, spec.isa)
    obligations = sequence.obligations + _NARROWING[spec.output]
    lines = tuple(obligation(spec) for obligation in obligations)
    cross_check(spec)
    return lines


def _sample_zero_points(spec: Specification) -> list[int]:
    low, high = spec.zero_points.low, spec.zero_points.high
    wanted = {low, low + 1, -128, -1, 0, 1, 127, 2**24 + 1, -(2**24) - 1, high - 1, high}
    return sorted(zero_point for zero_point in wanted if low <= zero_point <= high)


def _sample_scales(spec: Specification) -> list[int]:
    if not spec.scale.is_any:
        return [binary32.power_of_two(spec.scale.exponent)]
    return [0x00000001, 0x3F800000, 0x4037CED9, 0x7F7FFFFF]


def cross_check(spec: Specification) -> None:
    """Compares model and definition on samples, so that a wrong obligation is not believed."""
    model = find(spec.sequence, spec.isa).model
    for zero_point in _sample_zero_points(spec):
        for scale_bits in _sample_scales(spec):
            for value in (INT8_MIN, -1, 0, 1, INT8_MAX):
                want = binary32.staged(value, zero_point, scale_bits)
                got = model(spec, value, zero_point, scale_bits)
                if spec.output == "bf16_upper":
                    got = (got >> 16) << 16
                if got != want:
                    raise legality.IllegalSpecification(
                        spec,
                        f"the sequence gives 0x{got:08x}, the staged expression 0x{want:08x}",
                        (value, zero_point),
                    )
