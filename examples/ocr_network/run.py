# SPDX-License-Identifier: Apache-2.0
"""Dequantizes every INT8 matrix of an OCR network with the dequant tool, checks every result, and
prints a table.

usage: run.py DEQUANT FILE.traineddata DIRECTORY
"""

import hashlib
import re
import struct
import subprocess
import sys
from pathlib import Path

import check
import extract

OUTPUTS = ("f32", "bf16")
# SHA-256 of files whose matrices and weights have been counted: Debian's tesseract-ocr-eng
# 1:4.1.0-2. In another file they are what the extractor finds.
KNOWN_TOTALS = {
    "7d4322bd2a7749724879683fc3912cb542f19906c83bcc1a52132556427170b2": (18, 385_807),
}
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


def totals_complaint(source: Path, matrices: int, weights: int) -> str:
    """What is wrong with the totals, or nothing."""
    known = KNOWN_TOTALS.get(hashlib.sha256(source.read_bytes()).hexdigest())
    if known is None:
        return "" if matrices else f"{source}: no INT8 matrix found"
    if (matrices, weights) != known:
        return (f"{source}: holds {known[0]} matrices and {known[1]:,} weights; "
                "the extractor is wrong")
    return ""


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
    complaint = totals_complaint(source, len(names), weights)
    if complaint:
        print(complaint, file=sys.stderr)
    return 1 if wrong or complaint else 0


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__.strip().splitlines()[-1])
    sys.exit(main())
