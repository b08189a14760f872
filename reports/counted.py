"""Which cases of a counted run a figure shows, what they are called, and how a count a request is
drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from reports import plot, table, units
from reports.model import Case, Run, Site, largest

MOST_ROWS = 36


@dataclass(frozen=True)
class Row:
    """A case of a figure. `label` tells it from the other rows."""

    label: str
    case: Case


@dataclass(frozen=True)
class Dot:
    """A count a request; `needed` is the most that its lanes' bytes need, or None where that is not
    known."""

    value: float
    needed: float | None

    @property
    def wasted(self) -> bool:
        return self.needed is not None and self.value > self.needed * (1 + 1e-9)


def suites(run: Run) -> list[str]:
    """Those with a counted case, in the order of the run."""
    return list(dict.fromkeys(case.suite for case in run.cases if case.counted))


def rows(run: Run, suite: str) -> tuple[list[Row], int]:
    """The counted cases of a suite, of those that differ in their size alone the largest; and how
    many more there are than a figure shows."""
    cases = largest((case for case in run.cases if case.suite == suite and case.counted), _moved)
    dtypes = {case.dtype for case in cases}
    shown = []
    for case in cases[:MOST_ROWS]:
        words = [case.variant.replace("_", " ")] + ([case.dtype] if len(dtypes) > 1 else [])
        words += [f"{key}={value}" for key, value in (case.ways | case.options).items()]
        shown.append(Row(plot.shown(" ".join(words), 34), case))
    return shown, len(cases) - len(shown)


def _moved(case: Case) -> float:
    """What tells the larger of two problems: bytes, or wavefronts of kernels that stay in shared
    memory."""
    names = ("global_moved_bytes", "shared_load_wavefronts", "shared_store_wavefronts")
    return sum(case.metric(name) or 0 for name in names)


def needed(
    case: Case, accesses: Iterable[str], requests: float | None, of: Callable[[Site], float | None]
) -> float | None:
    """What is needed a request, over the sites with these accesses; None unless they make up all
    `requests`."""
    sites = [site for site in case.sites if site.access in set(accesses)]
    needs = [of(site) for site in sites]
    if (
        not sites
        or not requests
        or sum(site.requests for site in sites) != requests
        or None in needs
    ):
        return None
    return sum(need for need in needs if need is not None) / requests


def common(dots: Sequence[Dot | None]) -> float | None:
    """What all of them need, where that is the same."""
    needs = {round(dot.needed, 6) if dot.needed is not None else None for dot in dots if dot}
    return next(iter(needs)) if len(needs) == 1 else None


def limits(panels: Iterable[Sequence[Dot | None]]) -> tuple[float, float]:
    """Of an axis that all these panels can share."""
    ends = [
        end
        for dots in panels
        for dot in dots
        if dot
        for end in (dot.value, dot.needed or dot.value)
    ]
    return 0.8 * min([1.0, *ends]), 1.75 * max([4.0, *ends])


def panel_rows(
    run: Run, suite: str, dot_of: Mapping[str, Callable[[Case], Dot | None]], what: str
) -> list[table.Row]:
    """What `draw_panels` draws."""
    found, _ = rows(run, suite)
    return [
        {
            "panel": title,
            "row": row.label,
            "case": row.case.name,
            table.unit(f"{what} a request", "1"): made.value,
            table.unit("needed", "1"): made.needed,
        }
        for title, dot in dot_of.items()
        for row in found
        if (made := dot(row.case))
    ]


def draw_panels(
    run: Run,
    suite: str,
    figure: Figure,
    dot_of: Mapping[str, Callable[[Case], Dot | None]],
    what: str,
) -> bool:
    """How many of `what` a request takes, a panel for each title; rows and panels without a request
    are left out."""
    found, more = rows(run, suite)
    every = {title: [dot(row.case) for row in found] for title, dot in dot_of.items()}
    keep = [at for at in range(len(found)) if any(dots[at] for dots in every.values())]
    panels = {title: [dots[at] for at in keep] for title, dots in every.items() if any(dots)}
    if not panels:
        return False
    set_height(figure, len(keep))
    grid = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
    for axes, (title, dots) in zip(grid, panels.items(), strict=True):
        draw(axes, dots, limits(panels.values()))
        axes.set_title(title)
        axes.set_xlabel(f"{what} a request")
        plot.label_rows(axes, [found[at].label for at in keep])
    say_left_out(grid[0], more)
    plot.legend_below(figure, entries(list(panels.values()), what))
    return True


def draw(axes: Axes, dots: Sequence[Dot | None], between: tuple[float, float]) -> None:
    """One row each on a logarithmic axis; a row without such requests has a dash at the left."""
    axes.set_xscale("log", base=2)
    axes.set_xlim(*between)
    shared = common(dots)
    if shared is not None:
        axes.axvline(shared, color=plot.GREY, ls=plot.DASHES[1], lw=1.4, zorder=1.5)
    for row, dot in enumerate(dots):
        if dot is None:
            axes.text(
                0.01, row, "–", transform=axes.get_yaxis_transform(), va="center", color=plot.GREY
            )
            continue
        colour = plot.VERMILLION if dot.wasted else plot.BLUE
        if dot.needed is not None and shared is None:
            axes.plot(
                [dot.needed],
                [row],
                marker="|",
                color=plot.GREY,
                markersize=13,
                markeredgewidth=2,
                zorder=2,
            )
        if dot.wasted and dot.needed is not None:
            axes.plot([dot.needed, dot.value], [row, row], color=colour, lw=1.6, zorder=2)
        axes.plot(
            [dot.value],
            [row],
            marker="D" if dot.wasted else "o",
            color=colour,
            linestyle="none",
            zorder=4,
        )
        beside = {"xytext": (7, 0), "textcoords": "offset points", "va": "center", "fontsize": 10.5}
        axes.annotate(units.plain(dot.value), (dot.value, row), **beside)
    low, high = between
    plot.ticks(
        axes.xaxis,
        [2.0**power for power in range(-4, 12) if low <= 2.0**power <= high],
        units.plain,
        most=8,
    )


def entries(panels: Sequence[Sequence[Dot | None]], what: str) -> dict[str, Artist]:
    """The legend of panels of dots; `what` is counted ("sectors")."""
    dots = [dot for panel in panels for dot in panel if dot]
    made: dict[str, Artist] = {}
    if any(not dot.wasted for dot in dots):
        made[f"{what} a request"] = Line2D([], [], color=plot.BLUE, marker="o", linestyle="none")
    if any(dot.wasted for dot in dots):
        made["more than needed"] = Line2D(
            [], [], color=plot.VERMILLION, marker="D", linestyle="none"
        )
    for need in dict.fromkeys(filter(None, map(common, panels))):
        made[f"needed: {units.plain(need)}"] = Line2D(
            [], [], color=plot.GREY, ls=plot.DASHES[1], lw=1.4
        )
    if any(
        common(panel) is None and any(dot and dot.needed is not None for dot in panel)
        for panel in panels
    ):
        made["needed"] = Line2D(
            [], [], color=plot.GREY, marker="|", markersize=13, markeredgewidth=2, linestyle="none"
        )
    return made


def set_height(figure: Figure, count: int) -> None:
    figure.set_size_inches(plot.SLIDE[0], max(3.2, 1.9 + 0.3 * count))


def say_left_out(axes: Axes, more: int) -> None:
    """Below the last row, so that nobody takes the rows for all."""
    if more:
        axes.set_xlabel(
            f"{axes.get_xlabel()}\n{more} more case{'s' if more > 1 else ''}: see the table"
        )
