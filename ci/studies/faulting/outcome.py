"""What one trial has shown."""

from __future__ import annotations

from dataclasses import dataclass, field

COUNTS = (
    *("trials", "hit", "reported", "lost", "orphans", "known_orphans"),
    *("leftovers", "wrong_exits", "wrong"),
)


@dataclass
class Outcome:
    """`hit`: trials that were disturbed before they had ended by themselves; `reported`:
    measurements, pairs and verdicts that were printed as done; `lost`: those of them that are not
    stored; `known_orphans`: of a worker whose guard was killed, too; `leftovers`: temporary files
    that the next command did not take away; `wrong`: whatever else must not be."""

    kind: str
    number: int
    trials: int = 1
    hit: int = 0
    reported: int = 0
    lost: int = 0
    orphans: int = 0
    known_orphans: int = 0
    leftovers: int = 0
    wrong_exits: int = 0
    wrong: int = 0
    findings: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)  # of what is counted and no finding

    def find(self, what: str, words: str, count: int = 1) -> None:
        """Counts it as `what`, one of COUNTS."""
        setattr(self, what, getattr(self, what) + count)
        self.findings.append(words)

    def find_all(self, what: str, words: list[str]) -> None:
        for one in words:
            self.find(what, one)
