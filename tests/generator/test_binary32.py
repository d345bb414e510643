# SPDX-License-Identifier: Apache-2.0
"""The exact model against the machine's own binary32, and the worked examples."""

import random
import struct
import unittest
from fractions import Fraction

from generator import binary32


def hardware_bits(value: float) -> int:
    """Bits of a double rounded once to binary32 by the machine."""
    try:
        return struct.unpack("<I", struct.pack("<f", value))[0]
    except OverflowError:
        return binary32.INFINITY | (binary32.SIGN if value < 0 else 0)


class Encode(unittest.TestCase):
    def test_integers_and_fractions_round_as_hardware_does(self):
        rng = random.Random(20)
        for _ in range(5000):
            value = rng.randrange(-(2**53), 2**53) * 2.0 ** rng.randrange(-205, 80)
            self.assertEqual(binary32.encode(Fraction(value)), hardware_bits(value), value)

    def test_ties_go_to_even_at_every_border(self):
        for bits in (0x00000000, 0x00000001, 0x007FFFFF, 0x3F800000, 0x3F800001, 0x7F7FFFFE):
            low, high = binary32.decode(bits), binary32.decode(bits + 1)
            even = bits if bits % 2 == 0 else bits + 1
            self.assertEqual(binary32.encode((low + high) / 2), even)
            self.assertEqual(binary32.encode(-(low + high) / 2), even | binary32.SIGN)

    def test_half_past_the_largest_finite_number_is_infinity(self):
        largest = binary32.decode(0x7F7FFFFF)
        half_step = Fraction(2) ** 103
        self.assertEqual(binary32.encode(largest + half_step), binary32.INFINITY)
        self.assertEqual(binary32.encode(largest + half_step - 1), 0x7F7FFFFF)

    def test_decode_inverts_encode(self):
        rng = random.Random(21)
        for _ in range(2000):
            bits = rng.randrange(0x7F800000)
            self.assertEqual(binary32.encode(binary32.decode(bits)), bits)

    def test_decode_refuses_infinity(self):
        with self.assertRaises(ValueError):
            binary32.decode(binary32.INFINITY)


class Staged(unittest.TestCase):
    def test_large_zero_point_rounds_before_the_subtraction(self):
        # The integer difference would be -16777216.
        self.assertEqual(
            binary32.staged(1, 16777217, 0x3F800000), binary32.encode(Fraction(-16777215))
        )

    def test_rounding_stages_are_not_merged(self):
        bits = binary32.staged(127, -123, 0x4037CED9)
        self.assertEqual(bits, binary32.encode(Fraction(718)))
        self.assertEqual(binary32.narrow_half_even(bits), 0x4434)

    def test_zero_difference_is_positive_zero(self):
        for value in (-128, -1, 0, 127):
            self.assertEqual(binary32.staged(value, value, 0x7F7FFFFF), 0)

    def test_underflow_keeps_its_sign(self):
        self.assertEqual(binary32.multiply(binary32.encode(Fraction(-1, 4)), 1), binary32.SIGN)

    def test_overflow_is_infinity(self):
        self.assertEqual(binary32.staged(-128, 127, 0x7F7FFFFF), 0xFF800000)

    def test_infinite_difference_stays_infinite(self):
        self.assertEqual(binary32.multiply(0xFF800000, 1), 0xFF800000)


class Narrow(unittest.TestCase):
    def test_against_distance_to_both_neighbours(self):
        rng = random.Random(22)
        samples = [rng.randrange(0x7F7F0000) for _ in range(2000)]
        samples += [(upper << 16) | 0x8000 for upper in range(0x3F80, 0x3FC0)]
        for bits in samples:
            below, above = bits >> 16, (bits >> 16) + 1
            value = binary32.decode(bits)
            to_below = value - binary32.decode(below << 16)
            to_above = binary32.decode(above << 16) - value
            want = below if to_below < to_above else above
            if to_below == to_above:
                want = below if below % 2 == 0 else above
            self.assertEqual(binary32.narrow_half_even(bits), want, hex(bits))


if __name__ == "__main__":
    unittest.main()
