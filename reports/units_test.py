import pytest

from reports import units


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (units.size(64 << 20), "64 MiB"),
        (units.size(1 << 10), "1 KiB"),
        (units.size(1 << 30), "1 GiB"),
        (units.size(1023), "1023 B"),
        (units.size(1536), "1.5 KiB"),
        (units.prefixed(1e13), "10 T"),
        (units.prefixed(1), "1"),
        (units.count(2048), "2048"),
        (units.count(2048.5), "2050"),
        (units.plain(1.234e-7), "1.23e-07"),
        (units.plain(-1.5), "-1.5"),
        (units.plain(1234.5), "1230"),
        (units.plain(0), "0"),
        (units.time(0.5), "0.500 ns"),
        (units.time(1), "1.00 ns"),
        (units.time(999.4), "999 ns"),
        (units.time(999.6), "1.00 us"),
        (units.time(12345), "12.3 us"),
        (units.time(99960), "100 us"),
        (units.time(9.996e6), "10.0 ms"),
        (units.time(3.6e12), "3600 s"),
        (units.time(1e-12), "1e-12 ns"),
        (units.time_range(1234, 1310), "1.23 to 1.31 us"),
        (units.time_range(40000, 40010), "40.00 to 40.01 us"),
        (units.time_range(999, 1500), "999 to 1500 ns"),
        (units.time_range(1000, 1000), "1.00 to 1.00 us"),
        (units.time_range(1e-4, 8.49942e29), "0.000100 to 8.49942e+29 ns"),
    ],
)
def test_numbers_read_as_people_expect(text: str, expected: str) -> None:
    assert text == expected
