"""What each case of one device came to, run after run, as plain rows.

Times are in ns. Places of runs are those in `runs` of the history, oldest first."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, field

from reports.model import Case, Device
from reports.model_row import Count, Facts, Number, Positive, Row
from reports.stretches import MOST, Stretches, are_ascending, count_of, places_of

MOST_RUNS = MOST
BINS = 48  # of a histogram of samples, equal in the logarithm

_Times = Annotated[tuple[Positive, ...], Meta(max_length=MOST_RUNS)]
_Distances = Annotated[tuple[Number, ...], Meta(max_length=MOST_RUNS)]
_Places = Annotated[tuple[Count, ...], Meta(max_length=MOST_RUNS)]


class PastEnvironment(Row):
    """All that must be equal for two runs to be compared, and what changed since the one before, in
    words."""

    hash: str
    comparable: Facts
    changed: str = ""


class PastRun(Row):
    """`environment` is a place in the history's. `linked`: the document's `commits` leads to its
    commit. `unfit` is why the machine was not fit to measure."""

    id: str
    started: str
    environment: Count
    status: str
    commit: str = ""
    dirty: bool = False
    linked: bool = False
    label: str = ""
    profile: str = ""
    unfit: str = ""


class Ending(Row):
    """A run in which the case has no value or one to doubt, and how it ended."""

    run: Count
    outcome: str
    reason: str = ""


class RunSamples(Row):
    """The samples of one run: `counts` by bin from the `first` with any to the last, and how many
    are `below` and `above` all bins."""

    run: Count
    count: Count
    counts: Annotated[tuple[Count, ...], Meta(min_length=1, max_length=BINS)]
    p10_ns: Positive
    p50_ns: Positive
    p90_ns: Positive
    first: Count = 0
    below: Count = 0
    above: Count = 0

    def __post_init__(self) -> None:
        if self.first + len(self.counts) > BINS:
            raise ValueError(f"counts: expected no more than {BINS} bins")


class Samples(Row):
    """Of the last runs that have any; bins go from `low_ns` to `high_ns`."""

    low_ns: Positive
    high_ns: Positive
    runs: tuple[RunSamples, ...]

    def __post_init__(self) -> None:
        if self.low_ns > self.high_ns:
            raise ValueError("high_ns: expected no less than low_ns")


class Latest(Row):
    """The last run that has the case. `case` is None where that run is in the document: its cases
    have it by name."""

    run: Count
    case: Case = None


class PastCase(Row):
    """One case over the runs. Those with a value are in `stretches` of places, first and last of
    each; of each run there is its median and how far `below` and `above` it the ends of its
    interval are, less than 0 where the median is not in it, and 0 in those `without_interval`.
    `without` are the last of the other runs; `unsteady` are places of runs that were unstable, and
    `doubted` says why of the last of these that have a value. `repeat` is the command that measures
    it again."""

    name: str
    suite: str
    variant: str
    dtype: str
    problem: Facts
    options: Facts
    latest: Latest
    stretches: Stretches = field(name="runs", default=())
    median_ns: _Times = ()
    below_ns: _Distances = ()
    above_ns: _Distances = ()
    without_interval: _Places = ()
    without: tuple[Ending, ...] = ()
    unsteady: _Places = ()
    doubted: tuple[Ending, ...] = ()
    repeat: str = ""
    samples: Samples = None

    def __post_init__(self) -> None:
        if not are_ascending(self.stretches):
            raise ValueError("runs: expected each once, ascending")
        count = self.count
        for key in ("median_ns", "below_ns", "above_ns"):
            if len(getattr(self, key)) != count:
                raise ValueError(
                    f"{key}: expected {count}, one per run, got {len(getattr(self, key))}"
                )
        for key, sign in (("below_ns", 1), ("above_ns", -1)):
            distances = getattr(self, key)
            if any(sign * one > of for one, of in zip(distances, self.median_ns, strict=True)):
                raise ValueError(f"{key}: expected an end of an interval that is no less than 0")
        if self.latest.case and self.latest.case.name != self.name:
            raise ValueError(f"latest.case: another case than {self.name}")

    @property
    def count(self) -> int:
        """Of runs with a value."""
        return count_of(self.stretches)

    @property
    def runs(self) -> list[int]:
        """Places of the runs with a value."""
        return places_of(self.stretches)

    @property
    def last_place(self) -> int:
        """The largest place of a run that anything here names."""
        sampled = self.samples.runs if self.samples else ()
        named = (one.run for one in (self.latest, *self.without, *self.doubted, *sampled))
        last = (stretch[1] for stretch in self.stretches[-1:])
        return max((*named, *last, *self.unsteady, *self.without_interval))


class History(Row):
    """`environments` in the order in which runs had them first; `older` is how many runs before
    these were not read."""

    device: Device
    environments: tuple[PastEnvironment, ...]
    runs: Annotated[tuple[PastRun, ...], Meta(max_length=MOST_RUNS)]
    cases: tuple[PastCase, ...]
    older: Count = 0

    def __post_init__(self) -> None:
        for at, run in enumerate(self.runs):
            if run.environment >= len(self.environments):
                raise ValueError(
                    f"runs[{at}].environment: expected a place below {len(self.environments)}"
                )
        for at, case in enumerate(self.cases):
            if case.last_place >= len(self.runs):
                raise ValueError(f"cases[{at}]: expected places of runs below {len(self.runs)}")
            if self.counted and case.stretches:
                raise ValueError(f"cases[{at}].runs: times of a device that has none: {case.name}")

    def key(self, case: PastCase) -> tuple[str, str, str]:
        """Run.key of the run that has the latest result of `case`."""
        return (self.runs[case.latest.run].id, self.device.model, self.device.uuid)

    @property
    def counted(self) -> bool:
        """Whether it is of a device that counts, and has no times."""
        return self.device.kind == "emulated"
