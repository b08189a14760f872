"""Time and memory of attention over the sequence length: materialised scores against online
softmax."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import replace

from matplotlib.artist import Artist
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from reports import plot, table, units
from reports.model import Case, Run

TITLE = "Attention"
READING = (
    "Both axes are logarithmic. Memory is all that one execution needs, inputs, output and "
    "workspace: it grows with the square of the sequence for a variant that writes the score "
    "matrix, and linearly for one that does not. Lines that lie on each other are named below "
    "their panel. Head sizes that were measured at one length only are left to the table."
)
ORDER = 50

_MOST_LINES = 4  # below a panel


def _key(case: Case) -> tuple[str, ...]:
    """Variant, mask, and what else tells two lines apart: type, head size, and every other field
    but the sequence length that is not the usual one."""
    rest = {**case.problem, **case.options}
    mask, dim = rest.pop("mask", "?"), rest.pop("dim", "?")
    for key in ("seq", "heads"):
        rest.pop(key, None)
    if rest.get("batch") == "1":
        rest.pop("batch")
    return (
        case.variant,
        mask,
        " ".join([case.dtype, f"d={dim}", *(f"{key}={value}" for key, value in rest.items())]),
    )


def _label(key: Sequence[object]) -> str:
    return plot.shown(" ".join(map(str, key)), 48)


def drawn_cases(run: Run) -> list[Case]:
    """Those that make a line of two lengths or more; all of them where none does."""
    cases = run.of_suite("attention")
    lengths: dict[tuple[str, ...], set[float | None]] = {}
    for case in cases:
        lengths.setdefault(_key(case), set()).add(case.field("seq"))
    return [case for case in cases if len(lengths[_key(case)]) > 1] or cases


def _series(run: Run, point: Callable[[Case], plot.Point | None]) -> list[plot.Series]:
    """One series a variant (colour), mask (dash), and type with head size and whatever else
    (marker)."""
    cases = drawn_cases(run)
    colours = plot.variant_styles(cases)
    masks, kinds = (plot.distinct(_key(case)[part] for case in cases) for part in (1, 2))

    def style(key: tuple[object, ...]) -> plot.Style:
        look = plot.Style.numbered(0, kinds.index(key[2]), masks.index(key[1]))
        return replace(look, colour=colours[str(key[0])].colour)

    return plot.series(
        cases,
        key=_key,
        point=point,
        label=_label,
        style=style,
    )


def times(run: Run) -> list[plot.Series]:
    """ms over sequence length."""
    return _series(run, lambda case: plot.time_point(case, case.field("seq"), 1e-6))


def memory(run: Run) -> list[plot.Series]:
    """Memory in B over sequence length; cases that need none are left out, since the axis is
    logarithmic."""
    return _series(
        run, lambda case: plot.fact_point(case, case.field("seq"), case.metric("memory_bytes"))
    )


def coincidences(run: Run, drawn: list[plot.Series]) -> list[str]:
    """Which lines lie on each other, so that one of them is seen, in words."""
    groups = plot.coinciding(drawn)
    if len(drawn) > 2 and any(len(group) == len(drawn) for group in groups):
        return ["all lines coincide"]
    keys = {_label(_key(case)): _key(case) for case in drawn_cases(run)}
    said: dict[str, list[tuple[str, int]]] = {}
    for group in groups:
        parts = [
            list(dict.fromkeys(part))
            for part in zip(*(keys[one.label] for one in group), strict=True)
        ]
        if math.prod(map(len, parts)) == len(group):  # all there are of these
            what = "; ".join(_list(part) for part in parts if len(part) > 1)
            where = " ".join(part[0] for part in parts if len(part) == 1)
        else:
            what, where = _list([one.label.strip() for one in group]), ""
        said.setdefault(what, []).append((where, len(group)))
    return [
        f"{what} coincide"
        + (
            f": {', '.join(where for where, _ in found if where)}"
            if sum(count for _, count in found) < len(drawn) and found[0][0]
            else ""
        )
        for what, found in said.items()
    ]


def _list(words: Sequence[str]) -> str:
    """ "one, two and three"."""
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def _wrapped(said: list[str]) -> list[str]:
    """On lines that a panel has room for, and no more of them than that."""
    lines = [line for one in said for line in textwrap.wrap(plot.shown(one, 400), 46)]
    return lines if len(lines) <= _MOST_LINES else [*lines[: _MOST_LINES - 1], "and more lines"]


def data(run: Run) -> list[table.Row]:
    across = table.unit("sequence length", "tokens")
    return [
        *table.of_series("time", across, "time", "ms", times(run)),
        *table.of_series("memory", across, "memory", "B", memory(run)),
    ]


def draw(run: Run, figure: Figure) -> bool:
    panels = [("Time, ms", times(run), None), ("Memory", memory(run), units.size)]
    panels = [panel for panel in panels if panel[1]]
    if not panels:
        return False
    for axes, (title, drawn, size) in zip(
        plot.grid(figure, len(panels), len(panels)), panels, strict=True
    ):
        plot.draw(axes, drawn)
        axes.set_xscale("log", base=2)
        axes.set_yscale("log", base=2 if size else 10)
        plot.ticks(
            axes.xaxis, [point.x for one in drawn for point in one.points], units.count, most=7
        )
        if size:
            axes.yaxis.set_major_formatter(lambda value, _: units.size(value))
        else:
            plot.log_ticks(axes.yaxis, units.plain)
        axes.set_title(title)
        axes.set_xlabel("\n".join(["sequence length", *_wrapped(coincidences(run, drawn))]))
    _legend(figure, run, panels[0][1])
    return True


def _legend(figure: Figure, run: Run, drawn: list[plot.Series]) -> None:
    """Colour says the variant, dash the mask, marker the type and head size."""
    parts: list[dict[str, Line2D]] = [{}, {}, {}]
    styles = {one.label: one.style for one in drawn}
    for case in sorted(
        drawn_cases(run),
        key=lambda case: plot.by_value((*_key(case)[:2], case.field("dim"), case.dtype)),
    ):
        style = styles.get(_label(_key(case)))
        if style:
            looks = (
                plot.Style(style.colour),
                plot.Style(plot.GREY, dash=style.dash),
                plot.Style(plot.GREY, style.marker),
            )
            for at, (text, look) in enumerate(zip(_key(case), looks, strict=True)):
                parts[at].setdefault(
                    plot.shown(text, 30), plot.handle(look, line=at < 2, marker=at == 2)
                )
    entries: dict[str, Artist] = {text: line for part in parts for text, line in part.items()}
    plot.legend_below(figure, entries | plot.hollow_entry(plot.any_hollow(drawn)))
