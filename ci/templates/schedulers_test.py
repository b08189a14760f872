"""What Slurm, cron and systemd start, started here without them, with real programs on the CPU."""

import json
import os
import re
import shlex
import signal
import sqlite3
import subprocess
import time
from contextlib import closing
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
SHORT = ("--unfit", "measure", "--without", "report", "--without", "trend")


def nights(results: Path) -> list[dict]:
    return [json.loads(path.read_text()) for path in sorted(results.glob("nightly/2*/night.json"))]


def runs(results: Path) -> int:
    (database,) = results.glob("*.sqlite")
    with closing(sqlite3.connect(f"file:{database}?immutable=1", uri=True)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return connection.execute("SELECT count(*) FROM run").fetchone()[0]


@pytest.fixture
def slurm(unpacked, machine, profile):
    """Starts the batch script as slurmd would: a copy of it, with the job's environment."""
    script = machine / "slurm_script"
    script.write_bytes((HERE / "slurm" / "nightly.sbatch").read_bytes())
    (machine / "node").mkdir()
    environment = {
        **os.environ,
        "RIDGELINE_ROOT": str(unpacked),
        "RIDGELINE_RESULTS": str(machine / "shared"),
        "RIDGELINE_DEVICE": "cpu",
        "RIDGELINE_PROFILE": str(profile),
        "TMPDIR": str(machine / "node"),
    }

    def start(*arguments: str) -> subprocess.Popen:
        return subprocess.Popen(
            ["bash", script, *SHORT, *arguments],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    start.shared, start.node = machine / "shared", machine / "node"
    return start


def test_slurm_nights_add_up_in_the_shared_folder_and_leave_nothing_on_the_node(slurm):
    for count in (1, 2):
        night = slurm()
        said, _ = night.communicate(timeout=200)
        assert night.returncode == 3, said  # there is no baseline
        assert runs(slurm.shared) == count
        assert len(nights(slurm.shared)) == count
    assert (slurm.shared / "nightly" / "latest" / "summary.md").is_file()
    assert list(slurm.node.iterdir()) == []
    assert not [
        path.name for path in slurm.shared.iterdir() if path.name.endswith(("-wal", "-shm", ".new"))
    ]


def test_a_slurm_job_near_its_time_limit_stores_what_it_has(slurm, profile):
    profile.write_text(profile.read_text().replace("processes = 1", "processes = 999"))
    night = slurm()
    deadline = time.monotonic() + 60
    while not list(slurm.node.glob("*/*.sqlite")) and time.monotonic() < deadline:
        time.sleep(0.1)
    night.send_signal(signal.SIGTERM)
    said, _ = night.communicate(timeout=100)
    assert night.returncode == 130, said
    assert [one["state"] for one in nights(slurm.shared)] == ["interrupted"]
    assert runs(slurm.shared) == 1


@pytest.fixture
def installed(unpacked, machine, profile):
    """A template's text with its places moved below this test's folder, and nights that take
    seconds."""
    program = machine / "nightly"
    words = shlex.join([str(unpacked / "ci" / "nightly"), "--profile", str(profile), *SHORT])
    program.write_text(f'#!/bin/sh\nexec {words} "$@"\n')
    program.chmod(0o755)

    def moved(template: str) -> str:
        text = (HERE / template).read_text()
        text = text.replace("/opt/ridgeline/ci/nightly", str(program)).replace(
            "/var/lib/ridgeline", str(machine / "var")
        )
        return text.replace("cuda:0", "cpu")

    (machine / "var").mkdir()
    moved.results = machine / "var" / "results"
    return moved


def test_cron_is_given_the_summary_of_a_night_that_is_not_fine(installed):
    lines = [
        line
        for line in installed("cron/ridgeline-nightly").splitlines()
        if not line.startswith("#")
    ]
    *settings, entry = lines
    environment = dict(line.split("=", 1) for line in settings)
    assert "%" not in entry, "which cron would take for the end of the command"
    schedule = re.match(r"(\d+) (\d+) \* \* \* (\S+) (.*)", entry)
    assert (int(schedule[1]) < 60, int(schedule[2]) < 24, schedule[3]) == (True, True, "ridgeline")
    environment.update(
        {name: os.environ[name] for name in ("RIDGELINE_LOCKS",)}, HOME=os.environ["HOME"]
    )
    environment["PATH"] = os.environ["PATH"]
    done = subprocess.run(
        [environment["SHELL"], "-c", schedule[4]],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    (night,) = nights(installed.results)
    assert done.stdout.startswith(f"# Night {night['id']}"), done.stdout + done.stderr
    assert done.stderr == ""


def test_what_systemd_starts_is_a_night(installed):
    unit = installed("systemd/ridgeline-nightly.service")
    (command,) = re.findall(r"^ExecStart=(.*)$", unit, re.M)
    settings = dict(line.split("=", 1) for line in re.findall(r"^Environment=(.*)$", unit, re.M))
    (folder,) = re.findall(r"^WorkingDirectory=(.*)$", unit, re.M)
    done = subprocess.run(
        shlex.split(command),
        cwd=folder,
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        check=False,
    )
    (night,) = nights(installed.results)
    assert (done.returncode, night["exit_code"]) == (3, 3), done.stdout
