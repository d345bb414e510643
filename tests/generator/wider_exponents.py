# SPDX-License-Identifier: Apache-2.0
"""One edit of the table is the whole change: widens the exponents in a scratch copy of the tree,
runs the generator, builds, and runs the contract program, natively and for AArch64.

Run by scripts/test as: python3 tests/generator/wider_exponents.py [LOW HIGH]
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
CONFIGURATIONS = {
    "native": ["-DCMAKE_C_COMPILER=gcc"],
    "aarch64": ["--toolchain", "cmake/toolchains/aarch64-gcc.cmake"],
}


def run(*command: str, tree: Path) -> str:
    done = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
    return done.stdout


def widen(tree: Path, low: int, high: int) -> None:
    table = tree / "generator" / "default_family.toml"
    head, mark, rows = table.read_text(encoding="utf-8").partition("[zero_points]")
    head, count = re.subn(r"(?m)^exponents = .*$", f"exponents = [{low}, {high}]", head)
    if count != 1:
        sys.exit("default_family.toml: not exactly one line sets the family's exponents")
    table.write_text(head + mark + rows, encoding="utf-8")


def main() -> None:
    low, high = (int(argument) for argument in sys.argv[1:] or ("-12", "12"))
    with tempfile.TemporaryDirectory() as scratch:
        tree = Path(scratch) / "tree"
        shutil.copytree(
            ROOT, tree, ignore=shutil.ignore_patterns(".git", "build", "__pycache__")
        )
        widen(tree, low, high)
        run(sys.executable, "-m", "generator", tree=tree)
        run(sys.executable, "-m", "generator", "--check", tree=tree)
        names = run(sys.executable, "-m", "generator", "--list", tree=tree)
        for exponent in (low, high):
            token = f"e{'m' if exponent < 0 else 'p'}{abs(exponent)}"
            if f"sima_dequant_neon_f32_int8_{token}_overlap" not in names:
                sys.exit(f"no kernel for 2^{exponent} came of it")
        for name, arguments in CONFIGURATIONS.items():
            build = f"build/{name}"
            run("cmake", "-S", ".", "-B", build, "-DSIMA_BUILD_TOOLS=OFF", *arguments, tree=tree)
            run("cmake", "--build", build, "-j", str(os.cpu_count()), tree=tree)
            output = run("ctest", "--test-dir", build, "-R", "contract", "--no-tests=error",
                         "-j", str(os.cpu_count()), tree=tree)
            print(f"exponents {low}..{high}, {name}: {output.strip().splitlines()[-3].strip()}")


if __name__ == "__main__":
    main()
