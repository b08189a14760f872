"""The study as a program, with one that plays Ridgeline; and its cases, as the package lists
them."""

import os
import subprocess
import sys
from pathlib import Path

from ci.studies.same_collectives_test import written

STUDY = Path(__file__).with_name("same_kernel")
CASES = Path(__file__).with_name("same_kernel_cases.py")

RIDGELINE = """#!/usr/bin/env python3
import json, os, sys
played = os.environ["PLAYED"]
if sys.argv[1] == "list":
    variant = sys.argv[-1].removeprefix("gemm/")
    names = [f"gemm/{variant}/f32/m={n},n={n},k={n}" for n in (64, 128)]
    print(json.dumps({"cases": [{"name": each} for each in names]}))
elif sys.argv[1] == "run":
    with open(played, "a") as file:
        file.write(" ".join(each for each in sys.argv if "gemm/" in each) + "\\n")
else:
    runs = open(played).read().splitlines()
    in_python = "_by_" in runs[-1]
    for case in runs[-1].split():
        ns = 1000.0 + (100 + len(runs) if in_python else 0)
        lost = "=128" in case and os.environ.get("LOSES") and in_python
        print(json.dumps({"case": case, "median_ns": None if lost else ns}))
"""


def call(folder: Path, *words: str, **environment: str) -> subprocess.CompletedProcess:
    written(folder / "ridgeline", RIDGELINE)
    return subprocess.run(
        [sys.executable, STUDY, "--programs", folder, *words],
        capture_output=True,
        text=True,
        env={**os.environ, "PLAYED": str(folder / "played"), **environment},
        timeout=120,
    )


def test_the_sides_take_turns_and_ratios_have_their_interval(tmp_path):
    done = call(tmp_path, "--device", "cuda:0", "--rounds", "3")
    assert done.returncode == 0, done.stderr
    runs = (tmp_path / "played").read_text().splitlines()
    assert ["_by_torch" in each for each in runs] == [False, True, True, False, False, True]
    assert "| `gemm/cublaslt/f32/m=64,n=64,k=64` | 1.104 (1.099 to 1.109) |" in done.stdout


def test_what_has_no_time_is_told_and_ends_with_2(tmp_path):
    done = call(tmp_path, "--rounds", "1", LOSES="yes")
    assert done.returncode == 2, done.stderr
    assert "| `gemm/openblas/f32/m=64,n=64,k=64` | 1.102 |" in done.stdout
    assert "| `gemm/openblas/f32/m=128,n=128,k=128` | not measured |" in done.stdout


def test_a_device_that_no_kernel_is_for_is_64(tmp_path):
    done = call(tmp_path, "--device", "emulated:sm_90")
    assert (done.returncode, "emulated:sm_90" in done.stderr) == (64, True)


def test_a_program_that_is_missing_is_69(tmp_path):
    command = [sys.executable, STUDY, "--programs", tmp_path]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.returncode, len(done.stderr.splitlines())) == (69, 1), done.stderr


def test_the_package_takes_the_cases():
    package = Path(__file__).parents[2] / "harness/python"
    done = subprocess.run(
        [sys.executable, "-m", "ridgeline", CASES],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(package)},
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    listed = done.stdout.splitlines()
    assert "gemm/openblas_by_ctypes/f32/m=1024,n=1024,k=1024,cache=hot  (cpu)" in listed
    assert "gemm/cublaslt_by_torch/bf16/m=4096,n=4096,k=4096  (cuda)" in listed
