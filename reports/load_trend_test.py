from __future__ import annotations

import datetime
import json
from collections.abc import Callable
from typing import Any

import pytest

from reports import load, synthetic_trend
from reports.load_test import expect_refused
from reports.synthetic_trend import Json


def document() -> Json:
    """With one of each thing that a trend can tell."""
    made = synthetic_trend.document(synthetic_trend.trend(24), synthetic_trend.counted())
    return json.loads(json.dumps(made))


def test_what_stands_in_the_document_is_read() -> None:
    made = document()
    times, counts = load.parse(made).trends
    said = made["trends"][0]
    for key in ("case", "ratio", "metric"):
        default = None if key == "ratio" else ""
        assert [getattr(one, key) for one in times.findings] == [
            one.get(key, default) for one in said["findings"]
        ]
    (event,) = [one for one in times.findings if one.members]
    (told,) = [one for one in said["findings"] if "members" in one]
    assert [one.case for one in event.members] == [one["case"] for one in told["members"]]
    assert times.dates[-1] == times.last == datetime.date(2026, 11, 20)
    assert times.limits == tuple(said["limits"])
    assert [one.values for one in times.series] == [
        tuple(one["median_ns"]) for one in said["series"]
    ]
    assert [one.unit for one in times.series] == ["ns"] * len(times.series)
    assert [(one.metric, one.unit) for one in counts.series][:2] == [
        ("sectors", "1"),
        ("atomics", "1"),
    ]
    assert counts.findings[0].ratio is None


def test_trends_alone_are_a_report() -> None:
    assert load.parse(synthetic_trend.document(synthetic_trend.quiet(1, 1))).trends[0].nights == 1


def _trend(document: Json) -> Json:
    return document["trends"][0]


def _change(document: Json) -> Json:
    return _trend(document)["findings"][0]


def _shared(document: Json) -> Json:
    return next(one for one in _trend(document)["findings"] if "members" in one)


def _drift(document: Json) -> Json:
    return next(one for one in _trend(document)["findings"] if one["kind"] == "drift")


def _series(document: Json) -> Json:
    return _trend(document)["series"][0]


WRONG: list[tuple[Callable[[Json], Any], str]] = [
    (lambda d: d.update(trends={}), "Expected `array`, got `object` - at `$.trends`"),
    (lambda d: d.update(trends=[3]), "Expected `object`, got `int` - at `$.trends[0]`"),
    (
        lambda d: d["trends"][1].pop("model"),
        "Object missing required field `model` - at `$.trends[1]`",
    ),
    (
        lambda d: _trend(d).update(dates=[]),
        "Expected `array` of length >= 1 - at `$.trends[0].dates`",
    ),
    (
        lambda d: _trend(d)["dates"].reverse(),
        "dates: expected each once, ascending - at `$.trends[0]`",
    ),
    (
        lambda d: _trend(d)["dates"].append("2026-11-31"),
        "Invalid RFC3339 encoded date - at `$.trends[0].dates[90]`",
    ),
    (
        lambda d: _trend(d)["dates"].append(_trend(d)["dates"][-1]),
        "dates: expected each once, ascending - at `$.trends[0]`",
    ),
    (
        lambda d: _trend(d).update(first="20260101"),
        "Invalid RFC3339 encoded date - at `$.trends[0].first`",
    ),
    (
        lambda d: _trend(d).update(last="2026-02-30"),
        "Invalid RFC3339 encoded date - at `$.trends[0].last`",
    ),
    (lambda d: _trend(d).update(nights=-1), "Expected `int` >= 0 - at `$.trends[0].nights`"),
    (lambda d: _trend(d).update(cases=True), "Expected `int`, got `bool` - at `$.trends[0].cases`"),
    (
        lambda d: _trend(d).update(least_step="1%"),
        "Expected `float`, got `str` - at `$.trends[0].least_step`",
    ),
    (
        lambda d: _trend(d).update(limits=""),
        "Expected `array`, got `str` - at `$.trends[0].limits`",
    ),
    (
        lambda d: _trend(d).update(conclusion=""),
        "Expected `str` of length >= 1 - at `$.trends[0].conclusion`",
    ),
    (
        lambda d: _change(d).update(kind="worse"),
        "Invalid enum value 'worse' - at `$.trends[0].findings[0].kind`",
    ),
    (
        lambda d: _change(d).update(night="yesterday"),
        "Invalid RFC3339 encoded date - at `$.trends[0].findings[0].night`",
    ),
    (
        lambda d: _change(d).update(ratio=0),
        "Expected `float` > 0.0 - at `$.trends[0].findings[0].ratio`",
    ),
    (
        lambda d: _change(d).update(before=float("nan")),
        "Expected `float` >= 0.0 - at `$.trends[0].findings[0].before`",
    ),
    (
        lambda d: _change(d).update(mode=1),
        "Expected `bool`, got `int` - at `$.trends[0].findings[0].mode`",
    ),
    (
        lambda d: _change(d).pop("worse"),
        "Object missing required field `worse` - at `$.trends[0].findings[0]`",
    ),
    (
        lambda d: _change(d)["words"].pop("said"),
        "Object missing required field `said` - at `$.trends[0].findings[0]",
    ),
    (
        lambda d: _change(d).pop("before"),
        "expected `earliest`, `latest`, `before` and `after` - at `$.trends[0].findings[0]`",
    ),
    (
        lambda d: _change(d)["changes"].update(environment="driver"),
        "Expected `array`, got `str` - at `$.trends[0].findings[0].changes.environment`",
    ),
    (
        lambda d: _change(d).update(confirm=["ridgeline"]),
        "Expected `str`, got `array` - at `$.trends[0].findings[0].confirm`",
    ),
    (
        lambda d: _shared(d)["members"][0].pop("kind"),
        "Object missing required field `kind` - at `$.trends[0].findings",
    ),
    (lambda d: _drift(d).pop("until"), "expected `ratio` and `until` - at `$.trends[0].findings["),
    (
        lambda d: _trend(d)["environments"][0].update(changed="x"),
        "Expected `array`, got `str` - at `$.trends[0].environments[0].changed`",
    ),
    (
        lambda d: _series(d).update(stretches=[[71, 90]]),
        "series[0].stretches: expected places below 90 - at `$.trends[0]`",
    ),
    (
        lambda d: _series(d).update(stretches=[[-1, 18]]),
        "Expected `int` >= 0 - at `$.trends[0].series[0].stretches[0][0]`",
    ),
    (
        lambda d: _series(d).update(stretches=[[0, 2**53]]),
        "Expected `int` <= 9999 - at `$.trends[0].series[0].stretches[0][1]`",
    ),
    (
        lambda d: _series(d)["stretches"].reverse(),
        "stretches: expected each night once, ascending - at `$.trends[0].series[0]`",
    ),
    (
        lambda d: _series(d)["median_ns"].pop(),
        "median_ns: expected 20, one per night, got 19 - at `$.trends[0].series[0]`",
    ),
    (
        lambda d: _series(d)["median_ns"].__setitem__(0, 0),
        "Expected `float` > 0.0 - at `$.trends[0].series[0].median_ns[0]`",
    ),
    (
        lambda d: _series(d)["median_ns"].__setitem__(0, "1"),
        "Expected `float`, got `str` - at `$.trends[0].series[0].median_ns[0]`",
    ),
    (
        lambda d: _series(d).update(metric="sectors"),
        "expected `values` - at `$.trends[0].series[0]`",
    ),
]


@pytest.mark.parametrize(
    ("break_it", "message"), WRONG, ids=[f"{at}-{text}" for at, (_, text) in enumerate(WRONG)]
)
def test_what_is_wrong_is_named_with_its_place(
    break_it: Callable[[Json], Any], message: str
) -> None:
    expect_refused(document(), break_it, message)
