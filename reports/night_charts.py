"""What the script draws of a trend: of each case worth a look its nights, and what is told of
them. The same as its figure of nights shows."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from reports import chart_data
from reports.figures import nights
from reports.model_trend import Trend
from reports.night_panels import Line, Panel, reach
from reports.stretches import stretches_of
from reports.trend_around import boundary, lettered


@dataclass(frozen=True)
class NightChart:
    """`id` is of the place on the page, `data` what is drawn there."""

    id: str
    case: str
    metric: str
    words: str
    data: Markup


@dataclass(frozen=True)
class NightCharts:
    """All of a page: `id` is of the group. `calendar` is what they share, in a block of the id
    `calendar_id`."""

    id: str
    calendar_id: str
    calendar: Markup
    charts: tuple[NightChart, ...]


def of(trend: Trend, anchor: str) -> NightCharts | None:
    """None where there is nothing to draw."""
    shown = nights.shown(trend)
    if not shown:
        return None
    first = trend.dates[0].toordinal()
    told: dict[tuple[str, str], list[dict[str, object]]] = {}
    for found in (one for event in trend.findings for one in event.members or [event]):
        line = {"day": found.night.toordinal() - first, "words": found.summary}
        told.setdefault((found.case, found.metric), []).append(line)
    calendar_id = f"{anchor}-calendar"
    charts = [
        NightChart(
            f"{anchor}-chart-{at}",
            one.case,
            one.metric,
            one.words,
            chart_data.embedded(
                {"calendar": calendar_id, "told": told.get((one.case, one.metric), [])}
                | _data(one, first, trend.least_step)
            ),
        )
        for at, one in enumerate(shown, start=1)
    ]
    calendar = chart_data.embedded(_calendar(trend, first))
    return NightCharts(f"{anchor}-charts", calendar_id, calendar, tuple(charts))


def _calendar(trend: Trend, first: int) -> dict[str, object]:
    """Days are counted from the first night that is shown, which is day 0."""
    return {
        "first": trend.dates[0].isoformat(),
        "last": trend.dates[-1].toordinal() - first,
        "around": [
            {
                "at": boundary(trend.dates, one.night) - first,
                "night": one.night.toordinal() - first,
                "letter": one.letter,
                "words": one.words,
            }
            for one in lettered(trend)
        ],
    }


def _data(one: Panel, first: int, least_step: float) -> dict[str, object]:
    """Without a `unit` values are times in ns."""
    low, high = reach(one, least_step)
    data: dict[str, object] = {
        "low": low,
        "high": high,
        "series": [
            {
                "at": stretches_of(round(day) - first for day, _ in some),
                "values": [chart_data.short_number(value) for _, value in some],
            }
            for some in one.nights
        ],
        "levels": [_line(ends, first) for ends in one.levels],
        "drifts": [_line(ends, first) for ends in one.drifts],
        "marks": [
            {
                "at": mark.at - first,
                "from": mark.earliest - first,
                "to": mark.latest - first,
                "middle": mark.middle,
                "rises": mark.rises,
                "hollow": mark.hollow,
                "kind": mark.kind,
            }
            for mark in one.marks
        ],
    }
    if one.metric or one.unit != "ns":
        data["unit"] = one.metric or one.unit
    if one.stop:
        data["stop"] = one.stop[0] - first
    return data


def _line(ends: Line, first: int) -> list[float]:
    (begin, low), (end, high) = ends
    return [begin - first, low, end - first, high]
