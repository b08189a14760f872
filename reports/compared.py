"""What the page and the figures of a comparison both say of it."""

from __future__ import annotations

from reports import short_names
from reports.model_comparison import ComparedCase, Comparison

_LONGEST_NAME = 28


def sides(comparison: Comparison) -> tuple[str, str]:
    """Short names of A and B: what tells them apart of their models, labels or runs; just these
    letters where nothing does."""
    a, b = comparison.a, comparison.b
    for names in ((a.model, b.model), (a.label, b.label), (f"run {a.id}", f"run {b.id}")):
        first, second = short_names.apart(*names, _LONGEST_NAME)
        if first.strip() and second.strip() and first != second:
            return first.strip(), second.strip()
    return "A", "B"


def title(comparison: Comparison) -> str:
    a, b = comparison.a.model, comparison.b.model
    return f"{a} and {b}" if a != b else f"Two runs of {a}"


def by_suite(comparison: Comparison) -> dict[str, list[ComparedCase]]:
    """Cases with a ratio."""
    some = [case for case in comparison.cases if case.ratio is not None]
    suites = dict.fromkeys(case.suite for case in some)
    return {suite: [case for case in some if case.suite == suite] for suite in suites}
