# SPDX-License-Identifier: Apache-2.0
"""The solver's claims: that they cover the family, hold where they are quick to settle, and fail
where a step is wrong. All of them: python3 -m generator --prove."""

import contextlib
import io
import sys
import unittest
import unittest.mock

import z3

import generator
from generator import family, legality, prove, prove_x86, sequences, steps, steps_x86
from generator.__main__ import main
from generator.specification import SpecificationError

QUICK = ("narrowing", "difference in 16 bits", "half_multiply", "operand", "scale 2^-8",
         "any admitted scale")


def claim(name: str) -> prove.Claim:
    return next(claim for claim in prove.claims(family.load()) if name in claim.name)


class Claims(unittest.TestCase):
    def test_every_body_is_claimed(self):
        table = family.load()
        names = [claim.name for claim in prove.claims(table)]
        for spec in table.specifications:
            for sequence in filter(None, (spec.sequence, spec.plain_sequence)):
                words = f"{spec.isa} {sequence}, {legality.describe_domain(spec)}"
                self.assertTrue(any(name.startswith(words) for name in names), words)

    def test_every_step_of_every_sequence_has_a_meaning(self):
        x86 = (prove.CONSTANTS | prove_x86.CONSTANTS, prove.WORK | prove_x86.WORK)
        for sequences_of, (constants, known) in (
            (steps._NEON, (prove.CONSTANTS, prove.WORK)), (steps_x86._SEQUENCES, x86)
        ):
            for sequence, (load, work) in sequences_of.items():
                for name in (*load, *(name for name, _ in work)):
                    if not name.startswith("{"):
                        self.assertIn(name, {**constants, **known}, sequence)

    def test_quick_claims_hold(self):
        quick = [
            claim for claim in prove.claims(family.load())
            if any(words in claim.name for words in QUICK) and "1677" not in claim.name
            and "bias" not in claim.name and "-2147483648" not in claim.name
        ]
        self.assertGreater(len(quick), 10)
        for claim in quick:
            with self.subTest(claim.name):
                self.assertEqual(prove.settle(claim).complaint, "")


class Refutations(unittest.TestCase):
    """A proof that cannot fail proves nothing."""

    def refuted(self, name: str) -> None:
        self.assertIn("counterexample", prove.settle(claim(name)).complaint)

    def test_a_wrong_step_is_refuted(self):
        def rounds_up(lane: prove.Lane) -> None:
            lane.registers["y"] = z3.fpToFP(z3.RTP(), lane.registers["half"], prove.F32)
            lane.registers["y"] = z3.fpAdd(prove.RNE, lane.registers["y"], prove.power(-20))

        with unittest.mock.patch.dict(prove.WORK, {"widen_half": rounds_up}):
            self.refuted("half_fixed_point, zero points -128..127, scale 2^-8")

    def test_a_wrong_offset_is_refuted(self):
        def one_off(lane: prove.Lane) -> None:
            lane.constants["offset"] = z3.Extract(15, 0, 1 - lane.operands.zero_point)

        with unittest.mock.patch.object(prove, "_offset_zero_point", one_off):
            self.refuted("difference in 16 bits, zero points -128..127")

    def test_wrong_narrowings_are_refuted(self):
        def half_up(bits: z3.BitVecRef) -> z3.BitVecRef:
            return z3.Extract(31, 16, bits + 0x8000)

        with unittest.mock.patch.object(prove, "narrowed_even", half_up):
            self.refuted("half-even on bits")
        with unittest.mock.patch.object(prove, "narrowed_by", lambda bits, _: half_up(bits)):
            self.refuted("an addend is right")

    def test_an_unknown_step_is_a_failure(self):
        with unittest.mock.patch.dict(prove.WORK):
            del prove.WORK["half_bits"]
            self.assertIn("half_bits", prove.settle(claim("half_subnormal")).complaint)


class CommandLine(unittest.TestCase):
    def run_main(self, *argv: str) -> tuple[int, str]:
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            code = main(list(argv))
        return code, out.getvalue()

    def test_claims_are_settled_and_points_checked(self):
        code, out = self.run_main("--prove", "narrowing")
        self.assertEqual(code, 0, out)
        self.assertIn("5 claims in 6 cases: 5 proved, 0 not", out)
        self.assertIn("are counterexamples", out)

    def test_no_claim_is_a_failure(self):
        self.assertEqual(self.run_main("--prove", "no such words")[0], 1)

    def test_a_wrong_point_is_a_failure(self):
        wrong = prove.Outside("lookup", 1, 0x3F800000, 0, 0xBF800000, 1)
        with unittest.mock.patch.object(prove, "outside_points", lambda: [wrong]):
            code, out = self.run_main("--prove", "narrowing")
        self.assertEqual(code, 1)
        self.assertIn("the definition gives 0xbf800000, lookup 0x00000000", out)

    def test_without_the_solver_one_line_says_what_to_install(self):
        with unittest.mock.patch.dict("sys.modules", {"z3": None}):
            for name in [name for name in sys.modules if name == "generator.prove"]:
                del sys.modules[name]
            with unittest.mock.patch.object(generator, "prove", None, create=True):
                del generator.prove
                code, out = self.run_main("--prove")
        sys.modules["generator.prove"] = generator.prove = prove
        self.assertEqual(code, 1)
        self.assertIn("python3-z3", out)

    def test_what_has_no_case_is_a_failure(self):
        self.assertEqual(prove.settle(prove.Claim("empty", lambda: iter(()))).complaint, "no case")

    def test_what_is_not_settled_in_time_is_a_failure(self):
        with unittest.mock.patch.object(prove, "_answer", lambda terms: (z3.unknown, "")):
            self.assertIn("not settled", prove.settle(claim("half-even on bits")).complaint)


class OneStepOutside(unittest.TestCase):
    def test_each_point_is_a_counterexample(self):
        points = prove.outside_points()
        self.assertGreater(len(points), 20)
        for point in points:
            with self.subTest(point):
                self.assertEqual(prove.check_outside(point), "")

    def test_each_point_of_a_sequence_is_refused(self):
        for point in prove.outside_points():
            if point.what in prove._NARROWED:
                continue
            with self.subTest(point), self.assertRaises(SpecificationError):
                sequences.proof(prove.refused_spec(point))

    def test_a_point_inside_is_no_counterexample(self):
        inside = prove.Outside("lookup", 0, 0x3F800000, 1, 0x3F800000, 0x3F800000)
        self.assertIn("agree", prove.check_outside(inside))


if __name__ == "__main__":
    unittest.main()
