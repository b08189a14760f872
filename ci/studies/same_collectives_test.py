"""The study as a program, with programs that play Ridgeline and the ranks of PyTorch, and once
with the real ones."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

STUDY = Path(__file__).with_name("same_collectives")
ROOT = STUDY.parents[2]
BUILD = Path(os.environ.get("RIDGELINE_BUILD", ROOT / "build" / "release" / "bin"))

RIDGELINE = """#!/usr/bin/env python3
import json, os, sys
if sys.argv[1] == "list":
    both, first = ("all_reduce", "broadcast"), ("all_reduce",)
    there = [(op, size) for size, ops in (("1024", both), ("2048", first)) for op in ops]
    print(json.dumps({"cases": [{"problem": [["op", op], ["bytes", b]]} for op, b in there]}))
elif sys.argv[1] == "run":
    with open(os.environ["PLAYED"], "a") as file:
        file.write("ridgeline ")
else:
    for operation, ns in (("all_reduce", 1000.0), ("broadcast", None)):
        case = f"collectives/nccl/f32/op={operation},ranks=2,bytes=1024,mode=pipelined,calls=16"
        print(json.dumps({"case": case, "median_ns": ns, "buffer_sets": 64}))
"""
MPIRUN = """#!/usr/bin/env python3
import json, os, sys
assert sys.argv[-1] == "all_reduce,1024,64", sys.argv
with open(os.environ["PLAYED"], "a+") as file:
    file.seek(0)
    before = file.read().count("mpirun")
    file.write("mpirun ")
print("a line of a library")
print(json.dumps({"op": "all_reduce", "bytes": 1024, "ns": 1100.0 + before}))
"""


def written(file: Path, text: str) -> None:
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    file.chmod(0o755)


def call(folder: Path, *words: str) -> subprocess.CompletedProcess:
    for name, text in (("bin/ridgeline", RIDGELINE), ("mpirun", MPIRUN)):
        written(folder / name, text)
    environment = {
        **os.environ,
        "PATH": f"{folder}:{os.environ['PATH']}",
        "PLAYED": str(folder / "played"),
    }
    return subprocess.run(
        [sys.executable, STUDY, "pytorch", "--build", folder, "--sizes", "1024", *words],
        capture_output=True,
        text=True,
        env=environment,
        timeout=120,
    )


def test_the_sides_take_turns_and_ratios_have_their_interval(tmp_path):
    done = call(tmp_path, "--operations", "all_reduce")
    assert done.returncode == 0, done.stderr
    played = (tmp_path / "played").read_text().split()
    assert played == ["ridgeline", "mpirun", "mpirun", "ridgeline", "ridgeline", "mpirun"]
    assert "| 1024 | 1.101 (1.099 to 1.103) |" in done.stdout


def test_what_has_no_time_is_told_and_ends_with_2(tmp_path):
    done = call(tmp_path, "--operations", "all_reduce,broadcast", "--rounds", "1")
    assert done.returncode == 2, done.stderr
    assert "| 1024 | 1.100 | not measured |" in done.stdout


def test_an_operation_that_nobody_knows_is_64(tmp_path):
    done = call(tmp_path, "--operations", "all_reduced")
    assert (done.returncode, "all_reduced" in done.stderr) == (64, True)


@pytest.mark.parametrize("sizes", ["2048", "1024,3000", "7,2048,1024"])
def test_a_size_that_an_operation_does_not_have_is_64_and_all_have_are_named(tmp_path, sizes):
    words = ("--operations", "all_reduce,broadcast")
    done = call(tmp_path, *words, "--sizes", sizes)
    wrong = ", ".join(size for size in sizes.split(",") if size != "1024")
    said = f"--sizes has {wrong}; all_reduce, broadcast among 2 ranks have 1024\n"
    assert (done.returncode, said in done.stderr) == (64, True), done.stderr
    assert not (tmp_path / "played").exists()


def test_a_program_that_is_missing_is_69(tmp_path):
    done = subprocess.run(
        [sys.executable, STUDY, "mpi4py", "--build", tmp_path],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, len(done.stderr.splitlines())) == (69, 1), done.stderr


@pytest.mark.skipif(not (BUILD / "ridgeline-collectives").exists(), reason="it is not built")
@pytest.mark.skipif(shutil.which("mpicxx") is None, reason="mpicxx not found")
def test_all_operations_have_their_ratio_to_nothing_but_mpi():
    done = subprocess.run(
        [sys.executable, STUDY, "mpi", "--build", BUILD.parent, "--sizes", "1024", "--rounds", "1"],
        capture_output=True,
        text=True,
        env={**os.environ, "OMPI_MCA_mpi_yield_when_idle": "1"},  # beside other tests
        timeout=900,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    *_, row = done.stdout.splitlines()
    size, *ratios = row.strip("| ").split(" | ")
    assert (size, len(ratios)) == ("1024", 5), done.stdout
    # On a busy machine one side may wait a thousand times as long as the other.
    assert all(float(ratio) >= 0 for ratio in ratios), done.stdout
