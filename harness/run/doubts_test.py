"""What speaks against measuring now is said before a run, and changes nothing else."""

import contextlib
import json
import os
import sqlite3
import subprocess
from pathlib import Path

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


@contextlib.contextmanager
def group_with_quota(processors: float):
    """The file that moves a process into a control group of this machine with that quota, of
    either version."""
    quota = round(processors * 100_000)
    for top, limits in (
        ("/sys/fs/cgroup/cpu", {"cpu.cfs_period_us": "100000", "cpu.cfs_quota_us": f"{quota}"}),
        ("/sys/fs/cgroup", {"cpu.max": f"{quota} 100000"}),
    ):
        folder = Path(top, f"ridgeline_test_{os.getpid()}")
        try:
            folder.mkdir()
        except OSError:
            continue
        try:
            if all((folder / name).exists() for name in limits):
                for name, limit in limits.items():
                    (folder / name).write_text(limit)
                yield folder / "cgroup.procs"
                return
        finally:
            folder.rmdir()
    pytest.skip("no control group can be made here")


@pytest.mark.skipif(
    not (BUILD / "ridgeline-suites").is_file(), reason="ridgeline-suites is not built"
)
def test_a_quota_is_said_and_stored_with_what_makes_runs_comparable(lab):
    words = ("--device", "cpu", "--results", lab.results)
    with group_with_quota(0.5) as processes:

        def within(*arguments: object) -> subprocess.CompletedProcess:
            command = ["sh", "-c", f'echo $$ >"{processes}" && exec "$@"', "sh"]
            return lab.execute([*command, *lab.command(*arguments, *words)], text=True)

        done = within("run", "--profile", "smoke", CASE)
        doctor = within("doctor", "--quick", "--json")
    processors = len(os.sched_getaffinity(0))
    allowed = f"the time of 0.50 of {processors} processor{'s' if processors > 1 else ''}\n"
    assert f"before the start: a quota allows {allowed}" in done.stdout + done.stderr
    (database,) = lab.results.glob("*.sqlite")
    with contextlib.closing(sqlite3.connect(database)) as connection:
        ((comparable,),) = connection.execute("SELECT comparable FROM environment").fetchall()
    assert json.loads(comparable)["processor_quota"] == "0.50"
    levels = {one["check"]: one["level"] for one in json.loads(doctor.stdout)["findings"]}
    assert levels["processor quota"] == "unfit"


def test_a_device_of_no_processor_is_not_doubted(lab):
    with busy_processors():
        done = lab.run(lab.profile("constant"), "--json")
    assert done.returncode == 0 and "doubts" not in json.loads(done.stdout)
    assert "before the start" not in done.stderr
