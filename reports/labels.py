"""Where to put text so that no two pieces overlap. Pure geometry, in points of the figure."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import astuple, dataclass


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
        across = self.left < other.right and other.left < self.right
        return across and self.bottom < other.top and other.bottom < self.top

    def inside(self, other: Box) -> bool:
        across = self.left >= other.left and self.right <= other.right
        return across and self.bottom >= other.bottom and self.top <= other.top


def around(x: float, y: float, radius: float) -> Box:
    return Box(x - radius, y - radius, x + radius, y + radius)


def along(start: tuple[float, float], end: tuple[float, float], radius: float) -> list[Box]:
    """Small boxes along a straight line."""
    across, up = end[0] - start[0], end[1] - start[1]
    steps = max(1, int(max(abs(across), abs(up)) / 6))
    return [
        around(start[0] + across * step / steps, start[1] + up * step / steps, radius)
        for step in range(steps + 1)
    ]


def place(
    anchors: Sequence[tuple[float, float]],
    sizes: Sequence[tuple[float, float]],
    taken: Sequence[Box],
    bounds: Box,
    reach: float = 90.0,
) -> list[Box | None]:
    """A free box for each anchor's label within `reach`, or None where there is no room.

    The leader from an anchor to its label keeps clear of other labels and leaders, and beyond
    `_SHORT` of `taken`. Who chooses first takes room from others, so several orders are tried: the
    one that places most, and nearest, wins."""
    options = [
        _options(anchor, _candidates(*anchor, *size, reach), taken, bounds)
        for anchor, size in zip(anchors, sizes, strict=True)
    ]
    order = list(range(len(anchors)))
    generator = random.Random(1)
    best = _greedy(options, order)
    for _ in range(_ORDERS if None in best else 0):
        generator.shuffle(order)
        best = max(best, _greedy(options, order), key=_worth)
    return [option.box if option else None for option in best]


_SHORT = 16.0  # leaders up to this length may cross what is taken
_ORDERS = 60


@dataclass(frozen=True)
class _Option:
    """A place for a label that covers nothing taken; `cost` is the length of its leader, more if
    that crosses any."""

    box: Box
    leader: tuple[Box, ...]
    cost: float


def _options(
    anchor: tuple[float, float], candidates: Sequence[Box], taken: Sequence[Box], bounds: Box
) -> list[_Option]:
    """The cheapest first."""
    candidates = [box for box in candidates if box.inside(bounds)]
    if not candidates:
        return []
    lefts, bottoms, rights, tops = zip(*map(astuple, candidates), strict=True)
    around_all = Box(min(lefts), min(bottoms), max(rights), max(tops))
    taken = [other for other in taken if other.overlaps(around_all)]
    made = []
    for box in candidates:
        if _hits([box], taken):
            continue
        leader = tuple(part for part in along(anchor, box.centre, 1.0) if not part.overlaps(box))
        length = math.dist(anchor, leader[-1].centre)
        crosses = _hits([part for part in leader if not part.overlaps(around(*anchor, 8))], taken)
        if not crosses or length <= _SHORT:
            made.append(_Option(box, leader, length + (_SHORT if crosses else 0)))
    return sorted(made, key=lambda option: option.cost)


def _greedy(options: Sequence[Sequence[_Option]], order: Sequence[int]) -> list[_Option | None]:
    """The cheapest option for each in this order that does not meet those chosen before."""
    chosen: list[_Option | None] = [None] * len(options)
    labelled: list[Box] = []
    for index in order:
        for option in options[index]:
            boxes = (option.box, *option.leader)
            if not _hits(boxes, labelled):
                chosen[index] = option
                labelled += boxes
                break
    return chosen


def _worth(chosen: Sequence[_Option | None]) -> tuple[int, float]:
    placed = [option for option in chosen if option]
    return len(placed), -sum(option.cost for option in placed)


def _hits(boxes: Sequence[Box], others: Sequence[Box]) -> bool:
    for box in boxes:
        for other in others:  # plain loops: by far the most of the time of placing names goes here
            if box.overlaps(other):
                return True
    return False


def _candidates(x: float, y: float, width: float, height: float, reach: float) -> list[Box]:
    """Boxes around (x, y), nearest first: to the right, to the left, above and below, each moved
    along its side."""
    boxes = []
    distance = 7.0
    while distance <= reach:
        steps = range(1 + int(distance // 3))
        for shift in (sign * 3.0 * step for step in steps for sign in ((1, -1) if step else (1,))):
            boxes.append(
                Box(
                    x + distance,
                    y + shift - height / 2,
                    x + distance + width,
                    y + shift + height / 2,
                )
            )
            boxes.append(
                Box(
                    x - distance - width,
                    y + shift - height / 2,
                    x - distance,
                    y + shift + height / 2,
                )
            )
        for share in (0.0, 0.3, -0.3, 0.6, -0.6):
            left = x - width / 2 + share * width
            boxes.append(Box(left, y + distance, left + width, y + distance + height))
            boxes.append(Box(left, y - distance - height, left + width, y - distance))
        distance += 5.0
    return boxes


def spread(positions: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """`positions` moved up, then down, until neighbours are `gap` apart and, while there is room,
    all lie between `low` and `high`. The order is kept."""
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
