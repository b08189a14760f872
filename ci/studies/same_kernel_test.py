"""The study as a program, with one that plays both workers; and its cases, as the package lists
them."""

import ctypes.util
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from ci.studies.same_collectives_test import BUILD, written
from ci.studies.vendor_ratios.ratios import of_logarithms

STUDY = Path(__file__).with_name("same_kernel")
CASES = Path(__file__).with_name("same_kernel_cases.py")

# Plays both workers: Python's is started with more words. Each says whether the other stood still
# when it was asked for samples; in Python these take 1% longer in a half of all turns, 3% longer in
# the other, and in one turn ten times as long.
WORKER = """#!/usr/bin/env python3
import json, os, sys
in_python = "-m" in sys.argv
folder = os.environ["PLAYED"]
open(f"{folder}/{'python' if in_python else 'cpp'}.pid", "w").write(str(os.getpid()))
variant = "cublaslt_by_torch" if in_python else "cublaslt"
def case(n, options):
    of = {"suite": "gemm", "variant": variant, "dtype": "f32", "problem": [["n", str(n)]]}
    return {**of, "options": options, "device_kind": "cuda"}
asked = 0
for line in sys.stdin:
    request = json.loads(line)
    kind, said = request["request"], {}
    if kind == "list":
        said["cases"] = [case(64, []), case(128, [["cache", "hot"]])]
    elif kind == "prepare":
        name, asked = request["case"], 0
        wrong = os.environ.get("LOSES") and in_python and "128" in name
        said = {"outcome": "wrong_result" if wrong else "ok", "reason": "NaN" if wrong else ""}
    elif kind == "sample":
        asked += 1
        factor = (1.01, 1.03, 10.0)[0 if asked <= 10 else 1 if asked < 20 else 2]
        said["samples_ns"] = [1000.0 * (factor if in_python else 1)]
        other = open(f"{folder}/{'cpp' if in_python else 'python'}.pid").read()
        state = open(f"/proc/{other}/stat").read().rpartition(")")[2].split()[0]
        with open(f"{folder}/turns", "a") as file:
            file.write(f"{'python' if in_python else 'cpp'} {name} {state}\\n")
    elif kind == "finish":
        said["measurement"] = {"outcome": "ok", "reason": ""}
    print(json.dumps({"reply": kind, **said}), flush=True)
"""


def call(folder: Path, *words: str, **environment: str) -> subprocess.CompletedProcess:
    written(folder / "ridgeline-suites", WORKER)
    command = [sys.executable, STUDY, "--programs", folder, "--python", folder / "ridgeline-suites"]
    return subprocess.run(
        [*command, "--time", "1s", "--device", "cuda:0", *words],
        capture_output=True,
        text=True,
        env={**os.environ, "PLAYED": str(folder), **environment},
        timeout=120,
    )


def test_the_sides_take_turns_and_the_other_stands_still(tmp_path):
    done = call(tmp_path)
    assert done.returncode == 0, done.stderr
    turns = [line.split() for line in (tmp_path / "turns").read_text().splitlines()]
    assert len(turns) >= 3 * 2 * 2 * 20
    of_case = turns[:40]
    assert [side for side, *_ in of_case[:6]] == ["cpp", "python", "python", "cpp", "cpp", "python"]
    assert {state for *_, state in turns} == {"T"}
    assert turns[80][0] == "python", "the next round begins with the other side"


def test_each_case_has_its_ratio_and_says_whether_it_agrees(tmp_path):
    done = call(tmp_path)
    measured = "1.020 (1.020 to 1.020) | not within 1% | not known: each side chooses"
    assert f"| `gemm/cublaslt_by_torch/f32/n=64` | {measured} |" in done.stdout
    assert "| `gemm/cublaslt_by_torch/f32/n=128,cache=hot` | 1.020 " in done.stdout


def test_cases_are_chosen_by_a_part_of_their_names(tmp_path):
    done = call(tmp_path, "--case", "n=128", "--case", "other")
    assert done.returncode == 0, done.stderr
    assert "n=128" in done.stdout
    assert "n=64" not in done.stdout
    assert call(tmp_path, "--case", "other").returncode == 2


def test_a_worker_in_c_gets_options_in_the_request_alone(tmp_path):
    call(tmp_path)
    turns = [line.split() for line in (tmp_path / "turns").read_text().splitlines()]
    assert {(side, name) for side, name, _ in turns if "128" in name} == {
        ("cpp", "gemm/cublaslt/f32/n=128"),
        ("python", "gemm/cublaslt_by_torch/f32/n=128,cache=hot"),
    }


def test_what_has_no_time_is_told_and_ends_with_2(tmp_path):
    done = call(tmp_path, LOSES="yes")
    assert done.returncode == 2, done.stderr
    assert (
        "| `gemm/cublaslt_by_torch/f32/n=128,cache=hot` | not measured | not known |" in done.stdout
    )
    assert "gemm/cublaslt_by_torch/f32/n=128,cache=hot: NaN" in done.stderr


def test_a_worker_that_ends_is_69(tmp_path):
    done = call(tmp_path, "--python", "false")
    assert (done.returncode, "did not answer hello" in done.stderr) == (69, True), done.stderr


@pytest.mark.parametrize(
    ("logarithms", "said"),
    [
        ((0.001, 0.002, 0.003), "within 1%"),
        ((-0.2, -0.201, -0.202), "not within 1%"),
        ((-0.02, 0.02, 0.0), "not known: the interval is too wide for 1%"),
        ((0.001, 0.001), "not known"),
    ],
)
def test_what_is_said_of_an_interval(logarithms, said):
    judged = runpy.run_path(str(STUDY))["judged"]
    assert judged(of_logarithms(logarithms), 0.01) == said


def test_a_device_that_no_kernel_is_for_is_64(tmp_path):
    done = call(tmp_path, "--device", "emulated:sm_90")
    assert (done.returncode, "emulated:sm_90" in done.stderr) == (64, True)


def test_a_program_that_is_missing_is_69(tmp_path):
    command = [sys.executable, STUDY, "--programs", tmp_path]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.returncode, len(done.stderr.splitlines())) == (69, 1), done.stderr


@pytest.mark.skipif(
    not ctypes.util.find_library("openblas") or not (BUILD / "ridgeline-suites").is_file(),
    reason="no OpenBLAS, or no build",
)
def test_on_a_cpu_both_sides_have_the_same_library_in_memory():
    """How long it takes is not looked at: others may work on this machine."""
    command = [sys.executable, STUDY, "--programs", BUILD, "--case", "n=256,k=256,cache=hot,launch"]
    done = subprocess.run([*command, "--time", "1s"], capture_output=True, text=True, timeout=300)
    assert "| `gemm/openblas_by_ctypes/f32/m=256,n=256,k=256,cache=hot" in done.stdout, done.stderr
    assert re.search(r"\| `libopenblas\S*`, the same file \|", done.stdout), done.stdout


def test_another_library_is_no_ratio():
    study = runpy.run_path(str(STUDY))
    study["code_of"].__globals__["library_of"] = str  # of each process another one
    workers = [SimpleNamespace(child=SimpleNamespace(pid=pid)) for pid in (7, 8)]
    with pytest.raises(study["Failed"], match="has 7 in memory, Python 8"):
        study["code_of"]({"variant": "x_by_ctypes"}, SimpleNamespace(workers=workers), Path())


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
    assert "gemm/openblas_by_ctypes/f32/m=512,n=512,k=512,cache=hot  (cpu)" in listed
    assert "gemm/register_tiled_by_driver/f32/m=4096,n=4096,k=4096  (cuda)" in listed
    assert "coalescing/transpose_swizzled_by_driver/f32/rows=1024,cols=1024  (cuda)" in listed
    assert "gemm/cublaslt_by_torch/bf16/m=2048,n=2048,k=2048  (cuda)" in listed
