"""What `ci/test` counts, prints and returns, on small plans of stages."""

import sys

import pytest

from ci import stages
from ci.stages import Stage, Tally, from_junit, from_programs

CTEST = """<testsuite>
  <testcase name="a" classname="a" status="run"/>
  <testcase name="b" classname="b" status="fail"><failure message=""/></testcase>
  <testcase name="c" classname="c" status="notrun"><skipped message="SKIP"/></testcase>
  <testcase name="d" classname="d" status="disabled"/>
  <testcase name="e_NOT_BUILT" classname="e_NOT_BUILT" status="notrun">
    <error message="Unable to find"/></testcase>
</testsuite>"""

PYTEST = """<testsuites><testsuite>
  <testcase name="test_a" classname="ci.x_test"/>
  <testcase name="test_b" classname="ci.x_test"><error message=""/></testcase>
  <testcase name="test_c" classname="ci.x_test"><skipped message="no GPU"/></testcase>
</testsuite></testsuites>"""


@pytest.fixture(autouse=True)
def logs(tmp_path, monkeypatch):
    monkeypatch.setattr(stages, "ROOT", tmp_path)
    monkeypatch.setattr(stages, "LOGS", tmp_path)
    return tmp_path


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


@pytest.mark.parametrize(
    ("text", "line", "failures"),
    [
        (CTEST, "1 passed, 2 failed, 2 skipped", ["b", "e_NOT_BUILT"]),
        (PYTEST, "1 passed, 1 failed, 1 skipped", ["ci.x_test::test_b"]),
    ],
)
def test_junit_cases_are_counted(tmp_path, text, line, failures):
    (tmp_path / "junit.xml").write_text(text)
    tally = from_junit(tmp_path / "junit.xml")
    assert (tally.line(), tally.failures) == (line, failures)


def test_all_green_ends_with_one_summary_line(capsys):
    assert (
        stages.run([Stage("one", [python("")]), Stage("two", [python("")], skip=lambda: "no GPU")])
        == 0
    )
    assert capsys.readouterr().out.splitlines()[-1] == "1 passed, 0 failed, 1 skipped"


def test_a_failure_shows_its_log_and_how_to_repeat_it(capsys):
    assert (
        stages.run(
            [Stage("broken", [python("print('the reason'); raise SystemExit(3)"), python("")])]
        )
        == 1
    )
    output = capsys.readouterr().out
    assert "   | the reason" in output
    assert "broken: exit status 3" in output
    assert f"repeat: {sys.executable} -c" in output
    assert output.splitlines()[-1] == "0 passed, 1 failed"


def test_what_needs_a_failed_stage_is_not_run_and_counts_as_failed(tmp_path, capsys):
    marker = tmp_path / "ran"
    plan = [
        Stage("build", [python("raise SystemExit(1)")]),
        Stage("tests", [python(f"open({str(marker)!r}, 'w')")], needs="build"),
    ]
    assert stages.run(plan) == 1
    assert not marker.exists()
    assert capsys.readouterr().out.splitlines()[-1] == "0 passed, 2 failed"


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (
            "raise SystemExit(8)",
            Tally(failed=1),
        ),  # the runner itself failed before it wrote anything
        ("", Tally(failed=1)),  # nothing was found to run
        ("open('junit.xml', 'w').write('<testsuite/>')", Tally(failed=1)),
        (
            ("open('junit.xml', 'w').write('<testsuite><testcase name=\"a\"/></testsuite>')"),
            Tally(passed=1),
        ),
        (
            "open('junit.xml', 'w').write('<testsuite><testcase name=\"a\"/></testsuite>'); raise "
            "SystemExit(1)",
            Tally(passed=1, failed=1),
        ),
    ],
)
def test_a_test_runner_is_believed_only_with_its_results(tmp_path, code, expected):
    tally = Stage("tests", [python(code)], junit=tmp_path / "junit.xml").run(set())
    assert (tally.passed, tally.failed) == (expected.passed, expected.failed)


def test_results_of_an_earlier_call_are_not_counted(tmp_path):
    junit = tmp_path / "junit.xml"
    junit.write_text('<testsuite><testcase name="a"/></testsuite>')
    assert (
        Stage("tests", [python("raise SystemExit(1)")], junit=junit).run(set()).line()
        == "0 passed, 1 failed"
    )


def test_cases_of_test_programs_are_counted_in_place_of_the_programs(tmp_path):
    """Those of ctest's own CTEST: a wrote its cases and ended well, b one that failed, the others
    none."""
    results = {name: tmp_path / f"{name}.xml" for name in "abcd"}
    skipped = '<testcase name="y" classname="S"><skipped/></testcase>'
    results["a"].write_text(
        f'<testsuite><testcase name="x" status="run" classname="S"/>{skipped}</testsuite>'
    )
    results["b"].write_text(
        '<testsuite><testcase name="z" classname="S"><failure/></testcase></testsuite>'
    )
    (tmp_path / "ctest.xml").write_text(CTEST)
    tally = from_programs(tmp_path / "ctest.xml", results)
    assert (tally.line(), tally.failures) == (
        "1 passed, 2 failed, 3 skipped",
        ["b: S::z", "e_NOT_BUILT"],
    )


def test_a_program_that_fails_without_a_failed_case_is_a_failure(tmp_path):
    """It has crashed after the last case, or a sanitizer has stopped it."""
    (tmp_path / "b.xml").write_text('<testsuite><testcase name="z" classname="S"/></testsuite>')
    (tmp_path / "ctest.xml").write_text(
        '<testsuite><testcase name="b" classname="b" status="fail"/></testsuite>'
    )
    tally = from_programs(tmp_path / "ctest.xml", {"b": tmp_path / "b.xml"})
    assert (tally.line(), tally.failures) == ("1 passed, 1 failed", ["b"])


def test_notes_are_shown_of_a_stage_that_passes(capsys):
    assert (
        stages.run([Stage("one", [python("print('note: two files left out'); print('more')")])])
        == 0
    )
    output = capsys.readouterr().out
    assert "   note: two files left out\n" in output
    assert "more" not in output


def test_a_stage_is_asked_for_when_those_before_it_have_run(tmp_path):
    marker = tmp_path / "built"

    def plan():
        yield Stage("build", [python(f"open({str(marker)!r}, 'w')")])
        yield Stage("tests", [python(f"raise SystemExit({not marker.exists()})")])

    assert stages.run(plan()) == 0
