# SPDX-License-Identifier: Apache-2.0
"""What a kernel is: one value on each axis of the family."""

from dataclasses import dataclass

INT8_MIN, INT8_MAX = -128, 127
INT32_MIN, INT32_MAX = -(2**31), 2**31 - 1
BLOCK = 16

# Elements that a `long` or `stream` tail takes at least.
LONG_BLOCK = 64

# Output axis. The BF16 entries differ in how the FP32 result is narrowed.
OUTPUTS = ("f32", "bf16_upper", "bf16_tiefree", "bf16_even")

# FP32 of x + 128 + 2^23 holds the byte x + 128 in its lowest bits.
BIAS = 2**23 + 128

SMALLEST_NORMAL = 0x00800000

# Scales whose product with 2^24 is finite.
LARGEST_UNDER104 = 0x737FFFFF

# Exponents for which a power of two may be read from the scale when the kernel runs.
POWERS_LOW, POWERS_HIGH = -126, 96

# Tail axis: which lengths a strategy serves, and the words for it.
TAILS = {
    "short": "fewer elements than a block: exact-size partial vectors",
    "whole": "complete blocks only: nothing follows the last one",
    "overlap": "at least a block: one block over the last 16 elements ends the span",
    "scalar": "any length: the staged scalar expression after the last complete block",
    "long": "at least 64 elements, and so many that a long set-up is repaid",
    "stream": "at least 64 elements, stored past the caches",
    "every": "any length: partial vectors below a block, an overlapping block above",
}

# Further values of the tail axis, for planes: rows of elements at constant distances. They admit
# any scale. sima_a65_dequant_shape says what each is.
SHAPES = {
    "rows": "rows of 16 adjacent elements or more",
    "fragments": "rows of 2 to 15 adjacent elements, two blocks of them at a time",
    "transpose": "rows that lie across in the input, turned 16 by 16",
    "interleave": "2 to 4 rows that become one",
    "deinterleave": "one row that becomes 2 to 4",
    "gather": "input elements at any distance",
    "scatter": "output elements at any distance",
    "strided": "elements at any distance on both sides",
}


class SpecificationError(Exception):
    """A family that cannot be generated: says which row, which axis and why."""


@dataclass(frozen=True)
class ZeroPointClass:
    """A named interval of zero points, both ends included.

    A biased class holds only those for which BIAS + binary32(zero point) is itself a binary32.
    """

    name: str
    low: int
    high: int
    biased: bool = False

    def contains(self, other: "ZeroPointClass") -> bool:
        within = self.low <= other.low and other.high <= self.high
        return within and (not self.biased or other.has_bias)

    @property
    def has_bias(self) -> bool:
        """Whether every member has a representable bias: by definition, or by its size."""
        return self.biased or (-(2**24) - BIAS <= self.low and self.high <= 2**24 - BIAS)

    @property
    def is_zero(self) -> bool:
        return self.low == self.high == 0


@dataclass(frozen=True)
class Scale:
    """A set of scales.

    any      all that are admitted
    under104 those below 2^104
    normal   those that are normal numbers
    powers   2^-126 to 2^96: the exponent is read when the kernel runs
    pow2     2**exponent alone
    unit     2**0, where it has a name of its own

    What the dispatch table tells apart besides, and no kernel is made for: subnormal, middle
    (normal and below 2^104), huge.
    """

    kind: str
    exponent: int = 0

    @property
    def is_fixed(self) -> bool:
        return self.kind in ("pow2", "unit")

    @property
    def is_power(self) -> bool:
        return self.is_fixed or self.kind == "powers"

    @property
    def bits(self) -> tuple[int, int]:
        """The smallest and the largest member, as bits."""
        return {
            "any": (1, 0x7F7FFFFF),
            "under104": (1, LARGEST_UNDER104),
            "normal": (SMALLEST_NORMAL, 0x7F7FFFFF),
            "subnormal": (1, SMALLEST_NORMAL - 1),
            "middle": (SMALLEST_NORMAL, LARGEST_UNDER104),
            "huge": (LARGEST_UNDER104 + 1, 0x7F7FFFFF),
            "powers": ((POWERS_LOW + 127) << 23, (POWERS_HIGH + 127) << 23),
        }.get(self.kind, ((self.exponent + 127) << 23, (self.exponent + 127) << 23))

    def contains(self, other: "Scale") -> bool:
        within = self.bits[0] <= other.bits[0] and other.bits[1] <= self.bits[1]
        return within and (other.is_power or not self.is_power)

    @property
    def words(self) -> str:
        return {
            "any": "any admitted scale",
            "under104": "any scale below 2^104",
            "normal": "any scale from 2^-126 up",
            "powers": f"scale 2^e with e in {POWERS_LOW}..{POWERS_HIGH}",
        }.get(self.kind, f"scale 2^{self.exponent}")

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
    # How the block is computed; where that needs FP16 arithmetic, how it is without.
    sequence: str
    plain_sequence: str | None = None

    @property
    def is_plane(self) -> bool:
        """Whether the kernel takes a plane, not a span."""
        return self.tail in SHAPES

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
