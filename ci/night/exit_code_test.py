import pytest

from ci.night.exit_code import of_status, worst


@pytest.mark.parametrize(
    ("codes", "expected"),
    [
        ([], 0),
        ([0, 0], 0),
        ([3, 0], 3),
        ([3, 1], 1),
        ([1, 2, 3], 2),
        ([2, 74, 1], 74),
        ([74, 130, 2], 130),
        ([1, 69], 69),
        ([64, 3], 64),
    ],
)
def test_the_worst_code_wins(codes, expected):
    assert worst(codes) == expected


@pytest.mark.parametrize(
    ("status", "expected"), [(0, 0), (1, 1), (130, 130), (-9, 70), (127, 70), (-2, 70)]
)
def test_a_status_that_means_nothing_is_never_fine(status, expected):
    assert of_status(status) == expected
