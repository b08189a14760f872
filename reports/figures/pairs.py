"""The pairs behind the verdicts that are no pass: how the two sides compare in each round."""

from __future__ import annotations

import math
from dataclasses import dataclass

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from reports import plot, short_names, table
from reports.figures import forest
from reports.model_gate import Gate, Verdict

OF = "gate"
TITLE = "Pairs of a gate, round by round"
READING = (
    "One point a round: the candidate's process over the baseline's, sampled next to each other. "
    "The band is delta, the line the estimate. Two clusters mean that processes run at one of two "
    "speeds: more rounds hardly help such a case. A trend means that something drifted. Cases that "
    "pass are left to the table."
)
ORDER = 20

COLUMNS, ROWS = 3, 4
_BAND = "#e4e4e4"
_FIRST, _SECOND, _DROPPED = "baseline first", "candidate first", "dropped"
_STYLES = {
    _FIRST: plot.Style(plot.BLUE, "o"),
    _SECOND: plot.Style(plot.ORANGE, "^"),
    _DROPPED: plot.Style(plot.GREY, "x"),
}


@dataclass(frozen=True)
class Panel:
    """One case: (round, log ratio) by how the pair was taken; rounds count from 1."""

    name: str
    words: str
    delta: float
    change: float | None
    points: dict[str, tuple[tuple[int, float], ...]]


@dataclass(frozen=True)
class Page:
    panels: tuple[Panel, ...]
    title: str


def panel(verdict: Verdict) -> Panel:
    points: dict[str, list[tuple[int, float]]] = {}
    for pair in sorted(verdict.rounds, key=lambda pair: pair.round):
        how = _DROPPED if pair.dropped else _FIRST if pair.first == "baseline" else _SECOND
        points.setdefault(how, []).append((pair.round + 1, pair.log_ratio))
    return Panel(
        verdict.case,
        verdict.words.verdict,
        math.log1p(verdict.delta),
        math.log(verdict.ratio) if verdict.ratio else None,
        {how: tuple(some) for how, some in points.items()},
    )


def pages(gate: Gate) -> list[Page]:
    panels = [panel(one) for one in gate.verdicts if one.verdict != "pass" and one.rounds]
    parts = plot.paged(panels, COLUMNS * ROWS, COLUMNS)
    return [Page(some, part and f"cases {part}") for some, part in parts]


def data(page: Page) -> list[table.Row]:
    return [
        {
            "case": one.name,
            "pair": how,
            table.unit("round", "1"): number,
            table.unit("candidate over baseline", "1"): table.ratio(log),
        }
        for one in page.panels
        for how, points in one.points.items()
        for number, log in points
    ]


def draw(page: Page, figure: Figure) -> None:
    columns = min(COLUMNS, len(page.panels))
    rows = -(-len(page.panels) // columns)
    figure.set_size_inches(plot.SLIDE[0], 1.5 + 2.3 * rows)
    for axes, one in zip(plot.grid(figure, len(page.panels), columns), page.panels, strict=True):
        _draw(axes, one)
    if page.title:
        figure.suptitle(f"{figure.get_suptitle()} · {page.title}", x=0.012, ha="left")
    used = [how for how in _STYLES if any(how in one.points for one in page.panels)]
    entries: dict[str, Artist] = {how: plot.handle(_STYLES[how], line=False) for how in used}
    entries |= {
        "estimate": Line2D([], [], color=plot.INK, linewidth=1.2),
        "delta": Patch(color=_BAND),
    }
    far = any(
        abs(value) > reach(one)
        for one in page.panels
        for points in one.points.values()
        for _, value in points
    )
    plot.legend_below(figure, entries | plot.hollow_entry(far, "hollow: beyond the axis"))


def reach(one: Panel) -> float:
    """How far the axis goes to both sides: to the farthest point, unless a few lie so far out that
    the others could not be told apart."""
    sizes = sorted(abs(value) for points in one.points.values() for _, value in points)
    usual = sizes[math.ceil(0.8 * len(sizes)) - 1]
    return max(1.5 * one.delta, min(1.15 * sizes[-1], 3 * usual))


def _draw(axes: Axes, one: Panel) -> None:
    axes.axhspan(-one.delta, one.delta, color=_BAND, linewidth=0, zorder=0.5)
    axes.axhline(0, color=plot.GREY, linewidth=0.8, zorder=1)
    if one.change is not None:
        axes.axhline(one.change, color=plot.INK, linewidth=1.2, zorder=2)
    far = reach(one)
    for how, points in one.points.items():
        style = _STYLES[how]
        for number, value in points:
            beyond = abs(value) > far
            look = plot.dot(style.colour, style.marker, hollow=beyond, markersize=5)
            axes.plot([number], [math.copysign(0.95 * far, value) if beyond else value], **look)
    axes.set_ylim(-far, far)
    forest.change_ticks(axes.yaxis, far)
    axes.xaxis.set_major_locator(MaxNLocator(4, integer=True, min_n_ticks=1))
    axes.set_xlim(0.2, max(number for points in one.points.values() for number, _ in points) + 0.8)
    axes.set_xlabel("round", fontsize=9)
    axes.set_title(
        "\n".join((*short_names.lines(one.name, 34), one.words)), fontsize=9, fontweight="normal"
    )
    axes.tick_params(labelsize=9)
