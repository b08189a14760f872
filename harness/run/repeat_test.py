"""`ridgeline run --repeat-of`: the same cases, seeds, order and options again, and what each case
says of it."""

import contextlib
import json
import re
import shlex
import sqlite3

import pytest

from harness.run.scripted_runs import BUILD, PLAIN, case

STORED = re.compile(r"^stored as (\S+) in ", re.MULTILINE)
CASES = ("constant", "noisy", "drifting", "unsupported", "wrong_result")


def repeat(lab, *arguments):
    """A repeat that is told no profile, and no worker but the usual one."""
    if "--worker" not in arguments:
        arguments = (*arguments, "--worker", PLAIN)
    return lab.call("run", "--results", lab.results, "--repeat-of", *arguments, text=True)


def test_a_program_that_only_the_record_names_is_not_started(lab):
    started = lab.folder / "started"
    words = ("run", "--device", "fake", "--profile", lab.profile("constant"))
    worker = wrapper(lab, "mine")
    first = lab.call(*words, "--results", lab.results, "--worker", worker)
    assert first.returncode == 0, first.stderr
    worker.write_text(f"#!/bin/sh\ntouch {started}\n")
    refused = lab.call("run", "--results", lab.results, "--repeat-of", "latest", text=True)
    assert refused.returncode == 64 and not started.exists()
    assert "a record can be a stranger's" in refused.stderr
    assert f"if you trust them, add: --worker {worker}" in refused.stderr


def stored_id(done) -> str:
    return STORED.search(done.stdout)[1]


def measured(lab, run_id: str) -> list[tuple]:
    """Replicate, seeds and case of every measurement, in the order stored."""
    return lab.query(
        'SELECT replicate, process.seed, measurement.seed, "case".name FROM measurement'
        ' JOIN "case" ON "case".id = case_id JOIN process ON process.id = process_id'
        " WHERE run_id = ? ORDER BY measurement.id",
        run_id,
    )


def wrapper(lab, name: str, *arguments: str):
    """A worker of another name, which is the scripted one with these arguments."""
    path = lab.folder / name
    path.write_text(
        f'#!/bin/sh\nexec "{BUILD / "ridgeline-scripted-worker"}" {" ".join(arguments)} "$@"\n'
    )
    path.chmod(0o755)
    return path


def said(done) -> dict[str, str]:
    """The last column of the table of what was reproduced, and the reason below it, by case."""
    table = done.stdout.split("reproduced\n", 1)[1].split("\n\n", 1)[0]
    rows = re.sub(r"\n {4}(?=\S)", ": ", table)
    return {line.split()[0]: re.split(r"\s{2,}", line)[-1] for line in rows.splitlines()}


def test_a_repeat_measures_the_same_again(lab):
    first = lab.run(
        lab.profile(*CASES, processes=2), "--processes", 4, "--budget", "50s", "--label", "first"
    )
    assert first.returncode == 2
    lab.profile("slow")  # the file has changed since
    again = repeat(lab, "label:first")
    assert again.returncode == 2, again.stderr
    old, new = stored_id(first), stored_id(again)
    assert measured(lab, old) == measured(lab, new)
    runs = lab.query("SELECT id, seed, profile_text, command_line FROM run ORDER BY rowid")
    assert runs[0][1:3] == runs[1][1:3]
    # The line names the run by its id, and repeats the options that the other line had.
    assert f"--repeat-of {old} --budget 50s --processes 4 --worker " in runs[1][3]
    assert said(again) == {
        case("constant"): "yes",
        case("noisy"): "yes",
        case("drifting"): "yes",
        case("unsupported"): "yes: unsupported again: the script says so",
        case("wrong_result"): "yes: " + said(again)[case("wrong_result")].removeprefix("yes: "),
    }
    assert "wrong_result again" in said(again)[case("wrong_result")]
    assert f"run {old}: 5 reproduced within 3.0%, 0 not, 0 undecided\n" in again.stdout
    # A repeat is a run like any other: it can be repeated, and so can what failed in it.
    third = repeat(lab, new)
    assert measured(lab, stored_id(third)) == measured(lab, old)
    line = next(
        line for line in again.stdout.splitlines() if line.startswith("repeat what failed: ")
    )
    failed = lab.execute(
        ["sh", "-c", line.split(": ", 1)[1].replace("ridgeline", str(BUILD / "ridgeline"), 1)],
        text=True,
    )
    assert failed.returncode == 2, failed.stderr
    assert said(failed).keys() == {case("wrong_result")}


def test_a_slower_worker_does_not_reproduce(lab):
    profile = lab.profile("constant", "noisy", processes=6)
    worker = wrapper(lab, "worker")
    first = lab.call(
        "run",
        "--device",
        "fake",
        "--profile",
        profile,
        "--results",
        lab.results,
        "--worker",
        worker,
        text=True,
    )
    assert first.returncode == 0, first.stderr
    wrapper(lab, "worker", "--slower", "20")
    again = repeat(lab, "latest", "--json", "--worker", worker)
    assert again.returncode == 0, again.stderr
    report = json.loads(again.stdout)["repeat_of"]
    assert (report["reproduced"], report["not_reproduced"]) == (0, 2), report
    for one in report["cases"]:
        assert one["ratio"] == pytest.approx(1.2, rel=0.02)
        assert one["reproduced"] == "no"
    assert any("code of" in change for change in report["changes"])


def test_too_few_processes_are_said_to_be(lab):
    first = stored_id(lab.run(lab.profile("constant", processes=1)))
    again = repeat(lab, first)
    assert again.returncode == 0
    assert said(again)[case("constant")].startswith(
        "undecided: too few processes to say: 1 then, 1 now"
    )
    # That is said before anything is measured, too, with the line of a first run that has enough.
    before = repeat(lab, first, "--dry-run").stdout.splitlines()
    assert before[0].startswith("too few processes to say: 1 then, 1 now")
    words = shlex.split(before[1].removeprefix("  measure more first: ridgeline "))
    assert words[-4:] == ["--processes", "5", "--budget", "300s"]
    assert "too few" not in repeat(lab, stored_id(lab.call(*words, text=True))).stdout


def test_cases_that_are_gone_are_counted(lab):
    worker = wrapper(lab, "worker")
    profile = lab.profile("constant", "noisy", "drifting", processes=3)
    first = lab.call(
        "run",
        "--device",
        "fake",
        "--profile",
        profile,
        "--results",
        lab.results,
        "--worker",
        worker,
        text=True,
    )
    run_id = stored_id(first)
    wrapper(lab, "worker", "--without", "noisy")
    again = repeat(lab, run_id, "--worker", worker)
    assert again.returncode == 2, again.stderr
    assert f"; 1 no longer there: {case('noisy')}\n" in again.stdout
    assert said(again).keys() == {case("constant"), case("drifting")}
    # Nothing of it is left, or nothing was asked for.
    wrapper(lab, "worker", "--without", "noisy", "--without", "constant", "--without", "drifting")
    none = repeat(lab, run_id, "--worker", worker)
    assert none.returncode == 64
    assert "no worker lists any of its cases any more" in none.stderr
    assert repeat(lab, run_id, "nothing*").returncode == 64


def test_what_is_given_beside_it_replaces_its_own(lab):
    lab.run(lab.profile("constant", "noisy"), "--seed", 5)
    again = repeat(lab, "latest", "--processes", 3, "--seed", 6, "*/constant/*")
    assert again.returncode == 0, again.stderr
    assert said(again).keys() == {case("constant")}
    assert lab.query("SELECT seed FROM run ORDER BY rowid") == [(5,), (6,)]
    assert len(measured(lab, stored_id(again))) == 3


def test_what_cannot_be_repeated_is_64_with_the_reason(lab):
    assert lab.run(lab.profile("constant"), "--label", "one").returncode == 0
    rows = [
        (["nothing"], "nothing"),
        (["latest", "--profile", "quick"], "--profile"),
        (["latest", "--device", "cpu"], "cannot be repeated: it was measured on fake"),
    ]
    for arguments, text in rows:
        done = repeat(lab, *arguments)
        assert (done.returncode, text in done.stderr) == (64, True), done.stderr
    assert lab.query("SELECT count(*) FROM run") == [(1,)]


def test_a_stored_run_is_not_trusted(lab):
    run_id = stored_id(lab.run(lab.profile("constant")))
    (text,) = lab.query("SELECT profile_text FROM run")[0]
    rows = [
        (
            "profile_text",
            text,
            "processes = 0",
            "run {id} cannot be repeated: the profile stored in run {id}",
        ),
        (
            "command_line",
            "ridgeline run",
            "ridgeline run --budget never",
            "its --budget never is not a duration",
        ),
        (
            "command_line",
            "ridgeline run",
            "ridgeline run --processes 1e9",
            "its --processes 1e9 is not a number",
        ),
        (
            "gate",
            "",
            "20261120T000000Z-synthetic",
            "it is a side of gate 20261120T000000Z-synthetic",
        ),
    ]
    for column, good, bad, text in rows:
        for value in (bad, good):
            with contextlib.closing(sqlite3.connect(lab.database)) as connection, connection:
                connection.execute(f"UPDATE run SET {column} = ?", (value,))
            if value == bad:
                done = repeat(lab, run_id)
                assert (done.returncode, text.format(id=run_id) in done.stderr) == (64, True), (
                    done.stderr
                )
    assert lab.query("SELECT count(*) FROM run") == [(1,)]
