# SPDX-License-Identifier: Apache-2.0
"""Kernels on demand: takes the family out of docs/generator.md, generates it elsewhere, builds the
library from it, and runs the contract program's suites that hold for any family, natively and for
AArch64.

Run by scripts/test as: python3 tests/generator/on_demand.py
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
SUITES = ("numbers", "admission", "execute", "layout", "kernels")
CONFIGURATIONS = {
    "native": ["-DCMAKE_C_COMPILER=gcc"],
    "aarch64": ["--toolchain", "cmake/toolchains/aarch64-gcc.cmake"],
}


def run(*command: str) -> str:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
    return done.stdout


def main() -> None:
    text = (ROOT / "docs" / "generator.md").read_text(encoding="utf-8")
    example = re.search(r"```toml\n(.*?)```", text, re.DOTALL)
    if example is None:
        sys.exit("docs/generator.md holds no family")
    with tempfile.TemporaryDirectory() as scratch:
        family, out = Path(scratch) / "mine.toml", Path(scratch) / "my_kernels"
        family.write_text(example[1], encoding="utf-8")
        run(sys.executable, "-m", "generator", "--family", str(family), "--out", str(out))
        kernels = re.findall(r'"name": "(\w+)"', (out / "manifest.json").read_text())
        if "sima_dequant_neon_f32_mine_em8_overlap" not in kernels:
            sys.exit(f"the kernel that was asked for is not among: {' '.join(kernels)}")
        for name, arguments in CONFIGURATIONS.items():
            build = f"{scratch}/{name}"
            run("cmake", "-S", ".", "-B", build, f"-DSIMA_GENERATED_DIR={out}",
                "-DSIMA_BUILD_TOOLS=OFF", "-DSIMA_BUILD_BENCHMARK=OFF", *arguments)
            run("cmake", "--build", build, "-j2")
            output = run("ctest", "--test-dir", build, "--no-tests=error", "-j2", "-R",
                         f"contract.({'|'.join(SUITES)})")
            print(f"{len(kernels)} kernels on demand, {name}: "
                  f"{output.strip().splitlines()[-3].strip()}")


if __name__ == "__main__":
    main()
