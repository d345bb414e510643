# SPDX-License-Identifier: Apache-2.0
"""Reads a family file: the table of rows from which every kernel comes."""

import tomllib
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

from . import naming, sequences
from .specification import (
    INT32_MAX,
    INT32_MIN,
    OUTPUTS,
    SHAPES,
    TAILS,
    Scale,
    Specification,
    SpecificationError,
    ZeroPointClass,
)

DEFAULT_FILE = Path(__file__).with_name("default_family.toml")

_AXES = ("isa", "output", "zero_point", "scale", "tail")
_SCALE_KINDS = ("pow2", "unit", "powers", "under104", "normal", "any")


@dataclass(frozen=True)
class Family:
    """Everything that the templates need to know, proved and in the order of the table."""

    zero_points: tuple[ZeroPointClass, ...]
    exponents: tuple[int, int] | None
    specifications: tuple[Specification, ...]
    proofs: dict[Specification, list[str]]
    # Of the sequences that serve where there is no FP16 arithmetic.
    plain_proofs: dict[Specification, list[str]]

    @property
    def isas(self) -> tuple[str, ...]:
        """The instruction sets present, in the generator's order of preference."""
        present = {spec.isa for spec in self.specifications}
        return tuple(isa for isa in sequences.ISAS if isa in present)

    def of_isa(self, isa: str) -> list[Specification]:
        return [spec for spec in self.specifications if spec.isa == isa]


def load(path: Path = DEFAULT_FILE) -> Family:
    try:
        text = path.read_text(encoding="utf-8")
        data = tomllib.loads(text)
    except OSError as error:
        raise SpecificationError(f"{path.name}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SpecificationError(f"{path.name}: {error}") from None
    return build(data)


def build(data: dict) -> Family:
    unknown = set(data) - {"exponents", "zero_points", "row"}
    if unknown:
        raise SpecificationError(f"unknown key '{sorted(unknown)[0]}'")
    zero_points = _zero_points(data.get("zero_points"))
    exponents = _exponents(data.get("exponents"))
    rows = data.get("row")
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise SpecificationError("no [[row]]: a family has at least one")
    rows = rows + _general_rows(rows, zero_points)
    specifications: dict[str, Specification] = {}
    proofs: dict[Specification, list[str]] = {}
    plain_proofs: dict[Specification, list[str]] = {}
    for number, row in enumerate(rows, start=1):
        try:
            for unsettled in _expand(row, zero_points, exponents):
                spec = sequences.choose(
                    unsettled, row.get("sequence") or sequences.preferred(unsettled)
                )
                name = naming.kernel_name(spec)
                if name in specifications:
                    raise SpecificationError(f"'{name}' stands in an earlier row already")
                specifications[name] = spec
                proofs[spec] = sequences.proof(spec)
                if spec.plain_sequence is not None:
                    plain = replace(spec, sequence=spec.plain_sequence)
                    plain_proofs[spec] = sequences.proof(plain)
        except SpecificationError as error:
            raise SpecificationError(f"row {number}: {error}") from None
    return Family(tuple(zero_points.values()), exponents, tuple(specifications.values()),
                  proofs, plain_proofs)


def _general_rows(rows: list[dict], zero_points: dict[str, ZeroPointClass]) -> list[dict]:
    """What serves every request that no row does: rows of their own for the instruction sets in
    use and for portable C, unless the family holds them already."""
    general = []
    used = {isa for row in rows for isa in row.get("isa", []) if isa in sequences.ISAS}
    for isa in sequences.ISAS:
        if isa not in used | {"portable"}:
            continue
        wanted = {
            "isa": [isa],
            "output": ["f32", "bf16_even"],
            "zero_point": [list(zero_points)[-1]],
            "scale": ["any"],
            "tail": [sequences.general_tail(isa)],
        }
        if not any(_covers(row, wanted) for row in rows):
            general.append(wanted)
    return general


def _covers(row: dict, wanted: dict) -> bool:
    return all(
        isinstance(row.get(axis), list) and set(values) <= set(map(str, row[axis]))
        for axis, values in wanted.items()
    )


def _zero_points(table: object) -> dict[str, ZeroPointClass]:
    if not isinstance(table, dict):
        raise SpecificationError("no [zero_points]: a family names at least one class")
    classes: dict[str, ZeroPointClass] = {}
    for name, interval in table.items():
        if not name.isascii() or not name.isalnum() or not name.islower():
            raise SpecificationError(
                f"zero_points: '{name}' is no class name: lower-case letters and digits"
            )
        biased = isinstance(interval, list) and interval[2:] == ["biased"]
        bounds = interval[:2] if biased else interval
        if not _is_interval(bounds, INT32_MIN, INT32_MAX):
            raise SpecificationError(
                f"zero_points: '{name}' wants [low, high], two int32 in order, or "
                f"[low, high, \"biased\"]; got {interval!r}"
            )
        classes[name] = ZeroPointClass(name, *bounds, biased)
    ordered = list(classes.values())
    for earlier, later in zip(ordered, ordered[1:]):
        if earlier.contains(later):
            raise SpecificationError(
                f"zero_points: '{later.name}' is never reached: '{earlier.name}' stands before it "
                "and contains it"
            )
    everything = ZeroPointClass("wide", INT32_MIN, INT32_MAX)
    if not ordered or not ordered[-1].contains(everything):
        if "wide" in classes:
            raise SpecificationError(
                f"zero_points: 'wide' must be the last class, [{INT32_MIN}, {INT32_MAX}]"
            )
        classes["wide"] = everything
    return classes


def _is_interval(value: object, low: int, high: int) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 2
        and all(type(bound) is int for bound in value)
        and low <= value[0] <= value[1] <= high
    )


def _exponents(value: object) -> tuple[int, int] | None:
    if value is None:
        return None
    if not _is_interval(value, -149, 127):
        raise SpecificationError(
            f"exponents: wants [smallest, largest] within -149..127; got {value!r}"
        )
    assert isinstance(value, list)
    return value[0], value[1]


def _expand(
    row: dict, zero_points: dict[str, ZeroPointClass], exponents: tuple[int, int] | None
) -> list[Specification]:
    unknown = set(row) - set(_AXES) - {"sequence", "exponents"}
    if unknown:
        raise SpecificationError(f"unknown key '{sorted(unknown)[0]}'")
    admitted = {
        "isa": sequences.ISAS,
        "output": OUTPUTS,
        "zero_point": tuple(zero_points),
        "scale": _SCALE_KINDS,
        "tail": (*TAILS, *SHAPES),
    }
    values = {axis: _axis(row, axis, admitted[axis]) for axis in _AXES}
    planes = [tail for tail in values["tail"] if tail in SHAPES]
    if planes and values["scale"] != ["any"]:
        raise SpecificationError(f"axis tail: '{planes[0]}' is written for scale 'any' alone")
    names = row.get("sequence", ["preferred"])
    if not isinstance(names, list) or not names or not all(type(name) is str for name in names):
        raise SpecificationError("axis sequence: wants a list of names, the best first")
    scales = [
        scale
        for kind in values["scale"]
        for scale in _scales(kind, exponents, _exponents(row.get("exponents")))
    ]
    return [
        Specification(isa, output, zero_points[name], scale, tail, "")
        for isa, output, name, scale, tail in product(
            values["isa"], values["output"], values["zero_point"], scales, values["tail"]
        )
    ]


def _axis(row: dict, axis: str, admitted: tuple[str, ...]) -> list[str]:
    values = row.get(axis)
    if not isinstance(values, list) or not values:
        raise SpecificationError(f"axis {axis}: wants a list of values")
    for value in values:
        if value not in admitted:
            raise SpecificationError(
                f"axis {axis}: '{value}' is unknown; admitted: {', '.join(admitted)}"
            )
    return values


def _scales(
    kind: str, exponents: tuple[int, int] | None, of_row: tuple[int, int] | None
) -> list[Scale]:
    """The scales of a kind; of the family's exponents those that the row wants."""
    if kind != "pow2":
        return [Scale(kind)]
    if exponents is None:
        raise SpecificationError("axis scale: 'pow2' wants the key exponents = [smallest, largest]")
    low, high = of_row or exponents
    first, last = max(low, exponents[0]), min(high, exponents[1])
    return [Scale("pow2", exponent) for exponent in range(first, last + 1)]
