"""Names points of an axes, so that no name covers another, a point, a line or given text."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.text import Annotation, Text

from reports import labels
from reports.plot import INK

_FONT_SIZE = 11
_LONGEST_WITHOUT_LEADER = 10.0  # points between a name and its point


@dataclass(frozen=True)
class Name:
    """A name for the point at (x, y) in data coordinates."""

    x: float
    y: float
    text: str
    colour: str


@dataclass(frozen=True)
class Slope:
    """A line y = value * x with the name that stands along it, above it or `below` it."""

    value: float
    text: str
    below: bool


def in_points(axes: Axes, x: float, y: float) -> tuple[float, float]:
    """(x, y) of the data in points (1/72 inch) of the figure, whatever its resolution."""
    at = axes.transData.transform((x, y)) * 72 / axes.figure.dpi
    return float(at[0]), float(at[1])


def name_points(
    axes: Axes,
    names: Sequence[Name],
    points: Sequence[tuple[float, float]],
    taken: Sequence[labels.Box],
    reach: float,
) -> list[Annotation]:
    """Adds the names for which there is room outside `taken` and within `reach`; the layout must be
    settled."""
    renderer = axes.figure.canvas.get_renderer()
    anchors = [in_points(axes, name.x, name.y) for name in names]
    occupied = [labels.around(*in_points(axes, *point), 3.5) for point in points]
    occupied += [labels.around(*anchor, 5) for anchor in anchors]
    occupied += [*_along_lines(axes), *taken]
    sizes = [_size(axes, name.text, renderer) for name in names]
    boxes = labels.place(anchors, sizes, occupied, _bounds(axes), reach)
    placed = zip(names, anchors, boxes, strict=True)
    return [_add(axes, name, anchor, box) for name, anchor, box in placed if box is not None]


def name_slopes(
    axes: Axes, slopes: Sequence[Slope], points: Sequence[tuple[float, float]]
) -> list[labels.Box]:
    """Adds the names for which there is room, near the middle of the slope where it is free;
    returns what they cover. The layout must be settled."""
    renderer = axes.figure.canvas.get_renderer()
    bounds = _bounds(axes)
    occupied = [labels.around(*in_points(axes, *point), 4) for point in points] + _along_lines(axes)
    covered: list[labels.Box] = []
    for slope in slopes:
        ends = _visible(axes, slope.value)
        if ends is None:
            continue
        (x0, y0), (x1, y1) = ends
        angle, long = math.atan2(y1 - y0, x1 - x0), math.dist(*ends)
        width, height = _size(axes, slope.text, renderer)
        away = -(height + 5) if slope.below else 5.0  # from the slope to the text's lower edge
        for part in (0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8, 0.1, 0.9, 0.0, 1.0):
            along = part * (long - width)
            if along < 0:
                break
            start = (x0 + along * math.cos(angle), y0 + along * math.sin(angle))
            middle = away + height / 2
            boxes = [
                labels.around(
                    start[0] + step * math.cos(angle) - middle * math.sin(angle),
                    start[1] + step * math.sin(angle) + middle * math.cos(angle),
                    height * 0.36,
                )
                for step in _steps(width, 6)
            ]
            if all(
                box.inside(bounds) and not any(box.overlaps(other) for other in occupied)
                for box in boxes
            ):
                _add_along(
                    axes,
                    slope.text,
                    (start[0] - away * math.sin(angle), start[1] + away * math.cos(angle)),
                    angle,
                )
                occupied += boxes
                covered += boxes
                break
    return covered


def _steps(length: float, most: float) -> list[float]:
    count = max(1, math.ceil(length / most))
    return [length * step / count for step in range(count + 1)]


def _bounds(axes: Axes) -> labels.Box:
    scale = 72 / axes.figure.dpi
    frame = axes.get_window_extent()
    return labels.Box(frame.x0 * scale, frame.y0 * scale, frame.x1 * scale, frame.y1 * scale)


def _visible(axes: Axes, value: float) -> tuple[tuple[float, float], tuple[float, float]] | None:
    """The ends, in points, of the part of y = value * x that logarithmic axes show, or None when
    they show none."""
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    first, last = max(left, bottom / value), min(right, top / value)
    return (
        (in_points(axes, first, first * value), in_points(axes, last, last * value))
        if first < last
        else None
    )


def _add_along(axes: Axes, text: str, start: tuple[float, float], angle: float) -> None:
    scale = axes.figure.dpi / 72
    added = axes.text(
        *axes.transAxes.inverted().transform((start[0] * scale, start[1] * scale)),
        text,
        transform=axes.transAxes,
        rotation=math.degrees(angle),
        rotation_mode="anchor",
        ha="left",
        va="bottom",
        fontsize=_FONT_SIZE,
        color=INK,
        zorder=3,
    )
    added.set_in_layout(False)


def _size(axes: Axes, text: str, renderer: RendererBase) -> tuple[float, float]:
    probe = axes.text(0, 0, text, fontsize=_FONT_SIZE)
    extent = Text.get_window_extent(probe, renderer)
    probe.remove()
    scale = 72 / axes.figure.dpi
    return extent.width * scale + 2, extent.height * scale + 1


def _add(axes: Axes, name: Name, anchor: tuple[float, float], box: labels.Box) -> Annotation:
    offset = (box.centre[0] - anchor[0], box.centre[1] - anchor[1])
    gap = max(
        abs(offset[0]) - (box.right - box.left) / 2, abs(offset[1]) - (box.top - box.bottom) / 2
    )
    leader = {"arrowstyle": "-", "color": name.colour, "linewidth": 0.9, "shrinkA": 0, "shrinkB": 4}
    added = axes.annotate(
        name.text,
        (name.x, name.y),
        xytext=offset,
        textcoords="offset points",
        fontsize=_FONT_SIZE,
        color=name.colour,
        ha="center",
        va="center",
        arrowprops=leader if gap > _LONGEST_WITHOUT_LEADER else None,
        zorder=6,
    )
    added.set_in_layout(False)
    return added


def _along_lines(axes: Axes) -> list[labels.Box]:
    """Small boxes along the straight lines between two points."""
    boxes = []
    for line in axes.get_lines():
        xs, ys = line.get_xdata(), line.get_ydata()
        if len(xs) == 2:
            boxes += labels.along(in_points(axes, xs[0], ys[0]), in_points(axes, xs[1], ys[1]), 2.0)
    return boxes
