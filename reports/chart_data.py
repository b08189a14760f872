"""Data of the charts that the script draws, as JSON that a page may hold."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import msgspec
from markupsafe import Markup

from reports import ceilings, plot
from reports.case_index import Device, OnDevice
from reports.figures import roofline
from reports.model import Case, Ceiling, Run
from reports.model_history import RunSamples, Samples
from reports.told import Told

_ESCAPES = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"} | {
    separator: f"\\u{ord(separator):04x}" for separator in "\u2028\u2029"
}
_ESCAPED = str.maketrans(_ESCAPES)
_EXACT = 2.0**53
_DIGITS = 5
SHORT_COMMIT = 12
FINISHED = "finished"  # the status of a run that needs no word


def embedded(data: object) -> Markup:
    """As the text of a <script> that is not run: nothing in it ends the element. What is escaped
    stands in strings alone."""
    return Markup(msgspec.json.encode(data).decode("utf-8").translate(_ESCAPED))


def of_device(device: Device, commits: str) -> dict[str, object]:
    """What all histories of a device on a page share."""
    history = device.history
    runs = [
        {
            "started": run.started,
            "commit": run.commit[:SHORT_COMMIT],
            "label": run.label,
            "environment": run.environment,
        }
        | ({"unfit": run.unfit} if run.unfit else {})
        | ({"status": run.status} if run.status != FINISHED else {})
        for run in history.runs
    ]
    environments = [one.changed for one in history.environments]
    return {"runs": runs, "environments": environments, "commits": commits}


def of_history(on: OnDevice, shared: str, told: Iterable[Told]) -> dict[str, object]:
    """Runs are places in those of the block `shared`: `at` has the first and the last of each
    stretch. Times are whole numbers of `step_ns`, which give the least median the five digits that
    a chart can show; a median is what is added to `base`. Pages of many cases are mostly these
    numbers."""
    past = on.past
    power = _step_power(past.median_ns)
    medians = [_steps(one, power) for one in past.median_ns]
    base = min(medians, default=0)
    return {
        "runs": shared,
        "at": past.stretches,
        "step_ns": short_number(float(f"1e{power}")),
        "base": base,
        "median": [one - base for one in medians],
        "below": [_steps(one, power) for one in past.below_ns],
        "above": [_steps(one, power) for one in past.above_ns],
        "unsteady": past.unsteady,
        "changes": [
            {"run": run, "words": one.said}
            for one in told
            if one.day and (run := _first_since(on, one.day)) is not None
        ],
    }


def _step_power(times: Sequence[float]) -> int:
    """Of ten: no step is so small that a time is no exact number of JavaScript."""
    if not times:
        return 0
    least, most = (math.floor(math.log10(one)) for one in (min(times), max(times)))
    return max(least - _DIGITS + 1, most - 14)


def _steps(value: float, power: int) -> int:
    """What is not 0 stays so: an interval is seen, however narrow it is."""
    steps = round(value / 10.0**power if power >= 0 else value * 10.0**-power)
    return steps or (0 if value == 0 else 1 if value > 0 else -1)


def short_number(value: float) -> float:
    """A whole one without ".0"."""
    return int(value) if value.is_integer() and value < _EXACT else value


def _first_since(on: OnDevice, day: str) -> int | None:
    """The first run with a value on that day or later."""
    runs = on.device.history.runs
    return next((at for at in on.past.runs if runs[at].started[: len(day)] >= day), None)


def of_samples(samples: Samples, shared: str) -> dict[str, object]:
    """The newest first; runs are places in those of the block `shared`."""
    return {
        "runs": shared,
        "low_ns": samples.low_ns,
        "high_ns": samples.high_ns,
        "rows": [_sample_row(one) for one in reversed(samples.runs)],
    }


def _sample_row(one: RunSamples) -> dict[str, object]:
    row = msgspec.structs.asdict(one)
    for key in ("p10_ns", "p50_ns", "p90_ns"):
        row[key] = short_number(row[key])
    return {key: value for key, value in row.items() if value} | {"run": one.run}


def of_roofline(run: Run, links: Mapping[str, str]) -> dict[str, object] | None:
    """None where there is no point to draw."""
    panel = roofline.panel_of(run)
    if not panel.spots:
        return None
    cases: dict[str, Case] = {case.name: case for case in run.cases}
    points = []
    for spot in panel.spots:
        case = cases[spot.point.name]
        point = {
            "case": case.name,
            "name": f"{case.variant} {case.dtype}",
            "suite": case.suite,
            "intensity": spot.point.x,
            "rate": spot.point.y,
            "hollow": spot.point.hollow,
            "words": [case.words[key] for key in ("rate", "share", "median") if key in case.words],
        }
        points.append(point | ({"href": links[case.name]} if case.name in links else {}))
    drawn = [
        _ceiling(kind, one)
        for kind, some in (("memory", panel.memory), ("compute", panel.compute))
        for one in some
    ]
    return {"points": points, "suites": suite_looks(panel), "ceilings": drawn}


def _ceiling(kind: str, ceiling: Ceiling) -> dict[str, object]:
    """The first of its roofs is the one that its name stands at."""
    return {
        "kind": kind,
        "name": ceiling.name,
        "text": ceilings.value_text(ceiling),
        "roofs": [
            {"value": roof.value, "origin": roof.origin}
            for roof in (ceiling.measured, ceiling.datasheet)
            if roof
        ],
    }


def suite_looks(panel: roofline.Panel) -> list[dict[str, object]]:
    """Of each suite the places of its colour and mark among those of all figures."""
    styles = plot.suite_styles(spot.suite for spot in panel.spots)
    return [
        {
            "name": suite,
            "colour": plot.COLOURS.index(style.colour),
            "shape": plot.MARKERS.index(style.marker),
        }
        for suite, style in styles.items()
    ]
