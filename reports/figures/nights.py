"""The series of which a trend tells something: their nights, where their level changed and how well
that is known."""

from __future__ import annotations

import datetime
import math
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator, ScalarFormatter

from reports import plot, short_names, table
from reports.model_trend import Trend
from reports.night_panels import MEMBERS, Panel, Place, panels, reach, worth
from reports.trend_around import Around, around, boundary, lettered

OF = "trend"
TITLE = "Cases with something to tell, night by night"
READING = (
    "One point per night, over its date; what matters most comes first. Horizontal lines are the "
    "levels before and after a change, a triangle is the change itself: up is slower (or a count "
    "that grew), hollow goes to and fro between modes. The shaded band is where it may as well "
    "have happened. Points of another comparable environment have another shape. Axes are cut "
    "around the values and do not start at 0, so that heights of different panels cannot be "
    "compared: read the percentages."
)
ORDER = 10

COLUMNS, ROWS, MOST_PAGES = 2, 4, 3
_SIZE = 8.5
_COLOURS = {"regression": plot.VERMILLION, "improvement": plot.BLUE, "environment": plot.PURPLE}
_BANDS = {"regression": "#f7d9c4", "improvement": "#cfe4f2", "environment": "#f0dde8"}
_MARKERS = ("o", "s", "D", "P")


@dataclass(frozen=True)
class Page:
    """`low` and `high` are the dates of all panels, as ordinals; `note` says what is left out of
    all pages."""

    panels: tuple[Panel, ...]
    low: int
    high: int
    least_step: float
    around: tuple[Around, ...]
    lines: tuple[float, ...]  # places of `around`
    part: str
    note: str


def pages(trend: Trend) -> list[Page]:
    some_panels = shown(trend)
    marked = tuple(lettered(trend))
    lines = tuple(boundary(trend.dates, one.night) for one in marked)
    ends = trend.dates[0].toordinal(), trend.dates[-1].toordinal()
    parts = plot.paged(some_panels, COLUMNS * ROWS, COLUMNS)
    return [
        Page(
            some,
            *ends,
            trend.least_step,
            marked,
            lines,
            part and f" · {part}",
            "" if at else left_out(trend),
        )
        for at, (some, part) in zip(reversed(range(len(parts))), parts, strict=True)
    ]


def shown(trend: Trend) -> list[Panel]:
    """Those that there are pages for."""
    return panels(trend)[: COLUMNS * ROWS * MOST_PAGES]


def left_out(trend: Trend) -> str:
    """What the pages do not show, in words; empty when they show all."""
    made = panels(trend)
    told = worth(trend)
    drawn = len(shown(trend))
    parts = []
    if len(made) > drawn:
        parts.append(f"{len(made) - drawn} more with something to tell")
    members = sum(max(0, len(one.members) - MEMBERS) for one in trend.findings)
    if members:
        parts.append(f"{members} more of fleet events")
    if len(told) > len(made):
        parts.append(f"{len(told) - len(made)} without a time or a count in the nights shown")
    without = len(around(trend)) - len(lettered(trend))
    if without:
        parts.append(
            f"{without} night{'s' if without != 1 else ''} on which more than the code changed"
        )
    return f"Not drawn, but in the tables: {', '.join(parts)}." if parts else ""


def data(page: Page) -> list[table.Row]:
    return [row for one in page.panels for row in _rows(one)]


def _rows(one: Panel) -> Iterable[table.Row]:
    """Its nights by environment, then what is said of them."""
    value = table.unit(one.metric or "time", one.unit or "1")

    def row(what: str, place: Place, **more: table.Cell) -> table.Row:
        return {"case": one.case, "what": what, "night": _when(place[0]), value: place[1]} | more

    for number, nights in enumerate(one.nights, start=1):
        for place in nights:
            yield row("night", place) | {table.unit("environment", "1"): number}
    for what, lines in (("level", one.levels), ("drift", one.drifts)):
        for begin, end in lines:
            yield row(f"{what} begins", begin)
            yield row(f"{what} ends", end)
    for mark in one.marks:
        band = {"earliest": _when(mark.earliest), "latest": _when(mark.latest)}
        yield row(mark.kind, (mark.at, mark.middle), **band)
    if one.stop:
        yield row("stopped", one.stop)


def _when(day: float) -> str:
    """A date, and the hour where it is between two."""
    whole = datetime.datetime.fromordinal(math.floor(day))
    if day == math.floor(day):
        return whole.date().isoformat()
    return (whole + datetime.timedelta(days=day % 1)).isoformat(timespec="minutes")


def draw(page: Page, figure: Figure) -> None:
    columns = min(COLUMNS, len(page.panels))
    rows = -(-len(page.panels) // columns)
    lines = [f"{one.letter}   {one.night}: {one.words}" for one in page.around]
    lines += [page.note] if page.note else []
    height = 0.25 * len(lines)
    figure.set_size_inches(plot.SLIDE[0], 1.35 + 2.35 * rows + height)
    figure.suptitle(f"{figure.get_suptitle()}{page.part}", x=0.012, ha="left")
    grid = figure.add_gridspec(
        rows + bool(lines), columns, height_ratios=[2.35] * rows + [height] * bool(lines)
    )
    for place, one in enumerate(page.panels):
        _draw(figure.add_subplot(grid[place // columns, place % columns]), one, page)
    if lines:
        key = figure.add_subplot(grid[rows, :])
        key.set_axis_off()
        for at, line in enumerate(lines):
            key.text(0, 1 - (at + 0.5) / len(lines), cut(line, 125), fontsize=_SIZE, va="center")
    plot.legend_below(figure, _legend(page))


def words_lines(words: str, limit: int = 56) -> list[str]:
    """On two lines at most."""
    lines = textwrap.wrap(words, limit)
    return [*lines[:1], *(cut(line, limit) for line in [" ".join(lines[1:])] if line)]


def cut(text: str, limit: int) -> str:
    """`text` as it can be drawn, cut at its end."""
    clean = plot.shown(text, len(text) + 1)
    return clean if len(clean) <= limit else clean[: limit - 1] + "…"


def _draw(axes: Axes, one: Panel, page: Page) -> None:
    low, high = reach(one, page.least_step)
    factor, unit = (
        plot.unit_scale([(low + high) / 2], "ns")
        if one.unit == "ns" and not one.metric
        else (1.0, one.metric or one.unit)
    )
    for mark in one.marks:
        axes.axvspan(mark.earliest, mark.latest, color=_BANDS[mark.kind], linewidth=0, zorder=0.6)
    for number, nights in enumerate(one.nights):
        _points(axes, nights, (low, high), factor, _MARKERS[number % len(_MARKERS)])
    for ends in one.levels:
        days, values = zip(*ends, strict=True)
        axes.plot(days, [value * factor for value in values], color=plot.INK, lw=1.8, zorder=4)
    for ends in one.drifts:
        days, values = zip(*ends, strict=True)
        axes.plot(
            days,
            [value * factor for value in values],
            color=plot.INK,
            lw=1.8,
            ls=plot.DASHES[1],
            zorder=4,
        )
    for mark in one.marks:
        look = plot.dot(
            _COLOURS[mark.kind], "^" if mark.rises else "v", hollow=mark.hollow, markeredgewidth=1.6
        )
        axes.plot([mark.at], [mark.middle * factor], markersize=9, zorder=6, **look)
    if one.stop:
        inside = min(max(one.stop[1], low), high)
        axes.axvline(one.stop[0], color=plot.INK, lw=1.0, ls=plot.DASHES[2], zorder=2)
        axes.plot(
            [one.stop[0]], [inside * factor], zorder=6, **plot.dot(plot.INK, "X", markersize=9)
        )
    days = max(1, page.high - page.low)
    axes.set_xlim(page.low - 0.03 * days - 0.5, page.high + 0.03 * days + 0.5)
    axes.set_ylim(low * factor, high * factor)
    _letters(axes, page, days)
    _ticks(axes, page)
    axes.set_ylabel(plot.shown(unit, 26), fontsize=_SIZE + 0.5)
    pad = 17 if page.around else 6
    axes.set_title(
        "\n".join((*short_names.lines(one.case, 58), *words_lines(one.words))),
        fontsize=9,
        fontweight="normal",
        pad=pad,
    )


def _points(axes: Axes, nights: Iterable[Place], limits: Place, factor: float, marker: str) -> None:
    low, high = limits
    edge = 0.03 * (high - low)
    inside = [point for point in nights if low <= point[1] <= high]
    beyond = [
        (day, low + edge if value < low else high - edge)
        for day, value in nights
        if not low <= value <= high
    ]
    for some, look in (
        (inside, {"marker": marker, "markersize": 3.5}),
        (beyond, {"marker": "x", "markersize": 5}),
    ):
        values = [value * factor for _, value in some]
        axes.plot(
            [day for day, _ in some], values, linestyle="none", color=plot.GREY, zorder=3, **look
        )


def _letters(axes: Axes, page: Page, days: int) -> None:
    """Lines at the nights of `around`; the letters of those that are too near to stand side by side
    stand as one."""
    groups: list[tuple[float, str]] = []
    for place, one in zip(page.lines, page.around, strict=True):
        axes.axvline(place, color=plot.GREY, lw=1.0, ls=plot.DASHES[3], zorder=1.5)
        if groups and place - groups[-1][0] < (0.02 + 0.022 * len(groups[-1][1])) * days:
            groups[-1] = (groups[-1][0], groups[-1][1] + one.letter)
        else:
            groups.append((place, one.letter))
    for place, letters in groups:
        side = "left" if len(letters) > 1 else "center"
        axes.text(
            place,
            1.02,
            letters,
            transform=axes.get_xaxis_transform(),
            ha=side,
            va="bottom",
            fontsize=_SIZE,
        )


def _ticks(axes: Axes, page: Page) -> None:
    count = min(4, page.high - page.low + 1)
    span = page.high - page.low
    places = sorted({page.low + round(span * at / max(1, count - 1)) for at in range(count)})
    plot.ticks_at(axes.xaxis, places, lambda day: datetime.date.fromordinal(round(day)).isoformat())
    axes.yaxis.set_major_locator(MaxNLocator(4))
    if max(map(abs, axes.get_ylim())) < 1e7:
        axes.yaxis.set_major_formatter(ScalarFormatter(useOffset=False))
    else:
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:.4g}")
    axes.tick_params(labelsize=_SIZE)
    labels = axes.get_xticklabels()
    if labels and len(labels) > 1:
        labels[0].set_horizontalalignment("left")
        labels[-1].set_horizontalalignment("right")


def _legend(page: Page) -> dict[str, Artist]:
    some = page.panels
    entries: dict[str, Artist] = {}
    count = max(len(one.nights) for one in some)
    for number in range(min(count, len(_MARKERS))):
        label = "a night" if number == 0 else f"in environment {number + 1}"
        entries[label] = Line2D([], [], **plot.dot(plot.GREY, _MARKERS[number], markersize=4.5))
    ends = [
        (reach(one, page.least_step), [value for nights in one.nights for _, value in nights])
        for one in some
    ]
    if any(not low <= value <= high for (low, high), values in ends for value in values):
        entries["beyond the axis"] = Line2D([], [], linestyle="none", marker="x", color=plot.GREY)
    marks = [mark for one in some for mark in one.marks]
    if marks:
        entries["level"] = Line2D([], [], color=plot.INK, lw=1.8)
    for words in ("regression", "improvement", "environment"):
        found = [mark for mark in marks if mark.kind == words]
        if found:
            shape = "^" if found[0].rises else "v"
            entries[words] = Line2D(
                [], [], linestyle="none", marker=shape, markersize=9, color=_COLOURS[words]
            )
    if any(mark.hollow for mark in marks):
        entries["hollow: a mode"] = Line2D(
            [], [], **plot.dot(plot.INK, "^", hollow=True, markersize=9)
        )
    if marks:
        entries["may have been here"] = Patch(color=_BANDS[marks[0].kind])
    if any(one.drifts for one in some):
        entries["drift"] = Line2D([], [], color=plot.INK, lw=1.8, linestyle=plot.DASHES[1])
    if any(one.stop for one in some):
        entries["stopped"] = Line2D(
            [], [], linestyle="none", marker="X", color=plot.INK, markersize=9
        )
    return entries
