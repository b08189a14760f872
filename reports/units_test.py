import pytest

from reports import units

# The same as harness/base/units_test.cpp expects where both write a number.


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (units.time(1234), "1.23 us"),
        (units.time(0.1234), "0.123 ns"),
        (units.time(45.67e6), "45.7 ms"),
        (units.time(7.2e12), "7200 s"),
        (units.time(999.4), "999 ns"),
        (units.time(999.6), "1.00 us"),
        (units.time(9.996), "10.0 ns"),
        (units.time(0), "0 ns"),
        (units.time_range(1230, 1310), "1.23 to 1.31 us"),
        (units.time_range(980, 1020), "980 to 1020 ns"),
        (units.time_range(1100.1, 1102.9), "1.100 to 1.103 us"),
        (units.time_range(1100, 1100), "1.10 to 1.10 us"),
        (units.byte_rate(456e9), "456 GB/s"),
        (units.byte_rate(999.9e9), "1.00 TB/s"),
        (units.flop_rate(12.34e12), "12.3 TFLOP/s"),
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
        (units.ratio(1.414), "1.41"),
        (units.ratio(0.5), "0.500"),
        (units.ratio(0.99949), "0.999"),
        (units.ratio(0.9996), "1.00"),
        (units.ratio(0.0123), "0.0123"),
        (units.ratio(0.001234), "0.00123"),
        (units.ratio(9.996), "10.0"),
        (units.ratio(123.4), "123"),
        (units.ratio(1e300), "1e+300"),
        (units.ratio_range(0.796, 0.804), "0.796 to 0.804"),
        (units.ratio_range(1.2341, 1.2349), "1.2341 to 1.2349"),
        (units.ratio_range(1.5, 1.5), "1.50 to 1.50"),
        (units.prefixed(1e13), "10 T"),
        (units.prefixed(1), "1"),
        (units.count(2048), "2048"),
        (units.count(2048.5), "2050"),
        (units.plain(1.234e-7), "1.23e-07"),
        (units.plain(-1.5), "-1.5"),
        (units.quantity(32, "sectors"), "32 sectors"),
        (units.quantity(0.5, "fraction"), "50.0%"),
    ],
)
def test_numbers_read_as_people_expect(text: str, expected: str) -> None:
    assert text == expected


def test_the_ends_of_a_range_have_one_unit() -> None:
    assert units.time_ends(980, 1020) == ("980", "1020", "ns")
    assert units.time_ends(1100.1, 1102.9) == ("1.100", "1.103", "us")
