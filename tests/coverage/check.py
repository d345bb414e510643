# SPDX-License-Identifier: Apache-2.0
"""Holds coverage reports against the list of exceptions, by the text of the line.

python3 tests/coverage/check.py GCOVR_JSON COVERAGE_JSON

A line or branch that no test reaches fails, unless exceptions.toml says why; so does an exception
that nothing needs any more.
"""

import json
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
EXCEPTIONS = Path(__file__).with_name("exceptions.toml")


@dataclass(frozen=True)
class Gap:
    file: str
    line: int
    what: str


def runtime_gaps(report: dict) -> list[Gap]:
    gaps = []
    for file in report["files"]:
        for line in file["lines"]:
            branches = line.get("branches", [])
            missed = sum(branch["count"] == 0 for branch in branches)
            if line["count"] == 0 and not line.get("gcovr/noncode"):
                gaps.append(Gap(file["file"], line["line_number"], "line"))
            elif missed:
                gaps.append(Gap(file["file"], line["line_number"], f"{missed} branches"))
    return gaps


def generator_gaps(report: dict) -> list[Gap]:
    gaps = []
    for name, file in report["files"].items():
        gaps += [Gap(name, line, "line") for line in file["missing_lines"]]
        gaps += [
            Gap(name, start, f"branch to {end}") for start, end in file["missing_branches"]
            if end not in file["missing_lines"] and start not in file["missing_lines"]
        ]
    return gaps


def _text(gap: Gap) -> str:
    return (ROOT / gap.file).read_text(encoding="utf-8").splitlines()[gap.line - 1].strip()


def _is_excepted(gap: Gap, entry: dict) -> bool:
    return entry.get("all", False) or any(text in _text(gap) for text in entry.get("lines", []))


def main(gcovr: str, coverage: str) -> int:
    gaps = runtime_gaps(json.loads(Path(gcovr).read_text())) + generator_gaps(
        json.loads(Path(coverage).read_text())
    )
    exceptions = tomllib.loads(EXCEPTIONS.read_text(encoding="utf-8"))
    unused = {(file, entry["why"]) for file, entries in exceptions.items() for entry in entries}
    open_gaps = 0
    for gap in gaps:
        entry = next((e for e in exceptions.get(gap.file, []) if _is_excepted(gap, e)), None)
        if entry is None:
            open_gaps += 1
            print(f"not reached: {gap.file}:{gap.line} ({gap.what}): {_text(gap)}")
        else:
            unused.discard((gap.file, entry["why"]))
    for file, why in sorted(unused):
        print(f"exception that nothing needs: {file}: {why}")
    print(f"{len(gaps)} gaps, {len(gaps) - open_gaps} with a reason, {open_gaps} without")
    return 1 if open_gaps or unused else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
