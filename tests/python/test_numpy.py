# SPDX-License-Identifier: Apache-2.0
"""The Python example against NumPy's own arithmetic, bit for bit, over views.

The shared library is named by SIMA_LIBRARY.
"""

import os
import sys
import unittest
from pathlib import Path

import numpy
from numpy.lib.stride_tricks import as_strided, sliding_window_view

sys.path.insert(0, str(Path(__file__).parents[2] / "examples" / "python"))

import dequant  # noqa: E402

LIBRARY = dequant.load(os.environ["SIMA_LIBRARY"])
SCALES = (2.0**-8, 0.1, 0.25, 1.0, 3.0, 256.0, 1e-40, 3e38, 2.0**-149, 2.0**97)
ZERO_POINTS = (0, -128, 127, -3, 1000, 16777088, -16777090, 16777217, 2**31 - 1, -(2**31))


def staged(x: numpy.ndarray, scale: float, zero_point: int) -> numpy.ndarray:
    """Bits of the definition, one binary32 operation after the other."""
    with numpy.errstate(all="ignore"):
        difference = numpy.subtract(x.astype("f4"), numpy.float32(zero_point), dtype="f4")
        product = numpy.multiply(difference, numpy.float32(scale), dtype="f4")
    return numpy.asarray(product).view("u4")


def narrowed(bits: numpy.ndarray) -> numpy.ndarray:
    """BF16 words: to nearest, ties to even."""
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype("u2")


def random_view(rng: numpy.random.Generator, shape: tuple[int, ...], dtype: str):
    """A view of this shape, with gaps and in any order of axes, and the array behind it."""
    order = rng.permutation(len(shape))
    steps = rng.integers(1, 4, len(shape))
    starts = rng.integers(0, 3, len(shape))
    extents = [int(starts[i] + steps[i] * shape[i] + rng.integers(0, 2)) for i in order]
    whole = rng.integers(0, 256, (*extents, numpy.dtype(dtype).itemsize), "u1")
    whole = whole.view(dtype)[..., 0]
    view = whole.transpose(numpy.argsort(order))
    view = view[(*(slice(int(a), int(a + s * n), int(s))
                   for a, s, n in zip(starts, steps, shape)), ...)]
    assert view.shape == shape and numpy.shares_memory(view, whole) == (view.size > 0)
    return view, whole


class Views(unittest.TestCase):
    def check(self, x, y, whole, scale, zero_point):
        """`whole` is what `y` is a view of."""
        bits = staged(x, scale, zero_point)
        want = bits if y.dtype == "f4" else narrowed(bits)
        before = whole.tobytes()
        dequant.dequantize(LIBRARY, x, y, scale, zero_point)
        self.assertTrue(numpy.array_equal(y.view(want.dtype), want), (x.shape, x.strides))
        # With what stood there before, everything is as it was: no gap was written.
        offset = y.ctypes.data - whole.ctypes.data if y.size else 0
        stood = numpy.ndarray(y.shape, want.dtype, bytearray(before + b"\0"), offset, y.strides)
        y.view(want.dtype)[...] = stood
        self.assertEqual(whole.tobytes(), before)

    def test_random_views(self):
        rng = numpy.random.default_rng(41)
        for _ in range(3000):
            shape = tuple(int(n) for n in rng.integers(0, 6, rng.integers(0, 7)))
            if rng.integers(3) == 0:
                shape = (*shape[:2], int(rng.integers(1, 300)))
            x, _ = random_view(rng, shape, "i1")
            y, whole = random_view(rng, shape, rng.choice(["f4", "u2"]))
            self.check(x, y, whole, float(rng.choice(SCALES)), int(rng.choice(ZERO_POINTS)))

    def test_every_input_and_parameter(self):
        x = numpy.arange(256, dtype="u1").view("i1").reshape(16, 16)
        for source in (x, x.T, x[:, ::3], x[1::2]):
            for scale in SCALES:
                for zero_point in ZERO_POINTS:
                    for dtype in ("f4", "u2"):
                        y = numpy.empty(source.shape, dtype)
                        self.check(source, y, y, scale, zero_point)

    def test_views_of_other_kinds(self):
        x = numpy.arange(-60, 60, dtype="i1").reshape(2, 3, 4, 5)
        pairs = numpy.zeros(7, [("before", "i1"), ("value", "i1"), ("after", "f4")])
        pairs["value"] = range(7)
        for source in (x[:, None], x.swapaxes(1, 3), numpy.moveaxis(x, 0, -1), x[..., 0],
                       numpy.asfortranarray(x), x[:0], numpy.array(5, "i1"), pairs["value"],
                       x.reshape(-1)[::7], x[0].diagonal(),
                       numpy.broadcast_to(x, (1, 1, 2, 3, 4, 5)),
                       as_strided(x, (3, 5), (6, 1)), as_strided(x, (1, 4), (0, 3))):
            y = numpy.zeros(source.shape, "f4")
            self.check(source, y, y, 0.1, 7)
        # A record's field may be the output, too.
        records = numpy.zeros(7, [("before", "f4"), ("value", "f4"), ("after", "f4")])
        self.check(pairs["value"], records["value"], records, 0.1, 7)

    def test_what_the_contract_refuses(self):
        x = numpy.zeros((4, 6), "i1")
        y = numpy.full((4, 6), 9, "f4")
        wide = numpy.zeros((1,) * 7, "i1")
        for source, target, words in (
            (x[::-1], y, "negative"), (x, y[:, ::-1], "negative"),
            (numpy.broadcast_to(x[0], (4, 6)), y, "broadcasting"),
            (sliding_window_view(x[0], 3), numpy.empty((4, 3), "f4"), "stride"),
            (x, y.T, "shape|extent"), (x[:2], y, "shape|extent"),
            (wide, numpy.empty(wide.shape, "f4"), "rank"),
        ):
            with self.assertRaisesRegex(ValueError, words):
                dequant.dequantize(LIBRARY, source, target, 1.0)
        for source, target in ((x.view("u1"), y), (x, y.astype("f8")), (x, y.astype(">f4"))):
            with self.assertRaises(TypeError):
                dequant.dequantize(LIBRARY, source, target, 1.0)
        for scale in (0.0, -1.0, float("nan"), float("inf")):
            with self.assertRaisesRegex(ValueError, "scale"):
                dequant.dequantize(LIBRARY, x, y, scale)
        y.flags.writeable = False
        with self.assertRaises(TypeError):
            dequant.dequantize(LIBRARY, x, y, 1.0)
        self.assertTrue((y == 9).all())

    def test_overlap_is_refused(self):
        room = numpy.zeros(64, "u1")
        x, y = room[:16].view("i1"), room[12:].view("f4")[:16 - 3]
        with self.assertRaisesRegex(ValueError, "overlap|share"):
            dequant.dequantize(LIBRARY, x[:13], y, 1.0)

    def test_the_example_is_short(self):
        """Thirty lines: those that are neither blank nor comment nor the module's own text."""
        text = Path(dequant.__file__).read_text(encoding="utf-8").split('"""\n', 2)[-1]
        lines = [line for line in text.splitlines() if line.strip()]
        self.assertLessEqual(len(lines), 36)


if __name__ == "__main__":
    unittest.main()
