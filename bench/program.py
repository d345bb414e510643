# SPDX-License-Identifier: Apache-2.0
"""Runs the benchmark program and reads what it says."""

import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from bench import COMPARATORS, PEERS

# The core that the emulated programs see. Like the Cortex-A65 it is Armv8.2-A with half-precision
# arithmetic and without SVE, which the emulator's default has and peers would use.
EMULATED_CPU = "neoverse-n1"
# Cases up to this size are repeated often; beyond, each takes long enough.
LARGE = 4096
TIMES, TIMES_LARGE = 20, 2


@dataclass(frozen=True)
class Contents:
    """What a benchmark program can measure."""

    kernels: list[str] = field(default_factory=list)
    routes: list[str] = field(default_factory=list)
    layouts: dict[str, int] = field(default_factory=dict)
    peers: list[str] = field(default_factory=list)
    absent: list[str] = field(default_factory=list)


def parse_list(text: str) -> Contents:
    contents = Contents()
    for line in text.splitlines():
        what, name, *rest = line.split()
        if what == "layout":
            contents.layouts[name] = int(rest[0])
        else:
            {"kernel": contents.kernels, "route": contents.routes, "peer": contents.peers,
             "absent": contents.absent}[what].append(name)
    return contents


@dataclass(frozen=True)
class Opened:
    """How the program answered to a case: who does the work, and how many results differ from the
    staged expression's."""

    worker: str
    differences: int


def parse_opened(text: str) -> dict[str, Opened | None]:
    """None for what a peer does not offer."""
    opened: dict[str, Opened | None] = {}
    for line in text.splitlines():
        case, what, *rest = line.split(maxsplit=3)
        if what == "opened":
            opened[case] = Opened(rest[1], int(rest[0]))
        elif what == "not-offered":
            opened[case] = None
    return opened


def is_peer(case: str) -> bool:
    return case.split(":")[0] in PEERS


def check_results(opened: dict[str, Opened | None]) -> None:
    """Ours and the plain loops are exact, or nothing is measured. Peers need not be."""
    wrong = [case for case, answer in opened.items()
             if not is_peer(case) and (answer is None or answer.differences > 0)]
    if wrong:
        sys.exit(f"wrong results, so no figures: {' '.join(wrong)}")


def parse_counts(marks: str, cases: list[str], times: int) -> dict[str, float]:
    """Instructions of one call: of the second stretch, which is twice as long as the first, less
    those of the first. Each case has three marks."""
    at = [int(line.split()[1]) for line in marks.splitlines() if line.startswith("mark ")]
    if len(at) != 3 * len(cases):
        sys.exit(f"{len(at)} marks for {len(cases)} cases")
    counts = {}
    for place, case in enumerate(cases):
        before, between, after = at[3 * place : 3 * place + 3]
        count, rest = divmod((after - between) - (between - before), times)
        if rest and not is_peer(case):
            sys.exit(f"{case}: repeats differ in their instructions")
        counts[case] = count + round(rest / times, 1) if rest else count
    return counts


def parse_times(text: str) -> dict[str, list[float]]:
    """Nanoseconds of one call in each round."""
    return {
        line.split()[0]: [float(value) for value in line.split()[2:]]
        for line in text.splitlines()
        if line.split()[1:2] == ["timed"]
    }


def size_of(case: str, layouts: dict[str, int]) -> int:
    kind, what, size = case.split(":")
    return layouts[what] if kind.startswith("layout") else int(size)


class Program:
    """The benchmark of one build, native or emulated."""

    def __init__(self, build: Path, plugin: Path | None = None):
        self.path = build / "bench" / "a65_dequant_benchmark"
        self.plugin = plugin
        self.contents = parse_list(self._run("--list"))
        self.opened: dict[str, Opened | None] = {}

    def _run(self, *arguments: str, text: str = "", marks: Path | None = None) -> str:
        emulator = ["qemu-aarch64", "-cpu", EMULATED_CPU] if self.plugin else []
        if marks is not None:
            emulator += ["-plugin", f"{self.plugin},out={marks}"]
        done = subprocess.run(
            [*emulator, str(self.path), *arguments], input=text, text=True, check=False,
            stdout=subprocess.PIPE, env={**os.environ, "OMP_NUM_THREADS": "1"},
        )
        if done.returncode != 0:
            sys.exit(f"{self.path} {' '.join(arguments)}: exit code {done.returncode}")
        return done.stdout

    def _count(self, cases: list[str], times: int) -> dict[str, float]:
        with tempfile.NamedTemporaryFile("r") as marks:
            answers = parse_opened(
                self._run("--count", str(times), text="\n".join(cases), marks=Path(marks.name))
            )
            check_results(answers)
            self.opened |= answers
            offered = [case for case in cases if answers[case] is not None]
            return parse_counts(marks.read(), offered, times)

    def count(self, cases: list[str]) -> dict[str, float]:
        """Instructions of one call: what an empty call in the same loop costs is subtracted, but
        for its return. So the loop is left out; what a call takes beyond an empty one to set up
        its arguments and look at its status is in. Cases that a peer does not offer are left out.
        """
        layouts = self.contents.layouts
        small = [case for case in cases if size_of(case, layouts) <= LARGE]
        large = [case for case in cases if size_of(case, layouts) > LARGE]
        empty = "kernel:empty:1"
        counts = self._count([empty, *small], TIMES)
        # The empty call's return is a call's, not the loop's.
        loop = counts.pop(empty) - 1
        if large:
            counts |= self._count(large, TIMES_LARGE)
        return {case: counts[case] - loop for case in cases if case in counts}

    def race(self, cases: list[str], rounds: int, microseconds: int) -> dict[str, list[float]]:
        """Nanoseconds of one call in each round, the cases in turn."""
        text = self._run("--race", str(rounds), str(microseconds), text=" ".join(cases) + "\n")
        answers = parse_opened(text)
        check_results(answers)
        self.opened |= answers
        return parse_times(text)

    def clock(self) -> dict[str, int]:
        lines = (line.split() for line in self._run("--clock").splitlines())
        return {name: int(value) for name, value in lines}

    def inexact_peers(self) -> dict[str, int]:
        """Cases in which a peer's bits are not the staged expression's: how many."""
        return {case: answer.differences for case, answer in self.opened.items()
                if answer is not None and answer.differences > 0}


def subjects_of(contents: Contents, route: str) -> list[str]:
    """Who is measured on a route. Peers convert to FP32 only."""
    ours = ["execute", "numerical"]
    others = [name for name in COMPARATORS if name not in PEERS or name in contents.peers]
    return ours + [name for name in others if name not in PEERS or route.startswith("f32_")]
