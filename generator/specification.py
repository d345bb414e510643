# SPDX-License-Identifier: Apache-2.0
"""What a kernel is: one value on each axis of the family."""

from dataclasses import dataclass

INT8_MIN, INT8_MAX = -128, 127
INT32_MIN, INT32_MAX = -(2**31), 2**31 - 1
BLOCK = 16

# Output axis. The BF16 entries differ in how the FP32 result is narrowed.
OUTPUTS = ("f32", "bf16_upper", "bf16_even")

# Tail axis: which lengths a strategy serves, and the words for it.
TAILS = {
    "short": "fewer elements than a block: exact-size partial vectors",
    "whole": "complete blocks only: nothing follows the last one",
    "overlap": "at least a block: one block over the last 16 elements ends the span",
    "scalar": "any length: the staged scalar expression after the last complete block",
}


class SpecificationError(Exception):
    """A family that cannot be generated: says which row, which axis and why."""


@dataclass(frozen=True)
class ZeroPointClass:
    """A named interval of zero points, both ends included."""

    name: str
    low: int
    high: int

    def contains(self, other: "ZeroPointClass") -> bool:
        return self.low <= other.low and other.high <= self.high

    @property
    def is_zero(self) -> bool:
        return self.low == self.high == 0


@dataclass(frozen=True)
class Scale:
    """All admitted scales, or 2**exponent alone. `unit` is 2**0 where it has a name of its own."""

    kind: str  # "any", "pow2" or "unit"
    exponent: int = 0

    @property
    def is_any(self) -> bool:
        return self.kind == "any"

    @property
    def words(self) -> str:
        return "any admitted scale" if self.is_any else f"scale 2^{self.exponent}"

    @property
    def literal(self) -> str:
        """The scale as a C hexadecimal constant; only for a fixed one."""
        return f"0x1p{self.exponent:+d}f"


@dataclass(frozen=True)
class Specification:
    """One kernel to be generated."""

    isa: str
    output: str
    zero_points: ZeroPointClass
    scale: Scale
    tail: str
    sequence: str

    @property
    def element(self) -> str:
        """The output type without its rounding."""
        return self.output.split("_")[0]

    @property
    def largest_difference(self) -> int:
        """The largest |input - zero point| over the whole domain."""
        return max(INT8_MAX - self.zero_points.low, self.zero_points.high - INT8_MIN)

    def pair_for(self, difference: int) -> tuple[int, int] | None:
        """An (input, zero point) of the domain with that difference, or with its negative."""
        for wanted in (difference, -difference):
            for value in range(INT8_MAX, INT8_MIN - 1, -1):
                zero_point = value - wanted
                if self.zero_points.low <= zero_point <= self.zero_points.high:
                    return value, zero_point
        return None
