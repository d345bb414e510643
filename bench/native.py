# SPDX-License-Identifier: Apache-2.0
"""Wall clock on this machine, as ratios of things run in turn in one process."""

import platform
import re
import statistics
from pathlib import Path

from bench import objects
from bench.measure import first_line
from bench.program import Program, size_of, subjects_of

# What the others are divided by.
REFERENCE = "execute"
LENGTHS = (16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216)
MICROSECONDS = 200
ROUNDS, ROUNDS_LARGE = 31, 11
LARGE = 1048576


def summary(times: list[float]) -> list[float]:
    """Lower quartile, median, upper quartile."""
    if len(times) < 2:
        return [times[0]] * 3
    return [round(value, 4) for value in statistics.quantiles(times, n=4, method="inclusive")]


def evaluate(times: dict[str, list[float]], reference: str, elements: dict[str, int]) -> dict:
    """Of each case: median nanoseconds and elements a second, and the ratio of its time to the
    reference's of the same round, for as many elements."""
    rows = {}
    for case, own in times.items():
        scale = elements[reference] / elements[case]
        ratios = [scale * a / b for a, b in zip(own, times[reference], strict=True)]
        median = statistics.median(own)
        rows[case] = {
            "nanoseconds": round(median, 1),
            "elements_per_second": round(1e9 * elements[case] / median),
            "ratio": summary(ratios),
        }
    return rows


def _race(program: Program, cases: list[str], reference: str) -> dict:
    elements = {case: size_of(case, program.contents.layouts) for case in cases}
    rounds = ROUNDS if max(elements.values()) < LARGE else ROUNDS_LARGE
    return evaluate(program.race(cases, rounds, MICROSECONDS), reference, elements)


def _lengths(program: Program) -> dict:
    rows: dict[str, dict] = {}
    for route in program.contents.routes:
        for length in LENGTHS:
            names = subjects_of(program.contents, route)
            cases = [f"{name}:{route}:{length}" for name in names]
            found = _race(program, cases, f"{REFERENCE}:{route}:{length}")
            for case, row in found.items():
                subject = case.split(":")[0]
                rows.setdefault(route, {}).setdefault(subject, {})[str(length)] = row
    return rows


def _layouts(program: Program) -> dict:
    """Each layout's time for an element as a ratio to the dense call's."""
    rows: dict[str, dict] = {}
    for to in ("f32", "bf16"):
        cases = [f"layout:{name}:{to}" for name in program.contents.layouts]
        for case, row in _race(program, cases, f"layout:dense:{to}").items():
            rows.setdefault(case.split(":")[1], {})[to] = row
    return rows


GROUPS = {"lengths": _lengths, "layouts": _layouts}


def machine() -> str:
    try:
        found = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(),
                          re.MULTILINE)
    except OSError:
        found = None
    name = found[1].strip() if found else platform.processor() or "unnamed processor"
    return f"{name}, {platform.machine()}, {platform.system()}"


def measure(compiler: str, build: Path, groups: list[str]) -> dict:
    program = Program(build)
    loops = objects.vectorized_loops(build, "objdump")
    measured = {group: GROUPS[group](program) for group in groups}
    return {
        "made_by": {"compiler": first_line(compiler, "--version"), "machine": machine()},
        "clock": program.clock(),
        "peers": {"present": program.contents.peers, "absent": program.contents.absent,
                  "inexact": program.inexact_peers()},
        "loop_is_vectorized": loops,
        "kernels": {case.removeprefix("numerical:"): opened.worker
                    for case, opened in program.opened.items()
                    if opened is not None and case.startswith("numerical:")},
        "groups": measured,
    }
