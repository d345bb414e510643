# SPDX-License-Identifier: Apache-2.0
"""What the steps of the x86-64 sequences do to one lane, and how they narrow; prove.py says how it
is used. A lane is a prove.Lane."""

import z3

from .specification import BIAS, SMALLEST_NORMAL

RNE = z3.RNE()
F32 = z3.Float32()
_BIAS = z3.FPVal(float(BIAS), F32)
_PATTERN = 0x4B000000


def _flip(lane) -> int:
    """AVX2 flips the byte's top bit together with what stands above it."""
    return 0x80 if lane.spec.isa == "avx2" else 0


def _pattern(lane) -> None:
    lane.constants["pattern"] = z3.BitVecVal(_PATTERN | _flip(lane), 32)


def _pattern_scaled(lane) -> None:
    lane.constants["pattern"] = (lane.operands.scale + (23 << 23)) | _flip(lane)


def _input_bias(lane) -> None:
    lane.constants["input_bias"] = _BIAS


def _nothing(lane) -> None:
    """Which byte comes to which lane, and what is added before narrowing."""
    del lane


def _table(lane) -> None:
    """An entry is computed by these steps."""
    operands = lane.operands
    value = z3.fpSignedToFP(RNE, z3.SignExt(24, operands.x), F32)
    difference = z3.fpSub(RNE, value, operands.zero_point_f32)
    lane.registers["y"] = z3.fpMul(RNE, difference, operands.scale_f32)


CONSTANTS = {
    "pattern": _pattern,
    "pattern_scaled": _pattern_scaled,
    "input_bias": _input_bias,
    "lanes_in_order": _nothing,
    "lanes_alternate": _nothing,
    "rounding": _nothing,
    "table": _table,
}


def _place(lane) -> None:
    pattern, x = lane.constants["pattern"], lane.operands.x
    if lane.spec.isa == "avx2":
        placed = z3.ZeroExt(24, x) ^ pattern
    else:
        placed = z3.Concat(z3.Extract(31, 8, pattern), x ^ 0x80)
    lane.registers["y"] = z3.fpBVToFP(placed, F32)


def _unbias(lane) -> None:
    lane.registers["y"] = z3.fpSub(RNE, lane.registers["y"], lane.constants["input_bias"])


WORK = {"place": _place, "unbias": _unbias}


def averaged_even(bits: z3.BitVecRef) -> z3.BitVecRef:
    """The average of 16-bit numbers adds one before it halves; its top bit goes into the upper
    half."""
    upper, lower = z3.Extract(31, 16, bits), z3.Extract(15, 0, bits)
    addend = (upper & 1) | 0x7FFE
    halved = z3.Extract(16, 1, z3.ZeroExt(1, lower) + z3.ZeroExt(1, addend) + 1)
    return upper + z3.LShR(halved, 15)


def converted(bits: z3.BitVecRef) -> z3.BitVecRef:
    """vcvtne2ps2bf16 of a number: subnormal operands count as zero of their sign."""
    upper = z3.Extract(31, 16, bits)
    lowest_kept = z3.ZeroExt(31, z3.Extract(16, 16, bits))
    rounded = z3.Extract(31, 16, bits + 0x7FFF + lowest_kept)
    return z3.If(z3.Extract(30, 23, bits) == 0, upper & 0x8000, rounded)


def is_subnormal(bits: z3.BitVecRef) -> z3.BoolRef:
    magnitude = bits & 0x7FFFFFFF
    return z3.And(magnitude != 0, z3.ULT(magnitude, SMALLEST_NORMAL))
