"""Reads and checks the trends of a report JSON."""

from __future__ import annotations

from reports.model import OUTCOMES
from reports.model_trend import (
    KINDS,
    Change,
    Drift,
    EnvironmentStart,
    FleetEvent,
    NightChanges,
    NightSeries,
    Stop,
    Trend,
)
from reports.node import InputError, Node


def trend(node: Node) -> Trend:
    dates = node.dates("dates")
    if not dates:
        raise InputError(f"{node.at('dates')}: no night")
    return Trend(
        **{name: node.text(name) for name in ("model", "device", "device_uuid", "profile")},
        **{name: node.integer(name) for name in ("nights", "cases", "too_short", "new_nights", "older")},
        **{name: node.date(name) for name in ("first", "last")},
        **{name: node.counts(name) for name in ("left_out", "other_runs")},
        least_step=node.number("least_step"),
        environments=tuple(map(_environment, node.nodes("environments"))),
        fleet_events=tuple(map(_fleet_event, node.nodes("fleet_events"))),
        changes=tuple(map(_change, node.nodes("changes"))),
        drifts=tuple(map(_drift, node.nodes("drifts"))),
        stopped=tuple(map(_stop, node.nodes("stopped"))),
        dates=dates,
        series=tuple(_series(series, len(dates)) for series in node.nodes("series")),
    )


def _night_changes(node: Node) -> NightChanges:
    return NightChanges(
        environment=node.texts("environment"),
        **{name: node.text(name, "") for name in ("before_run", "after_run", "before_commit", "after_commit")},
        **{name: node.flag(name, False) for name in ("before_dirty", "after_dirty")},
    )


def _change(node: Node) -> Change:
    return Change(
        case=node.text("case"),
        kind=node.choice("kind", KINDS),
        **{name: node.date(name) for name in ("night", "earliest", "latest")},
        **{name: node.number(name) for name in ("before", "after")},
        unit=node.text("unit"),
        metric=node.text("metric", ""),
        other_metrics=node.integer("other_metrics", 0),
        **{name: node.optional(name, positive=True) for name in ("ratio", "ratio_low", "ratio_high")},
        confirmed=node.flag("confirmed"),
        new=node.flag("new"),
        fails=node.flag("fails"),
        changes=_night_changes(node.node("changes")),
        confirm=node.text("confirm", ""),
    )


def _fleet_event(node: Node) -> FleetEvent:
    return FleetEvent(
        kind=node.choice("kind", KINDS),
        night=node.date("night"),
        **{name: node.integer(name) for name in ("slower", "faster")},
        ratio=node.number("ratio", positive=True),
        new=node.flag("new"),
        fails=node.flag("fails"),
        changes=_night_changes(node.node("changes")),
        members=tuple(map(_change, node.nodes("members"))),
    )


def _drift(node: Node) -> Drift:
    return Drift(
        case=node.text("case"),
        start=node.date("from"),
        **{name: node.number(name, positive=True) for name in ("ratio", "ratio_low", "ratio_high")},
        new=node.flag("new"),
        fails=node.flag("fails"),
        changes=_night_changes(node.node("changes")),
    )


def _stop(node: Node) -> Stop:
    outcome = node.choice("outcome", OUTCOMES) if node.has("outcome") else ""
    return Stop(case=node.text("case"), last=node.date("last"), outcome=outcome, new=node.flag("new"))


def _environment(node: Node) -> EnvironmentStart:
    return EnvironmentStart(
        night=node.date("night"),
        changed=node.texts("changed"),
        cases=node.integer("cases"),
        ratio=node.optional("ratio", positive=True),
    )


def _series(node: Node, dates: int) -> NightSeries:
    metric = node.text("metric", "")
    key = "values" if metric else "median_ns"
    series = NightSeries(
        case=node.text("case"),
        environment=node.text("environment", ""),
        metric=metric,
        unit=node.text("unit", "") if metric else "ns",
        nights=node.places("nights", dates),
        values=node.values(key),
    )
    if len(series.nights) != len(series.values):
        raise InputError(f"{node.at(key)}: expected {len(series.nights)} values, one a night, got {len(series.values)}")
    if any(later <= earlier for earlier, later in zip(series.nights, series.nights[1:], strict=False)):
        raise InputError(f"{node.at('nights')}: expected each night once, ascending")
    if not metric and any(value <= 0 for value in series.values):
        raise InputError(f"{node.at(key)}: expected times above 0")
    return series
