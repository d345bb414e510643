# SPDX-License-Identifier: Apache-2.0
"""What the compiled kernels consist of: inner loops, their modelled cycles, code size."""

import re
import subprocess
from pathlib import Path

CPUS = {"A55": "cortex-a55", "A65": "cortex-a65", "N1": "neoverse-n1"}
MCA_TURNS = 200

_FUNCTION = re.compile(r"^([0-9a-f]+) <(\S+)>:$")
_INSTRUCTION = re.compile(r"^\s*([0-9a-f]+):\s+(\S.*?)\s*(?://.*)?$")
_BRANCH = re.compile(r"^(?:b|b\.\w+|cbn?z|tbn?z)\s+(?:.*,\s*)?([0-9a-f]+) <")


def functions(objects: list[Path]) -> dict[str, list[tuple[int, str]]]:
    """Address and text of each instruction of each function."""
    found: dict[str, list[tuple[int, str]]] = {}
    for path in objects:
        listing = subprocess.run(
            ["aarch64-linux-gnu-objdump", "-d", "--no-show-raw-insn", str(path)],
            capture_output=True, text=True, check=True,
        ).stdout
        body: list[tuple[int, str]] = []
        for line in listing.splitlines():
            if start := _FUNCTION.match(line):
                body = found.setdefault(start[2], [])
            elif instruction := _INSTRUCTION.match(line):
                body.append((int(instruction[1], 16), instruction[2].replace("\t", " ")))
    return found


def inner_loop(body: list[tuple[int, str]]) -> list[str]:
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


def modelled_cycles(loop: list[str], cpu: str) -> float:
    """Cycles of one turn by llvm-mca. Branch targets are made local; the model ignores them."""
    lines = [re.sub(r"[0-9a-f]+ <\S+>", "1b", line) for line in loop]
    done = subprocess.run(
        ["llvm-mca", "-mtriple=aarch64", f"-mcpu={CPUS[cpu]}", "-mattr=+fullfp16",
         f"-iterations={MCA_TURNS}"],
        input="1:\n" + "\n".join(lines) + "\n", capture_output=True, text=True, check=True,
    ).stdout
    total = re.search(r"^Total Cycles:\s+(\d+)", done, re.MULTILINE)
    assert total is not None
    return int(total[1]) / MCA_TURNS


def code_bytes(objects: list[Path]) -> int:
    """Bytes of instructions and read-only data."""
    listing = subprocess.run(
        ["aarch64-linux-gnu-size", *map(str, objects)], capture_output=True, text=True, check=True
    ).stdout
    return sum(int(line.split()[0]) for line in listing.splitlines()[1:])
