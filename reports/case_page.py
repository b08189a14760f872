"""What a page shows of a case: on each device the latest result, what bounds it, its runs and their
samples, what gates and nights say of it, and how to measure it again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from markupsafe import Markup

from reports import chart_data, past_runs, units
from reports.case_index import Device, OnDevice, Place
from reports.model import Case
from reports.model_history import PastCase, RunSamples, Samples
from reports.past_runs import EnvironmentWords, RunWords
from reports.told import Tellings, Told

MOST_RUNS = 30  # of a table
MOST_WITHOUT = 20  # runs without a value that a document has of a case


@dataclass(frozen=True)
class Row:
    """A run of the table: its value with the interval, and the outcome with its reason where it has
    none, or one to doubt."""

    place: int
    run: RunWords
    value: str = ""
    interval: str = ""
    outcome: str = ""
    reason: str = ""

    @property
    def has_more(self) -> bool:
        """Whether there is anything for its last cell, which is left out else: a report may have
        very many rows."""
        return bool(self.outcome or self.run.unended or self.run.unfit or self.run.label)


@dataclass(frozen=True)
class SampleRow:
    run: RunWords
    count: int
    quantiles: tuple[str, str, str]  # tenth, fiftieth and ninetieth percentile


@dataclass(frozen=True)
class DevicePart:
    """`run_page` is the address of the latest run's page, empty where it has none; `older` says how
    many runs the table leaves out, and `has_more` whether there may be others. `history` and
    `samples` are data of charts, None where there is nothing to draw."""

    id: str
    device: Device
    case: Case
    run: RunWords
    run_page: str
    rows: tuple[Row, ...]
    older: int
    has_more: bool
    environments: tuple[EnvironmentWords, ...]
    sample_rows: tuple[SampleRow, ...]
    shown_runs: frozenset[int]
    history: Markup | None
    samples: Markup | None
    told: tuple[Told, ...]
    repeat: str

    @property
    def shared(self) -> str:
        """Id of what all cases of the page share of the device."""
        return shared_id(self.device)


@dataclass(frozen=True)
class CasePart:
    place: Place
    devices: tuple[DevicePart, ...]


@dataclass
class CaseLayout:
    """Of all cases of a report, with what they share made once. `run_pages` are addresses by
    Run.key."""

    tellings: Tellings
    commits: str
    run_pages: Mapping[tuple[str, ...], str] = field(default_factory=dict)
    _runs: dict[int, list[RunWords]] = field(default_factory=dict)
    _environments: dict[int, list[EnvironmentWords]] = field(default_factory=dict)

    def part(self, place: Place) -> CasePart:
        return CasePart(
            place,
            tuple(
                self._on_device(on, f"{place.anchor}-{at}")
                for at, on in enumerate(place.on, start=1)
            ),
        )

    def shared(self, parts: Sequence[CasePart]) -> list[SharedRuns]:
        """What the devices of a page have alike for all cases."""
        of_device: dict[Device, set[int]] = {}
        for part in parts:
            for one in part.devices:
                of_device.setdefault(one.device, set()).update(one.shown_runs)
        return [
            SharedRuns(
                shared_id(device),
                device,
                chart_data.embedded(chart_data.of_device(device, self.commits)),
                tuple(self._runs[device.number][at] for at in sorted(places, reverse=True)),
            )
            for device, places in of_device.items()
        ]

    def _on_device(self, on: OnDevice, id: str) -> DevicePart:
        device, past = on.device, on.past
        history = device.history
        if device.number not in self._runs:
            self._runs[device.number] = past_runs.runs(history, self.commits)
            self._environments[device.number] = past_runs.environments(history)
        words = self._runs[device.number]
        rows = _rows(past, words)
        told = self.tellings.of(on)
        drawn = chart_data.of_history(on, shared_id(device), told) if past.count > 1 else None
        return DevicePart(
            id=id,
            device=device,
            case=on.case,
            run=words[past.latest.run],
            run_page=self.run_pages.get(history.key(past), ""),
            rows=tuple(rows[:MOST_RUNS]),
            older=past.count + len(past.without) - min(len(rows), MOST_RUNS),
            has_more=history.older > 0 or len(past.without) >= MOST_WITHOUT,
            environments=tuple(
                one
                for one in self._environments[device.number]
                if any(row.run.letter == one.letter for row in rows[:MOST_RUNS])
            ),
            sample_rows=_sample_rows(past.samples, words),
            shown_runs=_shown(past, rows[:MOST_RUNS]),
            history=drawn and chart_data.embedded(drawn),
            samples=chart_data.embedded(chart_data.of_samples(past.samples, shared_id(device)))
            if past.samples and past.samples.runs
            else None,
            told=tuple(told),
            repeat=past.repeat,
        )


@dataclass(frozen=True)
class SharedRuns:
    """The runs of a device that several cases of a page have: `id` is of the block with the data
    that charts need, `rows` are those that tables name, the newest first."""

    id: str
    device: Device
    data: Markup
    rows: tuple[RunWords, ...]


def shared_id(device: Device) -> str:
    """Of the block with the runs of a device."""
    return f"runs-{device.number}"


def _rows(past: PastCase, words: list[RunWords]) -> list[Row]:
    """The newest first, and a few more than are shown at most."""
    unsteady, alone = frozenset(past.unsteady), frozenset(past.without_interval)
    doubted = {one.run: one for one in past.doubted}
    runs, rows = past.runs, {}
    for at in range(max(0, len(runs) - MOST_RUNS), len(runs)):
        run, median = runs[at], past.median_ns[at]
        low, high = median - past.below_ns[at], median + past.above_ns[at]
        doubt = doubted.get(run)
        rows[run] = Row(
            run,
            words[run],
            units.time(median),
            "" if run in alone else units.time_range(low, high),
            doubt.outcome if doubt else "not steady" if run in unsteady else "",
            doubt.reason if doubt else "",
        )
    for one in past.without:
        rows[one.run] = Row(one.run, words[one.run], outcome=one.outcome, reason=one.reason)
    return [rows[run] for run in sorted(rows, reverse=True)]


def _shown(past: PastCase, rows: list[Row]) -> frozenset[int]:
    """Places of the runs that its tables name."""
    sampled = past.samples.runs if past.samples else ()
    return frozenset([past.latest.run, *(row.place for row in rows), *(one.run for one in sampled)])


def _sample_rows(samples: Samples | None, words: list[RunWords]) -> tuple[SampleRow, ...]:
    def row(one: RunSamples) -> SampleRow:
        low, middle, high = (units.time(at) for at in (one.p10_ns, one.p50_ns, one.p90_ns))
        return SampleRow(words[one.run], one.count, (low, middle, high))

    return tuple(row(one) for one in reversed(samples.runs)) if samples else ()
