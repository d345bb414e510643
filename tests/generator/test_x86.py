# SPDX-License-Identifier: Apache-2.0
"""The x86-64 sequences: where they are refused, and which cells they serve."""

import unittest
from dataclasses import replace

from generator import binary32, dispatch, family, legality, naming, sequences
from generator.specification import Scale, Specification, ZeroPointClass

BIASED = ZeroPointClass("bias", -(2**31), 2**31 - 1, True)
WIDE = ZeroPointClass("wide", -(2**31), 2**31 - 1)


def specification(
    sequence: str, zero_points: ZeroPointClass, scale: Scale, output: str = "bf16_even"
) -> Specification:
    return Specification("avx512", output, zero_points, scale, "overlap", sequence)


class Refusals(unittest.TestCase):
    def test_native_conversion_wants_normal_results(self):
        native = sequences.find("bias_multiply_native", "avx512")
        spec = specification(native.name, BIASED, Scale("normal"))
        sequences.proof(spec)
        with self.assertRaisesRegex(legality.IllegalSpecification, "subnormal"):
            native.narrowing(replace(spec, scale=Scale("any")))
        # The smallest results: one step of the difference, and a scale at the border.
        self.assertEqual(binary32.staged(1, 0, Scale("normal").bits[0]), 0x00800000)
        self.assertLess(binary32.staged(1, 0, Scale("normal").bits[0] - 1), 0x00800000)

    def test_native_conversion_wants_a_bias(self):
        with self.assertRaises(legality.IllegalSpecification):
            sequences.proof(specification("bias_multiply_native", WIDE, Scale("normal")))

    def test_bias_is_not_for_all_zero_points(self):
        for name, scale in (("bias_multiply", Scale("any")), ("bias_scaled", Scale("powers"))):
            sequences.proof(specification(name, BIASED, scale, "f32"))
            with self.assertRaises(legality.IllegalSpecification):
                sequences.proof(specification(name, WIDE, scale, "f32"))

    def test_upper_halves_want_few_bits(self):
        int8 = ZeroPointClass("int8", -128, 127)
        sequences.proof(specification("bias_scaled", int8, Scale("powers"), "bf16_upper"))
        with self.assertRaises(legality.IllegalSpecification):
            sequences.proof(specification("bias_scaled", BIASED, Scale("powers"), "bf16_upper"))


class Dispatch(unittest.TestCase):
    def names(self, isa: str, slot: str, zero_points: str, kind: str) -> list[str]:
        rows = dispatch.rows(family.load(), isa)
        row = next(
            row for row in rows
            if (row.slot, row.zero_points.name, row.scale.kind) == (slot, zero_points, kind)
        )
        return [naming.kernel_name(cell).removeprefix(f"sima_dequant_{isa}_") for cell in row.cells]

    def test_subnormal_scales_never_meet_the_native_conversion(self):
        for isa in sequences.ISAS:
            for row in dispatch.rows(family.load(), isa):
                if row.scale.kind == "subnormal":
                    for cell in row.cells:
                        self.assertNotEqual(cell.sequence, "bias_multiply_native")

    def test_long_spans_use_the_table(self):
        self.assertEqual(
            self.names("avx512", "bf16", "int8", "middle"),
            ["bf16_even_bias_normal_short", "bf16_even_bias_normal_overlap",
             "bf16_even_bias_normal_overlap", "bf16_even_wide_any_long",
             "bf16_even_wide_any_stream"],
        )

    def test_exact_halves_come_first(self):
        self.assertEqual(
            self.names("avx2", "bf16", "zero", "powers"),
            [f"bf16_upper_int8_powers_{tail}"
             for tail in ("short", "overlap", "overlap", "overlap", "stream")],
        )


if __name__ == "__main__":
    unittest.main()
