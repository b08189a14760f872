"""Where to put text so that no two pieces overlap. Pure geometry, in points of the figure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Box:
    left: float
    bottom: float
    right: float
    top: float

    @property
    def centre(self) -> tuple[float, float]:
        return (self.left + self.right) / 2, (self.bottom + self.top) / 2

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


def along(start: tuple[float, float], end: tuple[float, float], radius: float) -> list[Box]:
    """Small boxes along a straight line."""
    across, up = end[0] - start[0], end[1] - start[1]
    steps = max(1, int(max(abs(across), abs(up)) / 6))
    return [around(start[0] + across * step / steps, start[1] + up * step / steps, radius) for step in range(steps + 1)]


def place(
    anchors: Sequence[tuple[float, float]],
    sizes: Sequence[tuple[float, float]],
    taken: Sequence[Box],
    bounds: Box,
    reach: float = 90.0,
) -> list[Box | None]:
    """A box for each anchor's label, in the order of anchors: the nearest free one within `reach`, else None.

    The leader from an anchor to its label keeps clear of other labels and leaders, and where it can of `taken`.
    """
    occupied = list(taken)
    labelled: list[Box] = []
    placed: list[Box | None] = []
    for anchor, size in zip(anchors, sizes, strict=True):
        best: tuple[Box, list[Box]] | None = None
        for candidate in _candidates(*anchor, *size, reach):
            if not candidate.inside(bounds) or _hits([candidate], occupied):
                continue
            leader = _leader(anchor, candidate)
            if _hits(leader, labelled):
                continue
            clear = not _hits([part for part in leader if not part.overlaps(around(*anchor, 8))], occupied)
            if clear or best is None:
                best = (candidate, leader)
            if clear:
                break
        placed.append(best[0] if best else None)
        if best:
            occupied += [best[0], *best[1]]
            labelled += [best[0], *best[1]]
    return placed


def _hits(boxes: Sequence[Box], others: Sequence[Box]) -> bool:
    return any(box.overlaps(other) for box in boxes for other in others)


def _leader(anchor: tuple[float, float], label: Box) -> list[Box]:
    """Small boxes along the way from the anchor to the middle of its label, as far as they lie outside the label."""
    return [part for part in along(anchor, label.centre, 1.0) if not part.overlaps(label)]


def _candidates(x: float, y: float, width: float, height: float, reach: float) -> list[Box]:
    """Boxes around (x, y), nearest first: to the right, to the left, above and below, each moved along its side."""
    boxes = []
    distance = 7.0
    while distance <= reach:
        steps = range(1 + int(distance // 4))
        for shift in (sign * 4.0 * step for step in steps for sign in ((1, -1) if step else (1,))):
            boxes.append(Box(x + distance, y + shift - height / 2, x + distance + width, y + shift + height / 2))
            boxes.append(Box(x - distance - width, y + shift - height / 2, x - distance, y + shift + height / 2))
        for share in (0.0, 0.3, -0.3, 0.6, -0.6):
            left = x - width / 2 + share * width
            boxes.append(Box(left, y + distance, left + width, y + distance + height))
            boxes.append(Box(left, y - distance - height, left + width, y - distance))
        distance += 5.0
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
