# SPDX-License-Identifier: Apache-2.0
"""Measures the library: retired AArch64 instructions under qemu-user, cycles of the inner loops
by LLVM's models, and on this machine ratios of wall-clock times. Ours beside plain loops and, where
they are installed (scripts/setup peers), XNNPACK, VOLK and oneDNN. Only native figures are times.
"""

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path

from bench import COMPILERS, charts, measure, model, native, report
from bench.compare import compare
from bench.program import Program

MODES = ("instructions", "cycles", "native")
GROUPS = {
    "instructions": tuple(measure.GROUPS),
    "cycles": ("kernels",),
    "native": tuple(native.GROUPS),
}
ALL_GROUPS = tuple(dict.fromkeys(group for groups in GROUPS.values() for group in groups))


def _instructions(build: Path, compiler: str, groups: list[str]) -> dict:
    return measure.measure(compiler, build / compiler, build / "libcount_insns.so", groups)


def _cycles(build: Path, compiler: str, groups: list[str]) -> dict:
    names = Program(build / compiler, build / "libcount_insns.so").contents.kernels
    return {
        "made_by": {"compiler": measure.made_by(compiler)["compiler"], "model": model.version()},
        "groups": {group: model.kernels(build / compiler, names) for group in groups},
    }


def _native(build: Path, compiler: str, groups: list[str]) -> dict:
    return native.measure(compiler, build / f"native-{compiler}", groups)


RUNNERS: dict[str, Callable[[Path, str, list[str]], dict]] = {
    "instructions": _instructions, "cycles": _cycles, "native": _native,
}


def plan(modes: list[str], cases: list[str]) -> dict[str, list[str]]:
    """Groups to run in each mode. Empty where the modes know none of the cases."""
    wanted = {mode: [g for g in GROUPS[mode] if not cases or g in cases] for mode in modes}
    return {mode: groups for mode, groups in wanted.items() if groups}


def run(build: Path, planned: dict[str, list[str]]) -> dict:
    results: dict[str, dict] = {}
    for mode, groups in planned.items():
        for compiler in COMPILERS:
            print(f"{mode}, {compiler}: {' '.join(groups)}", file=sys.stderr)
            results.setdefault(mode, {})[compiler] = RUNNERS[mode](build, compiler, groups)
    return results


def select(results: dict, planned: dict[str, list[str]]) -> dict:
    """Of a stored run, what was asked for."""
    return {
        mode: {
            compiler: {**run, "groups": {g: rows for g, rows in run["groups"].items()
                                         if g in planned[mode]}}
            for compiler, run in runs.items()
        }
        for mode, runs in results.items() if mode in planned
    }


def report_comparison(stored: Path, results: dict, margin: float) -> int:
    result = compare(json.loads(stored.read_text()), results, margin)
    for line in result.notes:
        print(f"{stored.name}: {line}", file=sys.stderr)
    failures = result.failures()
    for line in failures:
        print(f"{stored.name}: {line}", file=sys.stderr)
    print(f"{stored.name}: {result.compared} figures compared, {len(failures)} complaints",
          file=sys.stderr)
    return 1 if failures else 0


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/bench", description=__doc__,
                                     allow_abbrev=False)
    parser.add_argument("--mode", action="append", choices=MODES, help="default: all three; "
                        "may be repeated; native alone needs no cross tools")
    parser.add_argument("--cases", action="append", choices=ALL_GROUPS,
                        help="default: all groups that the mode has; may be repeated")
    parser.add_argument("--markdown", action="store_true", help="print README's tables instead")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures here")
    parser.add_argument("--plot", action="store_true",
                        help="write docs/instructions.svg and docs/throughput.svg")
    parser.add_argument("--plot-dir", type=Path, default=Path("docs"), help="elsewhere than docs/")
    parser.add_argument("--against", type=Path, metavar="FILE",
                        help="fail where a figure is worse than in this stored run, or gone")
    parser.add_argument("--margin", type=float, default=0.15,
                        help="with --against, for the medians of native ratios whose quartiles "
                        "do not overlap, default %(default)s; instructions and modelled cycles "
                        "have none")
    parser.add_argument("--from", dest="stored", type=Path, metavar="FILE",
                        help="measure nothing: tables, plots and comparison of this stored run")
    parser.add_argument("--build", type=Path, default=Path("build/bench"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    arguments.planned = plan(arguments.mode or list(MODES), arguments.cases or [])
    if not arguments.planned:
        parser.error(f"mode {' '.join(arguments.mode)} has no cases {' '.join(arguments.cases)}")
    return arguments


def main() -> int:
    arguments = parse()
    results = (select(json.loads(arguments.stored.read_text()), arguments.planned)
               if arguments.stored else run(arguments.build, arguments.planned))
    print(report.markdown(results) if arguments.markdown else report.text(results))
    if arguments.json is not None:
        arguments.json.write_text(json.dumps(results, indent=1) + "\n")
    if arguments.plot and charts.write(results, arguments.plot_dir) == 0:
        return 1
    if arguments.against is not None:
        return report_comparison(arguments.against, results, arguments.margin)
    return 0


if __name__ == "__main__":
    sys.exit(main())
