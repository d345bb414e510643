# SPDX-License-Identifier: Apache-2.0
"""What is read of disassembled objects."""

import unittest

from bench import objects

LISTING = """
0000000000000000 <f>:
   0:\tmov\tx3, #0x0
   4:\tldr\tq0, [x0, x3]
   8:\tscvtf\tv0.4s, v0.4s
   c:\tadd\tx3, x3, #0x10
  10:\tcmp\tx3, x2
  14:\tb.ne\t4 <f+0x4>  // b.any
  18:\tldr\ts1, [x0]
  1c:\tsubs\tx2, x2, #0x1
  20:\tb.ne\t18 <f+0x18>  // b.any
  24:\tret

0000000000000028 <g>:
  28:\tfmul\ts0, s0, s1
  2c:\tret
"""


class Functions(unittest.TestCase):
    def setUp(self):
        self.found = objects.parse_functions(LISTING)

    def test_bodies(self):
        self.assertEqual(list(self.found), ["f", "g"])
        self.assertEqual(len(self.found["f"]), 10)
        self.assertEqual(self.found["g"][0], (0x28, "fmul s0, s0, s1"))

    def test_inner_loop_is_the_vector_one_with_its_branch(self):
        loop = objects.inner_loop(self.found["f"])
        self.assertEqual(len(loop), 5)
        self.assertTrue(loop[0].startswith("ldr q0"))
        self.assertTrue(loop[-1].startswith("b.ne"))

    def test_vector_code_is_told_from_scalar(self):
        self.assertTrue(objects.is_vectorized(self.found["f"]))
        self.assertFalse(objects.is_vectorized(self.found["g"]))

    def test_on_x86(self):
        scalar = [(0, "cvtsi2ss %eax,%xmm0"), (4, "mulss %xmm1,%xmm0"), (8, "xorps %xmm0,%xmm0")]
        self.assertFalse(objects.is_vectorized(scalar))
        for text in ("cvtdq2ps %xmm0,%xmm0", "mulps %xmm1,%xmm0", "vsubps %ymm0,%ymm1,%ymm2"):
            self.assertTrue(objects.is_vectorized([*scalar, (12, text)]), text)


if __name__ == "__main__":
    unittest.main()
