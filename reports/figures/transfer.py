"""How fast bytes come from the host to the device and back."""

from __future__ import annotations

from matplotlib.artist import Artist
from matplotlib.figure import Figure

from reports import plot, table, units
from reports.model import Roof, Run

TITLE = "Transfers"
READING = (
    "Copies between the host's memory and the device's, over the link between them. Small ones are "
    "bound by the latency of a copy, large ones of pinned (locked) pages by the link, and of "
    "pageable ones by the host, which copies them a second time."
)
ORDER = 58


def bandwidth(run: Run) -> list[plot.Series]:
    """B/s over the bytes of a copy, one series a variant and direction."""
    cases = run.of_suite("transfer")
    variants = plot.distinct(case.variant for case in cases)
    directions = plot.distinct(case.problem.get("direction", "?") for case in cases)
    return plot.series(
        cases,
        key=lambda case: (case.variant, case.problem.get("direction", "?")),
        point=lambda case: plot.rate_point(case, case.bytes, case.byte_rate),
        label=lambda key: plot.shown(" ".join(str(part) for part in key).replace("_", " "), 40),
        style=lambda key: plot.Style.numbered(
            variants.index(key[0]), variants.index(key[0]), directions.index(key[1])
        ),
    )


def ceilings(run: Run) -> list[Roof]:
    """The link's, in each direction as measured and as its lanes allow."""
    return [roof for roof in run.roofs if roof.kind == "link" or roof.kind.startswith("link.")]


def data(run: Run) -> list[table.Row]:
    name, of = "bandwidth", "B/s"
    rows = table.of_series("", table.unit("size of a copy", "B"), name, of, bandwidth(run))
    return rows + table.of_roofs("", name, of, ceilings(run))


def draw(run: Run, figure: Figure) -> bool:
    drawn, roofs = bandwidth(run), ceilings(run)
    if not drawn:
        return False
    axes = figure.subplots()
    points = [point for one in drawn for point in one.points]
    scale, unit = plot.unit_scale([point.y for point in points] + [r.value for r in roofs], "B/s")
    plot.draw(axes, drawn, scale)
    plot.ceiling_lines(axes, roofs, scale)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    plot.ticks(axes.xaxis, [point.x for point in points], units.size, most=8)
    plot.log_ticks(axes.yaxis, units.plain)
    axes.set_xlabel("size of a copy")
    axes.set_ylabel(f"bandwidth, {unit}")
    handles: dict[str, Artist] = {one.label: plot.handle(one.style) for one in drawn}
    handles |= plot.hollow_entry(plot.any_hollow(drawn))
    for roof in roofs:
        name = roof.kind.replace(".", " ").replace("_", " ")
        handles[f"{name} {roof.origin} {roof.text}"] = plot.ceiling_handle(roof)
    plot.legend_below(figure, handles)
    return True
