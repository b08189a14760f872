"""Two runs side by side, as plain rows. Never a verdict.

Times are in ns, rates in B/s and FLOP/s. Ratios are the time of B over that of A: above 1, B takes longer.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from msgspec import field

from reports.model import Amount, Count, Facts, Number, Positive, Roof, Row

CAUSES = ("hardware", "distance", "environment", "unknown")


class ComparedRun(Row):
    """One side: the run and its device."""

    id: str
    model: str
    device_name: str
    started: str
    status: str
    profile: str
    label: str


class ComparedRoof(Row):
    """A roof of both sides; a side where it is None does not have it."""

    roof: str
    source: str
    unit: str
    words: Facts
    a: Positive = None
    b: Positive = None


class SideOfCase(Row):
    """One case on one side. `share_of_roof` is of the side's own roofs, of which `roof` binds."""

    processes: Count
    median_ns: Positive = None
    unsteady: bool = False
    flops: Amount = None
    bytes: Amount = None
    share_of_roof: Amount = None
    roof: str = ""


class ComparedCase(Row):
    """`ratio` is None where nothing could be compared, and `not_compared` says why. Its 95% interval is over processes,
    None below three a side. `roofs_ratio` is what the two rooflines alone predict, `rest` the ratio over that; `words`
    are the cells of its row."""

    case: str
    suite: str
    variant: str
    dtype: str
    measures_roof: bool
    a: SideOfCase
    b: SideOfCase
    words: Facts
    not_compared: str = ""
    ratio: Positive = None
    ratio_low: Positive = None
    ratio_high: Positive = None
    work: Positive = None
    roofs_ratio: Positive = None
    roofs: str = ""
    rest: Positive = None
    cause: Literal[*CAUSES] = ""
    farther: Literal["a", "b"] = ""


class ComparedSuite(Row):
    """Geometric mean over the suite's cases, with its 95% interval over processes, None where they are too few.
    `roofs_ratio` is the mean of what the rooflines alone predict, over the `roofs_cases` for which they do; `words` are
    the cells of its row."""

    suite: str
    cases: Count
    ratio: Positive
    lowest: Positive
    highest: Positive
    words: Facts
    ratio_low: Positive = None
    ratio_high: Positive = None
    roofs_ratio: Positive = None
    roofs_cases: Count = 0


class Difference(Row):
    """What is not equal beside the hardware; of no `kind` is what is said of one run."""

    kind: str
    words: str


class OneSided(Row):
    """A case that one side has."""

    case: str
    side: Literal["a", "b"] = field(name="in")
    why: str = ""


class ChangedMetric(Row):
    """A count that differs; a side where it is None does not have it."""

    metric: str
    unit: str
    words: Facts
    a: Number = None
    b: Number = None
    ratio: Amount = None


class CountedCase(Row):
    """A case of devices that count, compared exactly. `equal_counts` and `changed` are None where `not_compared` says
    why."""

    case: str
    not_compared: str = ""
    equal_counts: Count = None
    other_inputs: bool = False
    changed: tuple[ChangedMetric, ...] = None

    def __post_init__(self) -> None:
        if not self.not_compared and (self.equal_counts is None or self.changed is None):
            raise ValueError("expected `equal_counts` and `changed`, or `not_compared`")


class Comparison(Row, tag_field="gives"):
    """Of times or of counts; what the other kind has is empty. `compared` is how many cases have a ratio, or were
    counted on both sides."""

    a: ComparedRun
    b: ComparedRun
    compared: Count
    differences: tuple[Difference, ...]
    one_sided: tuple[OneSided, ...]

    roofs: ClassVar[tuple[ComparedRoof, ...]] = ()
    cases: ClassVar[tuple[ComparedCase, ...]] = ()
    suites: ClassVar[tuple[ComparedSuite, ...]] = ()
    counted: ClassVar[tuple[CountedCase, ...]] = ()

    def roofs_of(self, side: str) -> list[Roof]:
        """Of side "a" or "b"."""
        values = ((one, getattr(one, side)) for one in self.roofs)
        return [
            Roof(one.roof, value, one.unit, one.source, one.words[side]) for one, value in values if value is not None
        ]


class ComparisonOfTimes(Comparison, tag="times"):
    roofs: tuple[ComparedRoof, ...]
    cases: tuple[ComparedCase, ...]
    suites: tuple[ComparedSuite, ...]


class ComparisonOfCounts(Comparison, tag="counts"):
    counted: tuple[CountedCase, ...] = field(name="cases")
