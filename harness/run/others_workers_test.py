"""Workers of others: what they claim is checked, and what they measure is called what it is."""

import shutil
import sys
from pathlib import Path

import pytest

MINIMAL = Path(__file__).parents[1] / "worker" / "scripted" / "minimal_worker.py"


@pytest.fixture
def worker(lab):
    """Writes the minimal worker, of which these texts are replaced."""

    def write(*changes: tuple[str, str]) -> Path:
        text = MINIMAL.read_text().replace("#!/usr/bin/env python3", f"#!{sys.executable}")
        for old, new in changes:
            assert text.count(old) >= 1, old
            text = text.replace(old, new)
        path = lab.folder / "worker"
        path.write_text(text)
        path.chmod(0o755)
        return path

    return write


@pytest.fixture
def measured(lab, worker):
    """Measures the case of the minimal worker, of which these texts are replaced: name, outcome and
    reason. The profile does not know its suite."""

    def measure(*changes: tuple[str, str]) -> tuple[str, str, str]:
        shutil.rmtree(lab.results, ignore_errors=True)
        profile = lab.profile()
        profile.write_text(profile.read_text().replace("max_samples = 50", "max_samples = 60"))
        lab.execute(
            lab.command(
                *("run", "sorting", "--device", "cpu", "--profile", profile),
                *("--worker", worker(*changes), "--results", lab.results, "--quiet"),
            ),
            text=True,
        )
        (lab.database,) = lab.results.glob("*.sqlite")
        (found,) = lab.outcomes().items()
        return (found[0], *found[1][0])

    return measure


def answered(samples: str) -> tuple[str, str]:
    return (
        "        self.samples += taken\n",
        f"        taken = {samples}\n        self.samples += taken\n",
    )


def test_times_that_cannot_be_are_no_times(measured):
    name, outcome, reason = measured(answered("[ns * 1000 for ns in taken]"))
    assert name == "sorting/python/f64/n=10000,cache=hot,launch=single"
    assert outcome == "crashed"
    assert "these times cannot have been measured" in reason


UNVERIFIED = (
    ('"outcome": "ok" if right else "wrong_result",\n            "reason": "" if right else '
     '"the list is not sorted",\n            "samples_ns"',
     '"outcome": "unverified",\n            "reason": "trust me",\n            "samples_ns"'),
    ('"verification": {"error": 0 if right else "inf", "tolerance": 0},\n', ""),
)  # fmt: skip


def test_no_outcome_that_a_worker_says_lets_its_times_through(measured):
    _, outcome, reason = measured(*UNVERIFIED, answered("[ns * 1e6 for ns in taken]"))
    assert outcome == "crashed"
    assert "these times cannot have been measured" in reason
    _, outcome, reason = measured(*UNVERIFIED)
    assert (outcome, reason) == ("unverified", "trust me")


STOPPED = """[*taken]
        if not os.path.exists("stopped"):
            open("stopped", "w").close()
            on = f"sleep 2; kill -CONT {os.getpid()}"
            subprocess.Popen(["sh", "-c", on], stdin=-3, stdout=-3, stderr=-3)
            os.kill(os.getpid(), 19)"""


def test_what_nobody_verified_and_was_disturbed_is_both(measured, lab, monkeypatch):
    monkeypatch.chdir(lab.folder)
    imports = ("import json\n", "import json, os, subprocess\n")
    _, outcome, reason = measured(*UNVERIFIED, imports, answered(STOPPED))
    assert outcome == "unverified"
    assert reason.startswith("the worker was stopped for ")
    assert reason.endswith(" s while it was measured; trust me")
    telemetry = '{"throttle": "", "throttled_by_hardware": False, "other_processes": 2}'
    shared = ('"buffer_sets": 1,', f'"buffer_sets": 1, "telemetry": {telemetry},')
    _, outcome, reason = measured(*UNVERIFIED, shared)
    said = "2 other processes used the device while the case was timed; trust me"
    assert (outcome, reason) == ("unverified", said)


FAKE = (('"device_kind": "cpu"', '"device_kind": "fake"'), ('"kind": "cpu"', '"kind": "fake"'))


def test_a_device_of_scripted_times_is_one_that_the_user_names(lab, worker):
    profile = lab.profile()
    profile.write_text(profile.read_text().replace("scripted/*", "sorting/*"))

    def run(path, device):
        return lab.execute(
            lab.command(
                *("run", "sorting", "--device", device, "--profile", profile),
                *("--worker", path, "--results", lab.results, "--quiet"),
            ),
            text=True,
        )

    longer = answered("[ns * 1000 for ns in taken]")
    passed_off = run(worker(*FAKE, longer), "cpu")
    assert passed_off.returncode in (69, 70)
    assert "must begin with its kind: cpu is no fake" in passed_off.stderr
    path = worker(*FAKE, ('"id": "cpu"', '"id": "fake"'), longer)
    assert run(path, "fake").returncode == 0
    (lab.database,) = lab.results.glob("*.sqlite")
    (found,) = lab.outcomes().items()
    assert found[1][0][0] in ("ok", "unstable"), found


def test_times_of_many_executions_count_as_often(measured):
    _, outcome, reason = measured(
        ('"executions_per_sample": 1,', '"executions_per_sample": 100_000,')
    )
    assert outcome == "crashed" and "cannot have been measured" in reason


def test_dozens_of_equal_times_are_doubtful(measured):
    _, outcome, reason = measured(answered("[1000.0] * 60"))
    assert outcome == "unstable"
    assert reason == "all 60 samples are exactly 1.00 us, which no clock says so often"


def test_a_worker_that_measures_hot_alone_has_hot_cases(measured):
    name, outcome, reason = measured(
        (
            '"options": [["cache", "hot"], ["launch", "single"]]',
            '"options": [["launch", "single"]]',
        ),
        ('"sorting/python/f64/n=10000,cache=hot,', '"sorting/python/f64/n=10000,'),
        ('"launcher": ""', '"launcher": "", "features": ["hot"]'),
    )
    assert name == "sorting/python/f64/n=10000,launch=single,cache=hot"
    assert outcome in ("ok", "unstable", "invalid_environment"), reason
