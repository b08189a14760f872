import pytest

from reports import units

# The same as harness/base/units_test.cpp expects where both write a number.


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (units.size(64 << 20), "64 MiB"),
        (units.size(1 << 10), "1 KiB"),
        (units.size(1 << 30), "1 GiB"),
        (units.size(1023), "1023 B"),
        (units.size(1536), "1.5 KiB"),
        (units.percent(0.034), "3.4%"),
        (units.percent(0.0999), "10.0%"),
        (units.percent(0.5617), "56.2%"),
        (units.percent(1), "100%"),
        (units.factor(12.34), "12.3×"),
        (units.prefixed(1e13), "10 T"),
        (units.prefixed(1), "1"),
        (units.count(2048), "2048"),
        (units.count(2048.5), "2050"),
        (units.plain(1.234e-7), "1.23e-07"),
        (units.plain(-1.5), "-1.5"),
    ],
)
def test_numbers_read_as_people_expect(text: str, expected: str) -> None:
    assert text == expected


def test_the_ends_of_a_range_have_one_unit() -> None:
    assert units.time_ends(980, 1020) == ("980", "1020", "ns")
    assert units.time_ends(1230, 1310) == ("1.23", "1.31", "us")
    assert units.time_ends(1100, 1100) == ("1.10", "1.10", "us")
    assert units.time_ends(0.1234, 0.2) == ("0.123", "0.200", "ns")
    assert units.time_ends(999.4, 999.4) == ("999", "999", "ns")
    assert units.time_ends(999.6, 999.6) == ("1.00", "1.00", "us")
    assert units.time_ends(0, 9.996) == ("0", "10.0", "ns")
    assert units.time_ends(7.2e12, 7.2e12) == ("7200", "7200", "s")
    assert units.time_ends(1100.1, 1102.9) == ("1.100", "1.103", "us")
