"""The script as a program, with one that plays Ridgeline on a host of GPUs."""

import fnmatch
import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from harness.run.scripted_runs import BUILD

SCRIPT = Path(__file__).with_name("host_of_gpus")

RIDGELINE = """#!/usr/bin/env python3
import json, sys
words = sys.argv[1:]
if words[0] == "devices":
    print(json.dumps({"devices": [{"kind": "cuda"}] * GPUS + [{"kind": "cpu"}]}))
    sys.exit()
print("did", *words[:2])
sys.exit(70 if "choices" in words else 2 if "host-told" in words else 0)
"""


def call(folder: Path, gpus: int, *words: str) -> subprocess.CompletedProcess:
    program = folder / "bin/ridgeline"
    program.parent.mkdir()
    program.write_text(RIDGELINE.replace("GPUS", str(gpus)))
    program.chmod(0o755)
    return subprocess.run(
        [sys.executable, SCRIPT, "--build", folder, "--results", folder / "results", *words],
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_a_step_that_fails_stops_no_other(tmp_path):
    done = call(tmp_path, 2, "--only", "told", "--only", "tables", "--only", "siblings")
    assert done.returncode == 2, done.stderr
    lines = {line.split()[0]: line for line in done.stdout.splitlines()}
    assert list(lines) == ["told", "siblings", "tables"]
    assert "done" in lines["told"] and "done" in lines["siblings"]
    assert "ended with 70" in lines["tables"]
    assert "did collectives project" in (tmp_path / "results/tables.txt").read_text()


def test_the_plan_is_of_as_many_ranks_as_there_are_gpus(tmp_path):
    done = call(tmp_path, 5, "--plan")
    assert done.returncode == 0, done.stderr
    assert "ranks=4," in done.stdout and "ranks=8," not in done.stdout
    minutes = sum(int(line.split()[-2]) for line in done.stdout.splitlines() if line[0] == "#") / 60
    assert minutes < 10


def test_fewer_gpus_than_two_are_69(tmp_path):
    done = call(tmp_path, 1)
    assert (done.returncode, "2 GPUs are needed, and here: 1" in done.stderr) == (69, True)


def test_a_step_that_nobody_knows_is_64(tmp_path):
    assert call(tmp_path, 2, "--only", "tolds").returncode == 64


def listed(*words: str) -> subprocess.CompletedProcess:
    command = [BUILD / "ridgeline", "list", "--json", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


def test_each_pattern_of_a_run_names_cases_of_its_profile(tmp_path):
    if listed("collectives/nccl/*").returncode != 0:
        pytest.skip("this build has no CUDA")
    plan = call(tmp_path, 4, "--plan").stdout
    runs = [shlex.split(line) for line in plan.splitlines() if " run --device " in line]
    assert len(runs) == 5
    for words in runs:
        profile = words[words.index("--profile") + 1]
        first = next(i for i, word in enumerate(words) if "bytes=" in word or "/*" in word)
        patterns = words[first : words.index("--budget")]
        assert patterns
        answer = listed("--profile", profile, *patterns)
        assert answer.returncode == 0, answer.stderr
        names = [case["name"] for case in json.loads(answer.stdout)["cases"]]
        for pattern in patterns:
            assert fnmatch.filter(names, pattern), pattern
