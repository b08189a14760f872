"""What a figure draws, as the rows of a CSV file: each is a cell by the name of its column, which
has its unit in brackets."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterable, Sequence

from reports.model import Roof
from reports.plot import Point, Series

Cell = str | float | None  # None: nothing is known
Row = dict[str, Cell]

_FORMULA = re.compile(r"(^|;)(?=[=+\-@\uff1d\uff0b\uff0d\uff20])")


def csv_text(rows: Sequence[Row]) -> str:
    """As RFC 4180 wants it, with the columns in the order in which rows first have them. Numbers
    are as they are; what a spreadsheet would take for a formula has an apostrophe before it."""
    columns = list(dict.fromkeys(column for row in rows for column in row))
    stream = io.StringIO()
    writer = csv.writer(stream)
    writer.writerow([_text(column) for column in columns])
    writer.writerows([_cell(row.get(column)) for column in columns] for row in rows)
    return stream.getvalue()


def _cell(value: Cell) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return _text(value)
    return str(value) if isinstance(value, int) else f"{value:.15g}"


def _text(text: str) -> str:
    """One line, without what steers; also where a semicolon parts cells, as in some countries."""
    clean = "".join(
        letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text
    )
    return _FORMULA.sub(r"\1'", clean)


def unit(name: str, of: str) -> str:
    """The name of a column: "rate [FLOP/s]"."""
    return f"{name} [{of}]"


def measured(name: str, of: str, point: Point) -> Row:
    """A value with its interval, and whether it was steady."""
    return {
        unit(name, of): point.y,
        unit(f"{name} low", of): point.low,
        unit(f"{name} high", of): point.high,
        "steady": steady(hollow=point.hollow),
    }


def ratio(log: float | None) -> float | None:
    try:
        return None if log is None else math.exp(log)
    except OverflowError:
        return math.inf


def steady(*, hollow: bool) -> str:
    return "no" if hollow else "yes"


def of_series(panel: str, across: str, name: str, of: str, drawn: Iterable[Series]) -> list[Row]:
    """A row a point; `across` is the column of x, `name` and its unit `of` that of y."""
    return [
        {"panel": panel, "line": one.label.strip(), "case": point.name, across: point.x}
        | measured(name, of, point)
        for one in drawn
        for point in one.points
    ]


def of_roofs(panel: str, name: str, of: str, roofs: Iterable[Roof]) -> list[Row]:
    """A row a ceiling, in the column of y."""
    return [
        {"panel": panel, "line": f"{roof.kind}, {roof.origin}", unit(name, of): roof.value}
        for roof in roofs
    ]
