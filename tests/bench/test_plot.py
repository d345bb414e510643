# SPDX-License-Identifier: Apache-2.0
"""Plots are well-formed and put points where they belong."""

import re
import unittest
import xml.etree.ElementTree as ElementTree

from bench import plot

SVG = "{http://www.w3.org/2000/svg}"


def sample(points: plot.Points, label: str = "one & two") -> plot.Plot:
    panel = plot.Panel("panel", [plot.Series(label, points, 0), plot.Series("other", points, 9)])
    return plot.Plot("title", ["by whom"], "elements", "instructions", [panel, panel])


class Numbers(unittest.TestCase):
    def test_elements(self):
        self.assertEqual([plot.short_number(n) for n in (1, 1000, 1024, 16384, 1 << 24)],
                         ["1", "1000", "1 Ki", "16 Ki", "16 Mi"])

    def test_figures(self):
        self.assertEqual([plot.short_figure(n) for n in (0.5, 200, 2e3, 1e10)],
                         ["0.5", "200", "2 k", "10 G"])

    def test_ticks_cover_the_interval(self):
        self.assertEqual(plot.ticks_125(3, 40), [2, 5, 10, 20, 50])
        self.assertEqual(plot.ticks_125(1, 10), [1, 2, 5, 10])


class Draw(unittest.TestCase):
    def test_well_formed_with_axes_legend_and_title(self):
        root = ElementTree.fromstring(plot.draw(sample([(1, 8), (16, 2), (256, 1)])))
        texts = [element.text for element in root.iter(f"{SVG}text")]
        for wanted in ("title", "by whom", "elements", "instructions", "one & two", "other", "16"):
            self.assertIn(wanted, texts)
        self.assertEqual(len(list(root.iter(f"{SVG}polyline"))), 4)

    def test_dark_and_light(self):
        text = plot.draw(sample([(1, 8), (16, 2)]))
        self.assertIn("prefers-color-scheme: dark", text)
        classes = set(re.findall(r"class=\"(?:line )?(line\d|dot\d)\"", text))
        for name in classes:
            self.assertEqual(len(re.findall(rf"\.{name} ", text)), 2, name)
        self.assertTrue(classes)

    def test_points_lie_in_their_frame_and_the_right_way_up(self):
        root = ElementTree.fromstring(plot.draw(sample([(1, 8), (16, 2), (256, 1)])))
        line = next(root.iter(f"{SVG}polyline"))
        points = [tuple(map(float, spot.split(","))) for spot in line.attrib["points"].split()]
        xs, ys = zip(*points)
        self.assertEqual(list(xs), sorted(xs))
        self.assertEqual(list(ys), sorted(ys))
        self.assertEqual(xs[-1] - xs[0], plot._WIDTH)
        # Ticks from 1 to 10: 1 stands at the bottom.
        self.assertEqual(ys[-1], plot._TOP + plot._HEIGHT)
        self.assertGreater(ys[0], plot._TOP)

    def test_logarithms_of_nothing_are_refused(self):
        for points in ([], [(0, 1)], [(1, 0)]):
            with self.assertRaises(ValueError):
                plot.draw(sample(points))


if __name__ == "__main__":
    unittest.main()
