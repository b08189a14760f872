"""Whole nights with the real `ridgeline` and the scripted worker, whose device has the times that
it is told."""

import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import time
from pathlib import Path

import pytest

from harness.run.scripted_runs import BUILD, ROOT, left_behind

NIGHTLY = ROOT / "ci" / "nightly"
QUICK = (
    "--without",
    "report",
    "--without",
    "trend",
)  # what takes seconds, or is not what a test is about


class Runner:
    """A folder in which nights run on the scripted device."""

    def __init__(self, lab):
        self.lab = lab
        self.nights = lab.results / "nightly"

    def command(self, *arguments, variants=("constant", "noisy"), worker=None, **profile):
        return [
            *(
                str(NIGHTLY),
                "--ridgeline",
                str(BUILD / "ridgeline"),
                "--results",
                str(self.lab.results),
            ),
            *("--device", "fake", "--profile", str(self.lab.profile(*variants, **profile))),
            *("--worker", str(worker or self.lab.worker("worker")), *arguments),
        ]

    def night(self, *arguments, **options):
        environment = {**self.lab.environment, **options.pop("environment", {})}
        done = self.lab.execute(self.command(*arguments, **options), text=True, env=environment)
        return done.returncode, done.stdout, done.stderr

    def start(self, *arguments, **options):
        return self.lab.start_command(self.command(*arguments, **options), stderr=subprocess.STDOUT)

    def latest(self):
        return json.loads((self.nights / "latest" / "night.json").read_text())

    def summary(self, night="latest"):
        return (self.nights / night / "summary.md").read_text()

    def wait_for(self, step):
        """The night that is in this step, once there is one."""
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            for path in self.nights.glob("2*/night.json"):
                night = json.loads(path.read_text())
                if (
                    night["state"] == "running"
                    and night["steps"]
                    and night["steps"][-1]["name"] == step
                ):
                    return night
            time.sleep(0.01)
        raise AssertionError(f"no night came to {step}")


@pytest.fixture
def runner(lab):
    return Runner(lab)


def steps(night):
    return {step["name"]: (step["state"], step["exit_code"]) for step in night["steps"]}


def test_a_first_night_is_stored_and_asks_for_a_baseline(runner):
    code, said, errors = runner.night(*QUICK)
    night = runner.latest()
    assert steps(night) == {
        "preflight": ("done", 0),
        "run": ("done", 0),
        "gate": ("left out", 3),
        "trend": ("left out", 0),
        "report": ("left out", 0),
        "export": ("done", 0),
    }, said + errors
    assert (code, night["exit_code"], night["state"]) == (3, 3, "finished")
    assert night["run"]["outcomes"] == {"ok": 2}
    folder = runner.nights / night["id"]
    assert len((folder / "run.jsonl").read_text().splitlines()) == 2
    assert "ridgeline baseline set main " + night["run"]["id"] in " ".join(runner.summary().split())
    assert "exit code 3: there is no baseline to compare with" in (folder / "log.txt").read_text()
    assert "[1/2]" in said, "who looks on sees each case"


def test_a_night_is_judged_by_the_baseline(runner):
    assert runner.night(*QUICK, processes=8)[0] == 3
    named = runner.lab.call(
        "baseline", "set", "main", "latest", "--results", runner.lab.results, text=True
    )
    assert named.returncode == 0, named.stderr

    code, said, _ = runner.night(*QUICK, "--without", "export", processes=8)
    assert (code, steps(runner.latest())["gate"]) == (0, ("done", 0)), said
    assert runner.summary().splitlines()[0].endswith(": fine")

    slower = runner.lab.worker("slower", "--slower", 10)
    code, said, _ = runner.night(*QUICK, processes=8, worker=slower)
    night = runner.latest()
    assert (code, steps(night)["gate"], steps(night)["export"]) == (1, ("done", 1), ("done", 0)), (
        said
    )
    assert {one["verdict"] for one in night["gate"]["failing"]} == {"regression"}
    assert "a regression (gate)" in runner.summary().splitlines()[0]
    assert "| <code>scripted/constant/f32/n=16</code> | **regression**" in runner.summary()
    assert (runner.nights / night["id"] / "gate.xml").is_file()


def test_the_trend_is_asked_of_the_device_that_was_measured(runner):
    code, said, _ = runner.night("--without", "report")
    night = runner.latest()
    assert steps(night)["trend"] == ("done", 0), said
    assert night["run"]["device_uuid"] in night["steps"][3]["command"]
    assert (runner.nights / night["id"] / "trend.txt").read_text()
    assert "## Trend" in runner.summary()
    assert code == 3


def test_cases_that_fail_are_named_and_later_steps_run(runner):
    code, said, _ = runner.night(*QUICK, variants=("constant", "segfault"))
    night = runner.latest()
    assert (code, steps(night)["run"], steps(night)["export"]) == (2, ("done", 2), ("done", 0)), (
        said
    )
    (problem,) = night["problems"]
    assert problem["outcome"] == "crashed"
    assert "<code>scripted/segfault/f32/n=16</code>" in runner.summary()


def test_an_unfit_machine_is_not_measured_unless_asked(runner):
    no_room = ("--min-free", "100000000")
    code, said, _ = runner.night(*QUICK, *no_room)
    night = runner.latest()
    assert (code, steps(night)["run"], steps(night)["gate"]) == (
        3,
        ("left out", 3),
        ("left out", 0),
    ), said
    assert runner.lab.database.exists() is False
    assert "**unfit**, disk" in runner.summary()
    assert (
        runner.summary().splitlines()[0].endswith(": not measured, because the machine is not fit")
    )
    assert said.splitlines()[-1] == "exit code 3: not measured, because the machine is not fit"

    code, said, _ = runner.night(*QUICK, *no_room, "--unfit", "measure")
    night = runner.latest()
    assert steps(night)["run"] == ("done", 0), said
    assert night["run"]["label"] == "nightly-unfit", "what was measured unfit is known by its label"
    assert "The machine was not fit to measure" in runner.summary()


def test_a_device_that_is_not_there_is_said_and_nothing_is_swallowed(runner):
    command = [argument if argument != "fake" else "cuda:9" for argument in runner.command(*QUICK)]
    done = runner.lab.execute(command, text=True)
    night = runner.latest()
    assert done.returncode == 69, done.stdout
    assert steps(night)["preflight"] == ("failed", 69)
    assert steps(night)["run"][0] == "failed"
    assert "no device is named cuda:9" in runner.summary()


def test_a_second_start_is_refused_and_names_the_first(runner):
    first = runner.start(*QUICK, variants=("loops",), case_timeout="20s")
    runner.wait_for("run")
    wait_until_measuring(runner)  # its profile has been read: the next line writes another one
    code, _, errors = runner.night(*QUICK)
    assert code == 69
    assert f"pid {first.pid} on {os.uname().nodename}" in errors
    first.send_signal(signal.SIGTERM)
    first.communicate()
    code, said, _ = runner.night(*QUICK)
    assert code == 3, said


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_night_keeps_what_it_has(runner, number):
    first = runner.start(*QUICK, variants=("constant", "loops"), case_timeout="20s")
    runner.wait_for("run")
    wait_until_measuring(runner)
    first.send_signal(number)
    said, _ = first.communicate()
    night = runner.latest()
    assert (first.returncode, night["state"], night["exit_code"]) == (130, "interrupted", 130), said
    assert night["run"]["status"] == "interrupted"
    assert steps(night)["gate"] == ("left out", 0)
    assert runner.lab.is_intact()


def wait_until_measuring(runner):
    """Until a process of the run is stored, so that there is something to lose."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        with contextlib.suppress(sqlite3.OperationalError):  # the table is being made
            if (
                runner.lab.database.exists()
                and runner.lab.query("SELECT count(*) FROM process")[0][0]
            ):
                return
        time.sleep(0.02)
    raise AssertionError("the run never began to measure")


@pytest.mark.parametrize("step", ["preflight", "run", "gate", "export"])
def test_a_killed_night_is_ended_by_the_next_and_loses_nothing(runner, step):
    slow = slow_ridgeline(runner, step)
    variants = ("constant", "noisy", "loops") if step == "run" else ("constant", "noisy")
    command = runner.command(*QUICK, variants=variants, case_timeout="20s")
    first = runner.lab.start_command(
        [slow if "/ridgeline" in part else part for part in command[:3]] + command[3:]
    )
    killed = runner.wait_for(step)
    if step == "run":
        wait_until_measuring(runner)
    first.kill()
    first.communicate()
    assert left_behind(wait_s=10) == [], "nothing goes on measuring"
    # As if it had been killed while it wrote its record, and another one while it wrote its first.
    at_birth = runner.nights / "20200101T000000Z-abcdef"
    at_birth.mkdir()
    half = [folder / ".night.json-x1y2z3_4" for folder in (runner.nights / killed["id"], at_birth)]
    for path in half:
        path.write_text("{")

    code, said, _ = runner.night(*QUICK)
    assert code == 3, said
    assert not any(path.exists() for path in half) and not at_birth.exists()
    night = json.loads((runner.nights / killed["id"] / "night.json").read_text())
    assert (night["state"], night["exit_code"]) == ("killed", 130)
    assert f"killed in {step}" in runner.summary(killed["id"])
    assert f"night {killed['id']} was killed in {step}" in runner.summary()
    if step == "run":
        assert night["run"]["status"] in ("interrupted", "killed")
        assert steps(night)["export"] == ("left out", 0)
    if step in ("gate", "export"):
        assert night["run"]["outcomes"] == {"ok": 2}
        assert steps(night)["export"] == ("done", 0), "what needs no measuring is made good"
    assert runner.lab.is_intact()
    assert runner.night(*QUICK)[1].count("was killed") == 0, "it is ended once"


def slow_ridgeline(runner, step):
    """The real program, except that it takes a minute over one command: time to be killed in it."""
    command = "devices" if step == "preflight" else step
    path = runner.lab.folder / "ridgeline"
    wait = f'[ "$1" = {command} ] && exec sleep 60\n' if command != "run" else ""
    path.write_text(f'#!/bin/sh\n{wait}exec {BUILD / "ridgeline"} "$@"\n')
    path.chmod(0o755)
    return str(path)


def test_a_run_that_overruns_its_limit_is_stopped_and_kept(runner):
    code, said, _ = runner.night(
        *QUICK, "--limit", "0.002", variants=("loops",), case_timeout="20s"
    )
    night = runner.latest()
    assert steps(night)["run"] == ("failed", 130), said
    assert "did not end within" in night["steps"][1]["said"]
    assert steps(night)["gate"] == ("left out", 0), "cases that were not reached are not missing"
    assert "would be called missing" in night["steps"][2]["said"]
    assert code == 130


def test_github_gets_a_summary_and_annotations(runner):
    page = runner.lab.folder / "step-summary.md"
    page.write_text("before\n")
    environment = {"GITHUB_STEP_SUMMARY": str(page)}
    code, said, _ = runner.night(
        *QUICK, "--github", variants=("constant", "segfault"), environment=environment
    )
    assert code == 2
    assert page.read_text() == "before\n" + runner.summary() + "\n"
    assert "\n::error title=nightly%3A run::run " in said


def test_without_anybody_looking_on_a_night_ends_as_well(runner):
    process = runner.start(*QUICK)
    process.stdout.close()
    assert process.wait() == 3
    assert runner.latest()["state"] == "finished"


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["--bogus"], 64, "--bogus"),
        (["--unfit", "perhaps"], 64, "invalid choice"),
        (["--min-free", "-1"], 64, "--min-free"),
        (["--results", "/proc/no"], 74, "/proc/no"),
        (["--ridgeline", "/no/such"], 69, "/no/such"),
    ],
)
def test_what_cannot_begin_says_why(runner, arguments, code, words):
    done = runner.lab.execute([*runner.command(), *arguments], text=True)
    assert (done.returncode, words in done.stderr) == (code, True), done.stderr
    assert len(done.stderr.splitlines()) <= 2


def test_the_programs_explain_themselves():
    for name in ("nightly", "preflight"):
        done = subprocess.run(
            [ROOT / "ci" / name, "--help"], capture_output=True, text=True, check=True
        )
        assert "usage:" in done.stdout
        assert "Exit codes" in done.stdout


def test_everything_is_installed_with_the_package():
    rules = (ROOT / "ci" / "cmake" / "package.cmake").read_text()
    for path in ("ci/nightly", "ci/preflight", "ci/night"):
        assert path in rules
        assert Path(ROOT / path).exists()
