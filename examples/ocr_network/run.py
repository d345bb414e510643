# SPDX-License-Identifier: Apache-2.0
"""Dequantizes every INT8 matrix of an OCR network with the dequant tool, checks every result, and
prints a table.

usage: run.py DEQUANT FILE.traineddata DIRECTORY
"""

import re
import struct
import subprocess
import sys
from pathlib import Path

import check
import extract

OUTPUTS = ("f32", "bf16")
# What Debian's eng.traineddata holds.
EXPECTED_MATRICES, EXPECTED_WEIGHTS = 18, 385_807
PREFIX = "sima_dequant_"


def dequantize(tool: str, base: Path, output: str) -> tuple[str, float]:
    """Runs the tool on one matrix; the kernels it chose, and its milliseconds in them."""
    command = [tool, "--explain", "--output", output, "--scales", f"{base}.scales.npy",
               f"{base}.weights.npy", f"{base}.{output}.npy"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    kernels = re.findall(r"^kernel +(\S+),", done.stdout, re.MULTILINE)
    milliseconds = re.search(r"^time +([0-9.]+) ms", done.stdout, re.MULTILINE)
    assert milliseconds is not None
    return " ".join(kernel.removeprefix(PREFIX) for kernel in kernels), float(milliseconds[1])


def scale_range(base: Path) -> str:
    _, (rows,), data = check.read_npy(Path(f"{base}.scales.npy"))
    scales = struct.unpack(f"<{rows}f", data)
    return f"{min(scales):.3g} .. {max(scales):.3g}"


def main() -> int:
    tool, source, directory = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    names = extract.extract(source, directory)
    weights = results = wrong = 0
    row = "{:<10} {:>10}  {:<22} {:<5} {:<36} {:>8} {:>5} {:>8}"
    print(row.format("tensor", "shape", "scales", "to", f"kernel ({PREFIX}...)", "results", "diff",
                     "ms"))
    for name in names:
        base = directory / name
        _, shape, _ = check.read_npy(Path(f"{base}.weights.npy"))
        weights += shape[0] * shape[1]
        for output in OUTPUTS:
            kernels, milliseconds = dequantize(tool, base, output)
            count, differences = check.check(
                Path(f"{base}.weights.npy"), Path(f"{base}.scales.npy"), output,
                Path(f"{base}.{output}.npy"),
            )
            results += count
            wrong += differences
            first = output == OUTPUTS[0]
            print(row.format(name if first else "", f"{shape[0]} x {shape[1]}" if first else "",
                             scale_range(base) if first else "", output, kernels, f"{count:,}",
                             differences, f"{milliseconds:.3f}"))
    print(f"\n{len(names)} matrices, {weights:,} weights, {results:,} results, "
          f"{wrong:,} differences")
    print("ms: spent in the library's calls, one a row, as the tool measured them")
    if (len(names), weights) != (EXPECTED_MATRICES, EXPECTED_WEIGHTS):
        print(f"expected {EXPECTED_MATRICES} matrices and {EXPECTED_WEIGHTS:,} weights: "
              "another version of the file, or the extractor is wrong", file=sys.stderr)
        return 1
    return 1 if wrong else 0


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__.strip().splitlines()[-1])
    sys.exit(main())
