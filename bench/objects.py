# SPDX-License-Identifier: Apache-2.0
"""What the compiled code consists of: functions, inner loops, bytes."""

import re
import subprocess
import sys
from pathlib import Path

_FUNCTION = re.compile(r"^([0-9a-f]+) <(\S+)>:$")
_INSTRUCTION = re.compile(r"^\s*([0-9a-f]+):\s+(\S.*?)\s*(?://.*)?$")
_BRANCH = re.compile(r"^(?:b|b\.\w+|cbn?z|tbn?z)\s+(?:.*,\s*)?([0-9a-f]+) <")
# Several values at once: NEON's registers, and x86's packed conversions and arithmetic.
_VECTOR = re.compile(r"\bv[0-9]+\.[0-9]+[bhsd]\b|\bv?(?:cvtdq2|mul|sub|add)ps\b")

Body = list[tuple[int, str]]


def parse_functions(listing: str) -> dict[str, Body]:
    found: dict[str, Body] = {}
    body: Body = []
    for line in listing.splitlines():
        if start := _FUNCTION.match(line):
            body = found.setdefault(start[2], [])
        elif instruction := _INSTRUCTION.match(line):
            body.append((int(instruction[1], 16), instruction[2].replace("\t", " ")))
    return found


def functions(objects: list[Path], objdump: str) -> dict[str, Body]:
    """Address and text of each instruction of each function."""
    found: dict[str, Body] = {}
    for path in objects:
        found |= parse_functions(subprocess.run(
            [objdump, "-d", "--no-show-raw-insn", str(path)],
            capture_output=True, text=True, check=True,
        ).stdout)
    return found


def inner_loop(body: Body) -> list[str]:
    """The loop that holds the most vector instructions: from a backward branch's target to it."""
    best: list[str] = []
    for place, (address, text) in enumerate(body):
        branch = _BRANCH.match(text)
        if branch is None or int(branch[1], 16) > address:
            continue
        loop = [line for at, line in body[: place + 1] if at >= int(branch[1], 16)]
        if len(re.findall(r"\b[vq][0-9]", " ".join(loop))) > len(
            re.findall(r"\b[vq][0-9]", " ".join(best))
        ):
            best = loop
    return best


def is_vectorized(body: Body) -> bool:
    return any(_VECTOR.search(text) for _, text in body)


def neon_objects(build: Path) -> list[Path]:
    return sorted(build.glob("CMakeFiles/**/generated/neon_*.c.o"))


def vectorized_loops(build: Path, objdump: str) -> dict[str, bool]:
    """Whether the compiler vectorized the plain loops. That those called scalar are, must be."""
    folder = build / "bench" / "CMakeFiles"
    found = functions(
        [folder / f"bench_{name}.dir" / "loop.c.o" for name in ("loop", "scalar")], objdump
    )
    for name in ("bench_scalar_f32", "bench_scalar_bf16"):
        if is_vectorized(found[name]):
            sys.exit(f"{name} is vectorized: the comparison with it would mislead")
    return {kind: is_vectorized(found[f"bench_loop_{kind}"]) for kind in ("f32", "bf16")}


def code_bytes(objects: list[Path]) -> int:
    """Bytes of instructions and read-only data."""
    listing = subprocess.run(
        ["aarch64-linux-gnu-size", *map(str, objects)], capture_output=True, text=True, check=True
    ).stdout
    return sum(int(line.split()[0]) for line in listing.splitlines()[1:])
