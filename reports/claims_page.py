"""The page of what textbooks say: each claim with its conditions, what was measured, and whether it
holds, device by device."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from reports.model_claims import Claim, DeviceClaims
from reports.section import Section

ADDRESS = "claims.html"
TITLE = "Claims"
OPEN_CASES = 2  # of a check, which a page shows unfolded

_COLOURS = {"holds": "good", "does_not_hold": "bad", "not_measured": "soft"}


@dataclass(frozen=True)
class ClaimPart:
    """`anchor` is unique on the page."""

    anchor: str
    of: Claim

    @property
    def alone(self) -> bool:
        """Whether its only check has its verdict."""
        return len(self.of.checks) == 1


@dataclass(frozen=True)
class DevicePart:
    """`runs` are ids with the page of each, empty where it has none."""

    anchor: str
    name: str
    model: str
    counts: str
    claims: tuple[ClaimPart, ...]
    runs: tuple[tuple[str, str], ...]


def parts(devices: Sequence[DeviceClaims], sections: Iterable[Section]) -> list[DevicePart]:
    pages = {one.of.id: one.address for one in sections if one.kind == "run"}
    return [
        DevicePart(
            anchor=f"d{number}",
            name=of.device.name or of.device.model,
            model=of.device.model,
            counts=of.counts_text,
            claims=tuple(
                ClaimPart(f"d{number}-c{at}", claim) for at, claim in enumerate(of.claims, start=1)
            ),
            runs=tuple((run, pages.get(run, "")) for run in of.runs),
        )
        for number, of in enumerate(devices, start=1)
    ]


def colour(verdict: str) -> str:
    return _COLOURS.get(verdict, "note")
