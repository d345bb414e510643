# SPDX-License-Identifier: Apache-2.0
"""Obligations of the x86-64 sequences; legality.py says what an obligation is."""

from .legality import IllegalSpecification
from .specification import BIAS, SMALLEST_NORMAL, Specification


def pattern_holds_input(spec: Specification) -> str:
    del spec
    return (
        f"The FP32 pattern 0x4b000000 with x + 128 in its lowest byte is {BIAS} + x. Less {BIAS} "
        "it is x, and +0 where x is 0: exact."
    )


def native_narrowing(spec: Specification) -> str:
    """The conversion instruction takes subnormal operands for zero and gives no subnormal results;
    it rounds to nearest even whatever the thread's mode."""
    if spec.scale.bits[0] < SMALLEST_NORMAL:
        raise IllegalSpecification(
            spec,
            "a subnormal scale gives subnormal results, which the conversion instruction flushes",
            spec.pair_for(1),
        )
    return (
        "The conversion to BF16 rounds to nearest even and differs from the definition on "
        "subnormal numbers and NaNs only. A nonzero staged difference is at least 1 in magnitude "
        "and the scale at least 2^-126, so no result is subnormal, and none is rounded to less "
        "than 2^-126."
    )


def table_holds_results(spec: Specification) -> str:
    del spec
    return (
        "The table is the staged expression and its narrowing to nearest even, evaluated for all "
        "256 inputs; each element is copied from it."
    )
