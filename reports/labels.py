"""Where to put text so that no two pieces overlap. Pure geometry, in points of the figure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Box:
    left: float
    bottom: float
    right: float
    top: float

    def overlaps(self, other: Box) -> bool:
        return (
            self.left < other.right and other.left < self.right and self.bottom < other.top and other.bottom < self.top
        )

    def inside(self, other: Box) -> bool:
        return (
            self.left >= other.left
            and self.right <= other.right
            and self.bottom >= other.bottom
            and self.top <= other.top
        )


def around(x: float, y: float, radius: float) -> Box:
    return Box(x - radius, y - radius, x + radius, y + radius)


def place(
    anchors: Sequence[tuple[float, float]],
    sizes: Sequence[tuple[float, float]],
    taken: Sequence[Box],
    bounds: Box,
    reach: float = 90.0,
) -> list[Box | None]:
    """A box for each anchor's label, in the order of anchors: the nearest free one within `reach`, else None."""
    occupied = list(taken)
    placed: list[Box | None] = []
    for anchor, size in zip(anchors, sizes, strict=True):
        box = next(
            (
                candidate
                for candidate in _candidates(*anchor, *size, reach)
                if candidate.inside(bounds) and not any(candidate.overlaps(other) for other in occupied)
            ),
            None,
        )
        placed.append(box)
        if box is not None:
            occupied.append(box)
    return placed


def _candidates(x: float, y: float, width: float, height: float, reach: float) -> list[Box]:
    """Boxes around (x, y), nearest first: the box's nearest side stands `distance` from the anchor."""
    boxes = []
    distance = 7.0
    while distance <= reach:
        for step in range(16):
            angle = 2 * math.pi * step / 16
            centre_x = x + math.cos(angle) * (distance + width / 2)
            centre_y = y + math.sin(angle) * (distance + height / 2)
            boxes.append(Box(centre_x - width / 2, centre_y - height / 2, centre_x + width / 2, centre_y + height / 2))
        distance += 9.0
    return boxes


def spread(positions: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """`positions` moved up, then down, until neighbours are `gap` apart and, while there is room, all lie between `low`
    and `high`. The order is kept."""
    order = sorted(range(len(positions)), key=lambda index: positions[index])
    moved = list(positions)
    floor = low
    for index in order:
        moved[index] = max(positions[index], floor)
        floor = moved[index] + gap
    ceiling = high
    for index in reversed(order):
        moved[index] = min(moved[index], ceiling)
        ceiling = moved[index] - gap
    return moved
