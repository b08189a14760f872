"""Runs the real `ridgeline` with the scripted worker, for tests of whole runs.

Binaries are found in $RIDGELINE_BUILD, else build/release/bin. Every process that a test leaves
behind falls to this one, so that `left_behind` can tell.
"""

import contextlib
import ctypes
import json
import os
import shlex
import sqlite3
import subprocess
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("RIDGELINE_BUILD", ROOT / "build" / "release" / "bin"))
# Of a gate of quiet cases: none passes before it is known which may have a tail.
ROUNDS = 8
PLAIN = BUILD / "ridgeline-scripted-worker"
# A gate of these has about a hundred pairs; two of them cannot be compared.
VARIANTS = ("constant", "noisy", "process_noise", "bimodal", "segfault", "unsupported")
PROFILE = """description = "for tests"
processes = {processes}
budget = "{budget}"
case_timeout = "{case_timeout}"

[sampling]
target = 0.01
unstable = 0.05
min_samples = 10
max_samples = 50
warmup = "{warmup}"

[fake]
cases = {cases}

[emulated]
cases = ["scripted/counted"]
"""


def case(variant: str) -> str:
    return f"scripted/{variant}/f32/n=16"


class Lab:
    """A folder of results and everything else that a run needs, apart from every other test and
    run."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.results = folder / "results"
        self.database = self.results / "synthetic-fake.sqlite"
        self.environment = {
            **os.environ,
            "RIDGELINE_LOCKS": str(folder),
            "RIDGELINE_HOME": str(ROOT),
        }
        for name in (
            "RIDGELINE_RESULTS",
            "RIDGELINE_SCRIPTED_PROTOCOL",
            "RIDGELINE_SCRIPTED_DELAY_MS",
            "RIDGELINE_SCRIPTED_PREPARING",
        ):
            self.environment.pop(name, None)

    def profile(self, *variants: str, warmup: str = "5ms", **limits: object) -> Path:
        """A profile with `processes`, `budget` and `case_timeout`. The scripted device is warm at
        once, in times of its own; a worker that is kept waiting by other programs for as long as
        `warmup` may begin with another sample."""
        limits = {"processes": 1, "budget": "60s", "case_timeout": "20s"} | limits
        cases = [case(variant) for variant in variants] or ["scripted/*"]
        path = self.folder / "tests.toml"
        path.write_text(PROFILE.format(warmup=warmup, cases=str(cases).replace("'", '"'), **limits))
        return path

    def command(self, *arguments: object) -> list[str]:
        return [str(BUILD / "ridgeline"), *map(str, arguments)]

    def run_command(self, profile: Path, *arguments: object) -> list[str]:
        return self.command(
            *("run", "--device", "fake", "--profile", profile, "--results", self.results),
            *("--worker", PLAIN, *arguments),
        )

    def worker(self, name: str, *options: object) -> Path:
        """The scripted worker with `options`, as a program of that name: one side of a gate."""
        path = self.folder / name
        line = shlex.join([str(PLAIN), *map(str, options)])
        path.write_text(f'#!/bin/sh\nexec {line} "$@"\n')
        path.chmod(0o755)
        return path

    def gate_command(
        self, profile: Path, baseline: Path, candidate: Path, *arguments: object
    ) -> list[str]:
        return self.command(
            *("gate", "--device", "fake", "--profile", profile, "--results", self.results),
            *("--baseline-worker", baseline, "--candidate-worker", candidate, *arguments),
        )

    def gate(self, *arguments: object, **options) -> tuple[int, dict[str, dict]]:
        """Exit code and verdicts by variant, of a gate as gate_command has it."""
        done = self.execute([*self.gate_command(*arguments), "--json"], text=True, **options)
        assert done.stdout, done.stderr
        return done.returncode, verdicts(done.stdout)

    def execute(self, command: list, **options) -> subprocess.CompletedProcess:
        return subprocess.run(
            command,
            **{
                "env": self.environment,
                "cwd": self.folder,
                "capture_output": True,
                "timeout": 120,
                **options,
            },
        )

    def call(self, *arguments: object, **options) -> subprocess.CompletedProcess:
        return self.execute(self.command(*arguments), **options)

    def run(self, profile: Path, *arguments: object, **options) -> subprocess.CompletedProcess:
        return self.execute(self.run_command(profile, *arguments), text=True, **options)

    def start(self, profile: Path, *arguments: object, **options) -> subprocess.Popen:
        """A run whose output can be read line by line; killed after a minute, so that its test
        fails."""
        return self.start_command(self.run_command(profile, *arguments), **options)

    def start_command(self, command: list, **options) -> subprocess.Popen:
        process = subprocess.Popen(
            command,
            **{
                "env": self.environment,
                "stdout": subprocess.PIPE,
                "stderr": subprocess.PIPE,
                "text": True,
                **options,
            },
        )
        watchdog = threading.Timer(60, process.kill)
        watchdog.daemon = True
        watchdog.start()
        return process

    def query(self, statement: str, *values: object) -> list[tuple]:
        with contextlib.closing(
            sqlite3.connect(f"file:{self.database}?mode=ro", uri=True)
        ) as connection:
            return connection.execute(statement, values).fetchall()

    def wait_for_pairs(self, count: int) -> None:
        """Until a gate that runs has stored so many."""
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            if self.database.exists():
                try:
                    if self.query("SELECT count(*) FROM pair")[0][0] >= count:
                        return
                except sqlite3.OperationalError:  # the table is being made
                    pass
            time.sleep(0.01)
        raise AssertionError(f"{count} pairs were never stored")

    def is_intact(self) -> bool:
        return (
            self.query("PRAGMA integrity_check") == [("ok",)]
            and self.query("PRAGMA foreign_key_check") == []
        )

    def outcomes(self, run_id: str = "%") -> dict[str, list[tuple[str, str]]]:
        """Outcome and reason of every measurement by case, in the order stored."""
        found: dict[str, list[tuple[str, str]]] = {}
        for name, outcome, reason in self.query(
            'SELECT "case".name, outcome, reason FROM measurement '
            'JOIN "case" ON "case".id = case_id'
            " JOIN process ON process.id = process_id WHERE run_id LIKE ? ORDER BY measurement.id",
            run_id,
        ):
            found.setdefault(name, []).append((outcome, reason))
        return found


def verdicts(printed: str) -> dict[str, dict]:
    """The verdicts of a gate's JSON by variant."""
    return {verdict["case"].split("/")[1]: verdict for verdict in json.loads(printed)["verdicts"]}


def repeatable(found: dict[str, dict]) -> dict[str, dict]:
    """Verdicts without what hangs on how many samples there was time for: of a noisy case all
    numbers do."""
    of_samples = {"mean_ratio", "ninetieth_ratio", "baseline_slow", "candidate_slow"}
    alike = {"verdict", "pairs", "dropped"}
    return {
        variant: {
            key: value
            for key, value in verdict.items()
            if (key in alike if variant == "noisy" else key not in of_samples)
        }
        for variant, verdict in found.items()
    }


def named(found: dict[str, dict]) -> dict[str, str]:
    return {variant: verdict["verdict"] for variant, verdict in found.items()}


def adopt_orphans() -> None:
    """From now on, what processes below this one leave behind falls to it."""
    pr_set_child_subreaper = 36
    assert ctypes.CDLL(None).prctl(pr_set_child_subreaper, 1, 0, 0, 0) == 0


def children() -> list[tuple[int, str, str]]:
    """Processes whose parent is this one: pid, state, name."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            name, rest = (
                (folder / "stat").read_text(errors="replace").split("(", 1)[1].rsplit(")", 1)
            )
            state, parent = rest.split()[:2]
            if int(parent) == os.getpid():
                found.append((int(folder.name), state, name))
    return found


def below(pid: int) -> list[int]:
    """The processes that a process has started, and those that they have."""
    started = [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return started + [one for child in started for one in below(child)]


def left_behind(wait_s: float = 0.0) -> list[tuple[int, str, str]]:
    """What has fallen to this process and does not end within `wait_s`. Ended orphans are reaped
    while waiting."""
    deadline = time.monotonic() + wait_s
    while (left := children()) and time.monotonic() < deadline:
        with contextlib.suppress(ChildProcessError):
            os.waitpid(-1, os.WNOHANG)
        time.sleep(0.005)
    return left
