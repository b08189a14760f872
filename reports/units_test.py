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
    ],
)
def test_numbers_read_as_people_expect(text: str, expected: str) -> None:
    assert text == expected
