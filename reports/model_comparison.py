"""Two runs side by side, as plain rows. Never a verdict.

Times are in ns, rates in B/s and FLOP/s. Ratios are the time of B over that of A: above 1, B takes
longer."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, field

from reports.model import Roof
from reports.model_row import Amount, Count, Facts, Positive, Row

CAUSES = ("none", "hardware", "distance", "environment", "unknown")


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
    """One case on one side; `roof` is that of the side which binds."""

    median_ns: Positive = None
    unsteady: bool = False
    flops: Amount = None
    bytes: Amount = None
    roof: str = ""


class ComparedCase(Row):
    """`ratio` is None where nothing could be compared, and `not_compared` says why. Its 95%
    interval is over processes, None below three a side. `roofs_ratio` is what the two rooflines
    alone predict; `words` are the cells of its row."""

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
    cause: Literal[*CAUSES] = ""


class ComparedSuite(Row):
    """Geometric mean over the suite's cases, with its 95% interval over processes, None where they
    are too few. `roofs_ratio` is the mean of what the rooflines alone predict, over the
    `roofs_cases` for which they do; `words` are the cells of its row."""

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


class OneSided(Row):
    """A case that one side has."""

    case: str
    side: Literal["a", "b"] = field(name="in")
    why: str = ""


class ChangedMetric(Row):
    """A count that differs."""

    metric: str
    unit: str
    words: Facts


class CountedCase(Row):
    """A case of devices that count, compared exactly unless `not_compared` says why not."""

    case: str
    not_compared: str = ""
    other_inputs: bool = False
    changed: tuple[ChangedMetric, ...] = ()


class Comparison(Row):
    """Of times or of counts; what the other kind has is empty. The first of the `conclusions` says
    how much was compared, `differences` what is not equal beside the hardware."""

    a: ComparedRun
    b: ComparedRun
    conclusions: Annotated[tuple[Annotated[str, Meta(min_length=1)], ...], Meta(min_length=1)]
    differences: tuple[str, ...]
    one_sided: tuple[OneSided, ...]
    roofs: tuple[ComparedRoof, ...] = ()
    cases: tuple[ComparedCase, ...] = ()
    suites: tuple[ComparedSuite, ...] = ()
    counted: tuple[CountedCase, ...] = ()

    def roofs_of(self, side: str) -> list[Roof]:
        """Of side "a" or "b"."""
        values = ((one, getattr(one, side)) for one in self.roofs)
        return [
            Roof(one.roof, value, one.unit, one.source, one.words[side])
            for one, value in values
            if value is not None
        ]
