"""The published table of verdicts can be read back, and holds what the method promises."""

from pathlib import Path

import pytest

from ci.studies.verdict_table import rows_of

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "error-rates.md"


def test_every_row_of_the_document_is_a_whole():
    rows = rows_of(DOCUMENT.read_text(encoding="utf-8"))
    assert len(rows) >= 20
    for row in rows:
        verdicts = ("regression", "tail", "pass", "undecided")
        shares = [float(row[each].partition("%")[0]) for each in verdicts]
        assert sum(shares) == pytest.approx(100, abs=0.3), row  # no improvement, and rounding


def test_a_pass_at_delta_is_one_of_twenty_at_most():
    rows = rows_of(DOCUMENT.read_text(encoding="utf-8"))
    at_delta = [row for row in rows if row["slow-down over delta"] == "1"]
    assert at_delta
    for row in at_delta:
        assert float(row["pass"].partition("%")[0]) <= 5, row


@pytest.mark.parametrize("text", ["", "<!-- gate study verdicts begin -->\n| a | b |\n"])
def test_a_document_without_the_table_is_refused(text):
    with pytest.raises(ValueError, match="no table"):
        rows_of(text)
