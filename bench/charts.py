# SPDX-License-Identifier: Apache-2.0
"""The two plots that README shows, from the figures of a run."""

import sys
from collections.abc import Callable
from pathlib import Path

from bench.plot import Panel, Plot, Series, draw

# Route and title of each panel: zero point 0 is what every peer can do.
PANELS = {
    "f32_zero_any": "FP32, zero point 0, any scale",
    "f32_int8_any": "FP32, INT8 zero point, any scale",
}
LABELS = {
    "execute": "sima_a65_dequant_execute(), checks included",
    "numerical": "its numerical kernel",
    "scalar": "plain loop, not vectorized",
    "loop": "plain loop, vectorized by the compiler",
    "xnnpack": "XNNPACK convert_nc_qs8_f32",
    "volk": "VOLK 8i_s32f_convert_32f",
    "onednn": "oneDNN reorder s8 to f32",
}
COMPILER = "gcc"


def _label(subject: str, run: dict) -> str:
    if subject == "loop" and not run["loop_is_vectorized"]["f32"]:
        return "plain loop, as the compiler makes it"
    return LABELS[subject]


def _panels(run: dict, figure: Callable) -> list[Panel]:
    panels = []
    for route, title in PANELS.items():
        rows = run["groups"]["lengths"][route]
        series = [
            Series(_label(subject, run),
                   [(int(n), figure(int(n), value)) for n, value in rows[subject].items()], colour)
            for colour, subject in enumerate(LABELS) if subject in rows
        ]
        panels.append(Panel(title, series))
    return panels


def instructions(run: dict) -> Plot:
    return Plot(
        "Retired AArch64 instructions per element",
        [f"{run['made_by']['compiler']}, -mcpu=cortex-a65; peers as Debian compiles them",
         f"counted under {run['made_by']['emulator']}"],
        "elements in a call", "instructions / element (less is better)",
        _panels(run, lambda n, count: count / n),
    )


def throughput(run: dict) -> Plot:
    return Plot(
        "Elements per second, one thread, by wall clock",
        [f"{run['made_by']['machine']}; medians",
         f"{run['made_by']['compiler']}; peers as Debian compiles them"],
        "elements in a call", "elements / second (more is better)",
        _panels(run, lambda _n, row: row["elements_per_second"]),
    )


def write(results: dict, folder: Path) -> int:
    """Both plots, or those for which there are figures. How many."""
    written = 0
    for name, mode, chart in (("instructions", "instructions", instructions),
                              ("throughput", "native", throughput)):
        run = results.get(mode, {}).get(COMPILER)
        if run is None or "lengths" not in run["groups"]:
            print(f"{name}.svg: not drawn, no lengths in mode {mode}", file=sys.stderr)
            continue
        (folder / f"{name}.svg").write_text(draw(chart(run)))
        print(f"wrote {folder / name}.svg", file=sys.stderr)
        written += 1
    return written
