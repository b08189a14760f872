"""Which stages `ci/test` asks for, and what of the tests the quick one leaves out."""

import json
import os
import sys

import pytest

from ci import changed, plans, stages


@pytest.fixture(autouse=True)
def root(tmp_path, monkeypatch):
    for module in (stages, plans):
        monkeypatch.setattr(module, "ROOT", tmp_path)
        monkeypatch.setattr(module, "LOGS", tmp_path)
    monkeypatch.setattr(changed, "ROOT", tmp_path)
    return tmp_path


def names(plan):
    return [stage.name for stage in plan]


def test_everything_is_checked_built_and_run():
    assert names(plans.whole("release")) == [
        *(
            "clang-format",
            "layers",
            "ruff",
            "build",
            "ctest",
            "pytest",
            "kernel resources",
            "kernel accesses",
        ),
        *("includes", "clang-tidy", "build asan", "ctest asan", "quickstart"),
    ]


def test_the_daily_loop_has_neither_sanitizers_nor_what_looks_at_the_whole_build():
    assert names(plans.quick("cpu-only")) == [
        "clang-format",
        "layers",
        "ruff",
        "build",
        "ctest",
        "pytest",
    ]


def results(text: str) -> str:
    return f'<testsuite><testcase name="x" classname="S">{text}</testcase></testsuite>'


@pytest.mark.parametrize(
    ("linked", "wrote", "expected"),
    [
        (100, (200, ""), []),
        (100, (200, "<failure/>"), ["a_test"]),
        (300, (200, ""), ["a_test"]),
        (100, None, ["a_test"]),
        (None, (200, ""), ["a_test"]),
    ],
)
def test_a_program_is_run_again_until_it_has_passed_since_it_was_linked(
    root, linked, wrote, expected
):
    program, file = root / "a_test", root / "a_test.xml"
    if linked:
        program.touch()
        os.utime(program, (linked, linked))
    if wrote:
        file.write_text(results(wrote[1]))
        os.utime(file, (wrote[0], wrote[0]))
    assert plans.relinked({"a_test": (program, file)}) == expected


def test_programs_are_those_that_ctest_knows(monkeypatch, root):
    tests = [
        {
            "name": "a_test",
            "command": ["/b/a_test", "--gtest_brief=1", "--gtest_output=xml:/b/a_test.xml"],
        },
        {"name": "portable", "command": ["/b/check_portable", "/b/bin"]},
        {"name": "not_built"},
    ]
    monkeypatch.setattr(plans, "said_by", lambda command: json.dumps({"tests": tests}))
    assert {name: tuple(map(str, both)) for name, both in plans.programs_of("release").items()} == {
        "a_test": ("/b/a_test", "/b/a_test.xml")
    }
    stage = plans.ctest("ctest", "release", "build", only=["a_test"])
    assert stage.commands[0][-2:] == ["--tests-regex", "^(a_test)$"]
    assert plans.ctest("ctest", "release", "build", only=[]).skip()


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        (["ci/night/host.py"], ["ci/night/host_test.py"]),
        (["ci/night/data/deep.json", "ci/test"], ["ci/night/host_test.py", "ci/stages_test.py"]),
        (["harness/gate/gate.cpp"], []),
        (["README.md"], []),
    ],
)
def test_python_tests_beside_what_changed_are_run(root, changed, expected):
    for name in ("ci/night/host_test.py", "ci/stages_test.py", "harness/gate/gate_test.cpp"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).touch()
    assert plans.beside(changed) == expected
    assert bool(plans.pytest("release", plans.beside(changed)).skip()) == (not expected)


@pytest.mark.parametrize(
    ("cuda", "script", "reason", "line"),
    [
        (False, "raise SystemExit(1)", "no CUDA compiler", "0 passed, 0 failed, 1 skipped"),
        (True, "print('other compilers')", "other compilers", "0 passed, 0 failed, 1 skipped"),
        (True, "import sys; sys.exit('--check' in sys.argv)", "", "0 passed, 1 failed"),
        (
            True,
            ("import sys; sys.exit('--why-not' in sys.argv)"),
            "",
            "1 passed, 0 failed",
        ),  # the check itself decides
    ],
)
def test_accesses_are_compared_where_there_is_a_table_of_these_compilers(
    tmp_path, cuda, script, reason, line
):
    (tmp_path / "ci" / "golden").mkdir(parents=True)
    (tmp_path / "ci" / "golden" / "compare_accesses").write_text(script)
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "python").symlink_to(sys.executable)
    if cuda:
        facts = tmp_path / "build" / "release" / "CMakeFiles" / "3.25.1" / "CMakeCUDACompiler.cmake"
        facts.parent.mkdir(parents=True)
        facts.touch()
    stage = next(stage for stage in plans.whole("release") if stage.name == "kernel accesses")
    assert stage.skip() == reason
    assert stage.run({"build"}).line() == line
