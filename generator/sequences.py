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

from . import binary32, legality, sequences_x86
from .specification import (
    BIAS,
    BLOCK,
    INT8_MAX,
    INT8_MIN,
    SHAPES,
    Specification,
    SpecificationError,
)

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
    # Set where the sequence needs FP16 arithmetic, which not every AArch64 core has.
    needs_fp16: bool = False
    # Set where the sequence has a narrowing to BF16 of its own.
    narrowing: Obligation | None = None

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
    fixed_to_one = spec.scale.is_fixed and spec.scale.exponent == 0
    return difference if fixed_to_one else binary32.multiply(difference, scale_bits)


def _biased_by(bias: int, value: int, zero_point: int, scale_bits: int) -> int:
    converted = binary32.decode(binary32.encode(Fraction(zero_point)))
    biased = binary32.encode(Fraction(bias) + converted)
    difference = binary32.subtract(binary32.encode(Fraction(bias + value)), biased)
    return binary32.multiply(difference, scale_bits)


def _model_biased(spec: Specification, value: int, zero_point: int, scale_bits: int) -> int:
    return _biased_by(BIAS, value, zero_point, scale_bits)


def _model_half_biased(spec: Specification, value: int, zero_point: int, scale_bits: int) -> int:
    return _biased_by(legality.HALF_BIAS, value, zero_point, scale_bits)


_ALL_OUTPUTS = ("f32", "bf16_upper", "bf16_tiefree", "bf16_even")
_NEON_TAILS = ("short", "whole", "overlap", "scalar", *SHAPES)

SEQUENCES = (
    Sequence(
        name="fixed_point",
        isa="neon",
        words="integer difference, scaled by the conversion to FP32",
        tails=_NEON_TAILS,
        scales=("pow2", "unit"),
        outputs=_ALL_OUTPUTS,
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
        scales=("any", "under104"),
        outputs=_ALL_OUTPUTS,
        obligations=(legality.zero_point_fits_int8, legality.product_rounds_once),
        model=_model_integer_difference,
    ),
    Sequence(
        name="scaled_difference",
        isa="neon",
        words="scaled input minus scaled zero point",
        tails=_NEON_TAILS,
        scales=("pow2",),
        outputs=_ALL_OUTPUTS,
        obligations=(
            legality.difference_is_exact,
            legality.scaling_is_exact,
            legality.conversion_scales,
            legality.scaled_difference_is_exact,
        ),
        model=_model_scaled_difference,
    ),
    Sequence(
        name="staged_lookup",
        isa="neon",
        words="converted by look-up, subtracted, multiplied: each step rounds",
        tails=_NEON_TAILS,
        scales=("unit", "any"),
        outputs=_ALL_OUTPUTS,
        obligations=(legality.top_byte_converts, legality.is_staged_expression),
        model=_model_staged,
    ),
    Sequence(
        name="staged",
        isa="neon",
        words="converted, subtracted, multiplied: each step rounds",
        tails=_NEON_TAILS,
        scales=("unit", "any"),
        outputs=_ALL_OUTPUTS,
        obligations=(legality.input_converts, legality.is_staged_expression),
        model=_model_staged,
    ),
    Sequence(
        name="lookup",
        isa="neon",
        words="each byte looked up into the top of a lane, scaled by the conversion to FP32",
        tails=_NEON_TAILS,
        scales=("pow2", "unit"),
        outputs=_ALL_OUTPUTS,
        obligations=(
            legality.zero_point_is_zero,
            legality.scaling_is_exact,
            legality.top_byte_converts,
        ),
        model=_model_fixed_point,
    ),
    Sequence(
        name="lookup_multiply",
        isa="neon",
        words="each byte looked up into the top of a lane, converted, multiplied",
        tails=_NEON_TAILS,
        scales=("any", "under104"),
        outputs=_ALL_OUTPUTS,
        obligations=(
            legality.zero_point_is_zero,
            legality.top_byte_converts,
            legality.product_rounds_once,
        ),
        model=_model_integer_difference,
    ),
    Sequence(
        name="lookup_unsigned",
        isa="neon",
        words="input plus 128 looked up into the top of a lane, scaled by the conversion to FP32",
        tails=_NEON_TAILS,
        scales=("pow2", "unit"),
        outputs=_ALL_OUTPUTS,
        obligations=(
            legality.difference_is_a_byte,
            legality.scaling_is_exact,
            legality.top_byte_converts,
        ),
        model=_model_fixed_point,
    ),
    Sequence(
        name="half_fixed_point",
        isa="neon",
        words="integer difference, scaled by the conversion to half precision, widened",
        tails=_NEON_TAILS,
        scales=("pow2", "unit"),
        outputs=_ALL_OUTPUTS,
        obligations=(
            legality.zero_point_fits_int8,
            legality.scaling_is_exact,
            legality.half_holds_scaled_difference,
        ),
        model=_model_fixed_point,
        needs_fp16=True,
    ),
    Sequence(
        name="half_bias",
        isa="neon",
        words="byte in a half-precision pattern, less the bias, widened",
        tails=_NEON_TAILS,
        scales=("pow2", "unit"),
        outputs=_ALL_OUTPUTS,
        obligations=(
            legality.zero_point_fits_int8,
            legality.scaling_is_exact,
            legality.half_holds_biased_input,
        ),
        model=_model_fixed_point,
        needs_fp16=True,
    ),
    Sequence(
        name="half_multiply",
        isa="neon",
        words="integer difference, converted through half precision, multiplied",
        tails=_NEON_TAILS,
        scales=("any", "under104"),
        outputs=_ALL_OUTPUTS,
        obligations=(
            legality.zero_point_fits_int8,
            legality.half_holds_difference,
            legality.product_rounds_once,
        ),
        model=_model_integer_difference,
        needs_fp16=True,
    ),
    Sequence(
        name="half_subnormal",
        isa="neon",
        words="difference taken for a subnormal half-precision number, widened, multiplied",
        tails=_NEON_TAILS,
        scales=("under104",),
        outputs=_ALL_OUTPUTS,
        obligations=(
            legality.difference_is_a_half_subnormal,
            legality.product_with_lifted_scale,
        ),
        model=_model_integer_difference,
    ),
    Sequence(
        name="bias_scaled",
        isa="neon",
        words="byte in an FP32 pattern of the scale's exponent, less the scaled bias",
        tails=_NEON_TAILS,
        scales=("pow2", "unit", "powers"),
        outputs=_ALL_OUTPUTS,
        obligations=(legality.bias_is_representable, legality.power_scales_bias),
        model=_model_biased,
    ),
    Sequence(
        name="bias_multiply",
        isa="neon",
        words="byte in a half-precision pattern, widened, less the bias, multiplied",
        tails=_NEON_TAILS,
        scales=("any", "under104"),
        outputs=_ALL_OUTPUTS,
        obligations=(
            legality.half_bias_is_representable,
            legality.product_rounds_once,
        ),
        model=_model_half_biased,
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

SEQUENCES += tuple(
    Sequence(**entry) for entry in sequences_x86.entries(_model_biased, _model_staged)
)

# Best first.
ISAS = ("neon", *sequences_x86.ISAS, "portable")

_NARROWING: dict[str, tuple[Obligation, ...]] = {
    "f32": (),
    "bf16_upper": (legality.upper_half_is_result,),
    "bf16_tiefree": (legality.ties_are_absent,),
    "bf16_even": (legality.half_even_on_bits,),
}

_TAIL_PROOFS = {
    "short": "Accesses of 8, 4, 2 or 1 elements cover [0, count) and may overlap; none leaves it.",
    "whole": f"count is a multiple of {BLOCK}: the blocks tile [0, count).",
    "overlap": (
        f"The last block covers [count - {BLOCK}, count), inside the span since count >= {BLOCK}; "
        "elements that it repeats get the same bits again."
    ),
    "scalar": "One element at a time after the last complete block; none past count.",
    "rows": "Each row like a span of its own: blocks, and one over its last 16 elements.",
    "fragments": (
        "Pieces of 8, 4 or 2 elements cover each row, two of them where one is not enough; the "
        "last turn covers the last rows. None leaves its row; what is repeated gets the same bits "
        "again."
    ),
    "transpose": (
        "Squares of 16 x 16 elements cover the plane, the last ones of each row and the last rows "
        "over again."
    ),
    "interleave": (
        "Blocks of 16 from each row, stored as one run of theirs alone; the last over again."
    ),
    "deinterleave": "Blocks of 16 groups, all of their bytes elements; the last over again.",
    "gather": "Elements one by one into a block, the last 16 over again.",
    "scatter": "Elements one by one out of a block, the last 16 over again.",
    "strided": "Elements one by one into and out of a block, the last 16 over again.",
}


def tail_proof(spec: Specification) -> str:
    if spec.isa == "portable":
        return "One element at a time, from 0 to count - 1."
    return sequences_x86.TAIL_PROOFS.get(spec.isa, _TAIL_PROOFS)[spec.tail]


def general_tail(isa: str) -> str:
    """The tail of the kernels that serve what no row does: any length."""
    return sequences_x86.GENERAL_TAIL if isa in sequences_x86.ISAS else "scalar"


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
    return list(_body_proof(replace(spec, tail="", plain_sequence=None)))


@cache
def _body_proof(spec: Specification) -> tuple[str, ...]:
    sequence = find(spec.sequence, spec.isa)
    own = (sequence.narrowing,) if sequence.narrowing else ()
    obligations = sequence.obligations + (own or _NARROWING[spec.output])
    lines = tuple(obligation(spec) for obligation in obligations)
    cross_check(spec)
    return lines


# Where a row names no sequence: those of its instruction set, in this order.
_PREFERENCE = {
    "neon": (
        "lookup",
        "lookup_multiply",
        "half_subnormal",
        "half_fixed_point",
        "half_bias",
        "lookup_unsigned",
        "half_multiply",
        "fixed_point",
        "integer_difference",
        "bias_scaled",
        "bias_multiply",
        "scaled_difference",
        "staged_lookup",
        "staged",
    ),
    **sequences_x86.PREFERENCE,
    "portable": ("expression",),
}


def preferred(spec: Specification) -> list[str]:
    """The sequences that have code for a specification's axes, best first."""
    return [
        name
        for name in _PREFERENCE[spec.isa]
        if spec.scale.kind in find(name, spec.isa).scales
        and spec.output in find(name, spec.isa).outputs
    ]


def _none_serves(
    spec: Specification, names: list[str], refusals: list[SpecificationError]
) -> SpecificationError:
    if len(refusals) == 1:
        return refusals[0]
    reasons = "; ".join(
        f"{name}: {error.reason if isinstance(error, legality.IllegalSpecification) else error}"
        for name, error in zip(names, refusals)
    )
    return SpecificationError(
        f"no sequence computes {spec.output} on {spec.isa} for {legality.describe_domain(spec)}"
        + (f": {reasons}" if reasons else "")
    )


def choose(spec: Specification, names: list[str]) -> Specification:
    """Settles a specification on the first of several sequences that is exact for it and, where
    that one needs FP16 arithmetic, on the first that does without. Refuses where none is."""
    for name in names:
        find(name, spec.isa)
    settled: list[str] = []
    refusals: list[SpecificationError] = []
    for name in names:
        try:
            proof(replace(spec, sequence=name))
        except SpecificationError as error:
            refusals.append(error)
            continue
        settled.append(name)
        if not find(name, spec.isa).needs_fp16:
            break
    if not settled:
        raise _none_serves(spec, names, refusals)
    if find(settled[-1], spec.isa).needs_fp16:
        raise SpecificationError(
            f"axis sequence: '{settled[-1]}' needs FP16 arithmetic; name one after it that does "
            f"without, exact for {legality.describe_domain(spec)}"
        )
    plain = settled[-1] if len(settled) > 1 else None
    return replace(spec, sequence=settled[0], plain_sequence=plain)


def _sample_zero_points(spec: Specification) -> list[int]:
    low, high = spec.zero_points.low, spec.zero_points.high
    wanted = {low, low + 1, -128, -1, 0, 1, 127, 2**24 + 1, -(2**24) - 1, high - 1, high}
    within = sorted(zero_point for zero_point in wanted if low <= zero_point <= high)
    if not spec.zero_points.biased:
        return within
    return [zero_point for zero_point in within if legality.has_bias(zero_point)]


def _sample_scales(spec: Specification) -> list[int]:
    low, high = spec.scale.bits
    if spec.scale.is_power:
        return sorted({low, max(low, min(high, 0x3D800000)), high})
    return [low, 0x3F800000, 0x4037CED9, high]


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
