# SPDX-License-Identifier: Apache-2.0
"""What is read of the benchmark program's answers."""

import unittest

from bench import program


def marks(*counts: int) -> str:
    return "".join(f"mark {count}\n" for count in counts) + "instructions 999999\n"


class Lists(unittest.TestCase):
    def test_contents(self):
        found = program.parse_list(
            "kernel k_whole\nroute f32_zero_any\nlayout rows_of_4 65536\npeer volk\nabsent onednn\n"
        )
        self.assertEqual(found.kernels, ["k_whole"])
        self.assertEqual(found.routes, ["f32_zero_any"])
        self.assertEqual(found.layouts, {"rows_of_4": 65536})
        self.assertEqual((found.peers, found.absent), (["volk"], ["onednn"]))

    def test_peers_convert_to_f32_only_and_absent_ones_are_not_asked(self):
        contents = program.Contents(peers=["volk"], absent=["xnnpack", "onednn"])
        self.assertEqual(program.subjects_of(contents, "f32_zero_any"),
                         ["execute", "numerical", "scalar", "loop", "volk"])
        self.assertNotIn("volk", program.subjects_of(contents, "bf16_zero_any"))

    def test_sizes(self):
        self.assertEqual(program.size_of("execute:f32_zero_any:17", {}), 17)
        self.assertEqual(program.size_of("layout:dense:bf16", {"dense": 64}), 64)


class Answers(unittest.TestCase):
    TEXT = ("execute:r:16 opened 0 some_kernel\nonednn:r:16 opened 3 reorder s8 -> f32\n"
            "volk:r:16 not-offered\nexecute:r:16 timed 1.0 2.0\n")

    def test_parsed(self):
        answers = program.parse_opened(self.TEXT)
        self.assertEqual(answers["execute:r:16"], program.Opened("some_kernel", 0))
        self.assertEqual(answers["onednn:r:16"], program.Opened("reorder s8 -> f32", 3))
        self.assertIsNone(answers["volk:r:16"])

    def test_peers_may_differ(self):
        program.check_results(program.parse_opened(self.TEXT))

    def test_ours_may_not_differ(self):
        answers = program.parse_opened("layout:dense:f32 opened 1 some_kernel\n")
        with self.assertRaisesRegex(SystemExit, "layout:dense:f32"):
            program.check_results(answers)

    def test_times(self):
        self.assertEqual(program.parse_times(self.TEXT), {"execute:r:16": [1.0, 2.0]})


class Counts(unittest.TestCase):
    def test_second_stretch_less_the_first(self):
        # 7 of overhead, then 10 and 20 calls of 5.
        found = program.parse_counts(marks(100, 157, 264), ["execute:r:16"], 10)
        self.assertEqual(found, {"execute:r:16": 5})

    def test_two_cases(self):
        found = program.parse_counts(marks(0, 10, 30, 100, 130, 190), ["a:b:1", "c:d:2"], 10)
        self.assertEqual(found, {"a:b:1": 1, "c:d:2": 3})

    def test_ours_repeats_exactly(self):
        with self.assertRaisesRegex(SystemExit, "repeats differ"):
            program.parse_counts(marks(0, 10, 31), ["execute:r:16"], 10)

    def test_peers_need_not(self):
        self.assertEqual(program.parse_counts(marks(0, 10, 31), ["volk:r:16"], 10),
                         {"volk:r:16": 1.1})

    def test_a_mark_is_missing(self):
        with self.assertRaisesRegex(SystemExit, "2 marks for 1 cases"):
            program.parse_counts(marks(0, 10), ["execute:r:16"], 10)


if __name__ == "__main__":
    unittest.main()
