# SPDX-License-Identifier: Apache-2.0
"""Tests of the tests: breaks runtime and templates in one place at a time, in a scratch copy, and
demands that some test fails.

python3 tests/mutations/mutate.py [--list] [--sample N] [--seed N] [--only WORDS] [--scratch DIR]

A mutation that no test kills is a failure, unless equivalent.toml says why it changes nothing.
"""

import argparse
import random
import re
import subprocess
import sys
import tempfile
import time
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
EQUIVALENT = Path(__file__).with_name("equivalent.toml")
SECONDS_PER_TEST = 600

# What is written instead of what, wherever it stands in code. Each is a mistake that people make.
OPERATORS = (
    (r" < ", " <= "), (r" <= ", " < "), (r" > ", " >= "), (r" >= ", " > "),
    (r" == ", " != "), (r" != ", " == "), (r" && ", " || "), (r" \|\| ", " && "),
    (r" \+ ", " - "), (r" - ", " + "), (r" \* ", " + "), (r" / ", " * "), (r" % ", " / "),
    (r" << ", " >> "), (r" >> ", " << "), (r"\+\+", "--"), (r" \+= ", " -= "), (r" -= ", " += "),
    (r"\btrue\b", "false"), (r"\bfalse\b", "true"), (r"\b0\b", "1"), (r"\b1\b", "2"),
    (r"\b7f\b", "80"), (r"\b(\d+)\b(?=[;,)\]])", r"\g<1>1"),
    (r"\bvzip1q_", "vzip2q_"), (r"\bvuzp1q_", "vuzp2q_"), (r"\bvuzp2q_", "vuzp1q_"),
    (r"\bvget_low_", "vget_high_"), (r"\bvsubq_f32\b", "vaddq_f32"),
    (r"\bvmovl_high_s16\((\w+)\)", r"vmovl_s16(vget_low_s16(\g<1>))"),
    (r"0x7fff\b", "0x8000"), (r"\bval\[0\] =", "val[1] ="), (r"\bk\.scale\b", "k.subtrahend"),
)

# Code that is another machine's, or text for people: nothing here runs what is broken there.
_SKIPPED = re.compile(r'^\s*(#|//|/?\*|")|sizeof|SIMA_FPCR|SIMA_MXCSR_[A-Z]+ \(|\bmemset\b')


@dataclass(frozen=True)
class Suite:
    """What is built and run for a file, the quickest first."""

    build: str
    target: str
    arguments: tuple[tuple[str, ...], ...]


_CONTRACT = "a65_dequant_contract"
_EXHAUSTIVE = "a65_dequant_exhaustive"
_MODELLED = "a65_dequant_exhaustive_neon"


def _contract(build: str, *names: str) -> Suite:
    return Suite(build, _CONTRACT, tuple((name,) for name in names))


_KERNELS = (
    Suite("native", _MODELLED, (("hash",), ("narrow", "50021"), ("int8", "97"))),
    _contract("aarch64", "kernels"),
)

SUITES: dict[str, tuple[Suite, ...]] = {
    "runtime/ops/dequant.c": (
        _contract("native", "admission", "execute", "hostile", "layout", "fpenv"),
        _contract("sanitize", "admission", "execute"),
    ),
    "runtime/ops/layout.c": (
        _contract("native", "admission", "hostile", "layout"),
        _contract("sanitize", "admission"),
    ),
    "runtime/a65/dequant.c": (
        _contract("native", "execute", "hostile", "admission", "fpenv"),
        _contract("aarch64", "ties"),
    ),
    "runtime/a65/walk.c": (_contract("native", "execute", "layout"),),
    "runtime/a65/tile.c": (_contract("native", "tile"),),
    "runtime/a65/select.c": (
        Suite("native", _MODELLED, (("hash",), ("bias", "50021"))),
        _contract("native", "dispatch"),
        _contract("aarch64", "dispatch"),
    ),
    "runtime/a65/ties.c": (
        _contract("native", "ties"),
        Suite("native", _EXHAUSTIVE, (("ties", "5003"), ("distant_ties", "199"))),
        _contract("native", "fpenv"),
    ),
    "runtime/a65/binary32.h": (
        Suite("native", _MODELLED, (("hash",), ("bias", "5003"))),
        _contract("native", "ties", "dispatch"),
    ),
    "runtime/a65/staged.h": (Suite("native", _EXHAUSTIVE, (("hash",), ("narrow", "50021"))),),
    "runtime/a65/fpenv.c": (_contract("native", "fpenv"),),
    "runtime/a65/neon_span.h": _KERNELS,
    "templates/neon_steps.j2": _KERNELS,
    "templates/portable_steps.j2": (Suite("native", _EXHAUSTIVE, (("hash",), ("int8", "97"))),),
}

# The AArch64 half of the mode check is not compiled natively, and the generic half is tested as a
# library of its own.
_FIRST_LINES = {"runtime/a65/fpenv.c": ("#include <xmmintrin.h>", "#include <fenv.h>")}


@dataclass(frozen=True)
class Mutation:
    file: str
    line: int
    column: int
    old: str
    new: str

    @property
    def name(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.old.strip()} -> {self.new.strip()}"


def _code_lines(file: str, text: str) -> list[tuple[int, str]]:
    """Lines of code with their numbers: no comments, no preprocessor, no strings alone."""
    first, last = _FIRST_LINES.get(file, ("", ""))
    counted: list[tuple[int, str]] = []
    inside = not first
    comment = False
    for number, line in enumerate(text.splitlines(), start=1):
        inside = inside or line == first
        if last and line == last:
            break
        if "/*" in line and "*/" not in line:
            comment = True
        elif inside and not comment and not _SKIPPED.search(line) and line.startswith((" ", "\t")):
            counted.append((number, re.sub(r"/\*.*?\*/|{#.*?#}", lambda m: " " * len(m[0]), line)))
        if "*/" in line:
            comment = False
    return counted


def mutations() -> list[Mutation]:
    """All of them, in a fixed order. Not inside string literals."""
    found: dict[tuple[str, int, int, str], Mutation] = {}
    for file in SUITES:
        for number, line in _code_lines(file, (ROOT / file).read_text(encoding="utf-8")):
            code = re.sub(r'"[^"]*"?', lambda match: '"' * len(match[0]), line)
            for old, new in OPERATORS:
                for match in re.finditer(old, code):
                    put = match.expand(new)
                    key = (file, number, match.start(), put)
                    found[key] = Mutation(file, number, match.start(), match[0], put)
    return list(found.values())


def equivalents() -> dict[str, list[dict]]:
    """Reasons, by file: the line's text, what is replaced, and why nothing changes."""
    return tomllib.loads(EQUIVALENT.read_text(encoding="utf-8"))


def why_equivalent(mutation: Mutation, line: str, reasons: dict[str, list[dict]]) -> str:
    for entry in reasons.get(mutation.file, []):
        changed = f"{mutation.old.strip()} -> {mutation.new.strip()}"
        if entry["line"] in line and changed in entry["changes"]:
            return entry["why"]
    return ""


class Scratch:
    """A copy of the sources with its builds; one file at a time is changed and put back."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT,
                                capture_output=True, check=True).stdout
        pack = subprocess.run(["tar", "cf", "-", "--null", "-T", "-"], cwd=ROOT, input=listed,
                              capture_output=True, check=True).stdout
        directory.mkdir(parents=True, exist_ok=True)
        # As new as can be: a build that is here already may be of something broken.
        subprocess.run(["tar", "xmf", "-"], cwd=directory, input=pack, check=True)
        self._configure("native", "-DCMAKE_C_COMPILER=gcc")
        self._configure("sanitize", "-DCMAKE_C_COMPILER=clang", "-DSIMA_SANITIZE=ON")
        self._configure("aarch64", "--toolchain", "cmake/toolchains/aarch64-gcc.cmake")

    def _run(self, *command: str, timeout: float = 600) -> bool:
        self.last = " ".join(command)
        try:
            done = subprocess.run(command, cwd=self.directory, capture_output=True, check=False,
                                  timeout=timeout)
        except subprocess.TimeoutExpired:
            return False
        return done.returncode == 0

    def _configure(self, build: str, *arguments: str) -> None:
        if not self._run("cmake", "-S", ".", "-B", f"build/{build}", "-DCMAKE_BUILD_TYPE=None",
                         "-DCMAKE_C_FLAGS=-O1", "-DSIMA_BUILD_TOOLS=OFF",
                         "-DSIMA_BUILD_BENCHMARK=OFF", *arguments):
            sys.exit(f"mutate: {build} cannot be configured")

    def verdict(self, suites: tuple[Suite, ...]) -> str:
        """Whether the sources as they stand now pass, fail or do not compile."""
        for suite in suites:
            build = f"build/{suite.build}"
            if not self._run("cmake", "--build", build, "-j2", "--target", suite.target):
                return "not compiled"
            if not self._suite_passes(suite, build):
                return "killed"
        return "survived"

    def _suite_passes(self, suite: Suite, build: str) -> bool:
        folder = "tests/exhaustive" if suite.target != _CONTRACT else "tests"
        program = f"{build}/{folder}/{suite.target}"
        emulator = ["qemu-aarch64"] if suite.build == "aarch64" else []
        return all(self._run(*emulator, program, *arguments, timeout=SECONDS_PER_TEST)
                   for arguments in suite.arguments)

    def try_out(self, mutation: Mutation) -> str:
        path = self.directory / mutation.file
        kept = path.read_text(encoding="utf-8")
        lines = kept.splitlines(keepends=True)
        line = lines[mutation.line - 1]
        end = mutation.column + len(mutation.old)
        lines[mutation.line - 1] = line[: mutation.column] + mutation.new + line[end:]
        path.write_text("".join(lines), encoding="utf-8")
        try:
            return self._regenerated(mutation) or self.verdict(SUITES[mutation.file])
        finally:
            path.write_text(kept, encoding="utf-8")
            self._regenerated(mutation)

    def _regenerated(self, mutation: Mutation) -> str:
        is_template = mutation.file.startswith("templates/")
        if is_template and not self._run(sys.executable, "-m", "generator"):
            return "not compiled"
        return ""


def run(chosen: list[Mutation], directory: Path) -> int:
    reasons = equivalents()
    scratch = Scratch(directory)
    for file in dict.fromkeys(mutation.file for mutation in chosen):
        if scratch.verdict(SUITES[file]) != "survived":
            sys.exit(f"mutate: the tests of {file} fail on the sources as they are: {scratch.last}")
    count = dict.fromkeys(("killed", "equivalent", "survived", "not compiled"), 0)
    for mutation in chosen:
        line = (ROOT / mutation.file).read_text(encoding="utf-8").splitlines()[mutation.line - 1]
        known = why_equivalent(mutation, line, reasons)
        verdict = "equivalent" if known else scratch.try_out(mutation)
        count[verdict] += 1
        if verdict == "survived":
            print(f"survived: {mutation.name}\n    {line.strip()}", flush=True)
    # What does not compile says nothing about the tests.
    print(f"{len(chosen)} mutations: " + ", ".join(f"{n} {word}" for word, n in count.items()))
    return 1 if count["survived"] or not count["killed"] else 0


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--list", action="store_true", help="print the mutations")
    parser.add_argument("--sample", type=int, metavar="N", help="N of them, chosen by the seed")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--only", default="", metavar="WORDS", help="those whose names hold WORDS")
    parser.add_argument("--scratch", type=Path, metavar="DIR")
    options = parser.parse_args()
    chosen = [mutation for mutation in mutations() if options.only in mutation.name]
    if options.sample is not None and options.sample < len(chosen):
        print(f"seed {options.seed}")
        chosen = random.Random(options.seed).sample(chosen, options.sample)
    if options.list:
        for mutation in chosen:
            print(mutation.name)
        print(f"{len(chosen)} mutations")
        return 0
    if options.scratch:
        return run(chosen, options.scratch)
    with tempfile.TemporaryDirectory() as directory:
        return run(chosen, Path(directory))


if __name__ == "__main__":
    sys.exit(main())
