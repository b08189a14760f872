"""How many sectors of global memory a warp's request touches."""

from __future__ import annotations

from functools import partial
from operator import attrgetter

from matplotlib.figure import Figure

from reports import counted, table
from reports.counted import Dot
from reports.model import Case, Run

OF = "suite"
TITLE = "Sectors a request"
READING = (
    "A sector is 32 bytes, and a request is what the active lanes of a warp ask for at once. "
    "Marked is what takes more sectors than the lanes' bytes need if they lie side by side: 4 "
    "where 32 lanes read 4 bytes each. Exact counts, of each variant's largest problem."
)
ORDER = 110

_ACCESSES = {"load": ("global load", "global async copy"), "store": ("global store",)}


def dot(case: Case, act: str) -> Dot | None:
    """Of loads or stores ("load", "store"); None where the case has none."""
    value = case.metric(f"global_{act}_sectors_per_request")
    if not value:
        return None
    requests = case.metric(f"global_{act}_requests")
    return Dot(value, counted.needed(case, _ACCESSES[act], requests, attrgetter("sectors_needed")))


_PANELS = {f"{act.capitalize()}s": partial(dot, act=act) for act in _ACCESSES}


def data(run: Run, suite: str) -> list[table.Row]:
    return counted.panel_rows(run, suite, _PANELS, "sectors")


def draw(run: Run, suite: str, figure: Figure) -> bool:
    return counted.draw_panels(run, suite, figure, _PANELS, "sectors")
