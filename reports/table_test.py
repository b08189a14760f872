from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Sequence

import pytest

from reports import plot, table
from reports.model import Roof


def read(rows: Sequence[table.Row]) -> list[dict[str, str]]:
    """As a program that knows nothing of ours reads it."""
    return list(csv.DictReader(io.StringIO(table.csv_text(rows), newline="")))


def expect_data(rows: Sequence[table.Row]) -> None:
    """That columns of numbers have a unit and no others do, and that numbers are read as they
    are."""
    assert rows
    for row in rows:
        for column, value in row.items():
            assert isinstance(value, str | None) or re.search(r"\[[^\]]+\]$", column), column
            assert not (isinstance(value, str) and column.endswith("]")), column
    for row, cells in zip(rows, read(rows), strict=True):
        for column, value in row.items():
            if isinstance(value, str | None):
                assert (cells[table._text(column)] == "") == (not value)
            elif math.isfinite(value):
                assert math.isclose(float(cells[table._text(column)]), value, rel_tol=1e-14)


def test_cells_that_are_formulas_elsewhere_are_text_here() -> None:
    hostile = [
        '=HYPERLINK("https://x")',
        "+1",
        "-1+1",
        "@SUM(A1)",
        "\t=1",
        "\r=1",
        "a;=1+1",
        "\uff1d1",
    ]
    (row,) = read([{name: name for name in hostile}])
    for key, value in row.items():
        for cell in (key, value):
            assert cell[0] not in "=+-@\t\r\uff1d"
            assert not re.search(r";[=+\-@]", cell)
            assert "\n" not in cell and "\r" not in cell


def test_numbers_stay_numbers() -> None:
    rows = [{"x [1]": value} for value in (-1.5, 0, 3, 1e-300, 2**53 + 1, 0.1 + 0.2, None)]
    assert [row["x [1]"] for row in read(rows)] == [
        "-1.5",
        "0",
        "3",
        "1e-300",
        "9007199254740993",
        "0.3",
        "",
    ]


def test_lines_and_quotes_stay_in_their_cell() -> None:
    rows = [{"a": 'x,"y"\nz', "b": 1.0}, {"c": "only here"}]
    text = table.csv_text(rows)
    assert text.split("\r\n") == [
        "a,b,c",
        '"x,""y""\N{REPLACEMENT CHARACTER}z",1,',
        ",,only here",
        "",
    ]


def test_series_and_roofs_share_columns() -> None:
    points = (plot.Point(64, 2e9, 1e9, 3e9, True, "a/b/f32/n=64"),)
    series = [plot.Series(" _one", points, plot.Style())]
    rows = table.of_series("f32", "n [elements]", "rate", "FLOP/s", series)
    rows += table.of_roofs("f32", "rate", "FLOP/s", [Roof("fma.f32", 9e9, "FLOP/s", "measured")])
    assert read(rows) == [
        {
            "panel": "f32",
            "line": "_one",
            "case": "a/b/f32/n=64",
            "n [elements]": "64",
            "rate [FLOP/s]": "2000000000",
            "rate low [FLOP/s]": "1000000000",
            "rate high [FLOP/s]": "3000000000",
            "steady": "no",
        },
        {
            "panel": "f32",
            "line": "fma.f32, measured",
            "case": "",
            "n [elements]": "",
            "rate [FLOP/s]": "9000000000",
            "rate low [FLOP/s]": "",
            "rate high [FLOP/s]": "",
            "steady": "",
        },
    ]


@pytest.mark.parametrize(("log", "expected"), [(None, None), (0.0, 1.0), (1e9, math.inf)])
def test_a_ratio_of_a_log(log: float | None, expected: float | None) -> None:
    assert table.ratio(log) == expected
