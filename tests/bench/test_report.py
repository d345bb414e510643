# SPDX-License-Identifier: Apache-2.0
"""Tables, and the choice of what is run."""

import unittest

from bench import report
from bench.__main__ import plan, select


def layouts(dense: float, rows: float, extra: int) -> dict:
    return {name: {to: {"per_element": value, "prepare": prepare} for to in ("f32", "bf16")}
            for name, value, prepare in (("dense", dense, 500), ("rows", rows, 500 + extra))}


def results() -> dict:
    def run(groups: dict) -> dict:
        return {"peers": {"present": ["volk"], "absent": ["onednn"], "inexact": {"volk:r:16": 2}},
                "groups": groups}
    return {
        "instructions": {
            "gcc": run({"kernels": {"k": {"loop": 25, "per_1024": 1024}},
                        "layouts": layouts(1.0, 2.0, 30)}),
            "clang": run({"kernels": {"k": {"loop": 24, "per_1024": 512}},
                          "layouts": layouts(0.5, 1.5, 20)}),
        },
        "cycles": {c: {"groups": {"kernels": {"k": {"A55": 24.0, "A65": 32.0, "N1": 26.1}}}}
                   for c in ("gcc", "clang")},
    }


class Report(unittest.TestCase):
    def test_absent_and_inexact_peers_are_named(self):
        text = report.text(results())
        self.assertIn("absent: onednn", text)
        self.assertIn("not those of the staged expression: volk", text)

    def test_layouts_take_the_worse_compiler(self):
        groups = {c: r["groups"]["layouts"] for c, r in results()["instructions"].items()}
        row = report.worst_layouts(groups)["rows"]
        self.assertEqual((row["f32"], row["f32_ratio"], row["f32_prepare"]), (2.0, 3.0, 30))

    def test_markdown(self):
        lines = report.markdown(results()).splitlines()
        self.assertIn("| `k` | 25 | 24.0 | 1.00 | 24 | 24.0 | 0.50 |", lines)
        self.assertIn("| rows | 2.00 | 3.00 | 2.00 | +30 |", lines)
        for line in filter(None, lines):
            self.assertTrue(line.startswith("| ") and line.endswith("|"), line)

    def test_one_mode_alone(self):
        only_cycles = {"cycles": results()["cycles"]}
        self.assertIn("24.0", report.text(only_cycles))
        self.assertEqual(report.markdown(only_cycles), "")


class Plans(unittest.TestCase):
    def test_groups_of_a_mode(self):
        self.assertEqual(plan(["cycles"], []), {"cycles": ["kernels"]})
        self.assertEqual(plan(["instructions", "native"], ["layouts"]),
                         {"instructions": ["layouts"], "native": ["layouts"]})
        self.assertEqual(plan(["native"], ["kernels"]), {})

    def test_of_a_stored_run(self):
        found = select(results(), {"instructions": ["kernels"]})
        self.assertEqual(list(found), ["instructions"])
        self.assertEqual(list(found["instructions"]["gcc"]["groups"]), ["kernels"])


if __name__ == "__main__":
    unittest.main()
