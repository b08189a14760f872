"""The study as a program, with programs that play Ridgeline and the ranks of PyTorch."""

import os
import subprocess
import sys
from pathlib import Path

STUDY = Path(__file__).with_name("same_collectives")

RIDGELINE = """#!/usr/bin/env python3
import json, os, sys
if sys.argv[1] == "run":
    with open(os.environ["PLAYED"], "a") as file:
        file.write("ridgeline ")
else:
    for operation, ns in (("all_reduce", 1000.0), ("broadcast", None)):
        case = f"collectives/nccl/f32/op={operation},ranks=2,bytes=1024,mode=pipelined,calls=16"
        print(json.dumps({"case": case, "median_ns": ns}))
"""
MPIRUN = """#!/usr/bin/env python3
import json, os
with open(os.environ["PLAYED"], "a+") as file:
    file.seek(0)
    before = file.read().count("mpirun")
    file.write("mpirun ")
print("a line of a library")
for operation in ("all_reduce", "broadcast"):
    print(json.dumps({"op": operation, "bytes": 1024, "ns": 1100.0 + before}))
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


def test_a_program_that_is_missing_is_69(tmp_path):
    done = subprocess.run(
        [sys.executable, STUDY, "mpi4py", "--build", tmp_path],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, len(done.stderr.splitlines())) == (69, 1), done.stderr
