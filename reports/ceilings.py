"""The roofs of a device as the slopes and flat lines of a roofline, each with its name."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from reports import annotate, labels, plot
from reports.model import Ceiling, Roof, highest_roof

_MEMORY_LEVELS = ("dram", "llc", "l1")
_UNITS = ("tensor", "fma")
_LEADER = {
    "arrowstyle": "-",
    "color": plot.GREY,
    "linewidth": 0.8,
    "shrinkA": 1,
    "shrinkB": 0,
    "relpos": (0, 0.5),
}
_SAME = 0.02  # ceilings that differ by less share a line and a name


def of(roofs: Sequence[Roof], kind: str) -> Ceiling | None:
    measured, datasheet = (highest_roof(roofs, kind, measured=how) for how in (True, False))
    return Ceiling(kind, measured, datasheet) if measured or datasheet else None


def memory_of(roofs: Sequence[Roof]) -> list[Ceiling]:
    return [ceiling for level in _MEMORY_LEVELS if (ceiling := of(roofs, level))]


def compute_of(roofs: Sequence[Roof], dtypes: Iterable[str]) -> list[Ceiling]:
    """The ceilings of each type, of tensor cores and of FMA units, where it has them; the lowest
    first. Ceilings of one unit that are all but equal are one, named after all their types."""
    merged: list[tuple[Ceiling, str, list[str]]] = []
    for dtype in plot.dtype_order(map(_type_of_roofs, dtypes)):
        for unit in _UNITS:
            ceiling = of(roofs, f"{unit}.{dtype}")
            if not ceiling:
                continue
            like = (types for other, by, types in merged if by == unit and _equal(other, ceiling))
            same = next(like, None)
            if same is None:
                merged.append((ceiling, unit, [dtype]))
            else:
                same.append(dtype)
    named = [
        Ceiling(f"{unit} {', '.join(types)}", one.measured, one.datasheet)
        for one, unit, types in merged
    ]
    return sorted(named, key=lambda ceiling: ceiling.reached)


def _type_of_roofs(dtype: str) -> str:
    """Roofs know e4m3, however it is summed, by what datasheets call it."""
    return "fp8" if dtype.startswith("e4m3") else dtype


def _equal(a: Ceiling, b: Ceiling) -> bool:
    pairs = ((a.measured, b.measured), (a.datasheet, b.datasheet))
    return all(
        (one is None and other is None)
        or (one and other and math.isclose(one.value, other.value, rel_tol=_SAME))
        for one, other in pairs
    )


def value_text(ceiling: Ceiling) -> str:
    """ "945 of 989 TFLOP/s": measured of datasheet, and the unit once where both have the same."""
    measured, datasheet = ceiling.measured, ceiling.datasheet
    if not measured or not datasheet:
        return measured.text if measured else f"{datasheet.text if datasheet else ''} (datasheet)"
    number, _, unit = measured.text.partition(" ")
    return f"{number if datasheet.text.endswith(' ' + unit) else measured.text} of {datasheet.text}"


def draw(axes: Axes, memory: Sequence[Ceiling], compute: Sequence[Ceiling]) -> None:
    """Memory's slopes end at the highest flat line, flat lines begin at the first slope; slopes
    after the first are thin."""
    left, right = axes.get_xlim()
    flat = _highest(axes, compute)
    for index, ceiling in enumerate(memory):
        for roof in (ceiling.measured, ceiling.datasheet):
            if roof and left * roof.value < flat:
                end = min(right, flat / roof.value)
                axes.plot(
                    [left, end],
                    [left * roof.value, end * roof.value],
                    **_line(roof, thin=index > 0),
                )
    for ceiling in compute:
        for roof in (ceiling.measured, ceiling.datasheet):
            if roof:
                start = max(left, roof.value / memory[0].highest) if memory else left
                axes.plot([start, right], [roof.value, roof.value], **_line(roof))


def _line(roof: Roof, *, thin: bool = False) -> dict[str, object]:
    return {
        "color": plot.GREY if thin else plot.INK,
        "linewidth": 1.0 if thin else 1.6,
        "zorder": 2,
        "linestyle": plot.roof_dash(roof),
    }


def legend_entries(drawn: Iterable[Ceiling]) -> dict[str, Artist]:
    roofs = [(one.measured, one.datasheet) for one in drawn]
    ordered = [roof for at in (0, 1) for pair in roofs if (roof := pair[at])]
    return {
        roof.origin: Line2D([], [], color=plot.INK, linewidth=1.6, linestyle=plot.roof_dash(roof))
        for roof in ordered
    }


def name_flats(axes: Axes, compute: Sequence[Ceiling]) -> None:
    """To the right of the axes, at the height of the line, moved apart where lines are close; a
    leader says which line is meant."""
    to_axes = axes.transScale + axes.transLimits
    right = axes.get_xlim()[1]
    heights = [float(to_axes.transform((right, ceiling.reached))[1]) for ceiling in compute]
    for ceiling, line, height in zip(
        compute, heights, labels.spread(heights, 0.115, 0.04, 0.96), strict=True
    ):
        axes.annotate(
            f"{plot.shown(ceiling.name, 24)}\n{plot.shown(value_text(ceiling), 40)}",
            (1, line),
            xytext=(1.03, height),
            xycoords="axes fraction",
            textcoords="axes fraction",
            va="center",
            fontsize=11,
            linespacing=1.1,
            color=plot.INK,
            annotation_clip=False,
            arrowprops=_LEADER,
        )


def name_slopes(
    axes: Axes,
    memory: Sequence[Ceiling],
    compute: Sequence[Ceiling],
    points: Sequence[tuple[float, float]],
) -> list[labels.Box]:
    """Along each slope; returns what the names cover, which no name of a case may. The layout must
    be settled."""
    slopes = [
        annotate.Slope(
            one.highest, f"{one.name} {plot.shown(value_text(one), 40)}", _highest(axes, compute)
        )
        for one in memory
    ]
    return annotate.name_slopes(axes, slopes, points)


def name_slopes_small(
    axes: Axes,
    memory: Sequence[Ceiling],
    compute: Sequence[Ceiling],
    points: Sequence[tuple[float, float]],
    font_size: float,
) -> None:
    """The same without values, where there is little room."""
    top = _highest(axes, compute)
    slopes = [annotate.Slope(one.highest, one.name, top) for one in memory]
    annotate.name_slopes(axes, slopes, points, font_size)


def _highest(axes: Axes, compute: Sequence[Ceiling]) -> float:
    return max((ceiling.highest for ceiling in compute), default=axes.get_ylim()[1])
