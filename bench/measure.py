# SPDX-License-Identifier: Apache-2.0
"""Retired AArch64 instructions, exact, and code size: the groups of cases of this mode."""

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

from bench import PREFIX, objects
from bench.program import EMULATED_CPU, Program, subjects_of

COMMANDS = {"gcc": "aarch64-linux-gnu-gcc", "clang": "clang"}
# A kernel for each class: of the fixed exponents one below 2^0, one above, and the largest.
_OTHER_EXPONENTS = re.compile(r"_e(?!m4_|p3_|p8_)[mp][0-9]+_")
BLOCK = 16
RAGGED = (17, 24, 31, 33, 47)
SHORT = (1, 2, 3, 4, 7, 8, 12, 15)
# Instructions for each element hardly move beyond.
LENGTHS = (1, 2, 4, 8, 15, 16, 17, 31, 32, 64, 128, 256, 1024, 4096, 16384, 65536)
SMALL = (
    "execute:f32_int8_any:16", "execute:bf16_int8_any:16", "prepare:f32_int8_any:16",
    "prepare:f32_bias_any:16", "prepare:f32_wide_any:16", "prepare:bf16_int8_any:16",
    "prepare:bf16_int8_any:65536", "prepare:bf16_m128_any:65536", "prepare:bf16_bias_any:65536",
)


def short_name(body: str) -> str:
    return body.removeprefix(PREFIX)


def bodies(kernels: list[str]) -> list[str]:
    """Names of representative vector kernels without their tail."""
    return _with_tail(kernels, "_whole")


def _with_tail(kernels: list[str], tail: str) -> list[str]:
    return [
        name.removesuffix(tail)
        for name in kernels
        if name.startswith(f"{PREFIX}neon") and name.endswith(tail)
        and not _OTHER_EXPONENTS.search(name)
    ]


def _kernels(program: Program, build: Path) -> dict:
    names = bodies(program.contents.kernels)
    counts = program.count([f"kernel:{body}_whole:1024" for body in names])
    found = objects.functions(objects.neon_objects(build), "aarch64-linux-gnu-objdump")
    return {
        short_name(body): {
            "loop": len(objects.inner_loop(found[f"{body}_whole"])),
            "per_1024": counts[f"kernel:{body}_whole:1024"],
        }
        for body in names
    }


def next_whole(length: int) -> int:
    return -(-length // BLOCK) * BLOCK


def _tails(program: Program, build: Path) -> dict:
    """The most that a remainder costs beyond the next multiple of a block; and short spans, which
    only some classes have kernels for, with those of the scalar loop beside them."""
    names = bodies(program.contents.kernels)
    shorts = _with_tail(program.contents.kernels, "_short")
    wholes = sorted({next_whole(length) for length in RAGGED})
    cases = [f"scalar:{kind}_int8_any:{n}" for kind in ("f32", "bf16") for n in SHORT]
    for body in names:
        cases += [f"kernel:{body}_overlap:{n}" for n in RAGGED]
        cases += [f"kernel:{body}_whole:{n}" for n in wholes]
    cases += [f"kernel:{body}_short:{n}" for body in shorts for n in SHORT]
    counts = program.count(cases)
    rows: dict[str, dict] = {
        kind: {"scalar": {str(n): counts[f"scalar:{kind}_int8_any:{n}"] for n in SHORT}}
        for kind in ("f32", "bf16")
    }
    for body in names:
        rows[short_name(body)] = {
            "remainder": max(
                counts[f"kernel:{body}_overlap:{n}"]
                - counts[f"kernel:{body}_whole:{next_whole(n)}"]
                for n in RAGGED
            )
        }
    for body in shorts:
        short = {str(n): counts[f"kernel:{body}_short:{n}"] for n in SHORT}
        rows.setdefault(short_name(body), {})["short"] = short
    return rows


def _small(program: Program, build: Path) -> dict:
    return program.count(list(SMALL))


def _layouts(program: Program, build: Path) -> dict:
    """Instructions of the public call for each element, and of preparation, on each layout."""
    layouts = program.contents.layouts
    kinds = ("layout", "layout_prepare")
    counts = program.count(
        [f"{kind}:{name}:{to}" for name in layouts for to in ("f32", "bf16") for kind in kinds]
    )
    return {
        name: {
            to: {"per_element": round(counts[f"layout:{name}:{to}"] / elements, 4),
                 "prepare": counts[f"layout_prepare:{name}:{to}"]}
            for to in ("f32", "bf16")
        }
        for name, elements in layouts.items()
    }


def _lengths(program: Program, build: Path) -> dict:
    """Whole calls against length: ours, the plain loops, the peers."""
    contents = program.contents
    counts = program.count([
        f"{subject}:{route}:{n}"
        for route in contents.routes for subject in subjects_of(contents, route) for n in LENGTHS
    ])
    rows: dict[str, dict] = {}
    for case, count in counts.items():
        subject, route, length = case.split(":")
        rows.setdefault(route, {}).setdefault(subject, {})[length] = count
    return rows


def _size(program: Program, build: Path) -> dict:
    every_object = sorted(build.glob("CMakeFiles/sima_a65_dequant.dir/**/*.c.o"))
    return {
        "library": objects.code_bytes(every_object),
        "neon": objects.code_bytes(objects.neon_objects(build)),
    }


GROUPS: dict[str, Callable[[Program, Path], dict]] = {
    "kernels": _kernels, "tails": _tails, "small": _small, "layouts": _layouts,
    "lengths": _lengths, "size": _size,
}


def first_line(*command: str) -> str:
    """Of what a program says of itself."""
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()[0]


def made_by(compiler: str) -> dict[str, str]:
    return {
        "compiler": first_line(COMMANDS[compiler], "--version"),
        "emulator": f"{first_line('qemu-aarch64', '--version')}, -cpu {EMULATED_CPU}",
    }


def measure(compiler: str, build: Path, plugin: Path, groups: list[str]) -> dict:
    program = Program(build, plugin)
    loops = objects.vectorized_loops(build, "aarch64-linux-gnu-objdump")
    measured = {group: GROUPS[group](program, build) for group in groups}
    return {
        "made_by": made_by(compiler),
        "peers": {"present": program.contents.peers, "absent": program.contents.absent,
                  "inexact": program.inexact_peers()},
        "loop_is_vectorized": loops,
        "groups": measured,
    }
