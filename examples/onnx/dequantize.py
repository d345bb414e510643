# SPDX-License-Identifier: Apache-2.0
"""Dequantizes what an ONNX model holds: the DequantizeLinear nodes whose inputs are constants.

usage: dequantize.py LIBRARY MODEL.onnx OUT.npz

A node for the whole tensor is one call of the library, a node with an axis one call for each slice
along it: the slices are strided views, and nothing is transposed. UINT8 data is mapped to INT8 by
taking 128 from the data and from the zero point, which leaves every difference as it was.
"""

import sys
from collections.abc import Mapping
from pathlib import Path

import numpy
import onnx
import onnx.numpy_helper

sys.path.insert(0, str(Path(__file__).parents[1] / "python"))

import dequant  # noqa: E402

# From this version on a node may have blocks, and outputs of other types.
FIRST_UNREAD_VERSION = 19


class Refused(Exception):
    """A node that asks for what the library does not do."""


def constants_of(graph: onnx.GraphProto) -> dict[str, numpy.ndarray]:
    """By name: initializers, and the outputs of Constant nodes that hold a tensor."""
    found = {tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in graph.initializer}
    for node in graph.node:
        if node.op_type == "Constant" and node.attribute[0].name == "value":
            found[node.output[0]] = onnx.numpy_helper.to_array(node.attribute[0].t)
    return found


def as_int8(x: numpy.ndarray, zero_points: numpy.ndarray) -> tuple[numpy.ndarray, numpy.ndarray]:
    """INT8 data, and zero points for it."""
    if x.dtype not in (numpy.int8, numpy.uint8):
        raise Refused(f"the data is {x.dtype}; the library takes INT8, and UINT8 mapped to it")
    if zero_points.dtype != x.dtype:
        raise Refused(f"the data is {x.dtype}, the zero point {zero_points.dtype}")
    zero_points = zero_points.astype(numpy.int32)
    if x.dtype == numpy.uint8:
        return (x ^ numpy.uint8(128)).view(numpy.int8), zero_points - 128
    return x, zero_points


def axis_of(node: onnx.NodeProto, rank: int) -> int:
    """The axis that scales go along, counted from the outermost."""
    axis = next((a.i for a in node.attribute if a.name == "axis"), 1)
    if not -rank <= axis < rank:
        raise Refused(f"axis {axis} of a tensor of rank {rank}")
    return axis % rank


def dequantize_node(library, node: onnx.NodeProto,
                    values: Mapping[str, numpy.ndarray]) -> numpy.ndarray:
    """What a DequantizeLinear node gives for these values."""
    x, scales = values[node.input[0]], values[node.input[1]]
    named = len(node.input) > 2 and node.input[2]
    x, zero_points = as_int8(
        x, values[node.input[2]] if named else numpy.zeros(scales.shape, x.dtype))
    if scales.dtype != numpy.float32:
        raise Refused(f"the scale is {scales.dtype}; the library takes float32")
    if scales.shape != zero_points.shape:
        raise Refused(f"{scales.shape} scales and {zero_points.shape} zero points")
    y = numpy.empty(x.shape, numpy.float32)
    if scales.size == 1 and scales.ndim <= 1:
        dequant.dequantize(library, x, y, scales.item(), zero_points.item())
        return y
    axis = axis_of(node, x.ndim)
    if scales.shape != x.shape[axis:axis + 1]:
        raise Refused(f"{scales.shape} scales along axis {axis} of {x.shape}; blocks are not read")
    slices = zip(numpy.moveaxis(x, axis, 0), numpy.moveaxis(y, axis, 0), scales, zero_points)
    for source, target, scale, zero_point in slices:
        dequant.dequantize(library, source, target, scale, zero_point)
    return y


def check_version(model: onnx.ModelProto) -> None:
    for opset in model.opset_import:
        if opset.domain in ("", "ai.onnx") and opset.version >= FIRST_UNREAD_VERSION:
            raise Refused(f"operator set {opset.version}; those before {FIRST_UNREAD_VERSION} are "
                          "read")


def dequantize_model(library, model: onnx.ModelProto) -> dict[str, numpy.ndarray]:
    """The results of all DequantizeLinear nodes whose inputs are constants, by name."""
    check_version(model)
    constants = constants_of(model.graph)
    return {
        node.output[0]: dequantize_node(library, node, constants)
        for node in model.graph.node
        if node.op_type == "DequantizeLinear" and all(
            name in constants for name in node.input if name)
    }


def main() -> int:
    if len(sys.argv) != 4:
        sys.exit(__doc__.strip().splitlines()[2])
    library = dequant.load(sys.argv[1])
    try:
        results = dequantize_model(library, onnx.load(sys.argv[2]))
    except (Refused, ValueError) as reason:
        sys.exit(f"dequantize.py: {sys.argv[2]}: {reason}")
    numpy.savez(sys.argv[3], **results)
    for name, result in results.items():
        print(f"{name}: {result.shape}")
    print(f"{len(results)} tensors")
    return 0


if __name__ == "__main__":
    sys.exit(main())
