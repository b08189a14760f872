"""Every ratio of a comparison beside what the two rooflines alone predict, suite by suite."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable
from dataclasses import dataclass

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from reports import compared, plot, rows, short_names, table
from reports.model_comparison import ComparedCase, Comparison

OF = "comparison"
TITLE = "Ratios, and what the rooflines explain"
READING = (
    "Time of B over time of A with its 95% interval: left of the line B takes less time, right of "
    "it A does. The open diamond is what the two rooflines alone predict, and the thin line from "
    "there to the mark is the rest, which the column at the right names: hardware when next to "
    "nothing is left, none when the sides may as well be equal. The first row of a suite is the "
    "geometric mean of its cases; those that measure a roof, and those that were disturbed, are "
    "not in it. Hollow marks were unstable or disturbed on a side; cases that could not be "
    "compared are listed, never drawn."
)
ORDER = 20

ROWS_A_PAGE = 34
_ONE_LINE = 46  # letters of both sides' names in one line of the title
_LEAST, _USUAL = math.log(1.25), math.log(2)  # that an axis reaches
_STYLES = {
    "none": plot.Style(plot.BLUE, "."),
    "hardware": plot.Style(plot.BLUE, "o"),
    "distance": plot.Style(plot.VERMILLION, "s"),
    "environment": plot.Style(plot.ORANGE, "P"),
    "unknown": plot.Style(plot.PURPLE, "^"),
    "measures a roof": plot.Style(plot.GREY, "v"),
    "no roof known": plot.Style(plot.GREY, "X"),
}
_MEAN = plot.Style(plot.INK, "|")
_ROOFS = plot.Style(plot.INK, "D")
_ROOFS_SIZE = 7.0  # larger than a mark: seen around one at its place
_TICKS = (  # from this reach on, the ratios that may stand at the axis
    (math.log(30), [10.0**power for power in range(-12, 13)]),
    (math.log(5), [base * 10.0**power for power in range(-3, 3) for base in (1, 2, 5)]),
    (0.0, [0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1, 1.05, 1.1, 1.2, 1.5, 2, 2.5, 3, 4]),
)


@dataclass(frozen=True)
class Row:
    """A case, or a suite's mean: ratios of B over A, None where there is none. `roofs` is what the
    rooflines alone predict; `lowest` and `highest` are over a suite's cases; `texts` are the ratio
    and the roofs' in words."""

    name: str
    word: str
    style: plot.Style
    hollow: bool = False
    is_mean: bool = False
    ratio: float | None = None
    low: float | None = None
    high: float | None = None
    roofs: float | None = None
    lowest: float | None = None
    highest: float | None = None
    texts: tuple[str, str] = ("", "")


@dataclass(frozen=True)
class Page:
    """Rows that are drawn together; `limit` is how far, in logs, the axis reaches to both sides of
    no change; `part` says which of several pages it is."""

    rows: tuple[Row, ...]
    limit: float
    sides: tuple[str, str]
    part: str
    overview: bool


def pages(comparison: Comparison) -> list[Page]:
    """With more than one page of cases, one of suites comes first."""
    groups = {
        suite: (mean_row(comparison, suite), [row(case) for case in cases])
        for suite, cases in compared.by_suite(comparison).items()
    }
    if not groups:
        return []
    cases = [one for _, some in groups.values() for one in some]
    means = [mean for mean, _ in groups.values()]
    reach = limit([*means, *cases])
    sides = compared.sides(comparison)
    parts = _parts(groups.values())
    made = []
    if len(parts) > 1:
        for start in range(0, len(means), ROWS_A_PAGE):
            some = tuple(means[start : start + ROWS_A_PAGE])
            made.append(
                Page(some, reach, sides, _part("suites", start, len(some), len(means)), True)
            )
    start = 0
    for part in parts:
        count = sum(not one.is_mean for one in part)
        made.append(
            Page(tuple(part), reach, sides, _part("cases", start, count, len(cases)), False)
        )
        start += count
    return made


def row(case: ComparedCase) -> Row:
    name = case.case.removeprefix(f"{case.suite}/")
    word = case.cause or ("measures a roof" if case.measures_roof else "no roof known")
    return Row(
        name=name
        if case.work in (None, 1)
        else f"{short_names.whole_words(name, 32)} (per unit of work)",
        word=word,
        style=_STYLES[word],
        hollow=case.a.unsteady or case.b.unsteady,
        ratio=case.ratio,
        low=case.ratio_low,
        high=case.ratio_high,
        roofs=case.roofs_ratio,
        texts=(case.words.get("ratio", ""), case.words.get("roofs_alone", "")),
    )


def mean_row(comparison: Comparison, suite: str) -> Row:
    """What the rooflines predict stands beside a mean only when they do so for all the mean's
    cases."""
    mean = next((one for one in comparison.suites if one.suite == suite), None)
    if mean is None:
        return Row(suite, "no mean", _MEAN, is_mean=True)
    of_all = mean.roofs_cases == mean.cases
    return Row(
        name=suite,
        word=f"mean of {mean.cases}",
        style=_MEAN,
        is_mean=True,
        ratio=mean.ratio,
        low=mean.ratio_low,
        high=mean.ratio_high,
        roofs=mean.roofs_ratio if of_all else None,
        lowest=mean.lowest,
        highest=mean.highest,
        texts=(mean.words["mean"], mean.words.get("roofs_alone", "") if of_all else ""),
    )


def limit(every: Iterable[Row]) -> float:
    """Far enough for nearly all, and for all unless a few are far off."""
    some = list(every)
    found = sorted(
        abs(math.log(value))
        for one in some
        for value in (one.ratio, one.roofs)
        if value is not None
    )
    ends = [abs(math.log(end)) for one in some for end in (one.low, one.high) if end is not None]
    usual = found[int(0.9 * (len(found) - 1))]
    return max(_LEAST, min(1.1 * max([*found, *ends]), max(2 * usual, _USUAL)))


def _parts(groups: Iterable[tuple[Row, list[Row]]]) -> list[list[Row]]:
    """As few pages as there can be, of about the same length; each begins with a suite, which may
    go on from the page before."""
    groups = list(groups)
    fewest = len(_filled(groups, ROWS_A_PAGE))
    for most in range(2, ROWS_A_PAGE):
        if (
            sum(len(cases) for _, cases in groups) <= fewest * most
            and len(parts := _filled(groups, most)) == fewest
        ):
            return parts
    return _filled(groups, ROWS_A_PAGE)


def _filled(groups: list[tuple[Row, list[Row]]], most: int) -> list[list[Row]]:
    parts: list[list[Row]] = [[]]
    for mean, cases in groups:
        for index, case in enumerate(cases):
            if parts[-1] and len(parts[-1]) + (2 if index == 0 else 1) > most:
                parts.append([])
            if index == 0 or not parts[-1]:
                parts[-1].append(
                    mean
                    if index == 0
                    else dataclasses.replace(mean, name=f"{mean.name}, continued")
                )
            parts[-1].append(case)
    return parts


def _part(what: str, start: int, count: int, total: int) -> str:
    if start == 0 and count == total:
        return f" · all {total} {what}" if what == "suites" else ""
    return f" · {what} {start + 1} to {start + count} of {total}"


def data(page: Page) -> list[table.Row]:
    a, b = page.sides
    ratio = f"time of {b} over {a}" if page.sides != ("A", "B") else "time of B over A"
    return [
        {
            "row": one.name,
            table.unit(ratio, "1"): one.ratio,
            table.unit("low", "1"): one.low,
            table.unit("high", "1"): one.high,
            table.unit("roofs alone", "1"): one.roofs,
            table.unit("lowest", "1"): one.lowest,
            table.unit("highest", "1"): one.highest,
            "the rest is": one.word,
            "steady": table.steady(hollow=one.hollow),
        }
        for one in page.rows
        if one.ratio is not None
    ]


def draw(page: Page, figure: Figure) -> None:
    figure.set_size_inches(plot.SLIDE[0], 2.1 + 0.27 * len(page.rows))
    axes = figure.subplots()
    figure.suptitle(f"{TITLE}{page.part}\n{_told(page.sides)}", x=0.012, ha="left")
    names = short_names.of_rows([one.name for one in page.rows], 48)
    cases = (0 if page.overview or one.is_mean else 2 for one in page.rows)
    rows.set_up(
        axes, [name + " " * indent for name, indent in zip(names, cases, strict=True)], page.limit
    )
    for place, (one, label) in enumerate(zip(page.rows, axes.get_yticklabels(), strict=True)):
        bold = one.is_mean and not page.overview
        label.set_fontweight("bold" if bold else "normal")
        _draw_row(axes, place, one, page)
        rows.columns(
            axes, place, _cells(*one.texts, one.word, plot.INK, rows.shade(one.style)), bold=bold
        )
    rows.columns(
        axes,
        -1,
        _cells("B/A", "roofs alone", "" if page.overview else "the rest is", plot.GREY, plot.GREY),
    )
    ratio_ticks(axes.xaxis, page.limit)
    axes.set_xlabel("← B faster      time of B over A      A faster →")
    plot.legend_below(figure, _legend(page))


def _told(sides: tuple[str, str]) -> str:
    """What is over what, on two lines where names are long."""
    a, b = sides
    if sides == ("A", "B"):
        return "Time of B over time of A"
    return f"Time of B, {b},{' ' if len(a) + len(b) <= _ONE_LINE else chr(10)}over time of A, {a}"


def _cells(
    ratio: str, roofs: str, word: str, colour: str, shade: str
) -> list[tuple[str, float, str, str]]:
    return [(ratio, 40, "right", colour), (roofs, 106, "right", colour), (word, 116, "left", shade)]


def _draw_row(axes: Axes, place: int, one: Row, page: Page) -> None:
    if one.ratio is None:
        return
    at, limit = math.log(one.ratio), page.limit
    if page.overview and one.lowest and one.highest:
        low, high = math.log(one.lowest), math.log(one.highest)
        rows.interval(axes, place, low, high, limit, plot.PALE, width=6)
    if one.roofs is not None:
        _draw_roofs(axes, place, at, math.log(one.roofs), limit)
    if one.low is not None and one.high is not None:
        low, high = math.log(one.low), math.log(one.high)
        rows.interval(
            axes, place, low, high, limit, one.style.colour, width=3.2 if one.is_mean else 1.6
        )
    if abs(at) > limit:
        rows.beyond(axes, place, one.texts[0], limit, rows.shade(one.style), right=at > 0)
    else:
        rows.mark(
            axes, place, at, one.style, hollow=one.hollow, size=12 if one.is_mean else rows.MARK
        )


def _draw_roofs(axes: Axes, place: int, at: float, roofs: float, limit: float) -> None:
    """The rest as a line, and the prediction at its end; an open arrow where that is beyond the
    axis."""
    edges = (0.95 * limit, limit)  # below the text that stands for a mark
    inside = [max(-edge, min(edge, value)) for edge, value in zip(edges, (at, roofs), strict=True)]
    axes.plot(inside, [place, place], color=plot.GREY, linewidth=1.0, zorder=2)
    marker = _ROOFS.marker if abs(roofs) <= limit else ">" if roofs > 0 else "<"
    look = plot.dot(_ROOFS.colour, marker, hollow=True, markeredgewidth=1.0, markersize=_ROOFS_SIZE)
    axes.plot([inside[1]], [place], clip_on=False, zorder=4, **look)


def ratio_ticks(axis: Axis, limit: float) -> None:
    places = [math.log(place) for place in tick_places(limit)]
    plot.ticks_at(axis, places, lambda value: f"{math.exp(value):.6g}")


def tick_places(limit: float) -> list[float]:
    """Round ratios that an axis from -limit to limit can show, 1 among them; none near another."""
    places = next(places for least, places in _TICKS if limit >= least)
    return sorted([1.0, *rows.apart(places, math.log, 0.2 * limit, limit)])


def _legend(page: Page) -> dict[str, Artist]:
    entries: dict[str, Artist] = {}
    measured = [one for one in page.rows if one.ratio is not None]
    for one in sorted(
        measured,
        key=lambda one: (one.is_mean, list(_STYLES).index(one.word) if not one.is_mean else 0),
    ):
        label = "mean of a suite" if one.is_mean else one.word
        width = 3.2 if one.is_mean else 1.6
        look = {
            "color": one.style.colour,
            "marker": one.style.marker,
            "markersize": 12 if one.is_mean else rows.MARK,
        }
        entries.setdefault(label, Line2D([], [], linewidth=width, **look))
    if page.overview and measured:
        entries["lowest to highest"] = Line2D([], [], color=plot.PALE, linewidth=6)
    if any(one.roofs is not None for one in measured):
        look = {
            "marker": _ROOFS.marker,
            "markersize": _ROOFS_SIZE,
            "markerfacecolor": "white",
            "linewidth": 1.0,
        }
        entries["roofs alone"] = Line2D(
            [], [], color=plot.GREY, markeredgecolor=_ROOFS.colour, **look
        )
    return entries | plot.hollow_entry(any(one.hollow for one in measured))
