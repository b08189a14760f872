"""What the tests of the templates share: a package of the programs under test, and a profile that
takes seconds and calls nothing unstable, however busy the machine is."""

import subprocess
import tarfile

import pytest

from harness.run.scripted_runs import BUILD

PROFILE = """description = "for tests: two cases, one process"
processes = 1
budget = "60s"
case_timeout = "50s"

[sampling]
target = 0.9
unstable = 0.9
min_samples = 10
max_samples = 20
warmup = "5ms"

[cpu]
cases = ["gemm/cache_tiled/*/m=128,n=128,k=128", "gemm/loop_reordered/*/m=128,n=128,k=128"]
"""


@pytest.fixture(scope="session")
def package(tmp_path_factory):
    """A tarball as `cpack` packs it, of the build under test; and the folder that it holds."""
    if not (BUILD.parent / "cmake_install.cmake").is_file():
        pytest.skip(f"{BUILD.parent} is no build folder, so nothing can be installed from it")
    folder = tmp_path_factory.mktemp("package") / "ridgeline-0-linux-x86_64"
    done = subprocess.run(
        ["cmake", "--install", str(BUILD.parent), "--prefix", str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{BUILD.parent} is not built as a whole:\n{done.stderr}"
    tarball = folder.with_suffix(".tar.gz")
    with tarfile.open(tarball, "w:gz", compresslevel=1) as archive:
        archive.add(folder, folder.name)
    return tarball


@pytest.fixture
def profile(tmp_path):
    path = tmp_path / "two-cases.toml"
    path.write_text(PROFILE)
    return path


def understands(command: str) -> bool:
    """Whether this build's ridgeline has the command."""
    done = subprocess.run(
        [BUILD / "ridgeline", command, "--help"], capture_output=True, text=True, check=False
    )
    return f"ridgeline {command}" in done.stdout.split("Examples")[0]


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A folder with the locks of its own, in which nothing of this machine's other users is waited
    for."""
    locks = tmp_path / "locks"
    locks.mkdir()
    monkeypatch.setenv("RIDGELINE_LOCKS", str(locks))
    monkeypatch.delenv("RIDGELINE_RESULTS", raising=False)
    monkeypatch.delenv("RIDGELINE_HOME", raising=False)
    return tmp_path


@pytest.fixture
def unpacked(package, machine):
    """The package as somebody has unpacked it."""
    with tarfile.open(package) as archive:
        archive.extractall(machine / "unpacked", filter="data")
    (folder,) = (machine / "unpacked").iterdir()
    return folder


def needs(*commands: str) -> None:
    """Skips a test of a whole night where this build's ridgeline does not have these commands
    yet."""
    missing = [command for command in commands if not understands(command)]
    if missing:
        pytest.skip(f"this ridgeline has no {', '.join(missing)}")
