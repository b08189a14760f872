"""How many sectors of global memory a warp's request touches."""

from __future__ import annotations

from operator import attrgetter

from matplotlib.figure import Figure

from reports import counted, plot
from reports.counted import Dot
from reports.model import Case, Run

OF = "suite"
TITLE = "Sectors a request"
READING = (
    "A sector is 32 bytes, and a request is what the active lanes of a warp ask for at once. Marked is what takes more "
    "sectors than the lanes' bytes need if they lie side by side: 4 where 32 lanes read 4 bytes each. Exact counts, of "
    "each variant's largest problem."
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


def draw(run: Run, suite: str, figure: Figure) -> bool:
    rows, more = counted.rows(run, suite)
    panels = {act: [dot(row.case, act) for row in rows] for act in _ACCESSES}
    keep = [at for at in range(len(rows)) if any(dots[at] for dots in panels.values())]
    panels = {act: [dots[at] for at in keep] for act, dots in panels.items() if any(dots)}
    if not panels:
        return False
    counted.set_height(figure, len(keep))
    grid = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
    for axes, (act, dots) in zip(grid, panels.items(), strict=True):
        counted.draw(axes, dots, counted.limits(panels.values()))
        axes.set_title(f"{act.capitalize()}s")
        axes.set_xlabel("sectors a request")
        plot.label_rows(axes, [rows[at].label for at in keep])
    counted.say_left_out(grid[0], more)
    plot.legend_below(figure, counted.entries(list(panels.values()), "sectors"))
    return True
