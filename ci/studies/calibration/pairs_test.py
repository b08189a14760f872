"""Measured pairs as simulated gates take them."""

import json
import math
import subprocess
import sys
from pathlib import Path

import pytest

from ci.studies.calibration import pairs
from ci.studies.calibration.examples import CASES, gate, one, study, tails
from ci.studies.calibration.journal import Journal, append

PASSED = ("pass", "pass")
PROGRAM = Path(__file__).resolve().parents[1] / "measured_pairs"


def test_pairs_of_a_journal_are_those_without_a_change():
    gates = [
        gate("quiet", 0, PASSED),
        gate("quiet", 0, PASSED, seed=1),
        gate("busy", 0, PASSED),
        gate("power", 5, PASSED),
        tails("--slow-samples 0.05:2", PASSED),
        tails("", PASSED),
        one(0, PASSED),
    ]
    found = {each.case: each for each in pairs.of_journal(Journal(study(), gates))}
    assert set(found) == {*CASES, *(f"{case},launch=single" for case in CASES)}
    expected = gates[0]["cases"][1], gates[1]["cases"][1]
    assert found[CASES[1]].baseline == expected[0]["baseline"] + expected[1]["baseline"]
    assert found[CASES[1]].candidate == expected[0]["candidate"] + expected[1]["candidate"]
    assert len(found[f"{CASES[0]},launch=single"].baseline) == 30
    assert found[CASES[0]].device_kind == "cpu"
    of_gpu = study()
    of_gpu["settings"]["device_kind"] = "cuda"
    assert {each.device_kind for each in pairs.of_journal(Journal(of_gpu, gates))} == {"cuda"}


def test_pairs_with_too_few_samples_are_left_out_and_counted():
    whole = pairs.Pairs(
        "cpu", "a", [[1.0, 2.0], [3.0], [4.0, 5.0]], [[1.0, 2.0, 3.0], [4.0] * 2, [6.0]]
    )
    cut = whole.cut(2)
    assert (cut.baseline, cut.candidate, cut.left_out) == ([[1.0, 2.0]], [[1.0, 2.0]], 2)
    assert whole.cut(1).left_out == 0


def test_the_text_has_all_of_a_side_and_then_of_the_other():
    text = pairs.Pairs("cuda", "a/b", [[math.e, 1.0]], [[math.e**2, math.e**3]]).text()
    assert text == "# cuda a/b\n1 2\n1.000000000 0.000000000\n2.000000000 3.000000000\n"


def test_pairs_of_a_gate_are_rounds_that_have_both_sides():
    measurements = {
        "baseline": [{"case": "a", "replicate": n, "samples_ns": [1.0 + n]} for n in (0, 1, 2)],
        "candidate": [{"case": "a", "replicate": n, "samples_ns": [9.0 + n]} for n in (2, 1)]
        + [{"case": "a", "replicate": 0, "samples_ns": []}],
    }
    (found,) = pairs.of_runs("cuda", measurements)
    assert (found.baseline, found.candidate) == ([[2.0], [3.0]], [[10.0], [11.0]])


def call(*arguments):
    command = [sys.executable, PROGRAM, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


def test_the_program_converts_a_journal_and_says_what_it_leaves_out(tmp_path):
    file = tmp_path / "study.jsonl"
    append(file, study())
    for seed in range(8):
        append(file, gate("quiet", 0, PASSED, seed=seed))
    append(file, tails("", PASSED))
    done = call(file, "--output", tmp_path / "pairs")
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert f"{CASES[0]}: 64 pairs of 20 samples, 0 had fewer samples\n" in done.stderr
    assert "30 pairs of 20 samples, 0 had fewer samples: too few, left out" in done.stderr
    lines = (tmp_path / "pairs").read_text().splitlines()
    assert [line for line in lines if line.startswith("#")] == [f"# cpu {case}" for case in CASES]
    assert len(lines) == 2 * (2 + 2 * 64)
    assert lines[1] == "64 20"
    assert call(file, "--samples", "21").returncode == 74
    assert call(tmp_path / "none").returncode == 74
    assert call(file, "--output", "/proc/no/such").returncode == 74


def test_the_program_converts_a_stored_gate(tmp_path):
    lines = [
        {"case": "a", "replicate": n, "samples_ns": [1.0, 2.0], "metrics": []}
        | dict.fromkeys(("prepare_ns", "verify_ns", "warmup_ns", "timed_ns"), 0)
        for n in range(60)
    ]
    (tmp_path / "lines").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (tmp_path / "ridgeline").write_text(
        f'#!/bin/sh\necho "$*" >> "{tmp_path}/asked"\nexec cat "{tmp_path}/lines"\n'
    )
    (tmp_path / "ridgeline").chmod(0o755)
    done = call("--gate", "g1", "--programs", tmp_path, "--results", tmp_path, "--samples", "2")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("# cpu a\n60 2\n0.000000000 0.693147181\n")
    asked = (tmp_path / "asked").read_text().splitlines()
    assert [line.split()[2] for line in asked] == ["g1-baseline", "g1-candidate"]
    (tmp_path / "lines").write_text("{")
    assert call("--gate", "g1", "--programs", tmp_path).returncode == 69


@pytest.mark.parametrize(
    "arguments", [[], ["journal", "--gate", "g1"], ["journal", "--samples", "0"]]
)
def test_what_is_not_understood_is_64(arguments):
    assert call(*arguments).returncode == 64
