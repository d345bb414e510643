# SPDX-License-Identifier: Apache-2.0
"""Dequantizes NumPy arrays where they lie: views keep their strides, nothing is copied.

    library = load("libsima_a65_dequant.so.0.1")
    dequantize(library, x, y, 0.25, -3)  # y: float32, or uint16 for BF16 words; x's shape
"""
import ctypes as c
import numpy

INPUT, OUTPUTS = 1, {numpy.dtype("f4"): 7, numpy.dtype("u2"): 6}
Spec = type("Spec", (c.Structure,), {"_fields_": [
    ("dtype", c.c_int), ("rank", c.c_int32), ("extent", c.c_int64 * 6), ("layout", c.c_int),
    ("stride", c.c_int64 * 6)]})
Request = type("Request", (c.Structure,), {"_fields_": [
    ("op", c.c_int), ("inputs", c.POINTER(Spec)), ("input_count", c.c_size_t),
    ("outputs", c.POINTER(Spec)), ("output_count", c.c_size_t), ("scale", c.c_float),
    ("zero_point", c.c_int32)]})
Buffer = type("Buffer", (c.Structure,), {"_fields_": [("data", c.c_void_p), ("size", c.c_size_t)]})
Error = type("Error", (c.Structure,), {"_fields_": [
    ("status", c.c_int), ("port", c.c_int), ("axis", c.c_int32), ("message", c.c_char_p)]})
Plan = c.c_uint64 * 128  # room for the library's plan, which is smaller


def load(path):
    library = c.CDLL(path)
    library.sima_a65_dequant_execute.argtypes = [
        c.c_void_p, c.c_void_p, c.c_size_t, c.c_void_p, c.c_size_t, c.c_void_p]
    return library


def lend(array, dtype):
    steps = zip(array.shape, array.strides)
    size = sum((n - 1) * step for n, step in steps) + array.itemsize if array.size else 0
    # Strided; but NumPy gives empty arrays strides of 0, so they are said to be contiguous.
    return (Spec(dtype, array.ndim, array.shape[:6], array.size > 0,
                 array.strides[:6]),
            Buffer(array.ctypes.data, size))


def dequantize(library, x, y, scale, zero_point=0):
    if x.dtype != numpy.int8 or y.dtype not in OUTPUTS or not y.flags.writeable:
        raise TypeError("x is int8; y is float32 or, for BF16 words, uint16, and writable")
    (source, lent), (target, borrowed) = lend(x, INPUT), lend(y, OUTPUTS[y.dtype])
    request = Request(1, c.pointer(source), 1, c.pointer(target), 1, scale, zero_point)
    plan, error = Plan(), Error()
    if (library.sima_a65_dequant_check_inference(c.byref(request), plan, c.byref(error))
            or library.sima_a65_dequant_execute(plan, c.byref(lent), 1, c.byref(borrowed), 1,
                                                c.byref(error))):
        raise ValueError(f"port {error.port}, axis {error.axis}: {error.message.decode()}")
