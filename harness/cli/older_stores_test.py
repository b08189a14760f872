"""Results files of every older schema, as the programs of that time wrote them, under every command
of today's that opens one; and files of a newer schema. docs/upgrading.md says what is promised."""

import hashlib
import os
import re
import sqlite3
import subprocess
from pathlib import Path

import pytest

from harness.run.scripted_runs import BUILD, ROOT

FIXTURES = {
    int(re.search(r"\d+", path.name)[0]): path
    for path in (ROOT / "harness" / "store" / "fixtures").glob("schema_*.sql")
}
NEWEST = max(FIXTURES)
READING = [
    "runs",
    "runs --json",
    "show latest",
    "show --json latest",
    "history gemm",
    "explain gemm",
    "ladder",
    "trend",
    "compare latest latest",
    "baseline list",
    "report --text",
    "report --claims",
    "export csv latest",
    "export csv-cases latest",
    "export prometheus latest",
    "prune --older-than 1d --dry-run",
]
WRITING = ["baseline set kept latest", "prune --older-than 1d --yes"]


def make(folder: Path, schema: int) -> Path:
    """A results file of that schema."""
    folder.mkdir(exist_ok=True)
    file = folder / "synthetic-gpu.sqlite"
    connection = sqlite3.connect(file)
    connection.executescript(FIXTURES[schema].read_text())
    connection.close()
    return file


def version_of(file: Path) -> int:
    connection = sqlite3.connect(file)
    try:
        return connection.execute("PRAGMA user_version").fetchone()[0]
    finally:
        connection.close()


def digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def ridgeline(folder: Path, command: str) -> subprocess.CompletedProcess:
    name, *rest = command.split()
    environment = {**os.environ, "RIDGELINE_RESULTS": str(folder), "RIDGELINE_HOME": str(ROOT)}
    return subprocess.run(
        [BUILD / "ridgeline", name, *rest],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize("schema", sorted(FIXTURES))
def test_what_only_reads_an_older_file_leaves_it_as_it_is(schema, tmp_path):
    file = make(tmp_path / "results", schema)
    before = digest(file)
    for command in READING:
        done = ridgeline(file.parent, command)
        # 64 and 69: the file has nothing that the command could show; never a failure of the file.
        assert done.returncode in (0, 1, 2, 3, 64, 69), (command, done.stderr)
        assert "schema" not in done.stderr, (command, done.stderr)
    assert digest(file) == before
    assert [each.name for each in file.parent.iterdir()] == [file.name]
    assert "finished" in ridgeline(file.parent, "runs").stdout


@pytest.mark.parametrize("schema", sorted(FIXTURES))
def test_what_writes_migrates_an_older_file_after_a_backup(schema, tmp_path):
    for number, command in enumerate(WRITING):
        file = make(tmp_path / str(number), schema)
        done = ridgeline(file.parent, command)
        assert done.returncode == 0, (command, done.stderr)
        backup = file.with_name(f"{file.name}.schema-{schema}.backup")
        assert version_of(file) == NEWEST
        assert backup.exists() == (schema < NEWEST)
        if schema < NEWEST:
            assert version_of(backup) == schema


@pytest.mark.parametrize("schema", sorted(FIXTURES))
def test_files_of_runners_with_older_programs_are_merged(schema, tmp_path):
    older = make(tmp_path / "runner", schema)
    before = digest(older)
    results = tmp_path / "results"
    done = ridgeline(results, f"merge {older.parent}")
    assert done.returncode == 0, done.stderr
    assert digest(older) == before
    assert version_of(results / older.name) == NEWEST


@pytest.mark.parametrize("command", [*READING, *WRITING])
def test_a_newer_file_is_refused_with_what_to_do_and_stays_as_it_is(command, tmp_path):
    file = make(tmp_path / "results", NEWEST)
    connection = sqlite3.connect(file)
    connection.execute(f"PRAGMA user_version = {NEWEST + 1}")
    connection.close()
    before = digest(file)
    done = ridgeline(file.parent, command)
    assert f"schema {NEWEST + 1}" in done.stderr, (command, done.stderr)
    assert "newer ridgeline" in done.stderr, (command, done.stderr)
    assert digest(file) == before


def test_a_newer_file_of_a_runner_is_not_merged(tmp_path):
    newer = make(tmp_path / "runner", NEWEST)
    connection = sqlite3.connect(newer)
    connection.execute(f"PRAGMA user_version = {NEWEST + 1}")
    connection.close()
    into = make(tmp_path / "results", 1)
    before = digest(into)
    done = ridgeline(into.parent, f"merge {newer.parent}")
    assert done.returncode == 74, done.stderr
    assert "newer ridgeline" in done.stderr
    assert digest(into) == before
