"""`ridgeline list` where a worker is missing that not every build has."""

import json
import sys
from pathlib import Path

import pytest

from harness.run.scripted_runs import BUILD, ROOT

WHY = "ridgeline-emulated not found beside ridgeline or on the PATH"
ADVICE = (
    "a build without nvcc leaves it out; build with nvcc, or name ridgeline-emulated with --worker"
)


@pytest.fixture
def alone(lab) -> str:
    """A ridgeline whose only worker has one case for the CPU."""
    folder = lab.folder / "bin"
    folder.mkdir()
    worker = folder / "ridgeline-suites"
    worker.write_text(
        f'#!/bin/sh\nexec {sys.executable} {ROOT}/harness/worker/scripted/minimal_worker.py "$@"\n'
    )
    (folder / "ridgeline").write_bytes((BUILD / "ridgeline").read_bytes())
    for program in folder.iterdir():
        program.chmod(0o755)
    lab.environment["PATH"] = str(folder)
    return str(folder / "ridgeline")


@pytest.mark.parametrize("arguments", [[], ["gemm"], ["--json"], ["--quiet"]])
@pytest.mark.parametrize("device", ["emulated:sm_90", "emulated"])
def test_cases_of_a_missing_worker_are_no_empty_list(lab, alone, device, arguments):
    done = lab.call("list", "--device", device, *arguments, executable=alone, text=True)
    assert done.returncode == 69
    assert (
        f"ridgeline: the cases for device {device} cannot be listed: {WHY}\n  {ADVICE}\n"
    ) in done.stderr
    assert done.stdout == ""


def test_a_run_on_a_device_of_a_missing_worker_says_the_same(lab, alone):
    done = lab.call(
        "run", "--device", "emulated:sm_90", "--results", lab.results, executable=alone, text=True
    )
    assert (done.returncode, done.stdout) == (69, "")
    assert f"there is no device emulated:sm_90 here: {WHY}\n  {ADVICE}\n" in done.stderr


def test_other_devices_are_listed_without_it(lab, alone):
    done = lab.call("list", "--device", "cpu", "--json", executable=alone, text=True)
    assert done.returncode == 0, done.stderr
    listed = json.loads(done.stdout)
    assert [case["worker"] for case in listed["cases"]] == ["ridgeline-suites"]
    assert {"worker": "ridgeline-emulated", "reason": WHY} in listed["unavailable"]
    assert lab.call("list", "--device", "bogus", executable=alone).returncode == 64
    # What a build left out is no news; what is there and fails is.
    assert lab.call("list", executable=alone, text=True).stderr == ""
    broken = Path(alone).with_name("ridgeline-emulated")
    broken.write_text("#!/bin/sh\nexit 3\n")
    broken.chmod(0o755)
    assert lab.call("list", executable=alone, text=True).stderr.startswith(
        "ridgeline-emulated: unavailable: "
    )


def test_a_named_worker_that_serves_the_device_is_listed(lab, alone):
    worker = BUILD / "ridgeline-scripted-worker"
    done = lab.call(
        "list", "--device", "emulated:sm_90", "--worker", worker, executable=alone, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "scripted/counted" in done.stdout
