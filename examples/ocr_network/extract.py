# SPDX-License-Identifier: Apache-2.0
"""Finds the INT8 weight matrices of a Tesseract language file and writes them as .npy.

A .traineddata file is an int32 count, that many int64 offsets (-1 where a part is absent), then
the parts. Part 17 is the recognition network. Inside it each INT8 matrix is stored as

    mode        uint8    bit 0 set: the weights are INT8
    rows        int32
    columns     int32
    fill        int8     a default value, not used
    weights     rows * columns INT8, row after row
    scales      uint32   how many follow: one a row
    scale       float64 each

all little-endian. The matrices lie among other records of the network, so they are looked for:
a place counts as a matrix when everything about it fits together: the mode, plausible sides, as
many scales as rows, and every scale a positive number of ordinary size. The search goes on behind
the end of what was found, so that no byte belongs to two matrices.

The library's scales are binary32: each float64 scale is rounded to the nearest one here, ties to
even.
"""

import struct
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

NETWORK_PART = 17
HEADER = struct.Struct("<Biib")
COUNT = struct.Struct("<I")
MOST_PER_SIDE = 1 << 16


@dataclass(frozen=True)
class Matrix:
    rows: int
    columns: int
    weights: bytes
    scales: tuple[float, ...]


def network_of(data: bytes) -> bytes:
    """The part of a .traineddata file that holds the network."""
    if len(data) < 4:
        raise ValueError("truncated before the number of parts")
    (count,) = struct.unpack_from("<i", data)
    if not NETWORK_PART < count <= 64 or len(data) < 4 + 8 * count:
        raise ValueError(f"{count} parts: not a file with a recognition network")
    offsets = struct.unpack_from(f"<{count}q", data, 4)
    begin = offsets[NETWORK_PART]
    if not 4 + 8 * count <= begin < len(data):
        raise ValueError("no recognition network in this file")
    end = min((offset for offset in offsets if offset > begin), default=len(data))
    if end > len(data):
        raise ValueError("truncated in the recognition network")
    return data[begin:end]


def matrix_at(data: bytes, at: int) -> tuple[Matrix, int] | None:
    """The matrix that begins at a place, and where it ends; None where there is none."""
    if at + HEADER.size > len(data):
        return None
    mode, rows, columns, _fill = HEADER.unpack_from(data, at)
    if not mode & 1 or not 0 < rows < MOST_PER_SIDE or not 0 < columns < MOST_PER_SIDE:
        return None
    weights_at = at + HEADER.size
    scales_at = weights_at + rows * columns
    end = scales_at + COUNT.size + 8 * rows
    if end > len(data) or COUNT.unpack_from(data, scales_at)[0] != rows:
        return None
    scales = struct.unpack_from(f"<{rows}d", data, scales_at + COUNT.size)
    # A row's scale is a positive number of ordinary size; a NaN fails both comparisons.
    if not all(1e-30 < scale < 1e30 for scale in scales):
        return None
    return Matrix(rows, columns, data[weights_at:scales_at], scales), end


def matrices_of(network: bytes) -> Iterator[Matrix]:
    at = 0
    while at < len(network):
        found = matrix_at(network, at)
        if found is None:
            at += 1
        else:
            yield found[0]
            at = found[1]


def write_npy(path: Path, descr: str, shape: tuple[int, ...], data: bytes) -> None:
    text = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape!r}, }}"
    length = (10 + len(text) + 1 + 63) // 64 * 64 - 10
    header = b"\x93NUMPY\x01\x00" + struct.pack("<H", length)
    path.write_bytes(header + text.ljust(length - 1).encode("ascii") + b"\n" + data)


def extract(source: Path, directory: Path) -> list[str]:
    """Writes NAME.weights.npy and NAME.scales.npy for each matrix; returns the names."""
    directory.mkdir(parents=True, exist_ok=True)
    names = []
    for number, matrix in enumerate(matrices_of(network_of(source.read_bytes()))):
        name = f"matrix_{number:02}"
        shape = (matrix.rows, matrix.columns)
        write_npy(directory / f"{name}.weights.npy", "|i1", shape, matrix.weights)
        scales = struct.pack(f"<{matrix.rows}f", *matrix.scales)
        write_npy(directory / f"{name}.scales.npy", "<f4", (matrix.rows,), scales)
        names.append(name)
    return names


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: extract.py FILE.traineddata DIRECTORY")
    print("\n".join(extract(Path(sys.argv[1]), Path(sys.argv[2]))))
