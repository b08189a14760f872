"""docs/own-kernels.md names the fields of a case as the header declares them, in its order."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HEADER = (ROOT / "harness/outside/suite.hpp").read_text()
DOCUMENT = (ROOT / "docs/own-kernels.md").read_text()


def declared(name: str) -> list[str]:
    body = re.search(rf"^struct {name} {{\n(.*?)^}};", HEADER, re.M | re.S)[1]
    body = re.sub(r"//[^\n]*", "", body)
    # Of "double flops = 0, bytes = 0;" both.
    return [
        re.search(r"(\w+)\s*(=|$)", each.strip())[1]
        for line in filter(str.strip, body.split(";"))
        for each in re.split(r",(?=[^()<>]*=)(?![^<]*>)", re.sub(r"\([^)]*\)", "", line))
    ]


def documented(name: str) -> list[str]:
    rows = re.search(rf"^\| field of an? `{name}` \|.*\n\|[-|]+\n((?:\|.*\n)+)", DOCUMENT, re.M)
    return re.findall(r"^\| `(\w+)` \|", rows[1], re.M)


@pytest.mark.parametrize(
    ("name", "some"),
    [
        ("Case", {"variant", "launch", "flops", "bytes", "options"}),
        ("Input", {"count", "dtype"}),
        ("Output", {"count", "expected", "all_expected", "tolerance", "dtype"}),
    ],
)
def test_fields_are_documented_in_the_order_in_which_they_must_be_named(name, some):
    assert some <= set(declared(name))
    assert documented(name) == declared(name)
