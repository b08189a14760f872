"""A comparison's part of the page: its tables. What it comes to in words is in comparison_words."""

from __future__ import annotations

import shlex
from collections.abc import Iterable

from reports import compared, comparison_words
from reports.model_comparison import Comparison
from reports.section import Section

OPEN_ROWS = 60  # what a page shows unfolded of all cases
OPEN_DIFFERENCES = 8


def section(one: Section) -> dict[str, object]:
    comparison = one.of
    groups = compared.by_suite(comparison)
    changed = [(case, metric) for case in comparison.counted if not case.not_compared for metric in case.changed]
    return vars(one) | {
        "title": comparison_words.title(comparison),
        "conclusion": comparison_words.conclusion(comparison),
        "sentences": comparison_words.sentences(comparison),
        "open_differences": OPEN_DIFFERENCES,
        "groups": list(groups.items()),
        "is_open": sum(map(len, groups.values())) <= OPEN_ROWS,
        "changed": changed,
        "changed_is_open": len(changed) <= OPEN_ROWS,
        "not_compared": not_compared(comparison),
        "one_sided": [(letter, one_sided(comparison, letter.lower())) for letter in ("A", "B")],
        "command": shlex.join(["ridgeline", "compare", comparison.a.id, comparison.b.id]),
    }


Groups = list[tuple[str, list[str]]]


def not_compared(comparison: Comparison) -> Groups:
    """Names by reason, the most frequent first."""
    times = ((case.not_compared, case.case) for case in comparison.cases if case.ratio is None)
    counts = ((case.not_compared, case.case) for case in comparison.counted if case.not_compared)
    return _grouped([*times, *counts])


def one_sided(comparison: Comparison, side: str) -> Groups:
    return _grouped((one.why, one.case) for one in comparison.one_sided if one.side == side)


def _grouped(pairs: Iterable[tuple[str, str]]) -> Groups:
    groups: dict[str, list[str]] = {}
    for reason, name in pairs:
        groups.setdefault(reason, []).append(name)
    return sorted(groups.items(), key=lambda item: -len(item[1]))
