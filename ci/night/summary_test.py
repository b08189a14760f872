"""The summary as a CI system shows it, and what it does with texts of strangers."""

import pytest

from ci.night import github, summary
from ci.night.record import DONE, FAILED, Night, Step

OPTIONS = {"profile": "smoke", "device": "cpu", "github": True}
UNFIT = {"level": "unfit", "check": "throttling", "seen": "hot", "why": "slow", "do": "cool"}


@pytest.fixture
def night(tmp_path):
    night = Night(
        "20261121T020000Z-000001", tmp_path, "2026-11-21T02:00:00Z", "runner", options=OPTIONS
    )
    night.steps = [
        Step("preflight", DONE),
        Step("run", DONE, 2, said="1 crashed"),
        Step("gate", DONE, 1),
    ]
    night.exit_code, night.state, night.finished = 2, "finished", "2026-11-21T03:00:00Z"
    return night


def test_the_first_line_says_what_is_wrong(night):
    assert summary.markdown(night).splitlines()[0] == (
        "# Night 20261121T020000Z-000001: cases that are wrong, missing, crashed, timed out or not "
        "measured (run)"
    )
    night.exit_code, night.steps = 0, [Step("run", DONE)]
    assert summary.markdown(night).splitlines()[0] == "# Night 20261121T020000Z-000001: fine"


def test_an_unfit_machine_is_said_in_front_of_what_was_measured_on_it(night):
    night.preflight = [{"device": "cuda:0", "fit": False, "findings": [UNFIT]}]
    night.run = {"id": "x"}
    text = summary.markdown(night)
    assert text.index("not fit to measure") < text.index("| step |")
    assert "- **unfit**, throttling: hot. Why: slow. Do: cool." in text


def test_what_strangers_wrote_stays_text(night):
    evil = "a|b`c</code><img src=x>\n# head [x](y) *z* ~~~"
    night.problems = [{"case": evil, "outcome": "crashed", "reason": evil}]
    night.notes = [evil]
    night.steps[1].said = evil
    text = summary.markdown(night)
    assert "<img" not in text
    assert "\n# head" not in text
    (row,) = [line for line in text.splitlines() if "<code>a" in line]
    assert row.count("|") == 4
    assert "`" not in row


def test_a_fence_is_longer_than_any_in_its_text():
    assert summary.fenced("````") == "`````text\n````\n`````\n"


def test_long_parts_are_cut_and_counted(night, tmp_path):
    night.problems = [{"case": f"c{i}", "outcome": "crashed", "reason": str(i)} for i in range(60)]
    (tmp_path / "trend.txt").write_text("line\n" * 500)
    (tmp_path / "gate.md").write_text("x" * 700_000)
    text = summary.markdown(night)
    assert "10 more rows: 60 cases are listed in night.json" in text
    assert "100 more lines are in trend.txt" in text
    assert "it is in gate.md" in text
    assert len(text) < 100_000


def test_one_reason_of_many_cases_is_one_row_and_the_worst_comes_first(night):
    night.problems = [
        {"case": f"c{i}", "outcome": "timeout", "reason": "the budget was spent"} for i in range(9)
    ]
    night.problems.append({"case": "bad", "outcome": "wrong_result", "reason": "off by one"})
    rows = [
        line
        for line in summary.markdown(night).splitlines()
        if "<code>" in line and line.startswith("|")
    ]
    assert rows[0] == "| wrong&#95;result | <code>bad</code> | off by one |"
    assert rows[1].endswith("<code>c2</code> and 6 more | the budget was spent |")
    assert len(rows) == 2


def test_annotations_are_one_line_each_and_escaped(night):
    night.preflight = [
        {"device": "cuda:0", "fit": False, "findings": [{**UNFIT, "seen": "50%\n::error::x"}]}
    ]
    night.steps[0] = Step("report", FAILED, 69, said="no matplotlib")
    lines = github.annotations(night)
    assert lines[0] == (
        "::warning title=not fit to measure%3A throttling::50%25%0A::error::x. slow. To do: cool"
    )
    assert lines[1:] == [
        "::error title=nightly%3A report::no matplotlib",
        "::error title=nightly%3A run::1 crashed",
        "::error title=nightly%3A gate::exit code 1",
    ]
