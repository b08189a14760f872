"""What other programs read of a gate: golden/gate.* are what gate_report_test.cpp expects of the
code."""

import json
import re
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path

import pytest

GOLDEN = Path(__file__).parent / "golden"


@pytest.fixture(scope="module")
def report() -> dict:
    return json.loads((GOLDEN / "gate.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def suites() -> ElementTree.Element:
    return ElementTree.parse(GOLDEN / "gate.xml").getroot()


def test_the_counts_of_junit_are_those_of_its_elements(suites):
    said = Counter(child.tag for case in suites.iter("testcase") for child in case)
    for element in (suites, suites.find("testsuite")):
        assert int(element.get("tests")) == len(list(suites.iter("testcase")))
        assert int(element.get("failures")) == said["failure"] > 0
        assert int(element.get("errors")) == said["error"] > 0
        assert int(element.get("skipped")) == said["skipped"] > 0


def test_junit_fails_what_fails_the_gate(suites, report):
    gate, *cases = suites.iter("testcase")
    assert (gate.get("name"), [child.tag for child in gate]) == ("gate", ["error"])
    assert gate.find("error").get("type") == f"exit code {report['exit_code']}"
    bad = [any(child.tag in ("failure", "error") for child in case) for case in cases]
    assert bad == [verdict["fails"] for verdict in report["verdicts"]]


def test_names_survive_every_format(suites, report):
    names = [case.get("name") for case in suites.iter("testcase")][
        1:
    ]  # behind the one of the gate as a whole
    hostile = next(name for name in names if "a|b" in name)
    assert hostile == "gemm/a|b`c*\\x0a<d>&@e_f,100%:\\x1b\\xff\\xef\\xbf\\xbf/f32/n=1"
    expected = [verdict["case"] for verdict in report["verdicts"]]
    assert [name for name in names if name != hostile] == [
        name for name in expected if "a|b" not in name
    ]


def test_every_row_of_the_markdown_table_has_every_cell(report):
    lines = (GOLDEN / "gate.md").read_text(encoding="utf-8").split("\n")
    table = [line for line in lines if line.startswith("|")]
    shown = [one for one in report["verdicts"] if one["verdict"] != "same_code"]
    assert len(table) == 2 + len(shown)
    assert {line.count("|") for line in table} == {9}
    for line in table[2:]:
        assert set(re.findall(r"<[^>]*>", line)) == {"<code>", "</code>"}
        assert "`" not in line


def test_workflow_commands_are_one_line_each(report):
    lines = (GOLDEN / "gate.github").read_text(encoding="utf-8").removesuffix("\n").split("\n")
    assert len(lines) == sum(
        verdict["verdict"] != "pass" or verdict["fails"] for verdict in report["verdicts"]
    )
    command = re.compile(r"::(error|warning|notice) title=[^:,\r\n]+::[^\r\n]+")
    levels = [command.fullmatch(line)[1] for line in lines]
    assert levels.count("error") == sum(verdict["fails"] for verdict in report["verdicts"])
    assert all(re.fullmatch(r"(?:[^%]|%25|%0A|%0D|%3A|%2C)*", line) for line in lines)
