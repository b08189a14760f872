"""All nights of all cases at a glance: how far each lies from what is usual of its case."""

from __future__ import annotations

import math
import statistics
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure

from reports import plot, short_names, table
from reports.figures.nights import cut
from reports.model_trend import NightSeries, Trend
from reports.trend_around import lettered

OF = "trend"
TITLE = "All nights at a glance"
READING = (
    "A row per case, a column per night with a run: days without one take no room. The colour "
    "says how far the night lies from the case's first nights, the median of the first 14 that are "
    "shown; after another comparable environment began, or a change of the kind 'environment', "
    "from its first 14 nights since then. Orange and brown are slower (or more), blue is faster "
    "(or less), white is within the smallest step that counts. Hatched grey has no "
    "time. A triangle marks a change, but not one between modes: up is slower, down is faster. "
    "Printed without colour, the darkest cells are slower; of the lighter ones the triangles tell "
    "the direction."
)
ORDER = 20

MOST_ROWS, MOST_PAGES = 60, 3
FIRST_NIGHTS = 14  # what a case is compared with: few, so that what changed later stands out
STEPS = (1, 2, 5, 10)  # bounds of the colours, in smallest steps that count
_SLOWER = ("#fad9bf", "#f0a565", "#D55E00", "#7a2e00")
_FASTER = ("#dcecf8", "#a5d0ee", "#56a5dc", "#0072B2")
_COLOURS = (*reversed(_FASTER), "#ffffff", *_SLOWER)
_WHITE = len(_FASTER)
_SIZE = 8.5


@dataclass(frozen=True)
class Row:
    """A case, or the median over several. `ratios` are logs by place in the shown nights, None
    without a time; `marks` are the places of changes, but for modes, with whether they rise."""

    name: str
    group: str
    ratios: tuple[float | None, ...]
    marks: tuple[tuple[int, bool], ...]


@dataclass(frozen=True)
class Page:
    """`lines` are places of nights with their words; `dates` those of all columns."""

    rows: tuple[Row, ...]
    dates: tuple[str, ...]
    least_step: float
    lines: tuple[tuple[int, str], ...]
    merged: str
    part: str


def case_rows(trend: Trend) -> list[Row]:
    """One a case, and one a count."""
    by_name: dict[tuple[str, str], list[NightSeries]] = {}
    for one in trend.series:
        if one.nights:
            by_name.setdefault((one.case, one.metric), []).append(one)
    marks = _marks(trend)
    beginnings = _beginnings(trend)
    rows = []
    for case, metric in sorted(
        by_name, key=lambda key: plot.by_value(tuple(_words(key[0] + "/" + key[1])))
    ):
        some = sorted(by_name[case, metric], key=lambda one: one.nights[0])
        ratios: list[float | None] = [None] * len(trend.dates)
        for one in some:
            anew = beginnings.get((case, metric), [])
            nights = zip(one.nights, one.values, strict=True)
            for _, since in groupby(nights, lambda night, anew=anew: bisect_right(anew, night[0])):
                level = list(since)
                usual = statistics.median(value for _, value in level[:FIRST_NIGHTS])
                for place, value in level:
                    ratios[place] = log_ratio(value, usual)
        name = f"{case} {metric}".rstrip()
        rows.append(
            Row(
                name,
                case.split("/")[0],
                tuple(ratios),
                tuple(sorted(marks.get((case, metric), ()))),
            )
        )
    return rows


def _words(name: str) -> Iterable[str]:
    """Parts of a name, numbers apart, so that n=64 comes before n=128."""
    for part in name.replace(",", "/").split("/"):
        key, equals, value = part.partition("=")
        yield from ((key, value) if equals else (part,))


def log_ratio(value: float, usual: float) -> float:
    """Infinite where one side is 0: beyond the ends of the colours."""
    if value == usual:
        return 0.0
    if value <= 0 or usual <= 0:
        return math.copysign(math.inf, value - usual)
    return math.log(value) - math.log(usual)


def _beginnings(trend: Trend) -> dict[tuple[str, str], list[int]]:
    """Of each case the places, ascending, where the machine rather than the code changed it."""
    found: dict[tuple[str, str], list[int]] = {}
    for one in trend.steps:
        if one.kind == "environment":
            place = bisect_left(trend.dates, one.night)
            found.setdefault((one.case, one.metric), []).append(place)
    return {case: sorted(places) for case, places in found.items()}


def _marks(trend: Trend) -> dict[tuple[str, str], set[tuple[int, bool]]]:
    marks: dict[tuple[str, str], set[tuple[int, bool]]] = {}
    for one in trend.steps:
        if not one.mode and trend.dates[0] <= one.night <= trend.dates[-1]:
            place = bisect_right(trend.dates, one.night) - 1
            marks.setdefault((one.case, one.metric), set()).add((place, one.after > one.before))
    return marks


def merged(rows: list[Row], parts: int) -> list[Row]:
    """The rows of one suite (1 part of the name) or of one of its variants (2) as their median,
    night by night."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault("/".join(row.name.split("/")[:parts]), []).append(row)
    made = []
    for name, some in groups.items():
        every = zip(*(row.ratios for row in some), strict=True)
        columns = ([one for one in column if one is not None] for column in every)
        ratios = tuple(_median(column) if column else None for column in columns)
        marks = tuple(sorted({mark for row in some for mark in row.marks}))
        made.append(
            Row(
                (f"{name} ({len(some)} case{'s' if len(some) != 1 else ''})"),
                some[0].group,
                ratios,
                marks,
            )
        )
    return made


def _median(values: list[float]) -> float:
    middle = statistics.median(values)
    return 0.0 if math.isnan(middle) else middle  # between two infinite ones of both signs


def pages(trend: Trend) -> list[Page]:
    rows = case_rows(trend)
    words = ""
    for parts, what in ((2, "variant"), (1, "suite")):
        if len(rows) > MOST_ROWS:
            rows = merged(case_rows(trend), parts)
            words = f"a row a {what}: the median over its cases"
    dates = tuple(date.isoformat() for date in trend.dates)
    lines = tuple(
        (dates.index(one.night.isoformat()), f"{one.letter}  {one.night} {one.words}")
        for one in lettered(trend)
        if one.night in trend.dates
    )
    return [
        Page(some, dates, trend.least_step, lines, words, part and f"rows {part}")
        for some, part in plot.paged(rows, MOST_ROWS, MOST_ROWS)[:MOST_PAGES]
    ]


def bounds(least_step: float) -> list[float]:
    """Of the colours: logs of ratios, ascending. As many percent to both sides, as long as there
    are so many."""
    steps = [step * max(least_step, 1e-6) for step in STEPS]
    faster = [math.log1p(-step) if steps[-1] < 0.9 else -math.log1p(step) for step in steps]
    return [*reversed(faster), *map(math.log1p, steps)]


def shade(ratio: float, least_step: float) -> int:
    """Its place in the colours; what is just as far as a bound still belongs to the inner side."""
    ends = bounds(least_step)
    slower = sum(ratio > end + 1e-12 for end in ends[len(STEPS) :])
    faster = sum(ratio < end - 1e-12 for end in ends[: len(STEPS)])
    return _WHITE + slower - faster


def data(page: Page) -> list[table.Row]:
    return [
        {
            "row": row.name,
            "night": date,
            table.unit("over the first nights", "1"): table.ratio(ratio),
        }
        | ({"change": "up" if marks[place] else "down"} if place in marks else {})
        for row in page.rows
        for marks in [dict(row.marks)]
        for place, (date, ratio) in enumerate(zip(page.dates, row.ratios, strict=True))
        if ratio is not None
    ]


def draw(page: Page, figure: Figure) -> None:
    count = len(page.rows)
    height = min(0.32, max(0.165, 3.0 / count))
    figure.set_size_inches(plot.SLIDE[0], 1.9 + 0.19 * len(page.lines) + height * count)
    title = " · ".join(filter(None, (figure.get_suptitle(), page.part)))
    figure.suptitle(title + (f"\n{page.merged}" if page.merged else ""), x=0.012, ha="left")
    axes, bar = figure.subplots(2, 1, height_ratios=[height * count, 0.12])
    axes.set_xlim(0, len(page.dates))
    axes.set_ylim(count, 0)
    axes.grid(False)
    axes.set_facecolor("#d4d4d4")
    axes.patch.set_hatch("////")
    axes.patch.set_edgecolor("#b4b4b4")
    axes.patch.set_linewidth(0)
    _cells(axes, page)
    for place, row in enumerate(page.rows):
        if place > 0:
            other = row.group != page.rows[place - 1].group
            axes.axhline(
                place, color=plot.INK if other else plot.PALE, lw=0.8 if other else 0.5, zorder=3
            )
        for night, rises in row.marks:
            look = plot.dot(
                plot.INK, "^" if rises else "v", markersize=5.5, markeredgecolor="white", zorder=5
            )
            axes.plot([night + 0.5], [place + 0.5], markeredgewidth=0.7, **look)
    _lines(axes, page)
    axes.set_yticks(
        [place + 0.5 for place in range(count)],
        short_names.of_rows([row.name for row in page.rows], 46),
    )
    axes.tick_params(axis="y", length=0)
    axes.tick_params(labelsize=_SIZE)
    _date_ticks(axes, page)
    _colour_bar(bar, page)


def _cells(axes: Axes, page: Page) -> None:
    """Neighbours of one colour as one rectangle."""
    boxes: dict[int, list[list[tuple[float, float]]]] = {}
    for place, row in enumerate(page.rows):
        start = 0
        for found, same in groupby(
            None if ratio is None else shade(ratio, page.least_step) for ratio in row.ratios
        ):
            end = start + len(list(same))
            if found is not None:
                box = [(start, place), (end, place), (end, place + 1), (start, place + 1)]
                boxes.setdefault(found, []).append(box)
            start = end
    for found, some in sorted(boxes.items()):
        axes.add_collection(
            PolyCollection(
                some, facecolors=_COLOURS[found], edgecolors="none", antialiaseds=False, zorder=2
            ),
            autolim=False,
        )


def _lines(axes: Axes, page: Page) -> None:
    for level, (place, words) in enumerate(_stacked(page)):
        axes.axvline(place, color=plot.INK, lw=1.1, ls=plot.DASHES[3], zorder=4)
        left = place < 0.35 * len(page.dates)
        axes.annotate(
            cut(words, room(place / len(page.dates))),
            (place, 1),
            xycoords=axes.get_xaxis_transform(),
            xytext=(0, 6 + 13.5 * level),
            textcoords="offset points",
            ha="left" if left else "right",
            va="bottom",
            fontsize=_SIZE,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.0},
            arrowprops={
                "arrowstyle": "-",
                "color": plot.GREY,
                "lw": 0.8,
                "shrinkA": 0,
                "shrinkB": 0,
            }
            | {"relpos": (0, 0) if left else (1, 0)},
            annotation_clip=False,
            zorder=20 - level,  # a line up to higher words passes behind these
        )


def room(part: float) -> int:
    """Characters that have room beside a line which stands so far to the right, left of it from
    0.35 on."""
    return round(90 * (1 - part)) if part < 0.35 else min(100, round(14 + 123 * part))


def _stacked(page: Page) -> list[tuple[int, str]]:
    """Words from the lowest line up, so that a line up to its words crosses no others of its
    side."""
    left = [one for one in page.lines if one[0] < 0.35 * len(page.dates)]
    right = [one for one in page.lines if one[0] >= 0.35 * len(page.dates)]
    return [*right, *reversed(left)]


def _date_ticks(axes: Axes, page: Page) -> None:
    last = len(page.dates) - 1
    places = (
        sorted({round(last * at / 5) for at in range(6)}) if last >= 5 else list(range(last + 1))
    )
    plot.ticks_at(axes.xaxis, [place + 0.5 for place in places], lambda at: page.dates[int(at)])


def _colour_bar(axes: Axes, page: Page) -> None:
    for place, colour in enumerate(_COLOURS):
        axes.axvspan(place, place + 1, color=colour, linewidth=0)
    axes.set_xlim(0, len(_COLOURS))
    axes.grid(False)
    axes.set_yticks([])
    axes.set_xticks(
        range(1, len(_COLOURS)), [tick(end) for end in bounds(page.least_step)], fontsize=_SIZE
    )
    for spine in axes.spines.values():
        spine.set_visible(True)
    axes.set_xlabel("← faster      against the case's first nights      slower →", fontsize=9.5)


def tick(end: float) -> str:
    """A bound in percent."""
    return f"{100 * math.expm1(end):+.3g}%"
