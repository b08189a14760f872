"""A driver of NVIDIA's that is broken, or too old, keeps nobody from measuring on the CPU, and is
named."""

import os
import shutil
import subprocess

import pytest

from harness.run.scripted_runs import BUILD

SIDES = "gemm/*/f32/m=128,n=128,k=128"
CASE = SIDES.replace("*", "naive")
OLD = """
int cuInit(unsigned flags) { return 0; }
int cuDriverGetVersion(int *version) { *version = 10020; return 0; }
int cuDeviceGetCount(int *count) { *count = 1; return 0; }
"""
BROKEN = ["the NVIDIA driver is broken", "SIGBUS", "install it again"]
# The file of a library, what share of it is there, and what is said of it.
DRIVERS = {
    "no library": ("libcuda.so.1", "", 1, ["no NVIDIA driver", "libcuda.so.1 cannot be loaded"]),
    "without functions": (
        *("libcuda.so.1", "int nothing;", 1),
        ["no version that CUDA can tell", "newer driver"],
    ),
    "of CUDA 10.2": ("libcuda.so.1", OLD, 1, ["CUDA 10.2", "newer driver"]),
    "cut off": ("libcuda.so.1", OLD, 0.5, [*BROKEN, "libcuda.so.1"]),
    "cut off in NVML": ("libnvidia-ml.so.1", OLD, 0.5, [*BROKEN, "libnvidia-ml.so.1"]),
}


@pytest.fixture(params=DRIVERS)
def driver(request, tmp_path):
    """The environment of a machine that has it, and what is said."""
    file, source, share, said = DRIVERS[request.param]
    library = tmp_path / file
    if source:
        if not shutil.which("g++"):
            pytest.skip("no g++ to make a driver with")
        command = ["g++", "-x", "c", "-shared", "-fPIC", "-o", library, "-"]
        subprocess.run(command, input=source, text=True, check=True, timeout=60)
        os.truncate(library, int(share * library.stat().st_size))
    else:
        library.write_text("no library")
    libraries = f"{tmp_path}:{os.environ.get('LD_LIBRARY_PATH', '')}".strip(":")
    own = {"LD_LIBRARY_PATH": libraries, "HOME": str(tmp_path), "RIDGELINE_LOCKS": str(tmp_path)}
    return {**os.environ, **own}, said


def ridgeline(environment, *arguments):
    """Its exit code and what it printed."""
    done = subprocess.run(
        [BUILD / "ridgeline", *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode >= 0, f"killed by signal {-done.returncode}"
    return done.returncode, done.stdout, done.stderr


def fine(environment, *arguments):
    code, printed, errors = ridgeline(environment, *arguments)
    assert code == 0, printed + errors
    return printed


@pytest.fixture
def knows_drivers(driver):
    if "built without CUDA" in fine(driver[0], "devices"):
        pytest.skip("this build knows no driver")


def test_the_cpu_is_measured_and_the_driver_is_named(driver, knows_drivers, tmp_path):
    environment, said = driver
    devices = fine(environment, "devices")
    assert fine(environment, "--version").startswith("ridgeline ")
    results = ("--results", tmp_path / "results")
    first, why, *_ = fine(environment, "run", "--dry-run", *results, CASE).splitlines()
    assert first.startswith("device cpu: ")
    for word in said:
        assert word in devices
        assert word in why
    chosen = fine(environment, "run", "--dry-run", *results, "--device", "cpu", CASE)
    assert why not in chosen, "who chose the CPU asked for no GPU"


def test_a_gate_says_it_as_a_run_does(driver, knows_drivers, tmp_path):
    environment, _ = driver
    results = ("--results", tmp_path / "results")
    said_by_run = fine(environment, "run", "--dry-run", *results, CASE).splitlines()[:2]
    sides = ("--baseline-variant", "naive", "--candidate-variant", "register_tiled")
    _, printed, errors = ridgeline(environment, "gate", *sides, *results, "--budget", "1s", SIDES)
    assert printed.splitlines()[:2] == said_by_run, errors
