"""Texts of strangers, in every column of a results file and in the names of files: no command
prints them as they are."""

import contextlib
import itertools
import re
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.run.scripted_runs import PLAIN, ROOT, Lab, case

# Controls of C0 and C1, a mark of writing direction, and commands to GitHub.
HOSTILE = "\n::error::1\x1b[31m2\u009b3m4\u202e5##[group]6##vso[x]7\r8"
SHOWN = re.compile(r"\\x1b\[31m2|\\u001b\[31m2")
OBEYED = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]"
    r"|\r(?!\n)|##[a-z]*\[|^\s*::",
    re.MULTILINE,
)
ANNOTATION = re.compile(r"^::(error|warning|notice) title=.*\n", re.MULTILINE)  # --github; ours

COLUMNS = re.findall(
    r"^  (\w+) +TEXT|^CREATE TABLE \"?(\w+)",
    (ROOT / "harness/store/schema.sql").read_text(),
    re.MULTILINE,
)

LADDER = """[[ladder]]
title = "Scripted"
device = "fake"
cases = "scripted/*/f32/n=16"
rungs = ["constant", "segfault", "noisy"]
references = ["unsupported"]
"""

CLAIM = """[[claim]]
title = "Scripted"
device = "fake"
says = "One is as fast as the other."
conditions = "Of sixteen elements."
[[claim.check]]
when = "both are measured"
quantity = "speed"
of = "scripted/constant/f32/n=16"
over = "scripted/constant/f32/n=16"
about = 1
[[claim.check]]
when = "one crashes"
quantity = "speed"
of = "scripted/segfault/f32/n=16"
over = "scripted/constant/f32/n=16"
about = 1
"""


def columns() -> list[tuple[str, str]]:
    found, table = [], ""
    for column, new_table in COLUMNS:
        table = new_table or table
        if column:
            found.append((table, column))
    return found


@pytest.fixture(scope="module")
def stored(tmp_path_factory) -> Lab:
    """Two runs with what went wrong in them, a gate of two workers, counts, and a baseline."""
    lab = Lab(tmp_path_factory.mktemp("stored"))
    profile = lab.profile("constant", "noisy", "segfault", "unsupported", processes=2)
    for _ in range(2):
        assert lab.run(profile, "--label", "word", "--unfit", "busy").returncode == 2
    gated = lab.profile("constant", "segfault")
    assert lab.gate(gated, PLAIN, lab.worker("slower", "--slower", "50"))[0] in (1, 2)
    counts = ("run", "--device", "emulated:fake", "--profile", profile, "--worker", PLAIN)
    assert lab.call(*counts, "--results", lab.results).returncode == 0
    assert lab.call(*baseline_of(lab.results), "--results", lab.results).returncode == 0
    home = lab.folder / "home"  # with a ladder of these cases
    (home / "suites").mkdir(parents=True)
    (home / "suites/profiles").symlink_to(ROOT / "suites/profiles")
    (home / "suites/ladders.toml").write_text(LADDER)
    (home / "suites/claims.toml").write_text(CLAIM)
    lab.environment["RIDGELINE_HOME"] = str(home)
    assert b"| `noisy` |" in lab.call("ladder", "--markdown", "--results", lab.results).stdout
    return lab


def ids(results: Path, table: str) -> list[str]:
    with contextlib.closing(sqlite3.connect(results / "synthetic-fake.sqlite")) as database:
        where = "WHERE gate = ''" if table == "run" else ""
        return [
            found for (found,) in database.execute(f"SELECT id FROM {table} {where} ORDER BY 1")
        ]


def baseline_of(results: Path) -> tuple[str, ...]:
    return ("baseline", "set", "main", ids(results, "run")[0])


EXPORTS = ("csv", "csv-cases", "jsonl", "google-benchmark", "pytorch", "prometheus", "timeline")


def commands(results: Path) -> Iterator[tuple[str, ...]]:
    """All that reads a results folder, asked for what was measured there."""
    (old, new), (gate,) = ids(results, "run"), ids(results, "gate")
    constant = case("constant")
    yield from (("runs",), ("show", "--json", new), ("show", gate))
    yield from (("runs", "--json"), ("baseline", "list"), baseline_of(results), ("show", new))
    yield from (
        ("show", "--json", gate),
        *(("show", "--samples", constant, x) for x in (new, gate)),
    )
    yield ("show", "--listing", "*", "synthetic-emulated")
    yield from (("compare", old, new, *form) for form in ((), ("--markdown",), ("--csv",)))
    yield from (("history", "*"), ("history", "*", "--json"), ("report", "--text"))
    yield from (("explain", "*"), ("explain", "*", new, "--json"))
    yield from (("trend",), ("trend", "--json"), ("prune", "--older-than", "1d"))
    yield from (("export", form, new) for form in EXPORTS)
    yield from (("predict", "--on", "h200", *form) for form in ((), ("--markdown",), ("--json",)))
    yield from (("ladder", new, *form) for form in ((), ("--markdown",), ("--json",)))
    yield from (("report", "--claims", new, *f) for f in ((), ("--markdown",), ("--json",)))
    for form in (("--github",), ("--markdown", "-"), ("--junit", "-"), ("--json",)):
        yield ("gate", "--baseline", old, "--candidate", new, *form)
    yield ("run", "--repeat-of", new, "--dry-run")
    yield ("merge", str(results))


def said_of(lab: Lab, results: Path, limit: int | None = None) -> str:
    """All that commands print of a folder, once nothing in it was found to be obeyed."""
    said = ""
    for words in itertools.islice(commands(lab.results), limit):
        into = lab.folder / "merged" if words[0] == "merge" else results
        done = lab.call(*words, "--results", into)
        text = (done.stdout + done.stderr).decode(errors="surrogateescape")
        assert done.returncode in (0, 1, 2, 3, 64, 69, 74), (words, text)
        obeyed = OBEYED.search(ANNOTATION.sub("", text))
        assert obeyed is None, (words, text[max(0, obeyed.start() - 200) : obeyed.end() + 50])
        said += text
    shutil.rmtree(lab.folder / "merged", ignore_errors=True)
    return said


def changed(lab: Lab, folder: Path, *changes: str) -> Path:
    """A copy of what was stored, with SQL done to every file of it."""
    results = folder / "results"
    shutil.copytree(lab.results, results)
    for file in results.glob("*.sqlite"):
        with contextlib.closing(sqlite3.connect(file)) as database, database:
            database.execute("PRAGMA ignore_check_constraints = ON")
            for change in changes:
                with contextlib.suppress(sqlite3.IntegrityError):  # two rows would be the same
                    database.execute(change, {"text": HOSTILE})
    return results


@pytest.mark.parametrize("table", sorted({table for table, _ in columns()}))
def test_a_text_in_a_column_is_never_obeyed(table, stored, tmp_path):
    accepted = []
    for number, column in enumerate(name for of, name in columns() if of == table):
        for value in (f":text || {column} || :text", "json_object(:text, :text)"):
            change = f'UPDATE "{table}" SET {column} = {value}'
            results = changed(stored, tmp_path / f"{number}{value[:5]}", change)
            if "left out" not in said_of(stored, results, limit=3):
                accepted.append(change)
    said_of(stored, changed(stored, tmp_path, *accepted))


@pytest.mark.parametrize(
    "change",
    [
        """UPDATE "case" SET suite = :text || suite, name = :text || name""",
        """UPDATE run SET label = :text, unfit = :text, profile = :text""",
        """UPDATE measurement SET reason = :text WHERE outcome NOT IN ('ok', 'counted')""",
        """UPDATE device SET name = :text, uuid = :text, local_id = :text""",
        """UPDATE build SET commit_hash = :text, worker = :text""",
        """UPDATE verdict SET reason = :text""",
        """UPDATE metric SET unit = :text, name = :text || name""",
    ],
)
def test_a_text_that_no_rule_forbids_is_shown_escaped(change, stored, tmp_path):
    assert SHOWN.search(said_of(stored, changed(stored, tmp_path, change)))


def test_names_of_files_and_arguments_are_shown_escaped(stored, tmp_path):
    name = HOSTILE.replace("/", "")
    folder = tmp_path / name
    shutil.copytree(stored.results, folder)
    (folder / "synthetic-fake.sqlite").rename(folder / f"{name}.sqlite")
    assert SHOWN.search(said_of(stored, folder))
    (folder / f"{name}.sqlite").write_text("no database")
    assert SHOWN.search(said_of(stored, folder))
    for words in (
        *(("show", name), ("run", name), ("runs", "--label", name), ("runs", name), (name,)),
        *(("run", "--worker", folder), ("run", "--profile", name), ("gate", "--resume", name)),
        *(("run", "--device", name), ("trend", "--profile", name), ("export", name)),
        *(("merge", folder / name), ("check", folder), ("predict", "--on", name)),
        *(("gate", "--config", name, "--baseline", "latest", "--candidate", "latest"),),
        *(("gate", "--baseline-ref", name, "--candidate-ref", "HEAD"),),
    ):
        done = stored.call(*words, "--results", folder) if words[0] != name else stored.call(*words)
        text = (done.stdout + done.stderr).decode()
        assert OBEYED.search(text) is None, (words, text)
        assert done.returncode in (0, 64, 69, 74), (words, text)
