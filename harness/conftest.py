import fcntl
import os
import subprocess

import pytest

from harness.run.scripted_runs import BUILD, Lab, adopt_orphans, left_behind


@pytest.fixture
def lab(tmp_path):
    """A Lab; afterwards no process of the test may be left, dead or alive."""
    for program in ("ridgeline", "ridgeline-suites", "ridgeline-scripted-worker"):
        assert (BUILD / program).is_file(), (
            f"{BUILD / program} is not built; build it, or set RIDGELINE_BUILD"
        )
    adopt_orphans()
    left_behind(
        wait_s=5
    )  # orphans of tests without a Lab fall to this process, too, and tests come in any order
    yield Lab(tmp_path)
    assert left_behind() == []


@pytest.fixture(scope="session")
def shared_folder(tmp_path_factory):
    """One folder for all processes of pytest, and a function that has one of them make what lies in
    it: made("name", make) calls make(path) unless that was done."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "shared"
    folder.mkdir(exist_ok=True)

    def made(name, make):
        with (folder / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            done = folder / f"{name}.done"
            if not done.exists():
                make(folder / name)
                done.touch()
        return folder / name

    return made


@pytest.fixture(scope="session")
def installed(shared_folder):
    """What `cmake --install` makes of the build; tests only read it."""

    def install(folder):
        command = ["cmake", "--install", BUILD.parent, "--prefix", folder]
        subprocess.run(command, check=True, capture_output=True, timeout=300)

    return shared_folder("installed", install)
