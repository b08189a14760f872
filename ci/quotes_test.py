import importlib.machinery
import importlib.util
from pathlib import Path

import pytest

LOADER = importlib.machinery.SourceFileLoader("quotes", str(Path(__file__).parent / "quotes"))
quotes = importlib.util.module_from_spec(importlib.util.spec_from_loader("quotes", LOADER))
LOADER.exec_module(quotes)

SOURCE = "int a() {\n  return 1;\n}\n\ndef b():\n    return 2\n\n\nX = 3\n"


@pytest.mark.parametrize(
    ("start", "expected"),
    [
        (None, SOURCE),
        ("int a() {", "int a() {\n  return 1;\n}\n"),
        ("def b():", "def b():\n    return 2\n"),
        ("X = 3", "X = 3\n"),
    ],
)
def test_excerpts_end_where_the_definition_ends(start, expected):
    assert quotes.excerpt(SOURCE, start) == expected


def test_a_missing_line_is_an_error():
    with pytest.raises(ValueError, match="no line"):
        quotes.excerpt(SOURCE, "int c() {")


def test_blocks_are_replaced_and_the_rest_is_kept(tmp_path):
    (tmp_path / "a.cpp").write_text(SOURCE)
    document = 'before\n<!-- quote a.cpp from "int a() {" -->\n```cpp\nold\n```\nafter\n'
    new = quotes.refreshed(document, tmp_path)
    assert new == document.replace("old\n", "int a() {\n  return 1;\n}\n")
    assert quotes.refreshed(new, tmp_path) == new


def test_every_quote_of_the_documents_is_current():
    assert quotes.main(["--check"]) == 0
