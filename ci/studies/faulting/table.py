"""The counts of a campaign, a line each kind."""

from __future__ import annotations

import re
from collections import Counter

from ci.studies.faulting.outcome import COUNTS, Outcome

FINDINGS = ("lost", "orphans", "wrong_exits", "wrong")  # counts that are 0 where all is well


class Table:
    def __init__(self) -> None:
        self.rows: dict[str, Counter] = {}
        self.leftovers: Counter = Counter()

    def add(self, outcome: Outcome) -> None:
        row = self.rows.setdefault(outcome.kind, Counter())
        row.update({name: getattr(outcome, name) for name in COUNTS})
        self.leftovers.update(_kind_of_name(name) for name in outcome.notes)

    @property
    def findings(self) -> int:
        return sum(row[name] for row in self.rows.values() for name in FINDINGS)

    def text(self) -> str:
        total = sum(self.rows.values(), Counter())
        lines = [["kind", *(name.replace("_", " ") for name in COUNTS)]]
        for kind, row in [*sorted(self.rows.items()), ("all", total)]:
            lines.append([kind, *(str(row[name]) for name in COUNTS)])
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        text = "".join(
            "  ".join(
                cell.ljust(width) if at == 0 else cell.rjust(width)
                for at, (cell, width) in enumerate(zip(line, widths, strict=True))
            ).rstrip()
            + "\n"
            for line in lines
        )
        for name, count in self.leftovers.most_common():
            text += f"left over: {name}, {count} times\n"
        return text


def _kind_of_name(name: str) -> str:
    """Names of temporary files differ in numbers and random letters."""
    return re.sub(r"\d{4,}T?\w*(-\w{6})?", "N", re.sub(r"json-\w{8}$", "json-X", name))
