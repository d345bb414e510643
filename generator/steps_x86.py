# SPDX-License-Identifier: Apache-2.0
"""How the x86-64 sequences are spelt; steps.py says what the parts are."""

from .specification import Specification

# Load fragments, work fragments with the proof lines they stand on.
_SEQUENCES: dict[str, tuple[tuple[str, ...], tuple[tuple[str, str], ...]]] = {
    "bias_scaled": (
        ("{lanes}", "pattern_scaled", "bias_scaled"),
        (("place", "P1, P2"), ("subtract", "P1, P2")),
    ),
    "bias_multiply": (
        ("{lanes}", "pattern", "bias", "scale"),
        (("place", "P1"), ("subtract", "P1"), ("multiply", "P2")),
    ),
    "bias_multiply_native": (
        ("lanes_in_order", "pattern", "bias", "scale"),
        (("place", "P1"), ("subtract", "P1"), ("multiply", "P2")),
    ),
    "staged": (
        ("{lanes}", "pattern", "input_bias", "zero_point_f32", "scale"),
        (("place", "P1"), ("unbias", "P1"), ("subtract", "P2"), ("multiply", "P2")),
    ),
    "table": (("table",), ()),
}

_RESULTS = {"bias_multiply_native": "result_native", "table": "result_table"}


def of(spec: Specification) -> tuple[tuple[str, ...], bool, tuple[tuple[str, str], ...], str]:
    """The fields of steps.Steps."""
    load, work = _SEQUENCES[spec.sequence]
    # Narrowing takes two vectors whose lanes alternate: one shift then puts the halves in order.
    lanes = "lanes_in_order" if spec.output == "f32" else "lanes_alternate"
    load = tuple(name.format(lanes=lanes) for name in load)
    if spec.scale.kind == "unit":
        load = tuple(name for name in load if name != "scale")
        work = tuple(step for step in work if step[0] != "multiply")
    if spec.output == "bf16_tiefree":
        load += ("rounding",)
    return load, True, work, _RESULTS.get(spec.sequence, f"result_{spec.output}")
