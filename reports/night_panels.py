"""What a trend's figure of nights shows, as plain rows: of each case worth a look its nights,
levels and changes."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from reports.model_trend import Finding, NightSeries, Trend
from reports.trend_around import boundary, night_before

MEMBERS = 3  # of a fleet event that are drawn

Place = tuple[float, float]  # the day as an ordinal, and a value
Line = tuple[Place, Place]


@dataclass(frozen=True)
class Mark:
    """A change of level: its most likely place, the band of others, whether it rises, and its kind:
    of a count that says whether it is for the worse, which the direction does not."""

    at: float
    earliest: float
    latest: float
    middle: float
    rises: bool
    hollow: bool
    kind: str


@dataclass(frozen=True)
class Panel:
    """One case, or one count of it. `nights` has the points of each comparable environment,
    `levels` pairs of their ends, `drifts` both ends of their lines, and `stop` the last point of a
    case that has stopped."""

    case: str
    metric: str
    unit: str
    words: str
    nights: tuple[tuple[Place, ...], ...]
    levels: tuple[Line, ...] = ()
    marks: tuple[Mark, ...] = ()
    drifts: tuple[Line, ...] = ()
    stop: Place | None = None


def worth(trend: Trend) -> list[tuple[str, str, str]]:
    """Case, metric, and what to say of it, each case or count once, what matters most first."""
    told: dict[tuple[str, str], list[str]] = {}
    for found in trend.findings:
        of = f", 1 of {len(found.members)}" if found.members else ""
        for one in found.members[:MEMBERS] or [found]:
            told.setdefault((one.case, one.metric), []).append(one.summary + of)
    return [
        (case, metric, words[0] + (f"; {len(words) - 1} more" if len(words) > 1 else ""))
        for (case, metric), words in told.items()
    ]


def panels(trend: Trend) -> list[Panel]:
    """Of what is worth a look and has nights to draw."""
    drifts = [one for one in trend.findings if one.kind == "drift"]
    stops = {one.case for one in trend.findings if one.kind == "stopped"}
    steps = trend.steps
    made = []
    for case, metric, words in worth(trend):
        own = [one for one in trend.series if one.case == case and one.nights]
        some = [one for one in own if one.metric == metric] or (
            [] if metric else own[:1]
        )  # a counted one that stopped
        if not some:
            continue
        changes = [one for one in steps if (one.case, one.metric) == (case, metric)]
        panel = _panel(trend, some, changes, words)
        if not some[0].metric:
            lines = (_drift_line(panel, one) for one in drifts if one.case == case)
            panel = replace(panel, drifts=tuple(line for line in lines if line))
        if case in stops:
            panel = replace(panel, stop=max(point for nights in panel.nights for point in nights))
        made.append(panel)
    return made


def _panel(trend: Trend, series: list[NightSeries], changes: list[Finding], words: str) -> Panel:
    nights = tuple(
        tuple(
            (float(trend.dates[at].toordinal()), value)
            for at, value in zip(one.nights, one.values, strict=True)
        )
        for one in sorted(series, key=lambda one: one.nights[0])
    )
    ordered = sorted(changes, key=lambda one: one.night)
    marks = tuple(_mark(trend, one) for one in ordered)
    levels: list[Line] = []
    for place, (change, mark) in enumerate(zip(ordered, marks, strict=True)):
        begin, end = _span(nights, change.night.toordinal())
        previous = marks[place - 1].at if place > 0 else begin
        following = marks[place + 1].at if place + 1 < len(marks) else end
        if previous <= begin:  # the first of its environment
            levels.append(((begin, change.before), (mark.at, change.before)))
        levels.append(((mark.at, change.after), (min(following, end), change.after)))
    return Panel(
        series[0].case, series[0].metric, series[0].unit, words, nights, tuple(levels), marks
    )


def _span(nights: tuple[tuple[Place, ...], ...], night: int) -> Place:
    """The first and the last day of the environment that has a night of that day; else of all."""
    holding = [some for some in nights if some[0][0] <= night <= some[-1][0]]
    nearest = [some for some in holding if any(day == night for day, _ in some)] or holding
    days = [day for some in nearest[:1] or nights for day, _ in some]
    return min(days), max(days)


def _mark(trend: Trend, one: Finding) -> Mark:
    return Mark(
        at=boundary(trend.dates, one.night),
        earliest=float(night_before(trend.dates, one.earliest)),
        latest=float(one.latest.toordinal()),
        middle=(one.before + one.after) / 2,
        rises=one.after > one.before,
        hollow=one.mode,
        kind=one.kind,
    )


def _drift_line(panel: Panel, drift: Finding) -> Line | None:
    """Of the drift's size, through the middle of its nights; none when too few are shown."""
    begin, end = drift.night.toordinal(), drift.until.toordinal()
    own = [some for some in panel.nights if any(day == end for day, _ in some)]
    points = [(day, ns) for day, ns in (own or [()])[-1] if begin <= day <= end and ns > 0]
    if len(points) < 2:
        return None
    slope = math.log(drift.ratio) / (end - begin)
    offsets = sorted(math.log(value) - slope * (day - begin) for day, value in points)
    middle = math.exp(offsets[len(offsets) // 2])
    return (float(begin), middle), (float(end), middle * drift.ratio)


def reach(one: Panel, least_step: float) -> tuple[float, float]:
    """The lowest and the highest value of the axis: all levels, and all points but a few that lie
    so far out that the others could not be told apart; never so little that noise below what counts
    fills it."""
    values = sorted(value for nights in one.nights for _, value in nights)
    edge = len(values) // 20
    some = [
        *values[edge : len(values) - edge],
        *(place[1] for line in (*one.levels, *one.drifts) for place in line),
    ]
    low, high = min(some), max(some)
    middle = (low + high) / 2
    half = max(0.62 * (high - low), 2.5 * max(least_step, 0.001) * abs(middle)) or 1.0
    return max(
        -0.08 * half if low == 0 else 0.0, middle - half
    ) if low >= 0 else middle - half, middle + half
