# SPDX-License-Identifier: Apache-2.0
"""How a sequence is spelt: which template fragments make up its body, in which order.

Fragments are macros in templates/<isa>_steps.j2. All choices between them are made here.
"""

from dataclasses import dataclass

from .specification import Specification


@dataclass(frozen=True)
class Steps:
    """Names of fragments: constants set up once a call, the work on a block, the result.

    A step of the work carries the proof lines that it stands on.
    """

    load: tuple[str, ...]
    work: tuple[tuple[str, str], ...]
    result: str


def _neon_conversion(spec: Specification) -> str:
    """Integer to FP32 with the power of two applied on the way."""
    if spec.scale.is_any or spec.scale.exponent == 0:
        return "convert"
    return "convert_fraction" if spec.scale.exponent < 0 else "convert_shifted"


def _neon(spec: Specification) -> Steps:
    zero = spec.zero_points.is_zero
    difference = "widen" if zero else "subtract_int8"
    load_int8 = () if zero else ("load_zero_point_s8",)
    conversion = _neon_conversion(spec)
    scaled = spec.scale.is_any
    load, work = {
        "fixed_point": (
            load_int8 or ("load_nothing",),
            ((difference, "P1"), (conversion, "P2, P3")),
        ),
        "integer_difference": (
            load_int8 + ("load_scale",),
            ((difference, "P1"), (conversion, "P2"), ("multiply", "P2")),
        ),
        "scaled_difference": (
            ("load_zero_point_scaled",),
            (("widen", "P2"), (conversion, "P2, P3"), ("subtract_f32", "P1, P4")),
        ),
        "staged": (
            ("load_zero_point_f32",) + (("load_scale",) if scaled else ()),
            (("widen", "P1"), ("convert", "P1"), ("subtract_f32", "P1"))
            + ((("multiply", "P1"),) if scaled else ()),
        ),
    }[spec.sequence]
    if load == ("load_nothing",):
        work = (("ignore_constants", "no constants: zero point and exponent are in the code"),) + work
    return Steps(load, work, f"result_{spec.output}")


def _portable(spec: Specification) -> Steps:
    zero_point = "zero_point_zero" if spec.zero_points.is_zero else "zero_point_operand"
    scale = "scale_operand" if spec.scale.is_any else "scale_constant"
    unused = ("operands_unused",) if spec.zero_points.is_zero and not spec.scale.is_any else ()
    return Steps(unused + (zero_point, scale), (), f"result_{spec.output}")


def of(spec: Specification) -> Steps:
    return {"neon": _neon, "portable": _portable}[spec.isa](spec)
