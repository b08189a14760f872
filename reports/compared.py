"""What the page and the figures of a comparison both say of it."""

from __future__ import annotations

from reports import plot
from reports.model_comparison import ComparedCase, Comparison

_LONGEST_NAME = 28


def sides(comparison: Comparison) -> tuple[str, str]:
    """Short names of A and B, or just these letters where the names do not tell them apart."""
    a, b = (plot.shown(side.model, _LONGEST_NAME).strip() for side in (comparison.a, comparison.b))
    return (a, b) if a and b and a != b else ("A", "B")


def title(comparison: Comparison) -> str:
    a, b = comparison.a.model, comparison.b.model
    return f"{a} and {b}" if a != b else f"Two runs of {a}"


def by_suite(comparison: Comparison) -> dict[str, list[ComparedCase]]:
    """Cases with a ratio."""
    some = [case for case in comparison.cases if case.ratio is not None]
    suites = dict.fromkeys(case.suite for case in some)
    return {suite: [case for case in some if case.suite == suite] for suite in suites}
