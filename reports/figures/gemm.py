"""What each rung of the GEMM ladder buys as the matrices grow."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from reports import plot, table, units
from reports.model import Case, Roof, Run

TITLE = "Matrix multiplication"
READING = (
    "One line a variant, the vendor's library dashed. The right axis is the share of the measured "
    "compute ceiling (of the datasheet's where none was measured). Square problems with default "
    "options; the others are in the table."
)
ORDER = 40


def ladder(run: Run, dtype: str) -> list[plot.Series]:
    """FLOP/s over n for each variant of one type."""
    cases = square_cases(run)
    styles = plot.variant_styles(cases)
    return plot.series(
        [case for case in cases if case.dtype == dtype],
        key=lambda case: (case.variant,),
        point=lambda case: plot.rate_point(case, case.field("n"), case.flop_rate),
        label=lambda key: plot.shown(str(key[0])),
        style=lambda key: styles[str(key[0])],
    )


def square_cases(run: Run) -> list[Case]:
    # What products are made of says how a variant computes, not what.
    usual = (case for case in run.of_suite("gemm") if not case.options.keys() - {"products"})
    return [
        case for case in usual if case.field("m") == case.field("n") == case.field("k") is not None
    ]


def ceilings(run: Run, dtype: str) -> list[Roof]:
    """The compute ceilings of a type, the measured one first: of tensor cores where it has any,
    else of FMA units."""
    roofs = (
        [run.roof(f"{unit}.{dtype}", measured=how) for unit in ("tensor", "fma")]
        for how in (True, False)
    )
    return [found[0] for some in roofs if (found := [roof for roof in some if roof])]


def ladders(run: Run) -> dict[str, list[plot.Series]]:
    """By type, those that have points."""
    dtypes = plot.dtype_order(case.dtype for case in square_cases(run))
    made = {dtype: ladder(run, dtype) for dtype in dtypes}
    return {dtype: drawn for dtype, drawn in made.items() if drawn}


def data(run: Run) -> list[table.Row]:
    name, of, across = "rate", "FLOP/s", table.unit("n", "elements")
    rows = []
    for dtype, drawn in ladders(run).items():
        rows += table.of_series(dtype, across, name, of, drawn)
        rows += table.of_roofs(dtype, name, of, ceilings(run, dtype))
    return rows


def draw(run: Run, figure: Figure) -> bool:
    panels = ladders(run)
    if not panels:
        return False
    columns = min(2, len(panels))
    rows = -(-len(panels) // columns)
    figure.set_size_inches(plot.SLIDE[0], plot.SLIDE[1] + 3.2 * (rows - 1))
    extra: dict[str, Line2D] = {}
    for axes, (dtype, drawn) in zip(
        plot.grid(figure, len(panels), columns), panels.items(), strict=True
    ):
        _panel(axes, run, dtype, drawn)
        for roof in ceilings(run, dtype):
            extra.setdefault(
                f"{roof.origin} ceiling",
                plot.ceiling_handle(roof),
            )
    plot.legend(
        figure, [one for drawn in panels.values() for one in drawn], extra, below=len(panels) > 1
    )
    return True


def _panel(axes: Axes, run: Run, dtype: str, drawn: list[plot.Series]) -> None:
    roofs = ceilings(run, dtype)
    values = [point.y for one in drawn for point in one.points]
    highest = max([*values, *(roof.value for roof in roofs)])
    scale, unit = plot.unit_scale([highest], "FLOP/s")
    plot.draw(axes, drawn, scale)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_ylim(min(values) * scale / 1.6, highest * scale * 1.5)
    plot.ticks(axes.xaxis, [point.x for one in drawn for point in one.points], units.count, most=4)
    plot.log_ticks(axes.yaxis, units.count)
    axes.set_title(f"{dtype}, {unit}")
    axes.set_xlabel("n (m = n = k)")
    plot.ceiling_lines(axes, roofs, scale)
    if roofs:
        reference = roofs[0].value * scale
        share = axes.secondary_yaxis(
            "right", functions=(lambda y: y / reference, lambda part: part * reference)
        )
        share.set_yscale("log")
        share.set_ylim(*(end / reference for end in axes.get_ylim()))
        plot.log_ticks(share.yaxis, lambda part: f"{100 * part:g}%")
        share.set_ylabel(
            f"share of {roofs[0].kind}" + ("" if roofs[0].measured else " (datasheet)")
        )
