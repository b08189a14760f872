"""What a report is about, as plain rows: the report JSON after it has been checked.

Times are in ns, sizes in B, rates in B/s and FLOP/s.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reports.model_comparison import Comparison
    from reports.model_gate import Gate
    from reports.model_trend import Trend

HOLLOW = ("unstable", "invalid_environment")  # outcomes that keep their samples and are drawn hollow
MEASURED = ("ok", *HOLLOW)
COUNTED = "counted"  # by a device that has no times
FAILED = ("wrong_result", "crashed", "timeout")
LEFT_OUT = ("unsupported", "unavailable")
OUTCOMES = (*MEASURED, COUNTED, *FAILED, *LEFT_OUT)

Facts = dict[str, str]


@dataclass(frozen=True)
class Metric:
    """A quantity beside the time; `value` is None when it was no number."""

    name: str
    value: float | None
    unit: str
    direction: str


@dataclass(frozen=True)
class Roof:
    """A ceiling of the device; `source` is "measured", or says where the datasheet figure comes from."""

    kind: str
    value: float
    unit: str
    source: str

    @property
    def measured(self) -> bool:
        return self.source == "measured"


def highest_roof(roofs: Iterable[Roof], kind: str, *, measured: bool) -> Roof | None:
    """The highest roof of that kind, or of that group of kinds ("dram" covers "dram.read")."""
    found = [
        roof for roof in roofs if roof.measured == measured and (roof.kind == kind or roof.kind.startswith(kind + "."))
    ]
    return max(found, key=lambda roof: roof.value, default=None)


@dataclass(frozen=True)
class Measurement:
    """One case in one process."""

    replicate: int
    attempt: int
    outcome: str
    reason: str
    samples: int
    executions_per_sample: int
    launch: str
    cache: str
    median_ns: float | None
    relative_spread: float | None
    sm_clock_mhz: float | None
    power_w: float | None
    temperature_c: float | None
    throttle: str


@dataclass(frozen=True)
class Site:
    """One access in a kernel's source, over all warps. Zero where a quantity has no meaning; `line` is 0, and what is
    needed None, where they are not known."""

    kernel: str
    file: str
    line: int
    access: str
    lane_bytes: int
    requests: int
    lanes: int
    sectors: int
    wavefronts: int
    sectors_needed: float | None
    wavefronts_needed: float | None

    @property
    def uncoalesced(self) -> float | None:
        """How many times the sectors that its lanes' bytes need, or None when there is no waste that is certain."""
        return _beyond(self.sectors, self.sectors_needed)

    @property
    def conflicts(self) -> float | None:
        """How many times the wavefronts that its lanes need, or None."""
        return _beyond(self.wavefronts, self.wavefronts_needed)


def _beyond(counted: int, needed: float | None) -> float | None:
    return counted / needed if needed and counted > needed * (1 + 1e-9) else None


@dataclass(frozen=True)
class SitesLeftOut:
    """Sums over sites that the report leaves out because there are too many."""

    sites: int = 0
    requests: int = 0
    sectors: int = 0
    wavefronts: int = 0


@dataclass(frozen=True)
class Source:
    """A source file as it was when kernels were counted; one that is too long has its `size` in bytes alone."""

    file: str
    text: str | None
    size: int = 0


@dataclass(frozen=True)
class Case:
    """One case over all processes of a run; what is None is not known."""

    name: str
    suite: str
    variant: str
    dtype: str
    problem: Facts
    options: Facts
    idea: str
    ranks: int
    measures_roof: str
    flops: float | None
    bytes: float | None
    outcome: str
    reason: str
    processes: int
    median_ns: float | None
    interval_ns: tuple[float, float] | None
    flop_rate: float | None
    byte_rate: float | None
    share_of_roof: float | None
    roof: str
    beats_roof: bool
    error: float | None
    tolerance: float | None
    metrics: dict[str, Metric]
    measurements: tuple[Measurement, ...]
    sites: tuple[Site, ...] = ()
    left_out: SitesLeftOut = SitesLeftOut()
    sources: tuple[Source, ...] = ()
    processes_differ: bool = False

    @property
    def counted(self) -> bool:
        return self.outcome == COUNTED

    @property
    def measured(self) -> bool:
        return self.outcome in MEASURED and self.median_ns is not None

    @property
    def hollow(self) -> bool:
        return self.outcome in HOLLOW

    @property
    def problem_key(self) -> tuple[object, ...]:
        """Equal for cases that solve the same problem under the same options."""
        return (self.dtype, tuple(self.problem.items()), tuple(self.options.items()))

    def field(self, key: str) -> float | None:
        """A field of the problem as a number, or None when it is missing or no number."""
        try:
            return float(self.problem[key])
        except (KeyError, ValueError):
            return None

    def metric(self, name: str) -> float | None:
        return self.metrics[name].value if name in self.metrics else None


@dataclass(frozen=True)
class Device:
    id: str
    kind: str
    model: str
    name: str
    uuid: str
    pci_id: str
    properties: Facts
    comparable: Facts
    recorded: Facts


@dataclass(frozen=True)
class Build:
    worker: str
    commit: str
    dirty: bool
    compiler: str
    flags: str
    cuda: str
    code_hash: str


@dataclass(frozen=True)
class Environment:
    hash: str
    comparable: Facts
    recorded: Facts


@dataclass(frozen=True)
class WallTime:
    """Where the wall time of all measurements of a run went."""

    prepare_ns: float
    verify_ns: float
    warmup_ns: float
    timed_ns: float
    total_ns: float


@dataclass(frozen=True)
class Run:
    id: str
    label: str
    status: str
    profile: str
    profile_text: str
    seed: int
    started: str
    finished: str
    command_line: str
    device: Device
    environment: Environment
    builds: tuple[Build, ...]
    roofs: tuple[Roof, ...]
    wall: WallTime | None
    cases: tuple[Case, ...]

    @property
    def counted(self) -> bool:
        """Whether it is of a device that counts, and has no times."""
        return self.device.kind == "emulated"

    def of_suite(self, suite: str) -> list[Case]:
        """The measured cases of a suite, in the order of the file."""
        return [case for case in self.cases if case.suite == suite and case.measured]

    def roof(self, kind: str, *, measured: bool) -> Roof | None:
        return highest_roof(self.roofs, kind, measured=measured)


@dataclass(frozen=True)
class Report:
    generated: str
    ridgeline: str
    runs: tuple[Run, ...] = field(default_factory=tuple)
    gates: tuple[Gate, ...] = field(default_factory=tuple)
    trends: tuple[Trend, ...] = field(default_factory=tuple)
    comparisons: tuple[Comparison, ...] = field(default_factory=tuple)
