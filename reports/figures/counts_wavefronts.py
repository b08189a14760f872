"""How often shared memory answers for one request of a warp."""

from __future__ import annotations

from operator import attrgetter

from matplotlib.figure import Figure

from reports import counted, table
from reports.counted import Dot
from reports.model import Case, Run

OF = "suite"
TITLE = "Shared-memory wavefronts per request"
READING = (
    "A wavefront is one answer of shared memory: at most one word of each of its 32 banks. A "
    "request of lanes that read 4 bytes each is free of conflicts at 1; 16 bytes each take 4. "
    "Loads and stores together; rows without shared memory are left out."
)
ORDER = 120

_ACCESSES = ("shared load", "shared store", "shared async copy")


def dot(case: Case) -> Dot | None:
    """None where the case uses no shared memory."""
    value = case.metric("shared_wavefronts_per_request")
    if not value:
        return None
    wavefronts = (case.metric("shared_load_wavefronts") or 0) + (
        case.metric("shared_store_wavefronts") or 0
    )
    return Dot(
        value,
        counted.needed(case, _ACCESSES, round(wavefronts / value), attrgetter("wavefronts_needed")),
    )


_PANELS = {"": dot}


def data(run: Run, suite: str) -> list[table.Row]:
    return counted.panel_rows(run, suite, _PANELS, "wavefronts")


def draw(run: Run, suite: str, figure: Figure) -> bool:
    return counted.draw_panels(run, suite, figure, _PANELS, "wavefronts")
