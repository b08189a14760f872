"""Each judge finds what is wrong, and says nothing of what is right."""

import contextlib
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from ci.studies.faulting import cuts, full_disk, power, printed, processes, stored, study
from ci.studies.faulting.outcome import Outcome
from ci.studies.faulting.place import Done, Place, Programs
from ci.studies.faulting.printed import Reported
from ci.studies.faulting.stored import Gate, Run, Stored
from ci.studies.faulting.subjects import SUBJECTS
from ci.studies.faulting.table import Table
from harness.run.scripted_runs import BUILD

CASE = "scripted/constant/f32/n=16"
needs_compiler = pytest.mark.skipif(not shutil.which("cc"), reason="there is no C compiler")


# ---- processes


def test_what_a_marked_process_leaves_is_found_and_ended():
    mark = f"test-{os.getpid()}"
    leaves = "import os, time; os.fork() or (os.setsid(), time.sleep(60))"
    environment = {**os.environ, processes.VARIABLE: mark}
    with subprocess.Popen([sys.executable, "-c", leaves], env=environment) as process:
        process.wait(10)
    (left,) = processes.left_after(mark, 0.2)
    assert left.pid != process.pid
    processes.end(mark)
    assert processes.left_after(mark, 5) == []
    assert processes.marked(mark + "-another") == []


# ---- what was reported


RUN = f"""device fake: Synthetic Fake (synthetic-fake)
run 20261123T070042Z-40bdb6: 2 cases in 2 processes, profile p, at most 1 min 00 s
[1/4] {CASE} (process 1/2): 100 us, 10.0 GFLOP/s, ±0% of 10 samples
[2/4] {CASE} (process 2/2): 100 us, 10.0 GFLOP/s, ±0% of 10 samples
[3/4] scripted/noisy/f32/n=16 (proc"""
GATE = f"""gate 20261123T070042Z-03282e: 1 case, at most 60 rounds and 10 min 00 s
[1/1] {CASE}: pass: 0.0% [0.0%, 0.0%], 8 pairs
"""


def test_whole_lines_of_a_run_are_read_and_missing_measurements_are_lost():
    reported = printed.read(RUN)
    assert reported == Reported("20261123T070042Z-40bdb6", measured=Counter({CASE: 2}))
    quoted = "".join(f"   | {line}\n" for line in RUN.splitlines())
    assert printed.read(quoted).measured[CASE] == 2, "a night quotes its run"
    run = Run("running", Counter({CASE: 2}))
    assert printed.lost(reported, Stored({reported.run: run})) == []
    run.cases[CASE] = 1
    assert printed.lost(reported, Stored({reported.run: run})) == [f"a measurement of {CASE}"]
    assert len(printed.lost(reported, Stored())) == 2


def test_pairs_and_verdicts_of_a_gate_are_read_and_missed():
    reported = printed.read(GATE)
    assert reported.decided == {CASE: 8} and reported.count == 9
    gate = Gate("running", Counter({CASE: 8}), {CASE: ("pass", 8)})
    assert printed.lost(reported, Stored(gates={reported.gate: gate})) == []
    gate.pairs[CASE] = 7
    assert printed.lost(reported, Stored(gates={reported.gate: gate})) == [f"a pair of {CASE}"]
    gate.verdicts.clear()
    assert len(printed.lost(reported, Stored(gates={reported.gate: gate}))) == 2


# ---- cuts


@pytest.fixture
def log(tmp_path):
    """A log of five commits, and its database."""
    file = tmp_path / "results" / "x.sqlite"
    file.parent.mkdir()
    with contextlib.closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE t (x)")
        for number in range(4):
            connection.execute("INSERT INTO t VALUES (?)", (number,))
            connection.commit()
        copy = tmp_path / "copy.sqlite"
        shutil.copy(file, copy)
        yield copy, Path(f"{file}-wal").read_bytes(), Path(f"{file}-shm").read_bytes()


def rows(file: Path, log: bytes) -> int:
    Path(f"{file}-wal").write_bytes(log)
    Path(f"{file}-shm").unlink(missing_ok=True)
    with contextlib.closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as connection:
        if not connection.execute("SELECT 1 FROM sqlite_schema").fetchall():
            return -1
        return connection.execute("SELECT count(*) FROM t").fetchone()[0]


def test_cuts_are_at_frames_and_in_them_and_leave_a_part_of_the_commits(log):
    file, data, index = log
    assert cuts.moved_frames(index) == 0
    ends = cuts.boundaries(data)
    assert ends[0] == cuts.HEADER and ends[-1] == len(data)
    assert len({rows(file, data[:end]) for end in ends}) >= 5
    made = list(cuts.cut_logs(data, 0, random.Random(1), 20))
    assert [end for end, _ in made] == sorted(end for end, _ in made)
    assert all(cut[:end] == data[:end] for end, cut in made)
    assert any(end not in ends for end, _ in made) and any(end in ends for end, _ in made)
    assert any(len(cut) == len(data) and cut != data for _, cut in made), "zeros or noise"
    left = [rows(file, cut) for _, cut in made]
    assert left == sorted(left)


def test_what_was_moved_into_the_database_is_never_cut(log):
    _, data, _ = log
    ends = cuts.boundaries(data)
    made = [end for end, _ in cuts.cut_logs(data, 3, random.Random(1), 50)]
    assert min(made) == ends[3]


# ---- failing calls


WRITER = """
import sys
from pathlib import Path
for number in range(3):
    Path(sys.argv[1], str(number)).write_bytes(b"x" * 100)
"""


@needs_compiler
@pytest.mark.parametrize(
    ("call", "stays", "sizes"),
    [(4, True, {"0": 100, "1": 50}), (2, False, {"0": 0}), (7, True, None)],
)
def test_the_call_that_is_named_fails_and_no_other(tmp_path, call, stays, sizes):
    library = tmp_path / "failing_calls.so"
    full_disk.build_library(library)
    place = Place(tmp_path / "place", Programs(Path("x"), Path("x")))
    place.results.mkdir()
    last = full_disk.NEVER if stays else call
    calls = full_disk.Calls(place, library, call, last, "ENOSPC" if stays else "EIO")
    command = [sys.executable, "-c", WRITER, str(place.results)]
    done = place.call(command, **calls.variables)
    written = {path.name: path.stat().st_size for path in place.results.iterdir()}
    if sizes is None:
        assert (done.code, calls.counts()) == (0, (6, 0)), "each file is opened and written to"
        return
    assert done.code == 1 and written == sizes
    assert ("No space left" if stays else "nput/output error") in done.errors
    outside = place.call([*command[:-1], str(place.temporary)], **calls.variables)
    assert outside.code == 0, outside.errors


# ---- whole trials with the real programs


@needs_compiler
def test_whatever_cannot_be_written_of_a_first_store_is_said(tmp_path):
    class First(random.Random):
        def random(self) -> float:
            return 0.0  # no results before

    library = tmp_path / "failing_calls.so"
    full_disk.build_library(library)
    subject = SUBJECTS["run"](tmp_path / "subject", study_programs(BUILD), quick=True)
    subject.prepare()
    for call in range(1, 7):
        outcome = Outcome("full-run", call)
        folder = tmp_path / f"trial-{call}"
        full_disk.trial(subject, library, folder, outcome, call, True, First())
        assert (outcome.hit, outcome.findings) == (1, []), call


def campaign(capsys, tmp_path, *arguments: str) -> tuple[int, dict[str, list[str]], str]:
    """Exit code, the table by kind, and all that was said."""
    options = ("--programs", str(BUILD), "--folder", str(tmp_path / "trials"), "--jobs", "2")
    code = study.main([*options, *arguments])
    said = capsys.readouterr().out
    table = {line.split()[0]: line.split()[1:] for line in said.splitlines() if line.strip()}
    return code, table, said


@needs_compiler
def test_a_small_campaign_of_all_kinds_finds_nothing_and_leaves_nothing(
    tmp_path, capsys, monkeypatch
):
    monkeypatch.setattr(power, "CUTS", 5)
    kinds = ("kill-run", "kill-gate", "full-run", "full-prune", "power-gate", "power-journal")
    asked = [word for kind in kinds for word in ("--only", kind)]
    code, table, said = campaign(capsys, tmp_path, "--kills", "3", "--trials", "3", *asked)
    assert code == 0, said
    assert set(kinds) <= table.keys(), said
    # A kill may come when all is done, or when no worker lives.
    for kind in ("full-run", "full-prune", "power-journal", "all"):
        assert int(table[kind][1]) > 0, "trials hit what they are meant for"
    assert list((tmp_path / "trials").iterdir()) == []


def test_a_program_that_reports_what_it_does_not_store_is_found(tmp_path):
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "ridgeline").write_text(
        f'''#!/bin/sh
case "$1" in run) ;; *) exec "{BUILD}/ridgeline" "$@" ;; esac
case "$*" in *faults.toml*) ;; *) exec "{BUILD}/ridgeline" "$@" ;; esac
[ -e "{tmp_path}/prepared" ] || exec "{BUILD}/ridgeline" "$@"
echo "run 20260101T000000Z-000000: 1 case in 1 process, profile x"
echo "[1/1] {CASE} (process 1/1): 100 us"
sleep 60 & sleep 60
'''
    )
    (programs / "ridgeline").chmod(0o755)
    (programs / "ridgeline-scripted-worker").symlink_to(BUILD / "ridgeline-scripted-worker")
    subject = SUBJECTS["run"](tmp_path / "subject", study_programs(programs))
    subject.prepare()
    (tmp_path / "prepared").touch()
    subject.usual_s, subject.rivals = 0.5, ("main",)
    outcome = next(
        one
        for number in range(20)
        if (one := kill(subject, tmp_path / f"trial-{number}", number)).lost
    )
    assert outcome.reported >= 1
    assert outcome.orphans >= 1, "the shell leaves its sleeping child"
    assert any("lost: a measurement of" in words for words in outcome.findings)


def study_programs(folder: Path) -> Programs:
    return Programs(folder / "ridgeline", folder / "ridgeline-scripted-worker")


def kill(subject, folder: Path, number: int) -> Outcome:
    from ci.studies.faulting import judgement, kills

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(judgement, "GONE_WITHIN_S", 0.1)
        return kills.trial(subject, folder, number, random.Random(number))


def test_a_store_that_is_damaged_is_found(tmp_path):
    file = tmp_path / "x.sqlite"
    file.write_bytes(b"x" * 4096)
    assert stored.read(tmp_path).wrong == ["x.sqlite: file is not a database"]
    file.write_bytes(b"")
    assert stored.read(tmp_path) == Stored(), "an empty one has no runs"


def test_exit_codes_at_a_full_disk_are_judged(tmp_path):
    class Subject(SUBJECTS["run"]):
        code = 0

        def whole_again(self, place, now):
            return ["nothing is stored"]

    place = Place(tmp_path / "place", Programs(Path("x"), Path("x")))
    subject = Subject(tmp_path / "subject", place.programs)
    for done, found in (
        (Done(74, "", "cannot write x: No space left on device"), 0),
        (Done(74, "", "cannot write x"), 1),
        (Done(0, "", ""), 1),
        (Done(1, "", "No space left on device"), 1),
        (Done(-signal.SIGABRT, "", "No space left on device"), 1),
    ):
        outcome = Outcome("full-run", 1)
        full_disk._judge_exit(subject, place, done, outcome)
        assert outcome.wrong_exits == found, done


def test_the_table_adds_up_and_names_what_is_left_over():
    table = Table()
    for number in range(2):
        outcome = Outcome("kill-run", number, reported=3, leftovers=1)
        outcome.notes = [f"report/report.json.{12340 + number}.tmp"]
        outcome.find("lost", "lost: x")
        table.add(outcome)
    assert table.findings == 2
    assert [line.split() for line in table.text().splitlines()[1:3]] == [
        [name, "2", "0", "6", "2", "0", "0", "2", "0", "0"] for name in ("kill-run", "all")
    ]
    assert "left over: report/report.json.N.tmp, 2 times" in table.text()
