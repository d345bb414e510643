# SPDX-License-Identifier: Apache-2.0
"""The ONNX example: ONNX's own node cases, and models made here.

The shared library is named by SIMA_LIBRARY; the node cases are those of libonnx-testdata.
"""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy
import onnx
import onnx.helper
import onnx.numpy_helper

EXAMPLE = Path(__file__).parents[2] / "examples" / "onnx" / "dequantize.py"
sys.path.insert(0, str(EXAMPLE.parent))

import dequantize  # noqa: E402

LIBRARY = dequantize.dequant.load(os.environ["SIMA_LIBRARY"])
CASES = Path("/usr/share/libonnx-testdata/data/node")


def tensor(path: Path) -> numpy.ndarray:
    return onnx.numpy_helper.to_array(onnx.load_tensor(str(path)))


def node(*inputs: str, axis: int | None = None) -> onnx.NodeProto:
    attributes = {} if axis is None else {"axis": axis}
    return onnx.helper.make_node("DequantizeLinear", list(inputs), ["y"], **attributes)


def staged(x, scale, zero_point):
    return (x.astype("f4") - zero_point.astype("f4")) * scale


class NodeCases(unittest.TestCase):
    """Inputs, attributes and expected outputs as ONNX publishes them."""

    def test_every_case(self):
        names = []
        for case in sorted(CASES.glob("test_dequantizelinear*")):
            model = onnx.load(str(case / "model.onnx"))
            (only,) = model.graph.node
            for data in sorted(case.glob("test_data_set_*")):
                values = {name: tensor(data / f"input_{i}.pb")
                          for i, name in enumerate(only.input)}
                want = tensor(data / "output_0.pb")
                got = dequantize.dequantize_node(LIBRARY, only, values)
                self.assertEqual((got.dtype, got.shape), (want.dtype, want.shape))
                self.assertEqual(got.tobytes(), want.tobytes(), case.name)
                names.append(case.name)
        self.assertEqual(names, ["test_dequantizelinear", "test_dequantizelinear_axis"])


class Models(unittest.TestCase):
    def setUp(self):
        self.rng = numpy.random.default_rng(51)

    def values(self, dtype: str, shape: tuple[int, ...], count: tuple[int, ...]):
        limits = numpy.iinfo(dtype)
        return {
            "x": self.rng.integers(limits.min, limits.max + 1, shape, dtype),
            "s": (self.rng.random(count, "f4") + numpy.float32(1e-3)),
            "z": self.rng.integers(limits.min, limits.max + 1, count, dtype),
        }

    def test_each_axis_and_none(self):
        shape = (3, 5, 7, 2)
        for dtype in ("i1", "u1"):
            values = self.values(dtype, shape, ())
            values = {name: numpy.asarray(value) for name, value in values.items()}
            got = dequantize.dequantize_node(LIBRARY, node("x", "s", "z"), values)
            self.assertEqual(got.tobytes(), staged(values["x"], values["s"],
                                                   values["z"]).tobytes())
            for axis in range(-4, 4):
                values = self.values(dtype, shape, (shape[axis],))
                column = [-1 if i == axis % 4 else 1 for i in range(4)]
                want = staged(values["x"], values["s"].reshape(column),
                              values["z"].reshape(column))
                got = dequantize.dequantize_node(LIBRARY, node("x", "s", "z", axis=axis), values)
                self.assertEqual(got.tobytes(), want.tobytes(), (dtype, axis))

    def test_zero_points_may_be_left_out(self):
        values = self.values("u1", (4, 3), (3,))
        want = staged(values["x"], values["s"], numpy.zeros(3))
        for inputs in (("x", "s"), ("x", "s", "")):
            got = dequantize.dequantize_node(LIBRARY, node(*inputs), values)
            self.assertEqual(got.tobytes(), want.tobytes())

    def test_refusals(self):
        good = self.values("i1", (4, 3), (3,))
        for change, words in (
            ({"x": good["x"].astype("i4"), "z": good["z"].astype("i4")}, "int32"),
            ({"z": good["z"].view("u1")}, "zero point"), ({"s": good["s"].astype("f2")}, "float16"),
            ({"z": good["z"][:2]}, "zero points"),
            ({"s": good["s"][:2], "z": good["z"][:2]}, "along axis"),
            ({"s": good["s"].reshape(3, 1), "z": good["z"].reshape(3, 1)}, "blocks"),
        ):
            with self.assertRaisesRegex(dequantize.Refused, words):
                dequantize.dequantize_node(LIBRARY, node("x", "s", "z"), good | change)
        with self.assertRaisesRegex(dequantize.Refused, "axis 2"):
            dequantize.dequantize_node(LIBRARY, node("x", "s", "z", axis=2), good)
        with self.assertRaisesRegex(ValueError, "zero"):
            dequantize.dequantize_node(LIBRARY, node("x", "s", "z"), good | {"s": 0 * good["s"]})

    def model(self, values: dict[str, numpy.ndarray], version: int) -> onnx.ModelProto:
        constants = [onnx.numpy_helper.from_array(value, name) for name, value in values.items()]
        info = onnx.helper.make_tensor_value_info
        held = onnx.helper.make_node("Constant", [], ["half"], value=onnx.numpy_helper.from_array(
            numpy.array(0.5, "f4")))
        nodes = [held, node("x", "s", "z", axis=0)]
        for inputs, output in ((("given", "half"), "later"), (("x", "half"), "whole")):
            nodes.append(onnx.helper.make_node("DequantizeLinear", inputs, [output]))
        graph = onnx.helper.make_graph(
            nodes, "graph", [info("given", onnx.TensorProto.INT8, (4, 3))],
            [info("y", onnx.TensorProto.FLOAT, (4, 3))], constants)
        return onnx.helper.make_model(
            graph, opset_imports=[onnx.helper.make_opsetid("", version)])

    def test_the_command(self):
        values = self.values("i1", (4, 3), (4,))
        with tempfile.TemporaryDirectory() as scratch:
            model, out = Path(scratch) / "model.onnx", Path(scratch) / "out.npz"
            command = [sys.executable, str(EXAMPLE), os.environ["SIMA_LIBRARY"], str(model),
                       str(out)]
            onnx.save(self.model(values, 13), str(model))
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            self.assertEqual(done.stdout, "y: (4, 3)\nwhole: (4, 3)\n2 tensors\n")
            with numpy.load(out) as results:
                self.assertEqual(sorted(results), ["whole", "y"])
                want = staged(values["x"], values["s"][:, None], values["z"][:, None])
                self.assertEqual(results["y"].tobytes(), want.tobytes())
                self.assertTrue((results["whole"] == values["x"] * numpy.float32(0.5)).all())
            onnx.save(self.model(values, 21), str(model))
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 1)
            self.assertIn("operator set 21", done.stderr)


if __name__ == "__main__":
    unittest.main()
