"""Two runs side by side, as plain rows. Never a verdict.

Times are in ns, rates in B/s and FLOP/s. Ratios are the time of B over that of A: above 1, B takes longer.
"""

from __future__ import annotations

from dataclasses import dataclass

from reports.model import HOLLOW, Roof

CAUSES = ("hardware", "distance", "environment", "unknown")


@dataclass(frozen=True)
class ComparedRun:
    """One side: the run and its device."""

    id: str
    model: str
    device_name: str
    started: str
    status: str
    profile: str
    label: str


@dataclass(frozen=True)
class SideOfCase:
    """One case on one side. `disturbed`: no process was undisturbed. `share_of_roof` is of the side's own roofs, of
    which `roof` binds."""

    outcome: str
    reason: str
    processes: int
    median_ns: float | None
    disturbed: bool
    flops: float | None
    bytes: float | None
    share_of_roof: float | None
    roof: str
    sm_clock_mhz: float | None

    @property
    def hollow(self) -> bool:
        return self.disturbed or self.outcome in HOLLOW


@dataclass(frozen=True)
class ComparedCase:
    """`ratio` is None where nothing could be compared, and `not_compared` says why. Its 95% interval is over processes,
    None below three a side. `roofs_ratio` is what the two rooflines alone predict, `rest` the ratio over that."""

    case: str
    suite: str
    variant: str
    dtype: str
    measures_roof: bool
    a: SideOfCase
    b: SideOfCase
    not_compared: str
    ratio: float | None
    ratio_low: float | None
    ratio_high: float | None
    work: float | None
    roofs_ratio: float | None
    roofs: str
    rest: float | None
    cause: str
    because: str


@dataclass(frozen=True)
class ComparedSuite:
    """Geometric mean over the suite's cases, with its 95% interval over processes, None where they are too few."""

    suite: str
    cases: int
    ratio: float
    ratio_low: float | None
    ratio_high: float | None
    a_processes: int
    b_processes: int
    lowest: float
    highest: float
    unstable: int
    disturbed: int


@dataclass(frozen=True)
class OneSided:
    """A case that one side has; `side` is "a" or "b"."""

    case: str
    side: str
    why: str


@dataclass(frozen=True)
class ChangedMetric:
    """A count that differs; a side where it is None does not have it."""

    metric: str
    unit: str
    a: float | None
    b: float | None
    ratio: float | None


@dataclass(frozen=True)
class CountedCase:
    """A case of devices that count, compared exactly."""

    case: str
    not_compared: str
    equal: int
    other_inputs: bool
    changed: tuple[ChangedMetric, ...]


@dataclass(frozen=True)
class Comparison:
    """Of times: `cases`, `suites` and the roofs of both sides. Of counts: `counted` alone. `differences` says what is
    not equal beside the hardware."""

    a: ComparedRun
    b: ComparedRun
    differences: tuple[str, ...]
    one_sided: tuple[OneSided, ...]
    a_roofs: tuple[Roof, ...] = ()
    b_roofs: tuple[Roof, ...] = ()
    cases: tuple[ComparedCase, ...] = ()
    suites: tuple[ComparedSuite, ...] = ()
    counted: tuple[CountedCase, ...] = ()

    @property
    def compared(self) -> int:
        """Cases with a ratio, or counted on both sides."""
        ratios = sum(1 for case in self.cases if case.ratio is not None)
        return ratios + sum(1 for case in self.counted if not case.not_compared)
