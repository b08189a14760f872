"""Gates of two commits of a small repository, whose builds are copies of Ridgeline's own worker."""

import json

import pytest

from harness.cli.bisect_test import Repository
from harness.gate.same_code_test import CASES, COMPARED, SUITES, other  # noqa: F401

pytestmark = pytest.mark.skipif(not COMPARED, reason="the linker of this build cannot compare code")

COPY = """set -e
mkdir -p $1
cp "$(cat ${0%/*}/program)" $1/ridgeline-suites
"""


@pytest.fixture
def repository(lab):
    made = Repository(lab)
    (made.folder / "build.sh").write_text(COPY)
    return made


def commit(repository, subject, program):
    """Of a build that is a copy of `program`. Its hash."""
    (repository.folder / "program").write_text(str(program))
    return repository.commit(subject)


def gate(repository, *arguments):
    lab = repository.lab
    command = lab.command(
        *("gate", "--baseline-ref", "HEAD~1", "--candidate-ref", "HEAD", "--device", "cpu"),
        *("--results", lab.results, "--budget", "2s", *CASES, *arguments, "--json"),
    )
    done = lab.execute(command, cwd=repository.folder, text=True, timeout=300)
    assert done.stdout, done.stderr
    document = json.loads(done.stdout)
    return done.returncode, document, {v["case"]: v["verdict"] for v in document["verdicts"]}


def test_commits_of_the_same_code_have_nothing_to_measure(repository):
    commit(repository, "Begin", SUITES)
    commit(repository, "Document", SUITES)
    code, document, found = gate(repository)
    assert (code, set(found.values())) == (0, {"same_code"})
    assert document["gate"]["mode"] == "refs"
    assert any("3 cases have the same code on both sides" in note for note in document["notes"])
    assert "rounds" not in document["verdicts"][0] and document["gate"]["cases"] == 0


def test_a_commit_that_changes_one_variant_has_one_case_to_measure(repository, other):  # noqa: F811
    commit(repository, "Begin", SUITES)
    commit(repository, "Change a variant", other)
    _, document, found = gate(repository)
    assert found.pop(CASES[0]) != "same_code"
    assert set(found.values()) == {"same_code"}
    assert document["gate"]["cases"] == 1
