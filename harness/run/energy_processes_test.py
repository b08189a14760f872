"""In how many of its processes a case is executed for its energy."""

import sys
from pathlib import Path

import pytest

MINIMAL = Path(__file__).parents[1] / "worker" / "scripted" / "minimal_worker.py"
PROFILE = """description = "for tests"
processes = 4
budget = "30s"
case_timeout = "10s"

[sampling]
target = 0.01
unstable = 0.5
min_samples = 3
max_samples = 3
warmup = "1ms"
energy = "250ms"
{more}

[cpu]
cases = ["*"]
"""


@pytest.fixture
def worker(lab):
    """Says how long it was asked to execute for the energy."""
    text = MINIMAL.read_text().replace("#!/usr/bin/env python3", f"#!{sys.executable}")
    asked = "self.prepared.get('energy_budget_ns', 0)"
    metric = f"'name': 'asked', 'value': {asked}, 'unit': 'ns', 'direction': 'none'"
    for old, new in (
        ('"launcher": ""', '"launcher": "", "features": ["energy"]'),
        (
            '            "prepare_ns": 0,',
            f'            "prepare_ns": 0, "metrics": [{{{metric}}}],',
        ),
    ):
        assert text.count(old) == 1
        text = text.replace(old, new)
    path = lab.folder / "worker"
    path.write_text(text)
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ("", [250e6, 0, 0, 0]),
        ("energy_processes = 3", [250e6, 250e6, 250e6, 0]),
        ("energy_processes = 1000", [250e6] * 4),
    ],
)
def test_a_case_is_executed_for_its_energy_in_the_first_processes(lab, worker, more, expected):
    profile = lab.folder / "profile.toml"
    profile.write_text(PROFILE.format(more=more))
    done = lab.execute(
        lab.command(
            *("run", "sorting", "--device", "cpu", "--profile", profile),
            *("--worker", worker, "--results", lab.results),
        ),
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (lab.database,) = lab.results.glob("*.sqlite")
    asked = lab.query(
        "SELECT value FROM metric JOIN measurement ON measurement.id = measurement_id "
        "JOIN process ON process.id = process_id WHERE metric.name = 'asked' ORDER BY replicate"
    )
    assert [value for (value,) in asked] == expected
