import pytest

from ci.golden.register_banks import clocks


@pytest.mark.parametrize(
    ("multiply_adds", "expected"),
    [
        ([], None),
        (["R5, R4, R7, RZ", "R5, R4, c[0x0][0x160], R7"], None),
        (["R1, R2, R3, R1"], 2),
        (["R1, R2, R4, R6"], 3),
        (["R6, R2, R3, R6"], 2),
        (["R1, R2, R2, R1"], 1),
        # What is held is read once, in its place.
        (["R1, R2.reuse, R3, R1", "R5, R2, R6, R5"], (2 + 1) / 2),
        (["R1, R2.reuse, R3, R1", "R5, R6, R2, R5"], (2 + 2) / 2),
        (["R1, R2.reuse, R4.reuse, R7", "R8, R2, R4, -R8"], (2 + 1) / 2),
    ],
)
def test_the_fullest_bank_decides(multiply_adds, expected):
    assert clocks(multiply_adds) == expected
