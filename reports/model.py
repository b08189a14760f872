"""What a report is about: the rows of the report JSON (docs/report-format.md), whose types say what
is accepted of it.

Times are in ns, sizes in B, rates in B/s and FLOP/s. A field that may be absent has a default.
Where that is None the type does not say so, because the format has no null and the type is what is
accepted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from reports.model_row import Amount, Count, Facts, Number, Positive, Row, Seed
from reports.model_together import Beside, PeerPairs

SIZES = frozenset(
    {"elements", "rows", "cols", "m", "n", "k", "batch", "heads", "seq", "bytes", "work", "records"}
)
"""Fields of a problem that say how much, not how."""

State = Literal[
    "good", "unsteady", "failed", "left_out"
]  # what an outcome means; unsteady ones are drawn hollow


class Metric(Row):
    """A quantity beside the time; `value` is None when it was no number."""

    name: str
    direction: Literal["lower", "higher", "none"]
    text: str
    value: Number = None


class Roof(Row):
    """A ceiling of the device; `source` is "measured", "measured, unsteady", or says where the
    datasheet figure comes from."""

    kind: str
    value: Positive
    unit: str
    source: str
    text: str = ""

    @property
    def measured(self) -> bool:
        return self.source == "measured" or self.unsteady

    @property
    def unsteady(self) -> bool:
        """Measured, but not every process of its case was steady and undisturbed."""
        return self.source == "measured, unsteady"

    @property
    def origin(self) -> str:
        """What a legend calls it."""
        return "not steady" if self.unsteady else "measured" if self.measured else "datasheet"


def highest_roof(roofs: Iterable[Roof], kind: str, *, measured: bool) -> Roof | None:
    """The highest roof of that kind, or of that group of kinds ("dram" covers "dram.read")."""
    found = [
        roof
        for roof in roofs
        if roof.measured == measured and (roof.kind == kind or roof.kind.startswith(kind + "."))
    ]
    return max(found, key=lambda roof: roof.value, default=None)


@dataclass(frozen=True)
class Ceiling:
    """What a device can do at most: as measured, as the datasheet says, or both."""

    name: str
    measured: Roof | None
    datasheet: Roof | None

    @property
    def highest(self) -> float:
        return max(roof.value for roof in (self.measured, self.datasheet) if roof)

    @property
    def reached(self) -> float:
        """What was measured, else what the datasheet says."""
        return self.measured.value if self.measured else self.highest


class Site(Row):
    """One access in a kernel's source, over all warps; `line` is 0 where it is not known.
    `uncoalesced` and `conflicts` are how many times what its lanes need, None when there is no
    waste that is certain; `share` is of the sectors, or of the wavefronts, of its case. `words` are
    the cells of its row, empty ones left out."""

    kernel: str
    file: str
    access: str
    requests: Count
    words: Facts
    line: Count = 0
    sectors: Count = 0
    sectors_needed: Positive = None
    wavefronts_needed: Positive = None
    uncoalesced: Positive = None
    conflicts: Positive = None
    share: Amount = None

    @property
    def wasteful(self) -> bool:
        return bool(self.uncoalesced or self.conflicts)


class SitesLeftOut(Row):
    """How many sites the report leaves out because there are too many, and their requests."""

    sites: Count
    requests: Count


class Source(Row):
    """A source file as it was when kernels were counted; one that is too long has its size in
    `bytes` alone."""

    file: str
    text: str = None
    bytes: Count = None

    def __post_init__(self) -> None:
        if self.text is None and self.bytes is None:
            raise ValueError("expected `text` or `bytes`")


class Usage(Row):
    """How busy a case keeps a resource: of which `amount` in `unit` that follows, and what it is
    known by (`amount_by`). `words` are the resource, the share of the time, the amount, the highest
    rate, and what the last two are known by."""

    words: tuple[str, str, str, str, str, str]
    resource: str = ""
    amount: Amount = None
    unit: str = ""
    amount_by: str = ""


class UnknownUsage(Row):
    """A resource of which it is not known how busy a case keeps it, and why: in words."""

    words: tuple[str, str] = ("", "")


class Settling(Row):
    """A command that would settle what is open, and what it shows."""

    command: str
    shows: str


class NextRung(Row):
    """Of a ladder, by its title, the `next` case; of its last rung the `reference`. Both are names,
    and may be of cases that the run does not have."""

    ladder: str
    next: str = ""
    reference: str = ""


class ExplainedWords(Row):
    """What bounds a case, in sentences."""

    conclusion: str
    distance: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    device: tuple[str, ...] = ()
    ladders: tuple[str, ...] = ()


class Explanation(Row):
    """What bounds a case, with all evidence for it: the busiest resource first."""

    conclusion: Literal["bound", "near", "nothing", "open", "contradiction", "roof"]
    usages: tuple[Usage, ...]
    unknown: tuple[UnknownUsage, ...]
    settle: tuple[Settling, ...]
    words: ExplainedWords
    ladders: tuple[NextRung, ...] = ()


class Case(Row):
    """One case over all processes of a run; what is None is not known. `words` are the cells of its
    rows, empty ones left out; `sources` are places in those of the run; `vendor` is whether the
    variant is a vendor's library; only what has a time has an `explanation`."""

    name: str
    suite: str
    variant: str
    dtype: str
    problem: Facts
    options: Facts
    outcome: str
    state: State
    processes: Count
    beats_roof: bool
    metrics: tuple[Metric, ...]
    words: Facts
    vendor: bool = False
    measures_roof: str = ""
    flops: Amount = None
    bytes: Amount = None
    median_ns: Positive = None
    interval_ns: tuple[Positive, Positive] = None
    flop_rate: Amount = None
    byte_rate: Amount = None
    counted_dram_bytes: Amount = None
    reason: str = ""
    roof: str = ""
    sites: tuple[Site, ...] = ()
    sites_left_out: SitesLeftOut = SitesLeftOut(0, 0)
    sources: tuple[Count, ...] = ()
    processes_differ: bool = False
    explanation: Explanation = None

    def __post_init__(self) -> None:
        if self.counted and self.median_ns is not None:
            raise ValueError("median_ns: a time of a case that was counted")
        if self.sites and not self.counted:
            raise ValueError("sites: sites of a case that was not counted")
        if self.interval_ns and self.median_ns is None:
            raise ValueError("interval_ns: an interval without a median")
        if self.interval_ns and self.interval_ns[0] > self.interval_ns[1]:
            raise ValueError("interval_ns: expected the lower end first")
        if self.explanation and self.median_ns is None:
            raise ValueError("explanation: of a case without a time")

    @property
    def counted(self) -> bool:
        return self.outcome == "counted"

    @property
    def measured(self) -> bool:
        return self.median_ns is not None

    @property
    def hollow(self) -> bool:
        return self.state == "unsteady"

    @property
    def problem_key(self) -> tuple[object, ...]:
        """Equal for cases that solve the same problem under the same options."""
        return (self.dtype, tuple(self.problem.items()), tuple(self.options.items()))

    @property
    def ways(self) -> Facts:
        """The problem without its size."""
        return {key: value for key, value in self.problem.items() if key not in SIZES}

    def field(self, key: str) -> float | None:
        """A field of the problem as a number, or None when it is missing or no number."""
        try:
            return float(self.problem[key])
        except (KeyError, ValueError):
            return None

    def metric(self, name: str) -> float | None:
        return next((metric.value for metric in self.metrics if metric.name == name), None)


def largest(cases: Iterable[Case], size: Callable[[Case], float]) -> list[Case]:
    """Of cases that differ in their size alone, the largest."""
    best: dict[tuple[object, ...], Case] = {}
    for case in cases:
        key = (case.variant, case.dtype, tuple(case.ways.items()), tuple(case.options.items()))
        if key not in best or size(case) > size(best[key]):
            best[key] = case
    return list(best.values())


class Device(Row):
    """`id` is what `--device` takes."""

    kind: str
    model: str
    name: str
    uuid: str
    pci_id: str
    properties: Facts
    comparable: Facts
    recorded: Facts
    id: str = ""


class Build(Row):
    worker: str
    commit: str
    dirty: bool
    compiler: str
    flags: str
    cuda: str
    code_hash: str


class Environment(Row):
    hash: str
    comparable: Facts
    recorded: Facts


class WallTime(Row):
    """A part of the wall time of all measurements, in words."""

    what: str
    time: str
    share: str


class Wrong(Row):
    """What is wrong with a run, in words; not `bad` is what casts doubt."""

    bad: bool
    words: str


class Reason(Row):
    reason: str
    cases: tuple[str, ...]


class Trouble(Row):
    """Cases that ended alike, by reason, what most share first."""

    state: State
    words: str
    groups: tuple[Reason, ...]


class Best(Row):
    """The fastest own case of a suite; `words` are the cells of its row, empty ones left out."""

    suite: str
    words: Facts


class Run(Row):
    """`warnings` are what a reader must know before believing a number, beside the outcomes;
    `pairs` are those of its GPU, and of the other GPUs that were measured with it. `imported` is
    the format of the files that another program's results come from, and `repeat` then the command
    that imported them."""

    id: str
    profile: str
    seed: Seed
    started: str
    repeat: str
    outcomes: str
    wrong: tuple[Wrong, ...]
    warnings: tuple[str, ...]
    troubles: tuple[Trouble, ...]
    best: tuple[Best, ...]
    wall: tuple[WallTime, ...]
    device: Device
    environment: Environment
    builds: tuple[Build, ...]
    roofs: tuple[Roof, ...]
    cases: tuple[Case, ...]
    label: str = ""
    imported: str = ""
    profile_text: str = ""
    finished: str = ""
    sources: tuple[Source, ...] = ()
    pairs: PeerPairs = None
    beside: tuple[Beside, ...] = ()

    def __post_init__(self) -> None:
        for at, case in enumerate(self.cases):
            if self.counted and case.measured:
                raise ValueError(f"cases[{at}]: a time of a device that has none: {case.name}")
            if any(place >= len(self.sources) for place in case.sources):
                raise ValueError(f"cases[{at}].sources: expected places below {len(self.sources)}")

    @property
    def key(self) -> tuple[str, str, str]:
        """Tells it apart from all others; devices that are measured together may share an id."""
        return (self.id, self.device.model, self.device.uuid)

    @property
    def counted(self) -> bool:
        """Whether it is of a device that counts, and has no times."""
        return self.device.kind == "emulated"

    def of_suite(self, suite: str) -> list[Case]:
        """The measured cases of a suite, in the order of the file."""
        return [case for case in self.cases if case.suite == suite and case.measured]

    def source(self, case: Case, file: str) -> Source | None:
        """The source `file` of a case of this run, if it was kept."""
        return next(
            (self.sources[at] for at in case.sources if self.sources[at].file == file), None
        )

    def roof(self, kind: str, *, measured: bool) -> Roof | None:
        return highest_roof(self.roofs, kind, measured=measured)
