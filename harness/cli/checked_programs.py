"""`ridgeline check`, for its tests: they are left out where a build has no emulated device."""

import subprocess

import pytest

from harness.run.scripted_runs import BUILD

if not (BUILD.parent / "lib" / "ridgeline" / "check.json").exists():
    pytest.skip("this build has no emulated device", allow_module_level=True)


def check(folder, *arguments):
    return subprocess.run(
        [BUILD / "ridgeline", "check", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=300,
        cwd=folder,
    )
