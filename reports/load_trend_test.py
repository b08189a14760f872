from __future__ import annotations

import datetime
import json
from collections.abc import Callable
from typing import Any

import pytest

from reports import load, synthetic_trend
from reports.synthetic_trend import Json


def document() -> Json:
    """With one of each thing that a trend can tell."""
    made = synthetic_trend.document(synthetic_trend.trend(24), synthetic_trend.counted())
    return json.loads(json.dumps(made))


def test_what_stands_in_the_document_is_read() -> None:
    made = document()
    times, counts = load.parse(made).trends
    said = made["trends"][0]
    assert [one.case for one in times.changes] == [one["case"] for one in said["changes"]]
    assert [one.ratio for one in times.changes] == [one["ratio"] for one in said["changes"]]
    assert [one.case for one in times.fleet_events[0].members] == [
        one["case"] for one in said["fleet_events"][0]["members"]
    ]
    assert times.dates[-1] == times.last == datetime.date(2026, 11, 20)
    assert times.left_out == {"unstable": 14, "crashed": 2}
    assert (times.drifts[0].start.isoformat(), times.stopped[0].outcome) == (said["drifts"][0]["from"], "crashed")
    assert [one.values for one in times.series] == [tuple(one["median_ns"]) for one in said["series"]]
    assert [one.unit for one in times.series] == ["ns"] * len(times.series)
    assert [(one.metric, one.unit) for one in counts.series][:2] == [("sectors", "1"), ("atomics", "1")]
    assert counts.changes[0].ratio is None


def test_trends_alone_are_a_report() -> None:
    assert load.parse(synthetic_trend.document(synthetic_trend.quiet(1, 1))).trends[0].nights == 1


def _trend(document: Json) -> Json:
    return document["trends"][0]


def _change(document: Json) -> Json:
    return _trend(document)["changes"][0]


def _member(document: Json) -> Json:
    return _trend(document)["fleet_events"][0]["members"][0]


def _series(document: Json) -> Json:
    return _trend(document)["series"][0]


WRONG: list[tuple[Callable[[Json], Any], str]] = [
    (lambda d: d.update(trends={}), "trends: expected a list"),
    (lambda d: d.update(trends=[3]), "trends[0]: expected an object, got 3"),
    (lambda d: d["trends"][1].pop("model"), "trends[1].model: expected a string, got nothing"),
    (lambda d: _trend(d).update(dates=[]), "trends[0].dates: no night"),
    (lambda d: _trend(d)["dates"].reverse(), "trends[0].dates: expected a list of days like 2026-01-31, each once"),
    (lambda d: _trend(d)["dates"].append("2026-11-31"), "trends[0].dates: expected a list of days"),
    (lambda d: _trend(d)["dates"].append(_trend(d)["dates"][-1]), "trends[0].dates: expected a list of days"),
    (lambda d: _trend(d).update(first="20260101"), "trends[0].first: expected a day like 2026-01-31"),
    (lambda d: _trend(d).update(last="2026-02-30"), "trends[0].last: expected a day like 2026-01-31"),
    (lambda d: _trend(d).update(nights=-1), "trends[0].nights: expected a whole number from 0"),
    (lambda d: _trend(d).update(older=True), "trends[0].older: expected a whole number from 0"),
    (lambda d: _trend(d).update(least_step="1%"), "trends[0].least_step: expected a finite number"),
    (lambda d: _trend(d)["left_out"].update(unstable=-1), "trends[0].left_out: expected an object of whole numbers"),
    (lambda d: _trend(d).update(other_runs=[]), "trends[0].other_runs: expected an object of whole numbers"),
    (lambda d: _change(d).update(kind="worse"), "trends[0].changes[0].kind: expected one of regression, improvement"),
    (lambda d: _change(d).update(night="yesterday"), "trends[0].changes[0].night: expected a day"),
    (lambda d: _change(d).update(ratio=0), "trends[0].changes[0].ratio: expected a finite number above 0"),
    (lambda d: _change(d).update(before=float("nan")), "trends[0].changes[0].before: expected a finite number"),
    (lambda d: _change(d).update(confirmed=1), "trends[0].changes[0].confirmed: expected true or false"),
    (lambda d: _change(d).pop("new"), "trends[0].changes[0].new: expected true or false"),
    (lambda d: _change(d).pop("changes"), "trends[0].changes[0].changes: expected an object"),
    (
        lambda d: _change(d)["changes"].update(environment="driver"),
        "changes[0].changes.environment: expected a list of",
    ),
    (lambda d: _change(d).update(confirm=["ridgeline"]), "trends[0].changes[0].confirm: expected a string"),
    (
        lambda d: _trend(d)["fleet_events"][0].update(ratio=0),
        "trends[0].fleet_events[0].ratio: expected a finite number",
    ),
    (lambda d: _trend(d)["fleet_events"][0].update(slower=1.5), "fleet_events[0].slower: expected a whole number"),
    (lambda d: _member(d).pop("unit"), "trends[0].fleet_events[0].members[0].unit: expected a string"),
    (lambda d: _trend(d)["drifts"][0].pop("from"), "trends[0].drifts[0].from: expected a day"),
    (lambda d: _trend(d)["drifts"][0].update(ratio_low=-1), "trends[0].drifts[0].ratio_low: expected a finite number"),
    (lambda d: _trend(d)["stopped"][0].update(outcome="gone"), "trends[0].stopped[0].outcome: expected one of"),
    (lambda d: _trend(d)["environments"][0].update(changed="x"), "trends[0].environments[0].changed: expected a list"),
    (lambda d: _trend(d)["environments"][0].update(ratio=0), "trends[0].environments[0].ratio: expected a finite"),
    (lambda d: _series(d)["nights"].__setitem__(0, 90), "trends[0].series[0].nights: expected a list of whole numbers"),
    (lambda d: _series(d)["nights"].__setitem__(0, -1), "trends[0].series[0].nights: expected a list of whole numbers"),
    (lambda d: _series(d)["nights"].reverse(), "trends[0].series[0].nights: expected each night once, ascending"),
    (lambda d: _series(d)["median_ns"].pop(), "trends[0].series[0].median_ns: expected"),
    (lambda d: _series(d)["median_ns"].__setitem__(0, 0), "trends[0].series[0].median_ns: expected times above 0"),
    (lambda d: _series(d)["median_ns"].__setitem__(0, "1"), "trends[0].series[0].median_ns: expected a list of finite"),
    (lambda d: _series(d).update(metric="sectors"), "trends[0].series[0].values: expected a list of finite numbers"),
]


@pytest.mark.parametrize(("break_it", "message"), WRONG, ids=[f"{at}-{text}" for at, (_, text) in enumerate(WRONG)])
def test_what_is_wrong_is_named_with_its_place(break_it: Callable[[Json], Any], message: str) -> None:
    made = document()
    break_it(made)
    with pytest.raises(load.InputError) as error:
        load.parse(made)
    assert message in str(error.value)
