# SPDX-License-Identifier: Apache-2.0
"""The sequences of AVX2 and AVX-512, and why their walks stay within a span.

`entries()` gives the fields of sequences.Sequence; sequences.py makes the objects.
"""

from collections.abc import Callable

from . import legality, legality_x86

ISAS = ("avx512", "avx2")

# What serves every length where a family has nothing better.
GENERAL_TAIL = "every"

_TAILS = ("short", "overlap", "stream", "every")
_OUTPUTS = ("f32", "bf16_upper", "bf16_tiefree", "bf16_even")

_REPEATED = "elements that it repeats get the same bits again"

TAIL_PROOFS = {
    "avx512": {
        "short": "One access to each buffer, whose mask holds count elements.",
        "overlap": (
            "From 64 elements on, a block ends at count and none begins before 0; below, quarters "
            "of a block do; " + _REPEATED + "."
        ),
        "long": "count >= 64: a block ends at count and none begins before 0; " + _REPEATED + ".",
        "stream": (
            "count >= 64: a block ends at count and none begins before 0; " + _REPEATED
            + ". Blocks that are stored past the caches are whole cache lines; the fence orders "
            "them."
        ),
        "every": "Below 16 elements one masked access, from 16 on as `overlap`.",
    },
    "avx2": {
        "short": (
            "Accesses of 8, 4, 2 or 1 elements cover [0, count) and may overlap; none leaves it."
        ),
        "overlap": (
            "The last block covers [count - 16, count), and none begins before 0; " + _REPEATED
            + "."
        ),
        "long": (
            "count >= 64: the last block covers [count - 16, count), and those up to the first "
            "cache line end before 64; " + _REPEATED + "."
        ),
        "stream": (
            "count >= 64: the last block covers [count - 16, count), and those up to the first "
            "cache line end before 64; " + _REPEATED + ". The fence orders what is stored past the "
            "caches."
        ),
        "every": "Below 16 elements as `short`, from 16 on as `overlap`.",
    },
}

# Where a row names no sequence, best first.
PREFERENCE = {
    "avx512": ("bias_scaled", "bias_multiply_native", "bias_multiply", "staged"),
    "avx2": ("bias_scaled", "bias_multiply", "staged"),
}


def _shared(isa: str, biased: Callable, staged: Callable) -> list[dict]:
    return [
        {
            "name": "bias_scaled",
            "isa": isa,
            "words": "byte in an FP32 pattern of the scale's exponent, less the scaled bias",
            "tails": _TAILS,
            "scales": ("pow2", "unit", "powers"),
            "outputs": _OUTPUTS,
            "obligations": (legality.bias_is_representable, legality.power_scales_bias),
            "model": biased,
        },
        {
            "name": "bias_multiply",
            "isa": isa,
            "words": "byte in an FP32 pattern, less the bias, multiplied",
            "tails": _TAILS,
            "scales": ("any", "under104", "normal"),
            "outputs": _OUTPUTS,
            "obligations": (legality.bias_is_representable, legality.product_rounds_once),
            "model": biased,
        },
        {
            "name": "staged",
            "isa": isa,
            "words": "byte in an FP32 pattern, less the pattern, then subtracted and multiplied: "
            "each step rounds",
            "tails": _TAILS,
            "scales": ("any", "under104", "normal", "unit"),
            "outputs": _OUTPUTS,
            "obligations": (legality_x86.pattern_holds_input, legality.is_staged_expression),
            "model": staged,
        },
    ]


def entries(biased: Callable, staged: Callable) -> list[dict]:
    return [
        *_shared("avx512", biased, staged),
        {
            "name": "bias_multiply_native",
            "isa": "avx512",
            "words": "byte in an FP32 pattern, less the bias, multiplied, narrowed by the "
            "processor",
            "tails": _TAILS,
            "scales": ("normal",),
            "outputs": ("bf16_even",),
            "obligations": (legality.bias_is_representable, legality.product_rounds_once),
            "model": biased,
            "narrowing": legality_x86.native_narrowing,
        },
        {
            "name": "table",
            "isa": "avx512",
            "words": "looked up in a table of all 256 results, set up once a call",
            "tails": ("long", "stream"),
            "scales": ("any", "under104", "normal"),
            "outputs": ("bf16_even",),
            "obligations": (),
            "model": staged,
            "narrowing": legality_x86.table_holds_results,
        },
        *_shared("avx2", biased, staged),
    ]
