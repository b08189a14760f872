from __future__ import annotations

import json
from typing import Any

import pytest

from reports import chart_data, load, night_charts, synthetic_trend
from reports.figures import nights
from reports.model_trend import Trend
from reports.night_panels import Place, panels
from reports.stretches import places_of
from reports.synthetic_trend import Json


def parsed(document: Json) -> Trend:
    return load.parse(synthetic_trend.document(document)).trends[0]


def data_of(markup: object) -> Any:
    return json.loads(str(markup))


def drawn(trend: Trend) -> list[Any]:
    charts = night_charts.of(trend, "nights")
    assert charts is not None
    return [data_of(one.data) for one in charts.charts]


@pytest.mark.parametrize("made", [synthetic_trend.trend(30), synthetic_trend.odd()])
def test_a_chart_has_what_its_panel_has(made: Json) -> None:
    trend = parsed(made)
    first = trend.dates[0].toordinal()

    def ends(lines: list[list[float]]) -> list[tuple[Place, Place]]:
        return [((a + first, low), (b + first, high)) for a, low, b, high in lines]

    for panel, data in zip(panels(trend), drawn(trend), strict=True):
        series = [
            tuple(
                (day + first, value)
                for day, value in zip(places_of(one["at"]), one["values"], strict=True)
            )
            for one in data["series"]
        ]
        assert tuple(series) == panel.nights
        assert (tuple(ends(data["levels"])), tuple(ends(data["drifts"]))) == (
            panel.levels,
            panel.drifts,
        )
        assert [(one["at"] + first, one["rises"], one["hollow"]) for one in data["marks"]] == [
            (mark.at, mark.rises, mark.hollow) for mark in panel.marks
        ]
        assert ("stop" in data) == (panel.stop is not None) and "unit" not in data


def test_what_is_told_stands_at_its_night() -> None:
    trend = parsed(synthetic_trend.trend(30))
    told = {(one["day"], one["words"]) for data in drawn(trend) for one in data["told"]}
    first = trend.dates[0].toordinal()
    assert {(one.night.toordinal() - first, one.summary) for one in trend.steps} >= told - {
        (one.night.toordinal() - first, one.summary)
        for one in trend.findings
        if one.kind in ("drift", "stopped")
    }
    assert len(told) == len({(one.case, one.summary) for one in trend.findings if one.case}) + 3, (
        "with those of an event that are drawn"
    )


def test_what_all_charts_share_stands_once() -> None:
    trend = parsed(synthetic_trend.trend(30))
    charts = night_charts.of(trend, "nights")
    assert charts is not None
    calendar = data_of(charts.calendar)
    assert calendar["first"] == trend.dates[0].isoformat()
    assert calendar["last"] == (trend.dates[-1] - trend.dates[0]).days
    assert [one["letter"] for one in calendar["around"]] == ["A", "B"]
    assert {data["calendar"] for data in map(data_of, (one.data for one in charts.charts))} == {
        charts.calendar_id
    }
    assert not [one for one in charts.charts if trend.dates[1].isoformat() in one.data]


def test_counts_have_their_metric_for_a_unit() -> None:
    assert [data["unit"] for data in drawn(parsed(synthetic_trend.counted(2)))] == [
        "sectors",
        "atomics",
    ]


def test_as_many_are_drawn_as_pictures_show() -> None:
    trend = parsed(synthetic_trend.many(60))
    most = nights.COLUMNS * nights.ROWS * nights.MOST_PAGES
    assert len(drawn(trend)) == most < len(panels(trend))
    assert night_charts.of(parsed(synthetic_trend.quiet()), "nights") is None


def test_whole_numbers_are_short() -> None:
    assert chart_data.embedded([chart_data.short_number(1010.0)]) == "[1010]"
