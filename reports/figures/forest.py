"""Every case of a gate: how much slower the candidate is, how well that is known, and what was
decided."""

from __future__ import annotations

import math
from dataclasses import dataclass

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle

from reports import plot, rows, short_names, table
from reports.model_gate import Gate, Verdict

OF = "gate"
TITLE = "Verdicts of a gate"
READING = (
    "Candidate over baseline, with an unadjusted 95% interval; the shaded band is the change that "
    "does not matter (delta). A regression is estimated to be slower by at least delta, by a test "
    "that noise alone passes in at most alpha of all gates; a pass was shown to be no slower than "
    "delta; hollow cases were measured and not decided. What has no number could not be compared."
)
ORDER = 10

ROWS_A_PAGE = 34
_LONGEST_SIDE = 26  # letters
_BAND = "#e4e4e4"
_EXPECTED = "regression (expected)"  # a look of its own, which the legend names
_STYLES = {
    "regression": plot.Style(plot.VERMILLION, "s"),
    _EXPECTED: plot.Style(plot.ORANGE, "P"),
    "improvement": plot.Style(plot.BLUE, "D"),
    "pass": plot.Style(plot.GREEN, "o"),
}
_OTHER = plot.Style(plot.GREY, "o")  # drawn hollow
_FARTHEST = 1.2  # of a log ratio that an axis shows


@dataclass(frozen=True)
class Row:
    """One case. `change`, `low`, `high` and `delta` are logs of ratios; without a change there is a
    `note` alone; an end of the interval that is None beside a change has no bound. `look` is what
    the legend calls the style."""

    name: str
    words: str
    look: str
    style: plot.Style
    hollow: bool
    delta: float
    percent: str
    change: float | None
    low: float | None
    high: float | None
    pairs: int
    note: str


@dataclass(frozen=True)
class Page:
    """Rows that are drawn together; `limit` is how far the axis reaches to both sides of no change;
    `part` says which of several pages it is."""

    rows: tuple[Row, ...]
    limit: float
    sides: str
    part: str
    counted: str


def row(verdict: Verdict) -> Row:
    known = verdict.ratio is not None
    log = {
        key: math.log(value)
        for key, value in (
            ("change", verdict.ratio),
            ("low", verdict.ratio_low),
            ("high", verdict.ratio_high),
        )
        if value is not None
    }
    met = verdict.expectation and verdict.expectation.state == "met"
    look = _EXPECTED if met else verdict.verdict
    style = _STYLES.get(look, _OTHER)
    return Row(
        name=verdict.case,
        words=verdict.words.verdict,
        look=look,
        style=style if known or verdict.verdict == "pass" else plot.Style(plot.INK),
        hollow=style is _OTHER,
        delta=math.log1p(verdict.delta),
        percent=verdict.words.change,
        change=log.get("change"),
        low=log.get("low"),
        high=log.get("high"),
        pairs=verdict.pairs,
        note="" if known else verdict.reason,
    )


def pages(gate: Gate) -> list[Page]:
    # Counts have no intervals, and their changes are no slow-downs: the table tells them.
    every = [row(verdict) for verdict in gate.verdicts if not verdict.metric]
    sides = " against ".join(
        short_names.apart(gate.facts.candidate, gate.facts.baseline, _LONGEST_SIDE)
    )
    return [
        Page(some, limit(every), sides, part and f" · cases {part}", gate.counted)
        for some, part in plot.paged(every, ROWS_A_PAGE)
    ]


def limit(every: list[Row]) -> float:
    """Far enough for what was found, near enough that delta is seen; the same for all pages of a
    gate."""
    deltas = sorted(one.delta for one in every if one.delta > 0) or [math.log1p(0.03)]
    found = [
        abs(end) for one in every for end in (one.change, one.low, one.high) if end is not None
    ]
    usual, widest = deltas[len(deltas) // 2], deltas[-1]
    return min(
        max(1.3 * widest, 2.5 * usual, min(1.1 * max(found, default=0.0), 8 * usual)), _FARTHEST
    )


def data(page: Page) -> list[table.Row]:
    return [
        {
            "case": one.name,
            "verdict": one.words,
            table.unit("candidate over baseline", "1"): table.ratio(one.change),
            table.unit("low", "1"): table.ratio(one.low),
            table.unit("high", "1"): table.ratio(one.high),
            table.unit("delta", "1"): math.expm1(one.delta),
            table.unit(page.counted, "1"): one.pairs,
            "why": one.note,
        }
        for one in page.rows
    ]


def draw(page: Page, figure: Figure) -> None:
    count = len(page.rows)
    figure.set_size_inches(plot.SLIDE[0], 1.9 + 0.27 * count)
    axes = figure.subplots()
    figure.suptitle(f"{figure.get_suptitle()}{page.part}\n{page.sides}", x=0.012, ha="left")
    names = short_names.of_rows([one.name for one in page.rows], 52)
    rows.set_up(axes, names, page.limit)
    room = 105 - max(map(len, names))  # characters between the names and the columns
    for place, one in enumerate(page.rows):
        if one.change is None:
            note = short_names.beginning(one.note, room)
            axes.text(
                -0.985 * page.limit,
                place,
                note,
                fontsize=rows.SIZE,
                va="center",
                backgroundcolor="white",
            )
        else:
            band = Rectangle(
                (-one.delta, place - 0.5), 2 * one.delta, 1, color=_BAND, linewidth=0, zorder=0.5
            )
            axes.add_patch(band)
            _draw_change(axes, place, one, page.limit)
        pairs = str(one.pairs) if one.pairs else ""
        rows.columns(
            axes, place, _cells(one.percent, pairs, one.words, (plot.INK, rows.shade(one.style)))
        )
    rows.columns(axes, -1, _cells("change", page.counted, "verdict", (plot.GREY, plot.GREY)))
    change_ticks(axes.xaxis, page.limit)
    axes.set_xlabel("← faster      candidate over baseline      slower →")
    plot.legend_below(figure, _legend(page))


def _draw_change(axes: Axes, place: int, one: Row, limit: float) -> None:
    assert one.change is not None
    colour = one.style.colour
    low, high = -limit if one.low is None else one.low, limit if one.high is None else one.high
    rows.interval(axes, place, low, high, limit, colour)
    for end, edge, arrow in ((one.low, -limit, "<"), (one.high, limit, ">")):
        if end is None:
            axes.plot(
                [edge],
                [place],
                marker=arrow,
                color=colour,
                markersize=rows.MARK,
                clip_on=False,
                zorder=4,
            )
    if abs(one.change) <= limit:
        rows.mark(axes, place, one.change, one.style, hollow=one.hollow)
    else:
        rows.beyond(axes, place, one.percent, limit, colour, right=one.change > 0)


def _cells(
    change: str, pairs: str, words: str, colours: tuple[str, str]
) -> list[tuple[str, float, str, str]]:
    """The colours are of numbers and of words."""
    return [
        (change, 48, "right", colours[0]),
        (pairs, 104, "right", colours[0]),
        (words, 114, "left", colours[1]),
    ]


def change_ticks(axis: Axis, limit: float) -> None:
    """Ticks in percent for an axis of logs of ratios that reaches from -limit to limit."""
    plot.ticks_at(
        axis,
        [math.log1p(part) for part in tick_places(limit)],
        lambda value: _tick(math.expm1(value)),
    )


def tick_places(limit: float) -> list[float]:
    """Relative changes, round numbers that an axis from -limit to limit can show; none near
    another."""
    if limit > math.log(1.5):
        places = [-0.99, -0.9, -0.8, -0.7, -0.5, -0.3, 0.0, 0.5, 1.0, 2.0, 4.0, 9.0, 99.0]
    else:
        steps = [base * 10.0**power for power in range(-6, 1) for base in (1, 2, 5)]
        step = next(step for step in steps if math.expm1(limit) / step <= 3.6)
        places = [step * k for k in range(-3, 4) if step * k > -1]
    return sorted([0.0, *rows.apart(places, math.log1p, 0.24 * limit, limit)])


def _tick(part: float) -> str:
    return "0" if abs(part) < 1e-12 else f"{100 * part:+g}%"


def _legend(page: Page) -> dict[str, Artist]:
    entries: dict[str, Artist] = {}
    for one in page.rows:
        if one.change is not None:
            face = "white" if one.hollow else one.style.colour
            look = {"color": one.style.colour, "marker": one.style.marker, "markerfacecolor": face}
            entries.setdefault(
                "not decided" if one.hollow else one.look, Line2D([], [], linewidth=1.6, **look)
            )
    entries["delta"] = Patch(color=_BAND)
    if any(one.change is not None and None in (one.low, one.high) for one in page.rows):
        entries["no bound"] = Line2D([], [], **plot.dot(plot.GREY, ">"))
    return entries
