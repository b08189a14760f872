"""Workers of others: what they claim is checked, and what they measure is called what it is."""

import sys
from pathlib import Path

import pytest

MINIMAL = Path(__file__).parents[1] / "worker" / "scripted" / "minimal_worker.py"
REAL = ('"synthetic-python"', '"a-cpu"')


@pytest.fixture
def measured(lab):
    """Measures the case of the minimal worker, of which these texts are replaced: name, outcome and
    reason. The profile does not know its suite."""

    def measure(*changes: tuple[str, str]) -> tuple[str, str, str]:
        text = MINIMAL.read_text().replace("#!/usr/bin/env python3", f"#!{sys.executable}")
        for old, new in changes:
            assert text.count(old) >= 1, old
            text = text.replace(old, new)
        path = lab.folder / "worker"
        path.write_text(text)
        path.chmod(0o755)
        profile = lab.profile()
        profile.write_text(profile.read_text().replace("max_samples = 50", "max_samples = 60"))
        lab.execute(
            lab.command(
                *("run", "sorting", "--device", "cpu", "--profile", profile),
                *("--worker", path, "--results", lab.results, "--quiet"),
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
    name, outcome, reason = measured(REAL, answered("[ns * 1000 for ns in taken]"))
    assert name == "sorting/python/f64/n=10000,cache=hot,launch=single"
    assert outcome == "crashed"
    assert "these times cannot have been measured" in reason


def test_times_that_a_script_made_are_let_through(measured):
    _, outcome, _ = measured(answered("[ns * 1000 for ns in taken]"))
    assert outcome != "crashed"


def test_times_of_many_executions_count_as_often(measured):
    _, outcome, reason = measured(
        REAL, ('"executions_per_sample": 1,', '"executions_per_sample": 100_000,')
    )
    assert outcome == "crashed" and "cannot have been measured" in reason


def test_dozens_of_equal_times_are_doubtful(measured):
    _, outcome, reason = measured(REAL, answered("[1000.0] * 60"))
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
