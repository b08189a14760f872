"""Names points of an axes, so that no name covers another, a point, a line or given text."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.patheffects import withStroke
from matplotlib.text import Annotation, Text

from reports import labels
from reports.plot import INK, shown

_FONT_SIZE = 11
_ALONG = 1.0  # points between a slope and its name
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
    """A line y = value * x, up to y = `top`, with the name that stands along it."""

    value: float
    text: str
    top: float = math.inf


def width_of(axes: Axes, text: str, font_size: float) -> float:
    """In points."""
    return _size(axes, text, axes.figure.canvas.get_renderer(), font_size)[0]


def fitted(axes: Axes, text: str, width: float, font_size: float, most: int) -> str:
    """`text` in at most so many letters, and fewer where they are wider than `width` points."""
    limit = min(most, len(text))
    while (found := width_of(axes, shown(text, limit), font_size)) > width and limit > 4:
        limit = min(limit - 1, int(limit * width / found))
    return shown(text, limit)


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
    axes: Axes,
    slopes: Sequence[Slope],
    points: Sequence[tuple[float, float]],
    font_size: float = _FONT_SIZE,
) -> list[labels.Box]:
    """Names each slope that is seen, near its middle where it is free; where there is no room, over
    as few points and lines as possible. Returns what the names cover. The layout must be
    settled."""
    renderer = axes.figure.canvas.get_renderer()
    marks = [labels.around(*in_points(axes, *point), 4) for point in points]
    lines = _along_lines(axes)
    covered: list[labels.Box] = []
    for slope in slopes:
        ends = _visible(axes, slope)
        if ends is None:
            continue
        places = _places(ends, _size(axes, slope.text, renderer, font_size), _bounds(axes))
        # The worst is another slope's name, then a point; the first of equals is taken.
        costs = [
            tuple(_hits(one.boxes, some) for some in (covered, marks, lines)) for one in places
        ]
        if places:
            least = min(costs)
            best = places[costs.index(least)]
            added = _add_along(axes, slope.text, best, free=not any(least))
            added.set_fontsize(font_size)
            covered += best.boxes
    return covered


@dataclass(frozen=True)
class _Place:
    """Of a text: its lower left corner, its angle, and what it covers."""

    start: tuple[float, float]
    angle: float
    boxes: tuple[labels.Box, ...]


def _places(
    ends: tuple[tuple[float, float], tuple[float, float]],
    size: tuple[float, float],
    bounds: labels.Box,
) -> list[_Place]:
    """Along a slope, the best first: above it, where no case should be, then below."""
    (x0, y0), (x1, y1) = ends
    angle, long = math.atan2(y1 - y0, x1 - x0), math.dist(*ends)
    width, height = size
    found = []
    for away in (_ALONG, -height - _ALONG):  # from the slope to the text's lower edge
        for part in (0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8, 0.1, 0.9, 0.0, 1.0):
            along = part * max(0.0, long - width)
            start = (
                x0 + along * math.cos(angle) - away * math.sin(angle),
                y0 + along * math.sin(angle) + away * math.cos(angle),
            )
            boxes = tuple(
                labels.around(
                    start[0] + step * math.cos(angle) - height / 2 * math.sin(angle),
                    start[1] + step * math.sin(angle) + height / 2 * math.cos(angle),
                    height * 0.36,
                )
                for step in _steps(width, 6)
            )
            if all(box.inside(bounds) for box in boxes):
                found.append(_Place(start, angle, boxes))
    return found


def _hits(boxes: Sequence[labels.Box], others: Sequence[labels.Box]) -> int:
    return sum(any(box.overlaps(other) for box in boxes) for other in others)


def _steps(length: float, most: float) -> list[float]:
    count = max(1, math.ceil(length / most))
    return [length * step / count for step in range(count + 1)]


def _bounds(axes: Axes) -> labels.Box:
    scale = 72 / axes.figure.dpi
    frame = axes.get_window_extent()
    return labels.Box(frame.x0 * scale, frame.y0 * scale, frame.x1 * scale, frame.y1 * scale)


def _visible(axes: Axes, slope: Slope) -> tuple[tuple[float, float], tuple[float, float]] | None:
    """The ends, in points, of the part that logarithmic axes show, or None when they show none."""
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    value = slope.value
    first, last = max(left, bottom / value), min(right, min(top, slope.top) / value)
    return (
        (in_points(axes, first, first * value), in_points(axes, last, last * value))
        if first < last
        else None
    )


def _add_along(axes: Axes, text: str, place: _Place, *, free: bool) -> Text:
    """Above what it covers and with a white edge, where it is not `free`."""
    scale = axes.figure.dpi / 72
    added = axes.text(
        *axes.transAxes.inverted().transform((place.start[0] * scale, place.start[1] * scale)),
        text,
        transform=axes.transAxes,
        rotation=math.degrees(place.angle),
        rotation_mode="anchor",
        ha="left",
        va="bottom",
        fontsize=_FONT_SIZE,
        color=INK,
        zorder=3 if free else 7,
        path_effects=[] if free else [withStroke(linewidth=3, foreground="white")],
    )
    added.set_in_layout(False)
    return added


def _size(
    axes: Axes, text: str, renderer: RendererBase, font_size: float = _FONT_SIZE
) -> tuple[float, float]:
    probe = axes.text(0, 0, text, fontsize=font_size)
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
