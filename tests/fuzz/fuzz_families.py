# SPDX-License-Identifier: Apache-2.0
"""Family files at random: each is served, or refused in one clear line, and never a trace.

python3 fuzz_families.py [--seconds N] [--seed N]
"""

import argparse
import contextlib
import io
import random
import sys
import tempfile
import time
import traceback
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

from generator.__main__ import main  # noqa: E402 - the path comes first

# Small, so that many are tried: one of each thing that a family may hold.
BASES = (
    """exponents = [-2, 1]
[zero_points]
zero = [0, 0]
mine = [-3, 5]
bias = [-2147483648, 2147483647, "biased"]
wide = [-2147483648, 2147483647]
[[row]]
isa = ["neon"]
output = ["f32", "bf16_upper"]
zero_point = ["zero"]
scale = ["pow2"]
sequence = ["lookup", "fixed_point"]
tail = ["short", "overlap"]
""",
    """[zero_points]
all = [-2147483648, 2147483647]
[[row]]
isa = ["neon", "portable"]
output = ["f32", "bf16_even"]
zero_point = ["all"]
scale = ["any"]
tail = ["scalar"]
""",
    """exponents = [0, 0]
[zero_points]
m128 = [-128, -128]
[[row]]
isa = ["neon"]
output = ["f32", "bf16_tiefree", "bf16_even"]
zero_point = ["m128"]
scale = ["under104", "unit"]
tail = ["whole"]
""",
)

WORDS = (
    "neon", "portable", "f32", "bf16", "bf16_upper", "bf16_even", "bf16_tiefree", "pow2", "unit",
    "powers", "under104", "any", "short", "whole", "overlap", "scalar", "biased", "wide", "zero",
    "staged", "lookup", "fixed_point", "half_subnormal", "bias_scaled", "scaled_difference", "",
    "exponents", "zero_points", "row", "sequence", "tail", "isa",
)
NUMBERS = (
    "0", "-1", "1", "127", "128", "-128", "-129", "16777088", "16777089", "-16777090", "2147483647",
    "-2147483648", "2147483648", "-149", "-150", "1e3", "0.5", "nan", "inf", "true", "9" * 40,
    "1979-05-27", "[]", "{}", "[[1]]", '"x"', "{a = 1}",
)
PIECES = ("[", "]", "[[row]]\n", "[zero_points]\n", "=", "\n", '"', ",", "\x00", "é", "'''", "#")


def mutated(text: str, chance: random.Random) -> str:
    lines = text.splitlines(keepends=True)
    place = chance.randrange(len(lines))
    kind = chance.randrange(7)
    if kind == 0:
        del lines[place]
    elif kind == 1:
        lines.insert(place, chance.choice(lines))
    elif kind == 2:
        other = chance.randrange(len(lines))
        lines[place], lines[other] = lines[other], lines[place]
    elif kind == 3:
        return _replaced(text, chance, '"', f'"{chance.choice(WORDS)}"')
    elif kind == 4:
        return _number_replaced(text, chance)
    elif kind == 5:
        at = chance.randrange(len(text) + 1)
        return text[:at] + chance.choice(PIECES) + text[at:]
    else:
        at = chance.randrange(len(text))
        return text[:at] + text[at + 1 + chance.randrange(4):]
    return "".join(lines) or "\n"


def _replaced(text: str, chance: random.Random, quote: str, by: str) -> str:
    """One quoted word for another."""
    parts = text.split(quote)
    if len(parts) < 3:
        return text
    at = 2 * chance.randrange((len(parts) - 1) // 2)
    return quote.join(parts[: at + 1]) + by + quote.join(parts[at + 2 :])


def _number_replaced(text: str, chance: random.Random) -> str:
    places = [at for at, letter in enumerate(text) if letter.isdigit()]
    if not places:
        return text
    start = end = chance.choice(places)
    while start > 0 and (text[start - 1].isdigit() or text[start - 1] == "-"):
        start -= 1
    while end < len(text) and text[end].isdigit():
        end += 1
    return text[:start] + chance.choice(NUMBERS) + text[end:]


def attempt(path: Path, text: str, render: bool) -> tuple[int, str]:
    """The exit code, and what is wrong with the outcome."""
    path.write_text(text, encoding="utf-8")
    out, err = io.StringIO(), io.StringIO()
    how = ["--out", str(path.with_suffix(""))] if render else ["--list"]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main(["--family", str(path), *how])
    except Exception:  # noqa: BLE001 - whatever it is, it is the finding
        return 2, traceback.format_exc()
    lines = err.getvalue().splitlines()
    if code == 0 and lines:
        return code, f"served, and yet: {lines}"
    if code != 0 and (len(lines) != 1 or not lines[0].startswith("generator: ")):
        return code, f"refused with code {code} in {len(lines)} lines: {lines}"
    return code, ""


def run(seconds: float, seed: int) -> int:
    chance = random.Random(seed)
    served = refused = 0
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "family.toml"
        while time.monotonic() - started < seconds:
            text = chance.choice(BASES)
            for _ in range(chance.randrange(4)):
                text = mutated(text or "\n", chance)
            code, complaint = attempt(path, text, chance.randrange(8) == 0)
            served += code == 0
            refused += code == 1
            if complaint:
                print(f"seed {seed}, family:\n{text}\n{complaint}")
                return 1
    print(f"seed {seed}: {served} families served, {refused} refused in one line")
    return 0 if served and refused else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    options = parser.parse_args()
    sys.exit(run(options.seconds, options.seed))
