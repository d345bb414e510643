# SPDX-License-Identifier: Apache-2.0
"""Cycles of the inner loops by LLVM's models. A model, no measurement."""

import re
import subprocess
from pathlib import Path

from bench import objects
from bench.measure import bodies, short_name

CPUS = {"A55": "cortex-a55", "A65": "cortex-a65", "N1": "neoverse-n1"}
_TURNS = 200


def modelled_cycles(loop: list[str], cpu: str) -> float:
    """Cycles of one turn by llvm-mca. Branch targets are made local; the model ignores them."""
    lines = [re.sub(r"[0-9a-f]+ <\S+>", "1b", line) for line in loop]
    done = subprocess.run(
        ["llvm-mca", "-mtriple=aarch64", f"-mcpu={CPUS[cpu]}", "-mattr=+fullfp16",
         f"-iterations={_TURNS}"],
        input="1:\n" + "\n".join(lines) + "\n", capture_output=True, text=True, check=True,
    ).stdout
    total = re.search(r"^Total Cycles:\s+(\d+)", done, re.MULTILINE)
    assert total is not None
    return int(total[1]) / _TURNS


def version() -> str:
    done = subprocess.run(["llvm-mca", "--version"], capture_output=True, text=True, check=True)
    found = re.search(r"LLVM version (\S+)", done.stdout)
    return f"llvm-mca {found[1] if found else 'of unknown version'}"


def kernels(build: Path, names: list[str]) -> dict[str, dict[str, float]]:
    found = objects.functions(objects.neon_objects(build), "aarch64-linux-gnu-objdump")
    loops = {body: objects.inner_loop(found[f"{body}_whole"]) for body in bodies(names)}
    return {
        short_name(body): {cpu: round(modelled_cycles(loop, cpu), 1) for cpu in CPUS}
        for body, loop in loops.items()
    }
