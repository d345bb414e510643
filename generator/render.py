# SPDX-License-Identifier: Apache-2.0
"""Turns a family into the complete set of files, in memory."""

import textwrap
from dataclasses import dataclass, replace
from pathlib import Path

import jinja2

from . import dispatch, legality, naming, sequences, steps
from .family import Family
from .specification import BLOCK, INT32_MIN, LONG_BLOCK, Specification

TEMPLATE_DIR = Path(__file__).parent.parent / "templates"
COMMENT_WIDTH = 96

# What must hold for a file of an instruction set to have any code in it.
_GUARDS = {
    "neon": "defined(__aarch64__) && defined(__ARM_NEON) && "
    "__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__",
    "avx512": "defined(__x86_64__)",
    "avx2": "defined(__x86_64__)",
    "portable": None,
}

# What the processor and the system must offer where the compiler does not say.
_NEEDS = {"avx512": "AVX512", "avx2": "AVX2"}

# Instruction sets whose files look alike share a template.
_TEMPLATES = {"avx512": "x86", "avx2": "x86"}

_RESULT_WORDS = {
    "f32": "FP32",
    "bf16_upper": "BF16, the upper half of the FP32 result",
    "bf16_tiefree": "BF16, the FP32 result narrowed, halves in the direction of the addend",
    "bf16_even": "BF16, the FP32 result narrowed to nearest even",
}


# Bytes of an output element.
_WIDTHS = {"f32": 4, "bf16": 2}


@dataclass(frozen=True)
class Kernel:
    """One tail of a body, as the templates see it."""

    name: str
    spec: Specification
    tail: str
    tail_proof: str
    count_min: int
    count_max: str
    count_step: int


@dataclass(frozen=True)
class Way:
    """How a body is computed, and why that is exact."""

    words: str
    proof: list[str]
    steps: steps.Steps
    guard: str  # what the preprocessor must find for it


@dataclass(frozen=True)
class Body:
    """A block body, and the kernels that reuse it. Of its ways the first that the core can."""

    name: str
    spec: Specification
    formula: str
    domain: str
    result: str
    ways: list[Way]
    kernels: list[Kernel]


def _count_range(tail: str) -> tuple[int, str, int]:
    return {
        "short": (1, str(BLOCK - 1), 1),
        "whole": (BLOCK, "SIZE_MAX", BLOCK),
        "overlap": (BLOCK, "SIZE_MAX", 1),
        "scalar": (1, "SIZE_MAX", 1),
        "long": (LONG_BLOCK, "SIZE_MAX", 1),
        "stream": (LONG_BLOCK, "SIZE_MAX", 1),
        "every": (1, "SIZE_MAX", 1),
        "fragments": (2, str(BLOCK - 1), 1),
        "thin": (BLOCK + 1, "SIZE_MAX", 1),
    }.get(tail, (BLOCK, "SIZE_MAX", 1))


def _kernel(spec: Specification) -> Kernel:
    low, high, step = _count_range(spec.tail)
    return Kernel(
        naming.kernel_name(spec), spec, spec.tail, sequences.tail_proof(spec), low, high, step
    )


def _formula(spec: Specification) -> str:
    difference = "x" if spec.zero_points.is_zero else "(x - zp)"
    return f"{difference} * {f'2^{spec.scale.exponent}' if spec.scale.is_fixed else 'scale'}"


def _way(spec: Specification, proof: list[str], guard: str) -> Way:
    words = sequences.find(spec.sequence, spec.isa).words
    return Way(words, proof, steps.of(spec), guard)


def _ways(family: Family, spec: Specification) -> list[Way]:
    if spec.plain_sequence is None:
        return [_way(spec, family.proofs[spec], "")]
    plain = replace(spec, sequence=spec.plain_sequence)
    return [
        _way(spec, family.proofs[spec], "defined(__ARM_FEATURE_FP16_VECTOR_ARITHMETIC)"),
        _way(plain, family.plain_proofs[spec], ""),
    ]


def _is_computed_alike(one: Specification, other: Specification) -> bool:
    return (one.sequence, one.plain_sequence) == (other.sequence, other.plain_sequence)


def _bodies(family: Family, isa: str) -> dict[str, list[Body]]:
    """The bodies of each file, in the order of the table. Tails that are computed differently are
    different bodies; the second one's name says how."""
    files: dict[str, dict[str, Body]] = {}
    for spec in family.of_isa(isa):
        bodies = files.setdefault(naming.file_name(spec), {})
        name = naming.body_name(spec)
        if name in bodies and not _is_computed_alike(bodies[name].spec, spec):
            name = f"{name}_{spec.sequence}"
        if name not in bodies:
            bodies[name] = Body(
                name,
                spec,
                _formula(spec),
                legality.describe_domain(spec),
                _RESULT_WORDS[spec.output],
                _ways(family, spec),
                [],
            )
        bodies[name].kernels.append(_kernel(spec))
    return {file: list(bodies.values()) for file, bodies in files.items()}


def c_int32(value: int) -> str:
    """An int32 as a C constant expression; the smallest one has no literal."""
    return "INT32_MIN" if value == INT32_MIN else str(value)


def comment_block(text: str, first: str = " * ", rest: str = " * ") -> str:
    """Wraps prose into the lines of a block comment."""
    return textwrap.fill(
        text, COMMENT_WIDTH, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False
    )


def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATE_DIR),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    environment.filters["c_int32"] = c_int32
    environment.filters["comment"] = comment_block
    environment.filters["scale_token"] = naming.scale_token
    return environment


def _cell_enum(isa: str, spec: Specification) -> str:
    return naming.kernel_name(spec).removeprefix(f"{naming.PREFIX}{isa}_").upper()


def _isa_files(environment: jinja2.Environment, family: Family, isa: str, banner: dict) -> dict:
    bodies = _bodies(family, isa)
    guard = _GUARDS[isa]
    common = {"isa": isa, "guard": guard, **banner}
    files = {}
    for file, file_bodies in bodies.items():
        template = environment.get_template(f"{_TEMPLATES.get(isa, isa)}_kernels.c.j2")
        files[file] = template.render(
            bodies=file_bodies,
            element=file_bodies[0].spec.element,
            width=_WIDTHS[file_bodies[0].spec.element],
            zero_points=file_bodies[0].spec.zero_points,
            has_planes=any(kernel.spec.is_plane for body in file_bodies for kernel in body.kernels),
            **common,
        )
    specs = family.of_isa(isa)
    files[f"{isa}_dispatch.c"] = environment.get_template("dispatch.c.j2").render(
        kernels=[_kernel(spec) for spec in specs if not spec.is_plane],
        planes=[_kernel(spec) for spec in specs if spec.is_plane],
        rows=dispatch.rows(family, isa),
        plane_rows=dispatch.plane_rows(family, isa),
        cell_enum=lambda spec: _cell_enum(isa, spec),
        zero_points=family.zero_points,
        exponent_min=family.exponents[0] if family.exponents else 0,
        slots=dispatch.scale_slots(family),
        needs=_NEEDS.get(isa, "NOTHING"),
        **common,
    )
    return files


def render(family: Family, command: str) -> dict[str, str]:
    """All generated files by name. `command` is what the banner tells a reader to run."""
    environment = _environment()
    banner = {"command": command}
    files: dict[str, str] = {}
    sources: dict[str, list[str]] = {}
    for isa in family.isas:
        isa_files = _isa_files(environment, family, isa, banner)
        sources[isa] = sorted(isa_files)
        files.update(isa_files)
    files["families.c"] = environment.get_template("families.c.j2").render(
        families=[(isa, _GUARDS[isa]) for isa in family.isas], **banner
    )
    kernels = {isa: [_kernel(spec) for spec in family.of_isa(isa)] for isa in family.isas}
    files["kernels.h"] = environment.get_template("kernels.h.j2").render(kernels=kernels, **banner)
    files["sources.cmake"] = environment.get_template("sources.cmake.j2").render(
        sources=sources, **banner
    )
    files["manifest.json"] = environment.get_template("manifest.json.j2").render(
        kernels=kernels, file_name=naming.file_name, **banner
    )
    return files
