"""A comparison's part of the page: what it comes to, and its tables. Never a verdict: `ridgeline
gate` gives one."""

from __future__ import annotations

import shlex

from reports import compared, gate_page
from reports.section import Section

OPEN_ROWS = 60  # what a page shows unfolded of all cases
OPEN_DIFFERENCES = 8


def section(one: Section) -> dict[str, object]:
    comparison = one.of
    groups = compared.by_suite(comparison)
    changed = [(case, metric) for case in comparison.counted for metric in case.changed]
    return vars(one) | {
        "title": compared.title(comparison),
        "conclusions": [gate_page.sentence(said) for said in comparison.conclusions],
        "open_differences": OPEN_DIFFERENCES,
        "groups": list(groups.items()),
        "is_open": sum(map(len, groups.values())) <= OPEN_ROWS,
        "changed": changed,
        "changed_is_open": len(changed) <= OPEN_ROWS,
        "command": shlex.join(["ridgeline", "compare", comparison.a.id, comparison.b.id]),
    }
