"""Time and memory of attention over the sequence length: materialised scores against online softmax."""

from __future__ import annotations

from collections.abc import Callable

from matplotlib.figure import Figure

from reports import plot, units
from reports.model import Case, Run

TITLE = "Attention"
READING = (
    "Both axes are logarithmic. Memory is the workspace beyond inputs and output: it grows with the square of the "
    "sequence for a variant that writes the score matrix, and linearly for one that does not."
)
ORDER = 50


def _series(run: Run, point: Callable[[Case], plot.Point | None]) -> list[plot.Series]:
    """One series a variant (colour), mask (dash), head size (marker), and whatever else tells two lines apart."""
    cases = run.of_suite("attention")
    colours = plot.variant_styles(case.variant for case in cases)
    keys = [_key(case) for case in cases]
    masks, dims, dtypes = (plot.distinct(key[part] for key in keys) for part in (1, 2, 3))

    def label(key: tuple[object, ...]) -> str:
        variant, mask, dim, dtype, rest = (str(part) for part in key)
        parts = [variant, mask, f"d={dim}", dtype if len(dtypes) > 1 else "", rest]
        return plot.shown(" ".join(part for part in parts if part), 34)

    def style(key: tuple[object, ...]) -> plot.Style:
        mask = masks.index(key[1]) + len(masks) * dtypes.index(key[3])
        return plot.Style(
            colours[str(key[0])].colour,
            plot.MARKERS[dims.index(key[2]) % len(plot.MARKERS)],
            plot.DASHES[mask % len(plot.DASHES)],
        )

    return plot.series(cases, key=_key, point=point, label=label, style=style)


def _key(case: Case) -> tuple[str, ...]:
    """Variant, mask, head size, type, and every other field but the sequence length that is not the usual one."""
    rest = {**case.problem, **case.options}
    mask, dim = rest.pop("mask", "?"), rest.pop("dim", "?")
    for key in ("seq", "heads"):
        rest.pop(key, None)
    if rest.get("batch") == "1":
        rest.pop("batch")
    return case.variant, mask, dim, case.dtype, " ".join(f"{key}={value}" for key, value in rest.items())


def times(run: Run) -> list[plot.Series]:
    """ms over sequence length."""
    return _series(run, lambda case: plot.time_point(case, case.field("seq"), 1e-6))


def memory(run: Run) -> list[plot.Series]:
    """Workspace in B over sequence length; cases that need none are left out, since the axis is logarithmic."""
    return _series(run, lambda case: plot.fact_point(case, case.field("seq"), case.metric("memory_bytes")))


def draw(run: Run, figure: Figure) -> bool:
    panels = [("Time, ms", times(run), None), ("Workspace", memory(run), units.size)]
    panels = [panel for panel in panels if panel[1]]
    if not panels:
        return False
    grid = figure.subplots(1, len(panels), squeeze=False).flat
    for axes, (title, drawn, size) in zip(grid, panels, strict=True):
        plot.draw(axes, drawn)
        axes.set_xscale("log", base=2)
        axes.set_yscale("log", base=2 if size else 10)
        plot.ticks(axes.xaxis, [point.x for one in drawn for point in one.points], units.count, most=4)
        if size:
            axes.yaxis.set_major_formatter(lambda value, _: units.size(value))
        else:
            plot.log_ticks(axes.yaxis, units.plain)
        axes.set_title(title)
        axes.set_xlabel("sequence length")
    plot.legend(figure, panels[0][1])
    return True
