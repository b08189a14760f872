"""Names points of an axes, so that no name covers another, a point, a line or given text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.text import Annotation

from reports import labels

_FONT_SIZE = 11
_LONGEST_WITHOUT_LEADER = 12.0  # points between a name and its point


@dataclass(frozen=True)
class Name:
    """A name for the point at (x, y) in data coordinates."""

    x: float
    y: float
    text: str
    colour: str


def in_points(axes: Axes, x: float, y: float) -> tuple[float, float]:
    """(x, y) of the data in points (1/72 inch) of the figure, whatever its resolution."""
    at = axes.transData.transform((x, y)) * 72 / axes.figure.dpi
    return float(at[0]), float(at[1])


def name_points(
    axes: Axes, names: Sequence[Name], points: Sequence[tuple[float, float]], texts: Sequence[Annotation]
) -> list[Annotation]:
    """Adds the names for which there is room, the first ones first; the layout must be settled."""
    renderer = axes.figure.canvas.get_renderer()
    scale = 72 / axes.figure.dpi
    anchors = [in_points(axes, name.x, name.y) for name in names]
    taken = [labels.around(*in_points(axes, *point), 2.5) for point in points]
    taken += [labels.around(*anchor, 5) for anchor in anchors]
    taken += _along_lines(axes) + [box for text in texts for box in _along_text(text, renderer)]
    frame = axes.get_window_extent()
    bounds = labels.Box(frame.x0 * scale, frame.y0 * scale, frame.x1 * scale, frame.y1 * scale)
    boxes = labels.place(anchors, [_size(axes, name, renderer) for name in names], taken, bounds)
    return [
        _add(axes, name, anchor, box)
        for name, anchor, box in zip(names, anchors, boxes, strict=True)
        if box is not None
    ]


def _size(axes: Axes, name: Name, renderer: RendererBase) -> tuple[float, float]:
    text = axes.text(0, 0, name.text, fontsize=_FONT_SIZE)
    extent = text.get_window_extent(renderer)
    text.remove()
    scale = 72 / axes.figure.dpi
    return extent.width * scale + 2, extent.height * scale + 1


def _add(axes: Axes, name: Name, anchor: tuple[float, float], box: labels.Box) -> Annotation:
    offset = ((box.left + box.right) / 2 - anchor[0], (box.bottom + box.top) / 2 - anchor[1])
    gap = max(abs(offset[0]) - (box.right - box.left) / 2, abs(offset[1]) - (box.top - box.bottom) / 2)
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


def _along_text(text: Annotation, renderer: RendererBase) -> list[labels.Box]:
    """Small boxes along rotated text, whose own bounding box would be far too large."""
    scale = 72 / text.axes.figure.dpi
    extent = text.get_window_extent(renderer)
    width, height = extent.width * scale, extent.height * scale
    steps = max(1, int(max(width, height) / 8))
    return [
        labels.around(extent.x0 * scale + width * step / steps, extent.y0 * scale + height * step / steps, 8)
        for step in range(steps + 1)
    ]


def _along_lines(axes: Axes) -> list[labels.Box]:
    """Small boxes along the straight lines between two points."""
    boxes = []
    for line in axes.get_lines():
        xs, ys = line.get_xdata(), line.get_ydata()
        if len(xs) != 2:
            continue
        start, end = in_points(axes, xs[0], ys[0]), in_points(axes, xs[1], ys[1])
        across, up = end[0] - start[0], end[1] - start[1]
        steps = max(1, int(max(abs(across), abs(up)) / 6))
        boxes += [
            labels.around(start[0] + across * step / steps, start[1] + up * step / steps, 2.0)
            for step in range(steps + 1)
        ]
    return boxes
