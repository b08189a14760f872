"""What a study keeps survives kills, and what is no gate is never counted."""

import copy
import json
import os
from pathlib import Path

import pytest

from ci.studies.calibration.examples import gate, study, tails
from ci.studies.calibration.journal import JournalError, append, check_gate, read

PASSED = ("pass", "pass")


def test_what_was_appended_is_read(tmp_path):
    file = tmp_path / "folder" / "study.jsonl"
    assert read(file).study is None
    append(file, study())
    append(file, gate("quiet", 0, PASSED))
    journal = read(file)
    assert (journal.study, journal.gates, journal.left_out) == (
        study(),
        [gate("quiet", 0, PASSED)],
        [],
    )


def test_a_line_that_a_kill_cut_short_is_left_out_and_the_next_is_whole(tmp_path):
    file = tmp_path / "study.jsonl"
    append(file, study())
    append(file, gate("quiet", 0, PASSED))
    file.write_bytes(file.read_bytes()[:-40])
    append(file, gate("power", 5, PASSED))
    journal = read(file)
    assert [g["part"] for g in journal.gates] == ["power"]
    assert len(journal.left_out) == 1
    assert journal.left_out[0].startswith("line 2: ")


@pytest.mark.parametrize(
    "garbage",
    [
        b"garbage",
        b"\xff\xfe\x00",
        b"[]",
        b"{}",
        b'{"kind":"gate"}',
        b"NaN",
        b"[" * 100_000,
        b'{"kind":"study"}',
    ],
)
def test_garbage_is_left_out_with_its_line(tmp_path, garbage):
    file = tmp_path / "study.jsonl"
    append(file, study())
    with file.open("ab") as stream:
        stream.write(garbage + b"\n")
    append(file, gate("quiet", 0, PASSED))
    journal = read(file)
    assert len(journal.gates) == 1
    assert [line.split(":")[0] for line in journal.left_out] == ["line 2"]


@pytest.mark.parametrize(
    "first", [b"garbage", b"[]", b'{"kind":"gate"}', b'{"kind":"study","version":99}', b"\n\n{}"]
)
def test_what_begins_otherwise_is_no_study(tmp_path, first):
    file = tmp_path / "study.jsonl"
    file.write_bytes(first + b"\n")
    with pytest.raises(JournalError, match="is no study"):
        read(file)


def broken(**changes):
    changed = copy.deepcopy(gate("quiet", 0, PASSED))
    for path, value in changes.items():
        *where, last = path.split("__")
        place = changed
        for key in where:
            place = place[int(key) if key.isdigit() else key]
        place[last] = value
    return changed


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"part": "loud"}, "part"),
        ({"extra": None}, "extra"),
        ({"extra": True}, "extra"),
        ({"delta": -1}, "delta"),
        ({"alpha": None}, "alpha"),
        ({"alpha": 0}, "alpha"),
        ({"suite": 0}, "suite"),
        ({"wall_s": float("nan")}, "wall_s"),
        ({"wall_s": float("inf")}, "wall_s"),
        ({"time": {}}, "prepare_ns"),
        ({"plant": "--slow-samples 0.05:2; rm"}, "plant"),
        ({"plant": "--extra 3"}, "plant"),
        ({"plant": "--slow-samples 0.5.5:2"}, "could not convert"),
        ({"planted_case": 3}, "planted_case"),
        ({"cases__0__slow_processes": 1.5}, "slow_processes"),
        ({"cases__0__slow_executions": -1}, "slow_executions"),
        ({"cases": []}, "length >= 1.*cases"),
        ({"cases__0__case": 3}, r"`str`.*cases\[0\].case"),
        ({"cases__0__verdict": "fine"}, "verdict"),
        ({"cases__0__ratio": None}, "no ratio"),
        ({"cases__0__ratio_low": float("inf")}, "ratio_low"),
        ({"cases__0__pairs": -1}, "pairs"),
        ({"cases__0__baseline": [[]]}, "length >= 1.*baseline"),
        ({"cases__0__baseline": [[1.0, 0.0]]}, "> 0.0.*baseline"),
        ({"cases__0__candidate": [[float("nan")]]}, "> 0.0.*candidate"),
        ({"cases__0__candidate": None}, "`array`.*candidate"),
    ],
)
def test_a_gate_that_no_study_writes_is_refused(changes, why):
    with pytest.raises(ValueError, match=why):
        check_gate(broken(**changes))


def test_a_gate_with_a_tail_is_one():
    planted = tails("--slow-samples 0.05:2", PASSED)
    assert check_gate(json.loads(json.dumps(planted))) == planted


def test_a_failed_case_needs_no_times():
    gate_with_crash = broken(
        cases__0__verdict="crashed", cases__0__ratio=None, cases__0__baseline=[]
    )
    assert check_gate(json.loads(json.dumps(gate_with_crash))) == gate_with_crash


def test_a_folder_in_the_files_place_is_said(tmp_path):
    with pytest.raises(JournalError, match="cannot be read"):
        read(tmp_path)
    with pytest.raises(JournalError, match="cannot be written"):
        append(tmp_path, study())


@pytest.mark.parametrize("kind", ["fifo", "folder", "device"])
def test_what_is_no_file_is_not_waited_for(tmp_path, kind):
    file = Path("/dev/zero") if kind == "device" else tmp_path / kind
    if kind == "fifo":
        os.mkfifo(file)
    elif kind == "folder":
        file.mkdir()
    with pytest.raises(JournalError, match="no regular file"):
        read(file)


@pytest.mark.parametrize(
    "odd",
    [
        {"settings": {}},
        {"settings": {"profile": "x", "cases": 7}},
        {"machine": {"cpu": []}},
        {"build": "x"},
        {"load": []},
    ],
)
def test_a_study_with_odd_facts_is_none(tmp_path, odd):
    file = tmp_path / "study.jsonl"
    append(file, {**study(), **odd})
    with pytest.raises(JournalError, match="is no study"):
        read(file)
