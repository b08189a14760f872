"""Gates of Ridgeline's own worker: what has the same code on both sides is not measured."""

import json
import shutil

import pytest

from harness.run.scripted_runs import BUILD

SUITES = BUILD / "ridgeline-suites"
CASES = [
    f"gemm/{name}/f32/m=128,n=128,k=128" for name in ("cache_tiled", "loop_reordered", "naive")
]
COMPARED = SUITES.is_file() and b".rela.text\0" in SUITES.read_bytes()
pytestmark = pytest.mark.skipif(not COMPARED, reason="the linker of this build cannot compare code")


@pytest.fixture
def other(lab):
    """The worker with another word in one variant's file: a build in which it alone changed."""
    path = lab.folder / "candidate" / "ridgeline-suites"
    path.parent.mkdir()
    code = SUITES.read_bytes()
    assert code.count(b"tiles of B stay in L2") == 1
    path.write_bytes(code.replace(b"tiles of B stay in L2", b"tiles of B live in L2"))
    shutil.copymode(SUITES, path)
    return path


def gate(lab, baseline, candidate, *arguments, text=False):
    command = lab.command(
        *("gate", "--device", "cpu", "--results", lab.results, "--budget", "2s", *CASES),
        *("--baseline-worker", baseline, "--candidate-worker", candidate, *arguments),
    )
    done = lab.execute([*command] if text else [*command, "--json"], text=True)
    if text:
        return done.returncode, done.stdout
    document = json.loads(done.stdout)
    return done.returncode, document, {v["case"]: v["verdict"] for v in document["verdicts"]}


def test_only_what_changed_is_measured(lab, other):
    code, document, found = gate(lab, SUITES, other)
    assert sorted(found) == sorted(CASES)
    assert found.pop(CASES[0]) != "same_code"
    assert set(found.values()) == {"same_code"}
    # What becomes of the one is noise; but that others are the same code decides nothing for it.
    verdict = document["verdicts"][0]["verdict"]
    assert code == {"pass": 0, "improvement": 0, "regression": 1, "tail": 1}.get(verdict, 3)
    assert document["gate"]["cases"] == 1  # that alpha is shared by


def test_all_are_measured_when_that_is_said(lab, other):
    _, document, found = gate(lab, SUITES, other, "--all")
    assert "same_code" not in found.values()
    assert document["gate"]["cases"] == len(CASES)


def test_a_build_of_the_same_code_has_nothing_to_measure(lab, other):
    copy = lab.folder / "ridgeline-suites"
    shutil.copy(SUITES, copy)
    code, said = gate(lab, SUITES, copy, text=True)
    assert code == 0
    assert "3 cases have the same code on both sides and are not measured (--all" in said
    assert "3 cases: 3 same_code" in said
    _, document, found = gate(lab, SUITES, copy, "--all")
    assert "same_code" not in found.values()
    assert any("both sides say the same of their code" in note for note in document["notes"])
    code, _, found = gate(lab, SUITES, copy, "--aa")
    assert "same_code" not in found.values()


def test_a_program_that_tells_nothing_of_its_code_is_measured(lab, other):
    stripped = lab.folder / "ridgeline-suites"
    shutil.copy(SUITES, stripped)
    assert lab.execute(["strip", stripped]).returncode == 0
    _, _, found = gate(lab, stripped, other)
    assert "same_code" not in found.values()


def test_rules_and_other_sides_that_all_does_not_go_with(lab, other):
    for arguments in (["--aa"], ["--resume", "latest"]):
        code, _ = gate(lab, SUITES, other, "--all", *arguments, text=True)
        assert code == 64


def test_a_regression_that_is_expected_is_looked_for(lab, other):
    rules = lab.folder / "gate.toml"
    rules.write_text(
        f'[[rule]]\ncases = "{CASES[2]}"\nexpect = "regression"\nreason = "known"\n'
        "until = 2999-12-31\n"
    )
    _, _, found = gate(lab, SUITES, other, "--config", rules)
    assert found[CASES[1]] == "same_code"
    assert found[CASES[2]] != "same_code"
