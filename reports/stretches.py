"""Places in ascending order, as the first and the last of each stretch: of most cases there are
most runs, or nights."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Annotated

from msgspec import Meta

MOST = 10_000  # places

Place = Annotated[int, Meta(ge=0, lt=MOST)]
Stretches = Annotated[tuple[tuple[Place, Place], ...], Meta(max_length=MOST)]


def are_ascending(stretches: Stretches) -> bool:
    """Whether each place is there once."""
    backwards = any(first > last for first, last in stretches)
    return not backwards and all(a[1] < b[0] for a, b in itertools.pairwise(stretches))


def count_of(stretches: Stretches) -> int:
    return sum(last - first + 1 for first, last in stretches)


def places_of(stretches: Stretches) -> list[int]:
    return [at for first, last in stretches for at in range(first, last + 1)]


def stretches_of(places: Iterable[int]) -> list[list[int]]:
    found: list[list[int]] = []
    for place in places:
        if found and found[-1][1] == place - 1:
            found[-1][1] = place
        else:
            found.append([place, place])
    return found
