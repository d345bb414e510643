# SPDX-License-Identifier: Apache-2.0
"""A run against a stored one: what must fail, fails, and says what moved."""

import copy
import unittest

from bench.compare import compare


def run() -> dict:
    """A small run of each mode."""
    native = {"execute": {"16": {"nanoseconds": 9.0, "ratio": [1.0, 1.0, 1.0]}},
              "scalar": {"16": {"nanoseconds": 36.0, "ratio": [3.5, 4.0, 4.5]}}}
    return {
        "instructions": {"gcc": {
            "made_by": {"compiler": "gcc 12", "emulator": "qemu 7"},
            "peers": {"present": ["volk"], "absent": []},
            "groups": {"kernels": {"k": {"loop": 25, "per_1024": 814}},
                       "lengths": {"r": {"execute": {"16": 105}, "volk": {"16": 154}}}},
        }},
        "cycles": {"gcc": {"made_by": {"compiler": "gcc 12", "model": "14"},
                           "groups": {"kernels": {"k": {"A55": 24.0}}}}},
        "native": {"gcc": {"made_by": {"compiler": "gcc 12", "machine": "m"},
                           "peers": {"present": [], "absent": ["volk"]},
                           "groups": {"lengths": {"r": native},
                                      "layouts": {"rows": {"f32": {"ratio": [1, 2.0, 3]}}}}}},
    }


class Compare(unittest.TestCase):
    def setUp(self):
        self.stored, self.now = run(), run()

    def groups(self, mode: str) -> dict:
        return self.now[mode]["gcc"]["groups"]

    def compare(self, margin: float = 0.1):
        return compare(self.stored, self.now, margin)

    def test_equal_runs(self):
        result = self.compare()
        self.assertEqual(result.failures(), [])
        self.assertEqual(result.notes, [])
        # Two of the kernel, two lengths, one model, two ratios on lengths, one on layouts.
        self.assertEqual(result.compared, 8)

    def test_one_instruction_more(self):
        self.groups("instructions")["lengths"]["r"]["execute"]["16"] = 106
        self.assertEqual(self.compare().failures(),
                         ["worse: instructions/gcc/lengths/r/execute/16: 105 -> 106"])

    def test_one_instruction_less_is_noted(self):
        self.groups("instructions")["kernels"]["k"]["per_1024"] = 813
        result = self.compare()
        self.assertEqual(result.failures(), [])
        self.assertEqual(result.notes,
                         ["better: instructions/gcc/kernels/k/per_1024: 814 -> 813"])

    def test_modelled_cycles_have_no_margin(self):
        self.groups("cycles")["kernels"]["k"]["A55"] = 24.1
        self.assertEqual(self.compare(0.5).failures(),
                         ["worse: cycles/gcc/kernels/k/A55: 24.0 -> 24.1"])

    def test_a_peer_that_moves_is_no_failure(self):
        self.groups("instructions")["lengths"]["r"]["volk"]["16"] = 200
        result = self.compare()
        self.assertEqual(result.failures(), [])
        self.assertEqual(result.notes,
                         ["moved: instructions/gcc/lengths/r/volk/16: 154 -> 200"])

    def test_ratio_that_falls_past_the_margin(self):
        row = self.groups("native")["lengths"]["r"]["scalar"]["16"]
        row["ratio"] = [3.2, 3.4, 3.45]
        self.assertEqual(self.compare(0.2).failures(), [])
        self.assertEqual(self.compare(0.1).failures(), [
            "worse: native/gcc/lengths/r/scalar/16/ratio: [3.5, 4.0, 4.5] -> [3.2, 3.4, 3.45]"
        ])

    def test_ratio_that_falls_within_the_spread(self):
        row = self.groups("native")["lengths"]["r"]["scalar"]["16"]
        row["ratio"] = [3.2, 3.4, 3.5]
        self.assertEqual(self.compare(0.1).failures(), [])

    def test_ratio_that_rises_is_better(self):
        row = self.groups("native")["lengths"]["r"]["scalar"]["16"]
        row["ratio"] = [5.0, 6.0, 7.0]
        result = self.compare(0.1)
        self.assertEqual(result.failures(), [])
        self.assertRegex(result.notes[0], "^better: native/gcc/lengths/r/scalar")

    def test_layout_ratio_that_rises_past_the_margin(self):
        self.groups("native")["layouts"]["rows"]["f32"]["ratio"] = [3.5, 4.0, 4.5]
        self.assertEqual(self.compare(0.1).failures(), [
            "worse: native/gcc/layouts/rows/f32/ratio: [1, 2.0, 3] -> [3.5, 4.0, 4.5]"
        ])

    def test_gone_and_new_rows(self):
        kernels = self.groups("instructions")["kernels"]
        kernels["other"] = kernels.pop("k")
        result = self.compare()
        self.assertCountEqual(result.failures(), [
            "gone: instructions/gcc/kernels/k/loop: was 25",
            "gone: instructions/gcc/kernels/k/per_1024: was 814",
        ])
        self.assertIn("new: instructions/gcc/kernels/other/loop: 25", result.notes)

    def test_rows_of_an_absent_peer_are_named_and_let_go(self):
        del self.groups("instructions")["lengths"]["r"]["volk"]
        self.now["instructions"]["gcc"]["peers"] = {"present": [], "absent": ["volk"]}
        result = self.compare()
        self.assertEqual(result.failures(), [])
        self.assertRegex(result.notes[0], "volk is absent")

    def test_rows_of_a_present_peer_must_be_there(self):
        del self.groups("instructions")["lengths"]["r"]["volk"]
        self.assertEqual(self.compare().failures(),
                         ["gone: instructions/gcc/lengths/r/volk/16: was 154"])

    def test_another_compiler_or_machine(self):
        self.now["native"]["gcc"]["made_by"]["machine"] = "other"
        self.now["cycles"]["gcc"]["made_by"]["compiler"] = "gcc 13"
        failures = self.compare().failures()
        self.assertEqual(len(failures), 2)
        self.assertRegex(failures[0], "cycles/gcc: not comparable.*gcc 12.*gcc 13")

    def test_another_emulator_counts_alike(self):
        self.now["instructions"]["gcc"]["made_by"]["emulator"] = "qemu 8"
        self.assertEqual(self.compare().failures(), [])

    def test_modes_and_groups_that_were_not_run_are_left_alone(self):
        self.now = {"cycles": copy.deepcopy(self.stored["cycles"])}
        self.assertEqual(self.compare().failures(), [])

    def test_what_was_never_stored(self):
        del self.stored["native"]
        del self.stored["instructions"]["gcc"]["groups"]["kernels"]
        self.assertCountEqual(self.compare().failures(), [
            "native/gcc: not in the stored run",
            "instructions/gcc/kernels: not in the stored run",
        ])

    def test_nothing_to_compare(self):
        self.now = {}
        self.assertEqual(self.compare().failures(), ["nothing was compared"])


if __name__ == "__main__":
    unittest.main()
