"""A driver of NVIDIA's that is broken, or too old, keeps nobody from measuring on the CPU, and is
named."""

import os
import shutil
import subprocess

import pytest

from harness.run.scripted_runs import BUILD

CASE = "gemm/naive/f32/m=128,n=128,k=128"
OLD = """
int cuInit(unsigned flags) { return 0; }
int cuDriverGetVersion(int *version) { *version = 10020; return 0; }
int cuDeviceGetCount(int *count) { *count = 1; return 0; }
"""
# What libcuda.so.1 is, and what is said of it.
DRIVERS = {
    "no library": ("", ["no NVIDIA driver", "libcuda.so.1 cannot be loaded"]),
    "without functions": ("int nothing;", ["no version that CUDA can tell", "newer driver"]),
    "of CUDA 10.2": (OLD, ["CUDA 10.2", "newer driver"]),
}


@pytest.fixture(params=DRIVERS)
def driver(request, tmp_path):
    """The environment of a machine that has it, and what is said."""
    source, said = DRIVERS[request.param]
    library = tmp_path / "libcuda.so.1"
    if source:
        if not shutil.which("g++"):
            pytest.skip("no g++ to make a driver with")
        command = ["g++", "-x", "c", "-shared", "-fPIC", "-o", library, "-"]
        subprocess.run(command, input=source, text=True, check=True, timeout=60)
    else:
        library.write_text("no library")
    libraries = f"{tmp_path}:{os.environ.get('LD_LIBRARY_PATH', '')}".strip(":")
    return {**os.environ, "LD_LIBRARY_PATH": libraries, "HOME": str(tmp_path)}, said


def ridgeline(environment, *arguments):
    done = subprocess.run(
        [BUILD / "ridgeline", *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_cpu_is_measured_and_the_driver_is_named(driver, tmp_path):
    environment, said = driver
    devices = ridgeline(environment, "devices")
    if "built without CUDA" in devices:
        pytest.skip("this build knows no driver")
    results = ("--results", tmp_path / "results")
    first, why, *_ = ridgeline(environment, "run", "--dry-run", *results, CASE).splitlines()
    assert first.startswith("device cpu: ")
    for word in said:
        assert word in devices
        assert word in why
    chosen = ridgeline(environment, "run", "--dry-run", *results, "--device", "cpu", CASE)
    assert why not in chosen, "who chose the CPU asked for no GPU"
