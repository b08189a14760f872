"""What speaks against measuring now is said before a run, and changes nothing else."""

import contextlib
import json
import os
import subprocess

import pytest

from harness.run.scripted_runs import BUILD

CASE = "gemm/naive/f32/m=128,n=128,k=128"


@contextlib.contextmanager
def busy_processors():
    """A program on each processor that this one may use, and one more."""
    programs = [
        subprocess.Popen(["sh", "-c", "while :; do :; done"])
        for _ in range(len(os.sched_getaffinity(0)) + 1)
    ]
    try:
        yield
    finally:
        for program in programs:
            program.kill()
            program.wait()


@pytest.mark.skipif(
    not (BUILD / "ridgeline-suites").is_file(), reason="ridgeline-suites is not built"
)
def test_a_busy_machine_is_said_and_measured_all_the_same(lab):
    words = ("--device", "cpu", "--profile", "smoke", "--results", lab.results, CASE)
    with busy_processors():
        done = lab.call("run", *words, "--json", text=True)
        quiet = lab.call("run", *words, "--quiet", text=True)
        worker = BUILD / "ridgeline-suites"
        sides = ("--aa", "--baseline-worker", worker, "--candidate-worker", worker)
        gate = lab.call("gate", *sides, *words, "--budget", "3s", "--json", text=True)
    assert done.returncode == quiet.returncode == 0, done.stderr + quiet.stderr
    doubts = json.loads(done.stdout)["doubts"]
    assert doubts[0].startswith("other programs use "), doubts
    assert f"before the start: {doubts[0]}\n" in done.stderr
    assert "before the start" not in quiet.stdout + quiet.stderr
    assert json.loads(gate.stdout)["doubts"][0].startswith("other programs use "), gate.stderr


def test_a_device_of_no_processor_is_not_doubted(lab):
    with busy_processors():
        done = lab.run(lab.profile("constant"), "--json")
    assert done.returncode == 0 and "doubts" not in json.loads(done.stdout)
    assert "before the start" not in done.stderr
