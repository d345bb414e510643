# SPDX-License-Identifier: Apache-2.0
"""Compares dequantized matrices with the definition, bit for bit, without the library.

An INT8 value has 8 significant bits and a binary32 scale 24, so their product has at most 32: a
Python float (binary64, 53 bits) holds it exactly, and struct rounds it to binary32 once, to
nearest even. BF16 is that result narrowed to the nearest word, ties to even, in integers.
"""

import struct
import sys
from pathlib import Path


def read_npy(path: Path) -> tuple[str, tuple[int, ...], bytes]:
    """Element type, shape and bytes of a version 1.0 file in C order."""
    data = path.read_bytes()
    if data[:8] != b"\x93NUMPY\x01\x00":
        raise ValueError(f"{path.name}: not a version 1.0 .npy file")
    (length,) = struct.unpack_from("<H", data, 8)
    text = data[10 : 10 + length].decode("ascii").strip()
    fields = dict(
        part.split(":", 1) for part in text.strip("{} ").replace(", '", ",\n'").split(",\n")
    )
    values = {key.strip(" '"): value.strip(" ,") for key, value in fields.items()}
    if values["fortran_order"] != "False":
        raise ValueError(f"{path.name}: not in C order")
    shape = tuple(int(extent) for extent in values["shape"].strip("()").split(",") if extent)
    return values["descr"].strip("'"), shape, data[10 + length :]


def narrow(bits: int) -> int:
    """The BF16 word nearest to a finite or infinite binary32 value."""
    upper, lower = divmod(bits, 0x10000)
    if lower > 0x8000 or (lower == 0x8000 and upper % 2 == 1):
        upper += 1
    return upper


def expected_bits(value: int, scale: float) -> int:
    """Bits of value * scale in binary32; a zero weight gives +0."""
    return int.from_bytes(struct.pack("<f", value * scale), "little") if value else 0


def differences(
    weights: bytes, scales: tuple[float, ...], columns: int, output: str, results: tuple[int, ...]
) -> int:
    """How many results differ from the definition."""
    count = 0
    for row, scale in enumerate(scales):
        table = [expected_bits(byte - 256 if byte > 127 else byte, scale) for byte in range(256)]
        if output == "bf16":
            table = [narrow(bits) for bits in table]
        begin = row * columns
        count += sum(
            table[byte] != result
            for byte, result in zip(
                weights[begin : begin + columns], results[begin : begin + columns], strict=True
            )
        )
    return count


def check(weights: Path, scales: Path, output: str, result: Path) -> tuple[int, int]:
    """The number of results in a file, and how many of them differ."""
    descr, shape, data = read_npy(weights)
    scales_descr, scales_shape, scales_data = read_npy(scales)
    result_descr, result_shape, result_data = read_npy(result)
    code = {"f32": "I", "bf16": "H"}[output]
    if (descr, scales_descr, result_descr) != ("|i1", "<f4", {"I": "<f4", "H": "<u2"}[code]):
        raise ValueError(f"{result.name}: unexpected element types")
    if result_shape != shape or scales_shape != shape[:1]:
        raise ValueError(f"{result.name}: unexpected shape {result_shape}")
    rows, columns = shape
    results = struct.unpack(f"<{rows * columns}{code}", result_data)
    row_scales = struct.unpack(f"<{rows}f", scales_data)
    return len(results), differences(data, row_scales, columns, output, results)


if __name__ == "__main__":
    if len(sys.argv) != 5 or sys.argv[3] not in ("f32", "bf16"):
        sys.exit("usage: check.py WEIGHTS.npy SCALES.npy f32|bf16 RESULT.npy")
    total, wrong = check(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], Path(sys.argv[4]))
    print(f"{total} results, {wrong} differences")
    sys.exit(1 if wrong else 0)
