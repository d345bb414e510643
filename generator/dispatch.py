# SPDX-License-Identifier: Apache-2.0
"""Which kernel serves which request: every cell of the dispatch table, resolved here."""

from dataclasses import dataclass

from . import naming
from .family import Family
from .specification import SHAPES, Scale, Specification, ZeroPointClass

# The output axis of the table: a request for BF16 takes the last where preparation has shown that
# no result is a tie that half-even would treat in its own way.
OUTPUT_SLOTS = {
    "f32": ("f32",),
    "bf16": ("bf16_upper", "bf16_even"),
    "bf16_tiefree": ("bf16_upper", "bf16_tiefree", "bf16_even"),
}

# Tail strategies that can serve a length, best first.
LENGTH_TAILS = {
    "short": ("short", "every", "scalar"),
    "whole": ("whole", "overlap", "every", "scalar"),
    "ragged": ("overlap", "every", "scalar"),
    "long": ("long", "overlap", "every", "scalar"),
    "stream": ("stream", "long", "overlap", "every", "scalar"),
}


@dataclass(frozen=True)
class Row:
    """One line of the dispatch table: a cell for each length."""

    slot: str
    zero_points: ZeroPointClass
    scale: Scale
    cells: tuple[Specification, ...]


def scale_slots(family: Family) -> list[Scale]:
    """Powers of two that kernels can read, each exponent of the family among them; other scales by
    their size."""
    general = [Scale("subnormal"), Scale("middle"), Scale("huge"), Scale("powers")]
    if family.exponents is None:
        return general
    low, high = family.exponents
    return general + [Scale("pow2", exponent) for exponent in range(low, high + 1)]


def _serves(spec: Specification, slot: str, zero_points: ZeroPointClass, scale: Scale) -> bool:
    return (
        spec.output in OUTPUT_SLOTS[slot]
        and spec.zero_points.contains(zero_points)
        and spec.scale.contains(scale)
    )


def _resolve(candidates: list[Specification], length: str) -> Specification:
    """The first row of the table that can decides, and within its body the better tail. A general
    row is always among them."""
    usable = [spec for spec in candidates if spec.tail in LENGTH_TAILS[length]]
    body = naming.body_name(usable[0])
    tails = {spec.tail: spec for spec in usable if naming.body_name(spec) == body}
    return next(tails[tail] for tail in LENGTH_TAILS[length] if tail in tails)


def rows(family: Family, isa: str) -> list[Row]:
    table = []
    specifications = family.of_isa(isa)
    for slot in OUTPUT_SLOTS:
        for zero_points in family.zero_points:
            for scale in scale_slots(family):
                candidates = [
                    spec for spec in specifications if _serves(spec, slot, zero_points, scale)
                ]
                cells = [_resolve(candidates, length) for length in LENGTH_TAILS]
                table.append(Row(slot, zero_points, scale, tuple(cells)))
    return table


@dataclass(frozen=True)
class PlaneRow:
    """One line of the table for planes: a cell for each shape, None where there is no kernel."""

    slot: str
    zero_points: ZeroPointClass
    cells: tuple[Specification | None, ...]


def plane_rows(family: Family, isa: str) -> list[PlaneRow]:
    planes = [spec for spec in family.of_isa(isa) if spec.is_plane]
    table = []
    for slot in OUTPUT_SLOTS:
        for zero_points in family.zero_points:
            usable = [spec for spec in planes if _serves(spec, slot, zero_points, Scale("any"))]
            cells = [
                next((spec for spec in usable if spec.tail == shape), None) for shape in SHAPES
            ]
            table.append(PlaneRow(slot, zero_points, tuple(cells)))
    return table


def served_cells(family: Family, spec: Specification) -> list[str]:
    """The cells that a kernel serves, in words."""
    cells = []
    for row in rows(family, spec.isa):
        lengths = [
            length for length, cell in zip(LENGTH_TAILS, row.cells) if cell == spec
        ]
        if lengths:
            token = naming.scale_token(row.scale)
            cells.append(f"{row.slot} {row.zero_points.name} {token}: {', '.join(lengths)}")
    for row in plane_rows(family, spec.isa):
        if spec in row.cells:
            cells.append(f"{row.slot} {row.zero_points.name}: {spec.tail}")
    return cells
