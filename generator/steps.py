# SPDX-License-Identifier: Apache-2.0
"""How a sequence is spelt: which template fragments make up its body, in which order.

Fragments are macros in templates/<isa>_steps.j2. All choices between them are made here.
"""

from dataclasses import dataclass

from . import steps_x86
from .specification import Specification


@dataclass(frozen=True)
class Steps:
    """Names of fragments: constants set up once a call, the work on a block, the result.

    A step of the work carries the proof lines that it stands on.
    """

    load: tuple[str, ...]
    reads_operands: bool
    work: tuple[tuple[str, str], ...]
    result: str


# Load fragments, work fragments with the proof lines they stand on. {convert} is the conversion
# that fits the exponent.
_NEON: dict[str, tuple[tuple[str, ...], tuple[tuple[str, str], ...]]] = {
    "fixed_point": (
        ("offset_zero_point",),
        (("add_offset", "P1"), ("{convert}", "P2, P3")),
    ),
    "integer_difference": (
        ("offset_zero_point", "scale"),
        (("add_offset", "P1"), ("convert", "P2"), ("multiply", "P2")),
    ),
    "scaled_difference": (
        ("zero_point_scaled",),
        (("widen_s16", "P2"), ("{convert}", "P2, P3"), ("subtract", "P1, P4")),
    ),
    "staged": (
        ("zero_point_f32", "scale"),
        (("widen_s16", "P1"), ("convert", "P1"), ("subtract", "P2"), ("multiply", "P2")),
    ),
    "staged_lookup": (
        ("top_bytes", "zero_point_f32", "scale"),
        (("lookup", "P1"), ("convert_top", "P1"), ("subtract", "P2"), ("multiply", "P2")),
    ),
    "lookup": (
        ("top_bytes",),
        (("lookup", "P1, P3"), ("convert_top", "P2, P3")),
    ),
    "lookup_unsigned": (
        ("top_bytes",),
        (("flip_sign", "P1"), ("lookup", "P1, P3"), ("convert_top_unsigned", "P2, P3")),
    ),
    "lookup_multiply": (
        ("top_bytes", "scale"),
        (("lookup", "P1, P2"), ("convert_top", "P2"), ("multiply", "P3")),
    ),
    "half_fixed_point": (
        ("offset_zero_point",),
        (("add_offset", "P1"), ("{convert_half}", "P2, P3"), ("widen_half", "P3")),
    ),
    "half_bias": (
        ("offset_half_pattern",),
        (("add_offset", "P3"), ("subtract_half", "P1, P2, P3"), ("widen_half", "P3")),
    ),
    "half_multiply": (
        ("offset_zero_point", "scale"),
        (
            ("add_offset", "P1"),
            ("convert_half", "P2"),
            ("widen_half", "P2"),
            ("multiply", "P3"),
        ),
    ),
    "half_subnormal": (
        ("offset_zero_point", "scale_lifted"),
        (("add_offset", "P1"), ("half_bits", "P1"), ("widen_half", "P1"), ("multiply", "P2")),
    ),
    "bias_scaled": (
        ("offset_input", "pattern_scaled", "bias_scaled"),
        (("add_offset", "P1"), ("f32_pattern", "P1, P2"), ("subtract", "P1, P2")),
    ),
    "bias_multiply": (
        ("half_pattern", "half_pattern_bias", "scale"),
        (
            ("add_offset", "P1"),
            ("half_bits", "P1"),
            ("widen_half", "P1"),
            ("subtract", "P1"),
            ("multiply", "P2"),
        ),
    ),
}


def _neon(spec: Specification) -> Steps:
    exponent = spec.scale.exponent if spec.scale.is_fixed else 0
    sign = "" if exponent == 0 else "_fraction" if exponent < 0 else "_shifted"
    names = {"convert": f"convert{sign}", "convert_half": f"convert_half{sign}"}
    load, work = _NEON[spec.sequence]
    work = tuple((name.format(**names), lines) for name, lines in work)
    unit = spec.scale.kind == "unit"
    if unit:
        load = tuple(name for name in load if name != "scale")
        work = tuple(step for step in work if step[0] != "multiply")
    if spec.output == "bf16_tiefree":
        load += ("tie_addend",)
    return Steps(load, not set(load) <= {"top_bytes"}, work, f"result_{spec.output}")


def _portable(spec: Specification) -> Steps:
    zero_point = "zero_point_zero" if spec.zero_points.is_zero else "zero_point_operand"
    scale = "scale_constant" if spec.scale.is_fixed else "scale_operand"
    reads = not (spec.zero_points.is_zero and spec.scale.is_fixed)
    return Steps((zero_point, scale), reads, (), f"result_{spec.output}")


def _x86(spec: Specification) -> Steps:
    return Steps(*steps_x86.of(spec))


def of(spec: Specification) -> Steps:
    ways = {"neon": _neon, "avx512": _x86, "avx2": _x86, "portable": _portable}
    return ways[spec.isa](spec)
