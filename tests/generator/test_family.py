# SPDX-License-Identifier: Apache-2.0
"""Names, proofs and refusals, dispatch, and the command line."""

import contextlib
import copy
import io
import json
import signal
import subprocess
import sys
import tempfile
import tomllib
import unittest
import unittest.mock
from pathlib import Path

from generator import binary32, dispatch, family, files, legality, naming, render, sequences
from generator.__main__ import main
from generator.specification import (
    SHAPES,
    Scale,
    Specification,
    SpecificationError,
    ZeroPointClass,
)

DEFAULT = tomllib.loads(family.DEFAULT_FILE.read_text(encoding="utf-8"))


def default_family() -> family.Family:
    return family.build(copy.deepcopy(DEFAULT))


def run(*argv: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(list(argv))
    return code, out.getvalue(), err.getvalue()


def specification(
    low: int, high: int, sequence: str, scale: Scale, output: str = "f32"
) -> Specification:
    return Specification(
        "neon", output, ZeroPointClass("test", low, high), scale, "overlap", sequence
    )


class Names(unittest.TestCase):
    def test_every_name_reads_back_as_its_specification(self):
        for spec in default_family().specifications:
            parts = naming.parse(naming.kernel_name(spec))
            self.assertEqual(parts["isa"], spec.isa)
            self.assertEqual(parts["output"], spec.output)
            self.assertEqual(parts["zero_points"], spec.zero_points.name)
            self.assertEqual(naming.parse_scale(parts["scale"]), spec.scale)
            self.assertEqual(parts["tail"], spec.tail)

    def test_exponents_carry_a_sign_letter(self):
        self.assertEqual(naming.scale_token(Scale("pow2", -4)), "em4")
        self.assertEqual(naming.scale_token(Scale("pow2", 0)), "ep0")
        self.assertEqual(naming.scale_token(Scale("pow2", 8)), "ep8")

    def test_other_words_are_refused(self):
        for name in ("", "memcpy", "sima_dequant_neon_f32_int8_e4_overlap",
                     "sima_dequant_neon_f64_int8_em4_overlap",
                     "sima_dequant_neon_f32_int8_em4_overlap_"):
            with self.assertRaises(SpecificationError):
                naming.parse(name)


class Refusals(unittest.TestCase):
    """An illegal specification names an input and a zero point that break it."""

    def refused(self, spec: Specification) -> legality.IllegalSpecification:
        with self.assertRaises(legality.IllegalSpecification) as caught:
            sequences.proof(spec)
        self.assertIsNotNone(caught.exception.pair)
        value, zero_point = caught.exception.pair
        self.assertIn(f"input {value}, zero point {zero_point}", str(caught.exception))
        self.assertTrue(-128 <= value <= 127)
        self.assertTrue(spec.zero_points.low <= zero_point <= spec.zero_points.high)
        return caught.exception

    def test_exact_class_is_as_wide_as_it_can_be(self):
        scale = Scale("pow2", -4)
        sequences.proof(specification(-16777089, 16777088, "scaled_difference", scale))
        below = self.refused(specification(-16777090, 0, "scaled_difference", scale))
        self.assertEqual(below.pair, (127, -16777090))
        above = self.refused(specification(0, 16777089, "scaled_difference", scale))
        self.assertEqual(above.pair, (-128, 16777089))

    def test_int8_lanes_hold_int8_zero_points_only(self):
        for low, high in ((-129, 0), (0, 128)):
            self.refused(specification(low, high, "fixed_point", Scale("pow2", -1)))
            self.refused(specification(low, high, "integer_difference", Scale("any")))

    def test_conversion_cannot_encode_every_exponent(self):
        for exponent in (-33, 16):
            self.refused(specification(-128, 127, "fixed_point", Scale("pow2", exponent)))
        for exponent in (-32, 15):
            sequences.proof(specification(-128, 127, "fixed_point", Scale("pow2", exponent)))

    def test_scaled_results_stay_normal(self):
        for exponent in (-127, 121):
            with self.assertRaises(legality.IllegalSpecification):
                legality.scaling_is_exact(
                    specification(-128, 127, "fixed_point", Scale("pow2", exponent))
                )
        for exponent in (-126, 120):
            legality.scaling_is_exact(
                specification(-128, 127, "fixed_point", Scale("pow2", exponent))
            )

    def test_upper_half_alone_needs_eight_bits(self):
        scale = Scale("pow2", -1)
        sequences.proof(specification(-128, 127, "fixed_point", scale, "bf16_upper"))
        refused = self.refused(
            specification(-16777089, 16777088, "scaled_difference", scale, "bf16_upper")
        )
        value, zero_point = refused.pair
        bits = binary32.staged(value, zero_point, binary32.power_of_two(-1))
        self.assertNotEqual(bits & 0xFFFF, 0)

    def test_lookup_subtracts_nothing(self):
        self.refused(specification(0, 1, "lookup", Scale("pow2", 0)))
        self.refused(specification(0, 0, "lookup", Scale("pow2", -9)))
        sequences.proof(specification(0, 0, "lookup", Scale("pow2", -8)))
        sequences.proof(specification(0, 0, "lookup", Scale("pow2", 23)))
        self.refused(specification(0, 0, "lookup", Scale("pow2", 24)))

    def test_half_precision_holds_a_range_of_exponents(self):
        for exponent in (-15, 1):
            self.refused(specification(-128, 127, "half_fixed_point", Scale("pow2", exponent)))
        for exponent in (-15, 6):
            self.refused(specification(-128, 127, "half_bias", Scale("pow2", exponent)))
        for exponent in (-14, 5):
            sequences.proof(specification(-128, 127, "half_bias", Scale("pow2", exponent)))

    def test_half_subnormals_are_for_one_zero_point(self):
        sequences.proof(specification(-128, -128, "half_subnormal", Scale("under104")))
        self.refused(specification(-128, -127, "half_subnormal", Scale("under104")))
        # From 2^104 on the scale times 2^24 overflows, where the staged product need not.
        with self.assertRaises(legality.IllegalSpecification):
            legality.product_with_lifted_scale(
                specification(-128, -128, "half_subnormal", Scale("any"))
            )

    def test_bias_must_be_representable(self):
        sequences.proof(specification(-25165952, 8388480, "bias_scaled", Scale("powers")))
        refused = self.refused(specification(0, 8388481, "bias_scaled", Scale("powers")))
        self.assertEqual(refused.pair, (1, 8388481))
        self.refused(specification(-25165953, 0, "bias_scaled", Scale("powers")))
        self.refused(specification(-(2**31), 2**31 - 1, "bias_scaled", Scale("powers")))

    def test_half_bias_must_be_representable(self):
        first = 2**24 - 1151
        sequences.proof(specification(-(2**31), first - 1, "bias_multiply", Scale("any")))
        refused = self.refused(specification(0, first, "bias_multiply", Scale("any")))
        self.assertEqual(refused.pair, (1, first))
        self.refused(specification(-(2**31), 2**31 - 1, "bias_multiply", Scale("any")))

    def test_zero_points_without_a_half_bias_are_where_they_are_looked_for(self):
        near_binades = set(legality._zero_points_below_binades())
        step = 12347
        for zero_point in (*range(-(2**31), 2**31, step), *range(2**24, 2**25, 61)):
            if legality._lacks_half_bias(zero_point):
                self.assertIn(zero_point, near_binades)
        for exponent in range(24, 31):
            for zero_point in range(2**exponent - 1160, 2**exponent + 8):
                if legality._lacks_half_bias(zero_point):
                    self.assertIn(zero_point, near_binades)

    def test_biased_class_is_what_the_test_at_run_time_admits(self):
        biased = ZeroPointClass("bias", -(2**31), 2**31 - 1, True)
        spec = Specification("neon", "f32", biased, Scale("any"), "overlap", "bias_multiply")
        sequences.proof(spec)
        self.assertTrue(biased.contains(ZeroPointClass("int8", -128, 127)))
        self.assertTrue(biased.contains(ZeroPointClass("near", -25165952, 8388480)))
        self.assertFalse(biased.contains(ZeroPointClass("near", -25165952, 8388481)))
        self.assertFalse(biased.contains(ZeroPointClass("wide", -(2**31), 2**31 - 1)))

    def test_half_precision_wants_a_sequence_for_cores_without_it(self):
        spec = specification(-128, 127, "", Scale("any"))
        settled = sequences.choose(spec, ["half_multiply", "integer_difference"])
        self.assertEqual(settled.sequence, "half_multiply")
        self.assertEqual(settled.plain_sequence, "integer_difference")
        with self.assertRaisesRegex(SpecificationError, "needs FP16 arithmetic"):
            sequences.choose(spec, ["half_multiply"])

    def test_a_row_without_sequences_gets_the_preferred_ones(self):
        for low, high, scale, output, want in (
            (0, 0, Scale("pow2", 3), "f32", "lookup"),
            (0, 0, Scale("pow2", -12), "f32", "half_fixed_point"),
            (5, 5, Scale("pow2", 3), "bf16_upper", "half_bias"),
            (-128, -128, Scale("under104"), "bf16_tiefree", "half_subnormal"),
            (300, 300, Scale("any"), "f32", "bias_multiply"),
            (8388481, 8388481, Scale("any"), "f32", "bias_multiply"),
            (2**24 - 1, 2**24 - 1, Scale("any"), "f32", "staged_lookup"),
            (-128, -128, Scale("pow2", 7), "f32", "lookup_unsigned"),
            (8388481, 8388481, Scale("pow2", 3), "f32", "scaled_difference"),
        ):
            spec = specification(low, high, "", scale, output)
            settled = sequences.choose(spec, sequences.preferred(spec))
            self.assertEqual(settled.sequence, want)

    def test_a_wrong_model_is_not_believed(self):
        spec = specification(16777217, 16777217, "staged", Scale("any"))
        staged = sequences.find("staged", "neon")
        integer_model = sequences.find("integer_difference", "neon").model
        wrong = sequences.Sequence(**{**vars(staged), "model": integer_model})
        with unittest.mock.patch.object(sequences, "find", return_value=wrong):
            with self.assertRaises(legality.IllegalSpecification) as caught:
                sequences.cross_check(spec)
        self.assertIn("the staged expression", str(caught.exception))


class Dispatch(unittest.TestCase):
    def test_every_cell_is_served_within_the_kernels_domain(self):
        table = default_family()
        for isa in table.isas:
            for row in dispatch.rows(table, isa):
                for length, spec in zip(dispatch.LENGTH_TAILS, row.cells):
                    self.assertIn(spec.output, dispatch.OUTPUT_SLOTS[row.slot])
                    self.assertTrue(spec.zero_points.contains(row.zero_points))
                    self.assertTrue(spec.scale.contains(row.scale))
                    self.assertIn(spec.tail, dispatch.LENGTH_TAILS[length])

    def test_every_plane_is_served_within_the_kernels_domain(self):
        table = default_family()
        for isa in table.isas:
            for row in dispatch.plane_rows(table, isa):
                for shape, spec in zip(SHAPES, row.cells):
                    if spec is None:
                        self.assertNotEqual(isa, "neon")
                        continue
                    self.assertIn(spec.output, dispatch.OUTPUT_SLOTS[row.slot])
                    self.assertTrue(spec.zero_points.contains(row.zero_points))
                    self.assertEqual(spec.scale, Scale("any"))
                    self.assertEqual(spec.tail, shape)

    def test_special_kernels_serve_their_own_cells(self):
        rows = dispatch.rows(default_family(), "neon")
        row = next(
            row for row in rows
            if (row.slot, row.zero_points.name, row.scale) == ("f32", "int8", Scale("pow2", -4))
        )
        names = [naming.kernel_name(spec) for spec in row.cells]
        self.assertEqual(
            names,
            [f"sima_dequant_neon_f32_int8_em4_{tail}"
             for tail in ("short", "whole", "overlap", "overlap", "overlap")],
        )

    def test_general_kernels_serve_what_no_row_does(self):
        data = {
            "zero_points": {"mine": [-3, -3]},
            "exponents": [-8, -7],
            "row": [{"isa": ["neon"], "output": ["f32"], "zero_point": ["mine"],
                     "scale": ["pow2"], "tail": ["overlap"]}],
        }
        table = family.build(data)
        self.assertEqual(table.isas, ("neon", "portable"))
        names = {naming.kernel_name(spec) for spec in table.specifications}
        general = {f"sima_dequant_{isa}_{output}_wide_any_scalar"
                   for isa in table.isas for output in ("f32", "bf16_even")}
        self.assertEqual(
            names, general | {"sima_dequant_neon_f32_mine_em8_overlap",
                              "sima_dequant_neon_f32_mine_em7_overlap"})
        rows = dispatch.rows(table, "neon")
        own = [row for row in rows if row.slot == "f32" and row.zero_points.name == "mine"]
        self.assertEqual([cell.tail for cell in own[-1].cells], ["scalar", *["overlap"] * 4])

    def test_a_general_row_of_the_family_is_not_repeated(self):
        self.assertEqual(len(default_family().specifications),
                         len({naming.kernel_name(s) for s in default_family().specifications}))


class BadFamilies(unittest.TestCase):
    """One line that names the row, the axis and the reason."""

    def check(self, pattern: str, change) -> None:
        data = copy.deepcopy(DEFAULT)
        change(data)
        with self.assertRaisesRegex(SpecificationError, pattern) as caught:
            family.build(data)
        self.assertNotIn("\n", str(caught.exception))

    def test_unknown_values(self):
        for axis in ("isa", "output", "zero_point", "scale", "tail"):
            self.check(
                f"row 2: axis {axis}: 'x' is unknown; admitted: ",
                lambda data, axis=axis: data["row"][1].update({axis: ["x"]}),
            )

    def test_missing_axis(self):
        self.check("row 1: axis tail: wants a list", lambda data: data["row"][0].pop("tail"))

    def test_unknown_keys(self):
        self.check("unknown key 'rows'", lambda data: data.update(rows=[]))
        self.check("row 1: unknown key 'tails'", lambda data: data["row"][0].update(tails=[]))

    def test_unknown_sequence(self):
        self.check(
            "row 1: axis sequence: 'magic' is unknown for neon; known: ",
            lambda data: data["row"][0].update(sequence=["magic"]),
        )

    def test_sequence_not_written_for_an_axis_value(self):
        self.check(
            "row 1: no sequence computes f32 on neon for zero point 0, any admitted scale: lookup: "
            "axis scale: sequence 'lookup' is not written for 'any'",
            lambda data: data["row"][0].update(scale=["any"]),
        )

    def test_plane_for_one_scale(self):
        self.check(
            "row 1: axis tail: 'rows' is written for scale 'any' alone",
            lambda data: data["row"][0].update(tail=["overlap", "rows"]),
        )

    def test_repeated_kernel(self):
        self.check("stands in an earlier row", lambda data: data["row"].append(data["row"][0]))

    def test_illegal_row(self):
        self.check(
            "row 1: .*input 127, zero point -16777089: the sequence subtracts nothing",
            lambda data: data["row"][0].update(zero_point=["exact"]),
        )

    def test_intervals(self):
        for interval in ([1, 0], [0], [0, 2**31], "all", [0.0, 1.0], [False, True],
                         [0, 0, "bias"], [0, 0, "biased", "biased"], ["biased"]):
            self.check(
                "zero_points: 'zero' wants",
                lambda data, interval=interval: data["zero_points"].update(zero=interval),
            )

    def test_last_class_is_all_of_int32(self):
        self.check("'wide' must be the last class",
                   lambda data: data["zero_points"].update(wide=[-(2**30), 2**30]))
        self.check("no \\[zero_points\\]", lambda data: data.pop("zero_points"))

    def test_unreachable_class(self):
        def shadow(data):
            data["zero_points"] = {"all": [-(2**31), 2**31 - 1], **data["zero_points"]}

        self.check("'zero' is never reached", shadow)

    def test_class_names(self):
        self.check(
            "is no class name", lambda data: data["zero_points"].update({"a_b": [0, 0]})
        )

    def test_exponents(self):
        for value in ([8, -8], [-150, 0], [0, 128], "all", [0]):
            self.check("exponents: wants", lambda data, value=value: data.update(exponents=value))
        self.check("axis scale: 'pow2' wants the key", lambda data: data.pop("exponents"))

    def test_no_rows(self):
        self.check("no \\[\\[row\\]\\]", lambda data: data.pop("row"))


class Pipes(unittest.TestCase):
    def test_a_reader_that_stops_early(self):
        command = [sys.executable, "-m", "generator", "--list"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              cwd=Path(__file__).parents[2]) as running:
            running.stdout.close()
            said = running.stderr.read()
        self.assertEqual((running.returncode, said), (128 + signal.SIGPIPE, b""))


class Files(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.out = Path(scratch.name) / "out"

    def test_checked_in_files_are_current(self):
        code, _, err = run("--check")
        self.assertEqual((code, err), (0, ""))

    def test_rendering_is_reproducible(self):
        command = "python3 -m generator"
        self.assertEqual(
            render.render(default_family(), command), render.render(default_family(), command)
        )

    def test_check_tells_stale_missing_and_orphaned(self):
        self.assertEqual(run("--out", str(self.out))[0], 0)
        self.assertEqual(run("--check", "--out", str(self.out))[0], 0)
        (self.out / "kernels.h").write_text("stale")
        (self.out / "families.c").unlink()
        (self.out / "orphan.c").write_text("/* Generated by: python3 -m generator */")
        code, _, err = run("--check", "--out", str(self.out))
        self.assertEqual(code, 1)
        for line in ("stale: kernels.h", "missing: families.c", "orphaned: orphan.c"):
            self.assertIn(line, err)
        self.assertEqual(run("--out", str(self.out))[0], 0)
        self.assertEqual(run("--check", "--out", str(self.out))[0], 0)

    def test_writing_spares_files_of_others(self):
        self.out.mkdir()
        (self.out / "notes.txt").write_text("mine")
        run("--out", str(self.out))
        self.assertEqual((self.out / "notes.txt").read_text(), "mine")

    def test_manifest_holds_every_kernel_once(self):
        table = default_family()
        manifest = json.loads(render.render(table, "command")["manifest.json"])
        names = [
            kernel["name"]
            for isa in manifest["families"]
            for kernel in isa["kernels"] + isa["planes"]
        ]
        self.assertEqual(len(names), len(set(names)))
        self.assertEqual(set(names), {naming.kernel_name(spec) for spec in table.specifications})

    def test_every_file_says_how_it_is_made(self):
        for name, text in render.render(default_family(), "python3 -m generator").items():
            self.assertIn(files.MARK, text, name)

    def test_the_family_option_reads_another_table(self):
        path = self.out.parent / "small.toml"
        path.write_text(
            '[zero_points]\nwide = [-2147483648, 2147483647]\n[[row]]\nisa = ["portable"]\n'
            'output = ["f32", "bf16_even"]\nzero_point = ["wide"]\nscale = ["any"]\n'
            'sequence = ["expression"]\ntail = ["scalar"]\n'
        )
        code, _, err = run("--family", str(path), "--out", str(self.out))
        self.assertEqual((code, err), (0, ""))
        self.assertTrue((self.out / "portable_dispatch.c").exists())
        self.assertFalse((self.out / "neon_dispatch.c").exists())
        path.write_text("[[row]\n")
        code, _, err = run("--family", str(path), "--out", str(self.out))
        self.assertEqual(code, 1)
        self.assertEqual(err.count("\n"), 1)
        self.assertIn("small.toml", err)


class CommandLine(unittest.TestCase):
    def test_list_counts_the_kernels(self):
        code, out, _ = run("--list")
        self.assertEqual(code, 0)
        self.assertIn(f"{len(default_family().specifications)} kernels", out)

    def test_describe_shows_domain_and_proof(self):
        code, out, _ = run("--describe", "sima_dequant_neon_bf16_upper_int8_em4_overlap")
        self.assertEqual(code, 0)
        for part in ("zero points -128..127, scale 2^-4", "proof P1", "bf16 int8 em4: ragged"):
            self.assertIn(part, out)

    def test_describe_every_kernel(self):
        for spec in default_family().specifications[::37]:
            self.assertEqual(run("--describe", naming.kernel_name(spec))[0], 0)

    def test_describe_refuses_strangers(self):
        for name in ("memcpy", "sima_dequant_neon_f32_int8_em99_overlap"):
            code, _, err = run("--describe", name)
            self.assertEqual(code, 1)
            self.assertEqual(err.count("\n"), 1)


class Corners(unittest.TestCase):
    def test_a_family_wants_a_place(self):
        with self.assertRaises(SystemExit):
            run("--family", "mine.toml")

    def test_a_file_that_cannot_be_read_is_named(self):
        code, _, err = run("--family", "/nowhere/mine.toml", "--list")
        self.assertEqual(code, 1)
        self.assertEqual(len(err.splitlines()), 1)
        self.assertIn("mine.toml", err)

    def test_sequences_are_a_list_of_names(self):
        data = copy.deepcopy(DEFAULT)
        data["row"][0]["sequence"] = "lookup"
        with self.assertRaisesRegex(SpecificationError, "wants a list of names"):
            family.build(data)

    def test_a_place_that_is_not_there_holds_no_files(self):
        self.assertEqual(files.compare({}, Path("/nowhere/at/all")), [])

    def test_a_scaled_bias_does_not_overflow(self):
        wide = ZeroPointClass("test", -(2**31), 2**31 - 1, True)
        spec = Specification("neon", "f32", wide, Scale("pow2", 97), "overlap", "bias_scaled")
        with self.assertRaisesRegex(legality.IllegalSpecification, "the scaled bias overflows"):
            sequences.proof(spec)

    def test_a_difference_outside_the_domain_has_no_pair(self):
        self.assertIsNone(specification(0, 0, "lookup", Scale("any")).pair_for(129))


if __name__ == "__main__":
    unittest.main()
