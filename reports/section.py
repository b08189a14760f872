"""What one page of the report is about, before its words are laid out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from reports.listing import Page
from reports.render import Picture

KINDS = (
    "run",
    "counted",
    "comparison",
    "trend",
    "gate",
)  # in the order of the overview; a counted one is a run, too


@dataclass(frozen=True)
class Section:
    """Of one of KINDS, with its figures, each of one or more pictures; `anchor` is unique in the
    report and names the page. Of a run come the titles of figures that were `not_drawn`, and if it
    counts, `suites` with theirs and `listings`. `links` are the addresses of cases by name."""

    kind: str
    anchor: str
    of: Any
    figures: Sequence[Sequence[Picture]] = ()
    not_drawn: Sequence[str] = ()
    suites: Mapping[str, Sequence[Picture]] = field(default_factory=dict)
    listings: Sequence[Page] = ()
    links: Mapping[str, str] = field(default_factory=dict)

    @property
    def address(self) -> str:
        return f"{self.anchor}.html"
