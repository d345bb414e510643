# SPDX-License-Identifier: Apache-2.0
"""Names of kernels. A name spells its specification and can be read back:

sima_dequant_<isa>_<output>_<zero-point class>_<scale>_<tail>

scale: `any`, `under104`, `normal`, `powers`, `unit`, or `e` with a sign letter and the exponent:
em4 is 2^-4, ep0 is 2^0.
"""

import re

from .specification import OUTPUTS, SHAPES, TAILS, Scale, Specification, SpecificationError

PREFIX = "sima_dequant_"

_NAME = re.compile(
    rf"{PREFIX}(?P<isa>[a-z][a-z0-9]*)"
    rf"_(?P<output>{'|'.join(OUTPUTS)})"
    r"_(?P<zero_points>[a-z][a-z0-9]*)"
    r"_(?P<scale>any|under104|normal|powers|unit|e[mp][0-9]+)"
    rf"_(?P<tail>{'|'.join((*TAILS, *SHAPES))})"
)


def scale_token(scale: Scale) -> str:
    if scale.kind != "pow2":
        return scale.kind
    return f"e{'m' if scale.exponent < 0 else 'p'}{abs(scale.exponent)}"


def body_name(spec: Specification) -> str:
    """The part that all tails of one block body share, unique within a file."""
    return f"{spec.output}_{spec.zero_points.name}_{scale_token(spec.scale)}"


def kernel_name(spec: Specification) -> str:
    return f"{PREFIX}{spec.isa}_{body_name(spec)}_{spec.tail}"


def file_name(spec: Specification) -> str:
    return f"{spec.isa}_{spec.element}_{spec.zero_points.name}.c"


def parse(name: str) -> dict[str, str]:
    """The axis values that a name spells."""
    match = _NAME.fullmatch(name)
    if match is None:
        raise SpecificationError(
            f"'{name}' is not a kernel name; names look like {PREFIX}neon_f32_int8_em4_overlap"
        )
    return match.groupdict()


def parse_scale(token: str) -> Scale:
    if token in ("any", "under104", "normal", "powers", "unit"):
        return Scale(token)
    magnitude = int(token[2:])
    return Scale("pow2", -magnitude if token[1] == "m" else magnitude)
