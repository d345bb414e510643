# SPDX-License-Identifier: Apache-2.0
"""The figures of a run as text for people, and as README's tables."""

from collections.abc import Iterator

from bench import COMPILERS
from bench.model import CPUS
from bench.measure import SHORT
from bench.plot import short_number

Lines = Iterator[str]


def _group(results: dict, mode: str, group: str) -> dict[str, dict]:
    """The group's rows of each compiler that has it."""
    return {
        compiler: run["groups"][group]
        for compiler, run in results.get(mode, {}).items() if group in run["groups"]
    }


def _number(value: float | None, digits: int = 2) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


# ---- text ----


def _kernel_columns(counts: dict, cycles: dict, name: str) -> list[str]:
    entry, modelled = counts.get(name, {}), cycles.get(name, {})
    per_element = entry["per_1024"] / 1024 if entry else None
    return [str(entry.get("loop", "-")), *(str(modelled.get(cpu, "-")) for cpu in CPUS),
            _number(per_element)]


def _kernels(results: dict) -> Lines:
    counts, cycles = (_group(results, mode, "kernels") for mode in ("instructions", "cycles"))
    compilers = [c for c in COMPILERS if c in counts or c in cycles]
    if not compilers:
        return
    yield ("\nInner loops: instructions for 32 elements, loop control included; modelled cycles "
           "(llvm-mca) for\n"
           "them; retired instructions of a call on 1,024 elements, for each one.\n")
    yield f"{'':32}" + "".join(f"{compiler:^35}" for compiler in compilers)
    heads = ("loop", *CPUS, "/elem")
    yield f"{'kernel':32}" + "".join(f"{head:>7}" for head in heads) * len(compilers)
    for name in (counts or cycles)[compilers[0]]:
        cells = [cell for c in compilers
                 for cell in _kernel_columns(counts.get(c, {}), cycles.get(c, {}), name)]
        yield f"{name:32}" + "".join(f"{cell:>7}" for cell in cells)


def _tails(results: dict) -> Lines:
    for compiler, rows in _group(results, "instructions", "tails").items():
        yield (f"\nTails with {compiler}: what a remainder adds at most to the next multiple of "
               "16; short spans, kernel / scalar loop,\nwhich other classes share.\n")
        yield f"{'kernel':32}{'rest':>6}" + "".join(f"{n:>9}" for n in SHORT)
        for name, row in rows.items():
            if "scalar" in row:
                continue
            rest = row.get("remainder", "")
            if "short" not in row:
                yield f"{name:32}{rest:>6}"
                continue
            scalar = rows["bf16" if "_bf16_" in name else "f32"]["scalar"]
            pairs = [f"{row['short'][str(n)]:>5}/{scalar[str(n)]:<3}" for n in SHORT]
            yield f"{name:32}{rest:>6}" + "".join(pairs)


def _small(results: dict) -> Lines:
    groups = _group(results, "instructions", "small")
    if not groups:
        return
    yield "\nWhole calls: retired instructions.\n"
    yield f"{'call':34}" + "".join(f"{compiler:>8}" for compiler in groups)
    for case in next(iter(groups.values())):
        yield f"{case:34}" + "".join(f"{rows[case]:>8}" for rows in groups.values())


def _size(results: dict) -> Lines:
    for compiler, size in _group(results, "instructions", "size").items():
        yield (f"\ncode size with {compiler}: library {size['library']:,} bytes, of it NEON "
               f"kernels and tables {size['neon']:,}")


def worst_layouts(groups: dict[str, dict]) -> dict[str, dict[str, float]]:
    """Of each layout the worse compiler's figures, and its ratio to the same compiler's dense."""
    rows: dict[str, dict[str, float]] = {}
    for name in next(iter(groups.values())):
        row = rows.setdefault(name, {})
        for to in ("f32", "bf16"):
            own = [g[name][to]["per_element"] for g in groups.values()]
            ratios = [g[name][to]["per_element"] / g["dense"][to]["per_element"]
                      for g in groups.values()]
            extra = [g[name][to]["prepare"] - g["dense"][to]["prepare"] for g in groups.values()]
            row |= {to: max(own), f"{to}_ratio": max(ratios), f"{to}_prepare": max(extra)}
    return rows


def _layouts(results: dict) -> Lines:
    groups = _group(results, "instructions", "layouts")
    if not groups:
        return
    yield ("\nLayouts, zero point 5, scale 0.1: retired instructions for each element through the "
           f"public call,\nthe worse of {' and '.join(groups)}; ratio to dense; instructions that "
           "preparation takes beyond dense.\n")
    heads = ("f32", "ratio", "prepare", "bf16", "ratio", "prepare")
    yield f"{'layout':24}" + "".join(f"{head:>9}" for head in heads)
    for name, row in worst_layouts(groups).items():
        yield f"{name:24}" + "".join(
            f"{row[to]:>9.2f}{row[f'{to}_ratio']:>9.2f}{row[f'{to}_prepare']:>+9.0f}"
            for to in ("f32", "bf16")
        )


def _lengths(results: dict) -> Lines:
    for compiler, routes in _group(results, "instructions", "lengths").items():
        yield f"\nRetired instructions of a call, by length, with {compiler}.\n"
        for route, rows in routes.items():
            lengths = list(rows["execute"])
            yield f"{route:28}" + "".join(f"{short_number(int(n)):>9}" for n in lengths)
            for subject, counts in rows.items():
                yield f"  {subject:26}" + "".join(f"{counts[n]:>9.0f}" for n in lengths)


def _native_lengths(results: dict) -> Lines:
    for compiler, routes in _group(results, "native", "lengths").items():
        run = results["native"][compiler]
        yield (f"\nWall clock on {run['made_by']['machine']}, {run['made_by']['compiler']}.\n"
               "elements/s: from the median time. x: time divided by that of our whole call in the "
               "same round,\nmedian (lower .. upper quartile); above 1 is slower than ours.")
        yield ("clock: resolution {resolution} ns, {median_step} ns between two readings".format(
            **run["clock"]))
        for route, rows in routes.items():
            yield ""
            for length in rows["execute"]:
                kernel = run["kernels"].get(f"{route}:{length}", "")
                yield f"{route}, {short_number(int(length))} elements ({kernel})"
                for subject, row in rows.items():
                    low, middle, high = row[length]["ratio"]
                    yield (f"  {subject:12}{row[length]['elements_per_second'] / 1e9:>9.3f} G "
                           f"elements/s{middle:>9.2f} x  ({low:.2f} .. {high:.2f})")


def _native_layouts(results: dict) -> Lines:
    for compiler, rows in _group(results, "native", "layouts").items():
        yield (f"\nLayouts by wall clock with {compiler}: time of an element divided by the dense "
               "call's in the same round,\nmedian (quartiles).\n")
        for name, row in rows.items():
            cells = ["{1:>8.2f} ({0:.2f} .. {2:.2f})".format(*row[to]["ratio"])
                     for to in ("f32", "bf16")]
            yield f"{name:24}" + "".join(f"{cell:>28}" for cell in cells)


def _peers(results: dict) -> Lines:
    """Who was there, who was not, who is inexact: nothing is left out in silence."""
    for mode, runs in results.items():
        for compiler, run in runs.items():
            if "peers" not in run:
                continue
            present, absent = run["peers"]["present"], run["peers"]["absent"]
            line = f"\npeers, {mode}, {compiler}: {', '.join(present) or 'none'}"
            if absent:
                line += f"; absent: {', '.join(absent)} (scripts/setup peers installs them)"
            inexact = run["peers"]["inexact"]
            if inexact:
                names = sorted({case.split(":")[0] for case in inexact})
                line += f"; results not those of the staged expression: {', '.join(names)}"
            yield line


def text(results: dict) -> str:
    parts = (_kernels, _tails, _small, _layouts, _lengths, _size, _native_lengths,
             _native_layouts, _peers)
    return "\n".join(line for part in parts for line in part(results)).lstrip("\n")


# ---- Markdown ----


def _table(heads: list[str], rows: list[list[str]]) -> Lines:
    yield "| " + " | ".join(heads) + " |"
    yield "| --- |" + " ---: |" * (len(heads) - 1)
    for row in rows:
        yield "| " + " | ".join(row) + " |"
    yield ""


def _markdown_kernels(results: dict) -> Lines:
    counts, cycles = (_group(results, mode, "kernels") for mode in ("instructions", "cycles"))
    compilers = [c for c in COMPILERS if c in counts and c in cycles]
    if not compilers:
        return
    heads = ["kernel"]
    for compiler in compilers:
        heads += [f"{compiler}: loop", "A55", "per element"]
    rows = []
    for name in counts[compilers[0]]:
        row = [f"`{name}`"]
        for compiler in compilers:
            entry = counts[compiler][name]
            row += [str(entry["loop"]), str(cycles[compiler][name]["A55"]),
                    _number(entry["per_1024"] / 1024)]
        rows.append(row)
    yield from _table(heads, rows)


def _markdown_calls(results: dict) -> Lines:
    groups = _group(results, "instructions", "small")
    if groups:
        rows = [[f"`{case}`", *(f"{g[case]:,}" for g in groups.values())]
                for case in next(iter(groups.values()))]
        yield from _table(["whole call: instructions", *groups], rows)


def _markdown_layouts(results: dict) -> Lines:
    groups = _group(results, "instructions", "layouts")
    if groups:
        rows = [
            [name.replace("_", " "), _number(row["f32"]), _number(row["f32_ratio"]),
             _number(row["bf16"]), f"{max(row['f32_prepare'], row['bf16_prepare']):+.0f}"]
            for name, row in worst_layouts(groups).items()
        ]
        yield from _table(["layout: instructions per element", "FP32", "to dense", "BF16",
                           "preparation"], rows)


COMPARED_LENGTHS = ("16", "256", "4096", "65536", "1048576", "16777216")
COMPARED_ROUTES = ("f32_zero_any", "f32_int8_any", "bf16_int8_any")


def _markdown_lengths(results: dict) -> Lines:
    """Ours beside the plain loops and the peers, instructions per element."""
    for compiler, routes in _group(results, "instructions", "lengths").items():
        lengths = [n for n in COMPARED_LENGTHS if n in routes[COMPARED_ROUTES[0]]["execute"]]
        rows = [
            [f"`{route}` {subject}", *(_number(counts[n] / int(n)) for n in lengths)]
            for route in COMPARED_ROUTES for subject, counts in routes[route].items()
            if subject != "numerical"
        ]
        heads = [f"instructions per element, {compiler}", *(short_number(int(n)) for n in lengths)]
        yield from _table(heads, rows)


def _markdown_native(results: dict) -> Lines:
    for compiler, routes in _group(results, "native", "lengths").items():
        machine = results["native"][compiler]["made_by"]["machine"]
        rows = [
            [f"`{route}` {subject}",
             *("{1:.2f} ({0:.2f}-{2:.2f})".format(*row[n]["ratio"]) if subject != "execute" else
               f"{row[n]['elements_per_second'] / 1e9:.2f} G/s" for n in COMPARED_LENGTHS)]
            for route in COMPARED_ROUTES for subject, row in routes[route].items()
        ]
        heads = [f"time as a multiple of ours, {compiler}, {machine}",
                 *(short_number(int(n)) for n in COMPARED_LENGTHS)]
        yield from _table(heads, rows)


def markdown(results: dict) -> str:
    """README's tables, for what was measured."""
    parts = (_markdown_kernels, _markdown_calls, _markdown_layouts, _markdown_lengths,
             _markdown_native)
    return "\n".join(line for part in parts for line in part(results)).rstrip("\n")
