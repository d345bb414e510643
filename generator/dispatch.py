# SPDX-License-Identifier: Apache-2.0
"""Which kernel serves which request: every cell of the dispatch table, resolved here."""

from dataclasses import dataclass

from . import naming
from .family import Family
from .specification import Scale, Specification, SpecificationError, ZeroPointClass

ELEMENTS = ("f32", "bf16")

# Tail strategies that can serve a length, best first.
LENGTH_TAILS = {
    "short": ("short", "scalar"),
    "whole": ("whole", "overlap", "scalar"),
    "ragged": ("overlap", "scalar"),
}


@dataclass(frozen=True)
class Row:
    """One line of the dispatch table: a cell for each length."""

    element: str
    zero_points: ZeroPointClass
    scale: Scale
    cells: tuple[Specification, ...]


def scale_slots(family: Family) -> list[Scale]:
    """Any scale, then each exponent of the family in order."""
    if family.exponents is None:
        return [Scale("any")]
    low, high = family.exponents
    return [Scale("any")] + [Scale("pow2", exponent) for exponent in range(low, high + 1)]


def _serves(spec: Specification, element: str, zero_points: ZeroPointClass, scale: Scale) -> bool:
    if spec.element != element or not spec.zero_points.contains(zero_points):
        return False
    if spec.scale.is_any:
        return True
    return not scale.is_any and spec.scale.exponent == scale.exponent


def _resolve(candidates: list[Specification], length: str) -> Specification | None:
    """The first row of the table decides, and within it the better tail."""
    for tail in LENGTH_TAILS[length][:-1]:
        for spec in candidates:
            if spec.tail == tail:
                return spec
    return next((spec for spec in candidates if spec.tail == LENGTH_TAILS[length][-1]), None)


def rows(family: Family, isa: str) -> list[Row]:
    table = []
    specifications = family.of_isa(isa)
    for element in ELEMENTS:
        for zero_points in family.zero_points:
            for scale in scale_slots(family):
                candidates = [
                    spec for spec in specifications if _serves(spec, element, zero_points, scale)
                ]
                cells = [_resolve(candidates, length) for length in LENGTH_TAILS]
                if None in cells:
                    raise SpecificationError(
                        f"{isa}: nothing serves {element}, zero-point class {zero_points.name}, "
                        f"{scale.words}; add a row with scale 'any' and tail 'scalar'"
                    )
                table.append(Row(element, zero_points, scale, tuple(cells)))
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
            cells.append(f"{row.element} {row.zero_points.name} {token}: {', '.join(lengths)}")
    return cells
