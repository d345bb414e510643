# SPDX-License-Identifier: Apache-2.0
"""Measures the kernels: retired AArch64 instructions, inner loops, modelled cycles, code size.

Called by scripts/bench, which builds what this reads. No figure here is a time: instructions are
counted exactly under emulation, cycles are those of LLVM's models.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import objects

PREFIX = "sima_dequant_"
REPEAT = 50
# As cmake/toolchains/ names them.
COMPILERS = {"gcc": "aarch64-linux-gnu-gcc", "clang": "clang"}
# A kernel for each class: of the fixed exponents one below 2^0, one above, and the largest.
OTHER_EXPONENTS = re.compile(r"_e(?!m4_|p3_|p8_)[mp][0-9]+_")
RAGGED = (17, 24, 31, 33, 47)
SHORT = (1, 2, 3, 4, 7, 8, 12, 15)
# The overhead that a remainder may add to the next multiple of a block.
REMAINDER_LIMIT = 10


class Counter:
    """Instructions of a benchmark case, by running it R and 2R times."""

    def __init__(self, build: Path, plugin: Path):
        self.program = build / "bench" / "a65_dequant_benchmark"
        self.plugin = plugin
        self.empty = self._per_repeat("kernel:empty:1")

    def _total(self, case: str, repeat: int) -> int:
        with tempfile.NamedTemporaryFile("r") as result:
            subprocess.run(
                ["qemu-aarch64", "-plugin", f"{self.plugin},out={result.name}",
                 str(self.program), "--repeat", case, f"{repeat:06}"],  # as many digits
                check=True,
            )
            return int(result.read().split()[1])

    def _per_repeat(self, case: str) -> int:
        difference = self._total(case, 2 * REPEAT) - self._total(case, REPEAT)
        count, rest = divmod(difference, REPEAT)
        if rest:
            sys.exit(f"{case}: repeats differ in their instructions")
        return count

    def count(self, case: str) -> int:
        """Of one call, its return included; the loop around it left out."""
        return self._per_repeat(case) - self.empty

    def cases(self) -> list[str]:
        return subprocess.run(
            ["qemu-aarch64", str(self.program), "--list"],
            capture_output=True, text=True, check=True,
        ).stdout.split()


def bodies(cases: list[str]) -> list[str]:
    """Names of representative kernels without their tail."""
    names = [case.split(":")[1] for case in cases if case.startswith(f"kernel:{PREFIX}neon")]
    return [
        name.removesuffix("_whole")
        for name in names
        if name.endswith("_whole") and not OTHER_EXPONENTS.search(name)
    ]


def measure_remainder(counter: Counter, body: str) -> int:
    """The most that a remainder costs beyond the next multiple of a block."""
    return max(
        counter.count(f"kernel:{body}_overlap:{length}")
        - counter.count(f"kernel:{body}_whole:{-(-length // 16) * 16}")
        for length in RAGGED
    )


def measure_short(counter: Counter, body: str) -> dict[str, list[int]]:
    """Instructions of short spans: the kernel's, and the portable scalar loop's."""
    output = "bf16_even" if "_bf16_" in body else "f32"
    scalar = f"{PREFIX}portable_{output}_wide_any_scalar"
    return {
        str(length): [
            counter.count(f"kernel:{body}_short:{length}"),
            counter.count(f"kernel:{scalar}:{length}"),
        ]
        for length in SHORT
    }


def compiler_version(compiler: str) -> str:
    """First line of what a compiler says of itself."""
    return subprocess.run(
        [COMPILERS[compiler], "--version"], capture_output=True, text=True, check=True
    ).stdout.splitlines()[0]


def measure(compiler: str, build: Path, plugin: Path, modes: list[str]) -> dict:
    found = objects.functions(sorted(build.glob("CMakeFiles/**/generated/neon_*.c.o")))
    counter = Counter(build, plugin)
    cases = counter.cases()
    kernels: dict[str, dict] = {}
    for body in bodies(cases):
        print(f"{compiler}: {body.removeprefix(PREFIX)}", file=sys.stderr)
        loop = objects.inner_loop(found[f"{body}_whole"])
        entry = kernels.setdefault(body.removeprefix(PREFIX), {"loop": len(loop)})
        if "cycles" in modes:
            entry["cycles"] = {
                cpu: round(objects.modelled_cycles(loop, cpu), 1) for cpu in objects.CPUS
            }
        if "instructions" in modes:
            entry["per_1024"] = counter.count(f"kernel:{body}_whole:1024")
            entry["remainder"] = measure_remainder(counter, body)
            entry["short"] = measure_short(counter, body)
    calls = {
        case: counter.count(case) for case in cases if case.startswith(("execute:", "prepare:"))
    } if "instructions" in modes else {}
    every_object = sorted(build.glob("CMakeFiles/sima_a65_dequant.dir/**/*.c.o"))
    neon_objects = sorted(build.glob("CMakeFiles/**/generated/neon_*.c.o"))
    size = {
        "library": objects.code_bytes(every_object), "neon": objects.code_bytes(neon_objects)
    }
    return {
        "compiler": compiler_version(compiler), "kernels": kernels, "calls": calls, "bytes": size
    }


def print_kernels(results: dict[str, dict]) -> None:
    compilers = list(results)
    print("\nInner loops: instructions for 32 elements, loop control included; modelled cycles "
          "(llvm-mca) for\nthem; retired instructions of a call on 1,024 elements, for each one; "
          "what a remainder adds at most.\n")
    print(f"{'':32}" + "".join(f"{compiler:^42}" for compiler in compilers))
    print(f"{'kernel':32}" + f"{'loop':>6}{'A55':>7}{'A65':>7}{'N1':>7}{'/elem':>8}{'rest':>7}"
          * len(compilers))
    for name in results[compilers[0]]["kernels"]:
        line = f"{name:32}"
        for compiler in compilers:
            entry = results[compiler]["kernels"][name]
            cycles = entry.get("cycles", {})
            per_element = entry["per_1024"] / 1024 if "per_1024" in entry else None
            line += f"{entry['loop']:>6}"
            line += "".join(f"{cycles.get(cpu, '-'):>7}" for cpu in objects.CPUS)
            line += f"{per_element:>8.2f}" if per_element is not None else f"{'-':>8}"
            line += f"{entry.get('remainder', '-'):>7}"
        print(line)


def print_short(results: dict[str, dict]) -> None:
    print("\nShort spans: retired instructions of the kernel / of the portable scalar loop.\n")
    print(f"{'kernel':32}{'':8}" + "".join(f"{length:>9}" for length in SHORT))
    for compiler, result in results.items():
        for name, entry in result["kernels"].items():
            pairs = [entry["short"][str(length)] for length in SHORT]
            print(f"{name:32}{compiler:8}" + "".join(f"{a:>5}/{b:<3}" for a, b in pairs))


def print_calls(results: dict[str, dict]) -> None:
    print("\nWhole calls: retired instructions (elements : zero point; scale 0.1).\n")
    compilers = list(results)
    print(f"{'call':32}" + "".join(f"{compiler:>8}" for compiler in compilers))
    for case in results[compilers[0]]["calls"]:
        print(f"{case:32}" + "".join(f"{results[c]['calls'][case]:>8}" for c in compilers))
    for compiler, result in results.items():
        size = result["bytes"]
        print(f"code size with {compiler}: library {size['library']:,} bytes, of it NEON kernels "
              f"and tables {size['neon']:,}")


def print_markdown(results: dict[str, dict]) -> None:
    """The table of README.md."""
    print("| kernel | gcc: loop | A55 | per element | clang: loop | A55 | per element |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for name in results["gcc"]["kernels"]:
        cells = [f"`{name}`"]
        for compiler in COMPILERS:
            entry = results[compiler]["kernels"][name]
            cells += [str(entry["loop"]), str(entry["cycles"]["A55"]),
                      f"{entry['per_1024'] / 1024:.2f}"]
        print("| " + " | ".join(cells) + " |")


def flatten(value: object, path: str = "") -> dict[str, float]:
    if isinstance(value, dict):
        parts = value.items()
    elif isinstance(value, list):
        parts = enumerate(value)
    else:
        return {path: value} if isinstance(value, (int, float)) else {}
    return {k: v for key, part in parts for k, v in flatten(part, f"{path}/{key}").items()}


def compare(results: dict, path: Path, margin: float) -> int:
    """Against a stored run: modelled cycles have a margin, counts have none."""
    stored = json.loads(path.read_text())
    for compiler, result in results.items():
        version = stored.get(compiler, {}).get("compiler")
        if version != result["compiler"]:
            print(f"{path.name} was made by {version}, this is {result['compiler']}: "
                  "not comparable", file=sys.stderr)
            return 1
    before, now = flatten(stored), flatten(results)
    worse = [
        f"{key}: {before[key]} -> {value}"
        for key, value in now.items()
        if key in before and value > before[key] * (1 + margin if "/cycles/" in key else 1)
    ]
    missing = [f"{key}: gone" for key in before if key not in now]
    for line in worse + missing:
        print(f"worse than {path.name}: {line}", file=sys.stderr)
    return 1 if worse or missing else 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/bench", description=__doc__)
    parser.add_argument("--mode", choices=("instructions", "cycles", "all"), default="all")
    parser.add_argument("--markdown", action="store_true", help="print README's table alone")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures here")
    parser.add_argument("--against", type=Path, metavar="FILE",
                        help="fail where a figure is worse than in this stored run")
    parser.add_argument("--margin", type=float, default=0.02,
                        help="for modelled cycles with --against; instruction counts have none")
    parser.add_argument("--build", type=Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--plugin", type=Path, required=True, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    modes = ["instructions", "cycles"] if arguments.mode == "all" else [arguments.mode]
    results = {
        compiler: measure(compiler, arguments.build / compiler, arguments.plugin, modes)
        for compiler in COMPILERS
    }
    if arguments.markdown:
        print_markdown(results)
    else:
        print_kernels(results)
    if "instructions" in modes and not arguments.markdown:
        print_short(results)
        print_calls(results)
    if arguments.json is not None:
        arguments.json.write_text(json.dumps(results, indent=1) + "\n")
    return compare(results, arguments.against, arguments.margin) if arguments.against else 0


if __name__ == "__main__":
    sys.exit(main())
