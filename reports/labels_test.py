import itertools
import random

import pytest

from reports import labels

PAGE = labels.Box(0, 0, 500, 300)


def test_boxes_overlap_only_where_they_share_area() -> None:
    box = labels.Box(0, 0, 10, 10)
    assert box.overlaps(labels.Box(5, 5, 15, 15))
    assert not box.overlaps(labels.Box(10, 0, 20, 10))
    assert not box.overlaps(labels.Box(0, 11, 10, 20))


def test_no_label_covers_another_or_what_is_taken() -> None:
    generator = random.Random(1)
    anchors = [(generator.uniform(0, 500), generator.uniform(0, 300)) for _ in range(30)]
    taken = [labels.around(x, y, 4) for x, y in anchors]
    placed = [box for box in labels.place(anchors, [(70, 13)] * 30, taken, PAGE) if box]
    assert len(placed) >= 25
    assert not any(a.overlaps(b) for a, b in itertools.combinations(placed, 2))
    assert not any(box.overlaps(other) for box in placed for other in taken)
    assert all(box.inside(PAGE) for box in placed)


def test_a_label_stands_beside_its_point_when_there_is_room() -> None:
    (box,) = labels.place([(250, 150)], [(60, 12)], [], PAGE)
    assert box is not None
    assert (box.left, box.bottom) == (257, 144)


def test_a_label_without_room_is_left_out() -> None:
    assert labels.place([(250, 150)], [(60, 12)], [PAGE], PAGE) == [None]
    assert labels.place([(10, 10)], [(600, 12)], [], PAGE) == [None]


@pytest.mark.parametrize(
    ("positions", "expected"),
    [
        ([], []),
        ([0.5], [0.5]),
        ([0.2, 0.8], [0.2, 0.8]),
        ([0.5, 0.5], [0.5, 0.6]),
        ([0.95, 0.9], [1.0, 0.9]),
        ([1.0, 1.0, 1.0], [0.8, 0.9, 1.0]),
    ],
)
def test_positions_move_apart_and_stay_inside(
    positions: list[float], expected: list[float]
) -> None:
    assert labels.spread(positions, 0.1, 0.0, 1.0) == pytest.approx(expected)
