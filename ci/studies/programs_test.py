"""The studies as programs: what they end with, and what they do with odd answers."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = (
    *("calibrate", "compare_counters", "faults", "fuzz", "fuzz_python"),
    *("draw_verdicts", "gate_study", "measured_pairs", "synthetic_nights", "trend_study"),
    *("against_vendor", "container_recipe", "page_times", "report_times", "sanitize"),
    *("trend_causes", "same_collectives", "same_kernel", "import_times"),
    "sanitize_corpus",
)


def call(name, *arguments, **options):
    command = [sys.executable, ROOT / "ci" / "studies" / name, *arguments]
    return subprocess.run(command, **{"capture_output": True, "text": True, **options}, timeout=60)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_command_line_that_is_not_understood_is_64(name):
    done = call(name, "--bogus")
    assert (done.returncode, "Traceback" in done.stderr) == (64, False), done.stderr


@pytest.mark.parametrize("name", PROGRAMS)
def test_help_needs_no_more_than_the_program(name):
    assert call(name, "--help").returncode == 0


def test_some_of_the_tables_do_not_replace_all_of_them():
    document = ROOT / "docs" / "trend.md"
    before = document.read_bytes()
    done = call("trend_study", "--series", "0", "--steps", "0", "--drifts", "0", "--publish")
    assert (done.returncode, "all four tables" in done.stderr) == (64, True), done.stderr
    assert document.read_bytes() == before


def test_a_folder_that_cannot_be_written_is_74():
    done = call("synthetic_nights", "/proc/no/such")
    assert (done.returncode, len(done.stderr.splitlines())) == (74, 1), done.stderr


LISTED = {"name": "x", "suite": "s", "variant": "v", "dtype": "f32", "problem": [["n", "1"]]}


@pytest.mark.parametrize(
    ("listed", "said", "code"),
    [
        ("", "", 69),
        ("[]", "", 69),
        ('{"cases": [7]}', "", 69),
        ('{"cases": [{"name": "x"}]}', "", 69),
        (json.dumps({"cases": [LISTED]}), "", 69),
        (json.dumps({"cases": [LISTED]}), "7", 69),
        (json.dumps({"cases": [LISTED]}), '{"reply": "hello"}', 2),
        (json.dumps({"cases": [{**LISTED, "name": "\n::error::x\x1b[2J"}]}), '{"reply": "x"}', 2),
    ],
)
def test_odd_answers_are_told_and_no_line_of_theirs_is_obeyed(tmp_path, listed, said, code):
    for name, text, say in (
        ("ridgeline", listed, "exec cat"),
        ("ridgeline-emulated", said + "\n", "while read line; do cat"),
    ):
        (tmp_path / f"{name}.txt").write_text(text)
        done = "; done" if "while" in say else ""
        (tmp_path / name).write_text(f"#!/bin/sh\n{say} '{tmp_path / name}.txt'{done}\n")
        (tmp_path / name).chmod(0o755)
    done = call("compare_counters", "--build", tmp_path, "--from", tmp_path)
    assert (done.returncode, "Traceback" in done.stderr) == (code, False), done.stderr
    assert "\x1b" not in done.stdout + done.stderr
    assert "\n::" not in done.stdout + done.stderr
