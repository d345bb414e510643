# SPDX-License-Identifier: Apache-2.0
"""A run against a stored one: what moved, and whether for the worse."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from bench import COMPARATORS, PEERS
from bench.native import REFERENCE

Path = tuple[str, ...]
# A count or modelled cycles; of native ratios lower quartile, median, upper quartile.
Figure = float | list[float]


@dataclass
class Comparison:
    """Lines for people; `failures` is what makes a run fail."""

    worse: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    incomparable: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    compared: int = 0

    def failures(self) -> list[str]:
        nothing = [] if self.compared or self.incomparable else ["nothing was compared"]
        return self.incomparable + self.missing + self.worse + nothing


def flatten(value: object, path: Path = ()) -> Iterator[tuple[Path, Figure]]:
    """Every figure and where it stands. Of times, their ratio alone."""
    if isinstance(value, dict):
        parts = {"ratio": value["ratio"]} if "ratio" in value else value
        for key, part in parts.items():
            yield from flatten(part, (*path, key))
    elif isinstance(value, (int, float, list)):
        yield path, value


def is_ours(path: Path) -> bool:
    return not set(path) & set(COMPARATORS)


def _maker(run: dict) -> dict[str, str]:
    """What figures depend on. Counts do not depend on the emulator's version."""
    return {key: value for key, value in run["made_by"].items() if key != "emulator"}


def _lower_is_worse(mode: str, path: Path) -> bool:
    """On lengths, others' times are divided by our call's: the ratio falls where ours slows."""
    return mode == "native" and path[0] == "lengths"


def _within_noise(before: list[float], now: list[float], margin: float) -> bool:
    """The medians differ by no more than the margin, or the quartiles' ranges overlap."""
    overlap = now[0] <= before[2] and before[0] <= now[2]
    return overlap or abs(now[1] - before[1]) <= margin * before[1]


def _judge(mode: str, path: Path, before: Figure, now: Figure, margin: float) -> str:
    """better, worse or same. Only times have a margin."""
    if isinstance(before, list) and isinstance(now, list):
        if _within_noise(before, now, margin):
            return "same"
        before, now = before[1], now[1]
    if before == now:
        return "same"
    return "worse" if (now < before) == _lower_is_worse(mode, path) else "better"


def _compare_group(mode: str, where: str, before: dict[Path, Figure], now: dict[Path, Figure],
                   absent: list[str], margin: float, result: Comparison) -> None:
    for path, value in now.items():
        name = f"{where}/{'/'.join(path)}"
        if path not in before:
            result.notes.append(f"new: {name}: {value}")
            continue
        result.compared += 1
        verdict = _judge(mode, path, before[path], value, margin)
        line = f"{name}: {before[path]} -> {value}"
        judged = is_ours(path) or (mode == "native" and REFERENCE not in path)
        if verdict == "worse" and judged:
            result.worse.append(f"worse: {line}")
        elif verdict != "same":
            result.notes.append(f"{verdict if judged else 'moved'}: {line}")
    for path in before.keys() - now.keys():
        name = f"{where}/{'/'.join(path)}"
        if set(path) & set(absent) & set(PEERS):
            continue
        result.missing.append(f"gone: {name}: was {before[path]}")


def compare(stored: dict, results: dict, margin: float) -> Comparison:
    """Only the modes and groups that were run are compared. Another compiler or machine is not
    comparable, and a failure."""
    result = Comparison()
    for mode, by_compiler in results.items():
        for compiler, run in by_compiler.items():
            where = f"{mode}/{compiler}"
            before = stored.get(mode, {}).get(compiler)
            if before is None:
                result.incomparable.append(f"{where}: not in the stored run")
                continue
            if _maker(before) != _maker(run):
                result.incomparable.append(
                    f"{where}: not comparable: stored {_maker(before)}, now {_maker(run)}"
                )
                continue
            absent = run.get("peers", {}).get("absent", [])
            for peer in set(absent) & set(before.get("peers", {}).get("present", [])):
                result.notes.append(f"{where}: {peer} is absent, its stored rows are not compared")
            for group, rows in run["groups"].items():
                if group not in before["groups"]:
                    result.missing.append(f"{where}/{group}: not in the stored run")
                    continue
                _compare_group(mode, where, dict(flatten(before["groups"][group], (group,))),
                               dict(flatten(rows, (group,))), absent, margin, result)
    return result
