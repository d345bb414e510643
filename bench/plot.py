# SPDX-License-Identifier: Apache-2.0
"""Plots as SVG, on log-log axes, readable on light and dark pages alike."""

import math
from dataclasses import dataclass
from html import escape

Points = list[tuple[float, float]]

# Paper, ink, grid, and the lines' colours. Classes and no variables: not only browsers draw this.
_LIGHT = ("#ffffff", "#1f2328", "#d1d9e0",
          ("#0969da", "#54aeff", "#57606a", "#9a6700", "#cf222e", "#8250df", "#1a7f37"))
_DARK = ("#0d1117", "#e6edf3", "#30363d",
         ("#58a6ff", "#a5d6ff", "#8b949e", "#d29922", "#ff7b72", "#bc8cff", "#3fb950"))
_COLOURS = len(_LIGHT[3])
_WIDTH, _HEIGHT = 400, 300
_LEFT, _TOP, _BOTTOM, _GAP = 66, 92, 46, 24
_LEGEND_ROW = 17


def _colours(paper: str, ink: str, grid: str, lines: tuple[str, ...]) -> str:
    rules = [f".paper {{ fill: {paper} }}", f"text {{ fill: {ink} }}",
             f".grid {{ stroke: {grid} }}"]
    for place, colour in enumerate(lines):
        rules += [f".line{place} {{ stroke: {colour} }}", f".dot{place} {{ fill: {colour} }}"]
    return "\n  ".join(rules)


def _style() -> str:
    return (
        "\n  text { font: 12px system-ui, sans-serif }\n  .title { font-size: 15px; "
        "font-weight: 600 }\n  .line { fill: none; stroke-width: 2 }\n  "
        f"{_colours(*_LIGHT)}\n"
        f"  @media (prefers-color-scheme: dark) {{\n  {_colours(*_DARK)}\n  }}\n"
    )


@dataclass(frozen=True)
class Series:
    label: str
    points: Points
    colour: int


@dataclass(frozen=True)
class Panel:
    title: str
    series: list[Series]


@dataclass(frozen=True)
class Plot:
    title: str
    subtitles: list[str]
    x_label: str
    y_label: str
    panels: list[Panel]


def short_number(value: int) -> str:
    """A number of elements: 1024 as 1 Ki."""
    for unit, size in (("Mi", 1 << 20), ("Ki", 1 << 10)):
        if value >= size and value % size == 0:
            return f"{value // size} {unit}"
    return str(value)


def short_figure(value: float) -> str:
    """2e9 as 2 G, 0.5 as 0.5."""
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if value >= size:
            return f"{value / size:g} {unit}"
    return f"{value:g}"


def ticks_125(low: float, high: float) -> list[float]:
    """1, 2, 5, 10, ... around an interval, both ends covered."""
    steps = [
        factor * 10.0**power
        for power in range(math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 2)
        for factor in (1, 2, 5)
    ]
    first = max((s for s in steps if s <= low * (1 + 1e-9)), default=low)
    last = min((s for s in steps if s >= high * (1 - 1e-9)), default=high)
    return [s for s in steps if first <= s <= last]


def _place(value: float, low: float, high: float, size: float) -> float:
    return size * math.log(value / low) / math.log(high / low) if high > low else 0


class _Frame:
    """Where things lie in one panel."""

    def __init__(self, left: float, x_range: tuple[float, float], y_range: tuple[float, float]):
        self.left, self.x_range, self.y_range = left, x_range, y_range

    def x(self, value: float) -> float:
        return round(self.left + _place(value, *self.x_range, _WIDTH), 1)

    def y(self, value: float) -> float:
        return round(_TOP + _HEIGHT - _place(value, *self.y_range, _HEIGHT), 1)


def _text(x: float, y: float, text: str, anchor: str = "middle", extra: str = "") -> str:
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}"{extra}>{escape(text)}</text>'


def _axes(frame: _Frame, plot: Plot, y_ticks: list[float], first: bool) -> list[str]:
    low, high = frame.x_range
    x_ticks = [2**p for p in range(math.ceil(math.log2(low)), int(math.log2(high)) + 1, 2)]
    right, bottom = frame.left + _WIDTH, _TOP + _HEIGHT
    lines = []
    for tick in y_ticks:
        y = frame.y(tick)
        lines.append(f'<path class="grid" d="M{frame.left} {y}H{right}"/>')
        lines.append(_text(frame.left - 6, y + 4, short_figure(tick), "end"))
    for tick in x_ticks:
        x = frame.x(tick)
        lines.append(f'<path class="grid" d="M{x} {_TOP}V{bottom}"/>')
        lines.append(_text(x, bottom + 16, short_number(tick)))
    lines.append(_text(frame.left + _WIDTH / 2, bottom + 36, plot.x_label))
    if first:
        y = _TOP + _HEIGHT / 2
        lines.append(_text(14, y, plot.y_label, extra=f' transform="rotate(-90 14 {y})"'))
    return lines


def _line(frame: _Frame, series: Series) -> list[str]:
    colour = series.colour % _COLOURS
    spots = [(frame.x(x), frame.y(y)) for x, y in series.points]
    path = " ".join(f"{x},{y}" for x, y in spots)
    dots = "".join(f'<circle cx="{x}" cy="{y}" r="2.5"/>' for x, y in spots)
    return [
        f'<polyline class="line line{colour}" points="{path}"/>',
        f'<g class="dot{colour}"><title>{escape(series.label)}</title>{dots}</g>',
    ]


def _legend(frame: _Frame, panel: Panel) -> list[str]:
    lines = []
    for row, series in enumerate(panel.series):
        y = _TOP + _HEIGHT + _BOTTOM + 10 + row * _LEGEND_ROW
        lines.append(
            f'<path class="line line{series.colour % _COLOURS}" d="M{frame.left} {y}h22"/>'
        )
        lines.append(_text(frame.left + 28, y + 4, series.label, "start"))
    return lines


def draw(plot: Plot) -> str:
    """The plot as a file. Panels share their axes' ranges, so that they compare by eye."""
    points = [point for panel in plot.panels for series in panel.series for point in series.points]
    if not points or min(min(point) for point in points) <= 0:
        raise ValueError(f"{plot.title}: logarithmic axes want positive figures")
    xs, ys = [x for x, _ in points], [y for _, y in points]
    y_ticks = ticks_125(min(ys), max(ys))
    rows = max(len(panel.series) for panel in plot.panels)
    width = _LEFT + len(plot.panels) * (_WIDTH + _LEFT) - _LEFT + _GAP
    height = _TOP + _HEIGHT + _BOTTOM + rows * _LEGEND_ROW + 8
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img">',
        f"<title>{escape(plot.title)}</title>",
        f"<style>{_style()}</style>",
        f'<rect class="paper" width="{width}" height="{height}"/>',
        _text(_LEFT, 22, plot.title, "start", ' class="title"'),
    ]
    lines += [_text(_LEFT, 39 + 15 * place, line, "start")
              for place, line in enumerate(plot.subtitles)]
    for place, panel in enumerate(plot.panels):
        left = _LEFT + place * (_WIDTH + _LEFT)
        frame = _Frame(left, (min(xs), max(xs)), (y_ticks[0], y_ticks[-1]))
        lines.append(_text(left + _WIDTH / 2, _TOP - 10, panel.title))
        lines += _axes(frame, plot, y_ticks, place == 0)
        for series in panel.series:
            lines += _line(frame, series)
        lines += _legend(frame, panel)
    return "\n".join([*lines, "</svg>", ""])
