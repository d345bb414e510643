# SPDX-License-Identifier: Apache-2.0
"""Medians, quartiles, ratios."""

import unittest

from bench import native


class Statistics(unittest.TestCase):
    def test_quartiles(self):
        self.assertEqual(native.summary([5.0, 1.0, 3.0, 2.0, 4.0]), [2.0, 3.0, 4.0])
        self.assertEqual(native.summary([2.0]), [2.0, 2.0, 2.0])

    def test_ratios_are_of_the_same_round(self):
        # Twice as slow in each round, however the machine drifts.
        times = {"execute:r:10": [1.0, 10.0, 100.0], "scalar:r:10": [2.0, 20.0, 200.0]}
        rows = native.evaluate(times, "execute:r:10", dict.fromkeys(times, 10))
        self.assertEqual(rows["scalar:r:10"]["ratio"], [2.0, 2.0, 2.0])
        self.assertEqual(rows["execute:r:10"]["ratio"], [1.0, 1.0, 1.0])
        self.assertEqual(rows["execute:r:10"]["nanoseconds"], 10.0)
        self.assertEqual(rows["execute:r:10"]["elements_per_second"], 1e9)

    def test_other_sizes_are_compared_by_element(self):
        times = {"layout:dense:f32": [10.0], "layout:rows_of_4:f32": [10.0]}
        rows = native.evaluate(times, "layout:dense:f32",
                               {"layout:dense:f32": 100, "layout:rows_of_4:f32": 50})
        self.assertEqual(rows["layout:rows_of_4:f32"]["ratio"][1], 2.0)

    def test_rounds_must_pair(self):
        with self.assertRaises(ValueError):
            native.evaluate({"a:r:1": [1.0, 2.0], "b:r:1": [1.0]}, "b:r:1",
                            {"a:r:1": 1, "b:r:1": 1})


if __name__ == "__main__":
    unittest.main()
