"""GPUs by the driver alone, as the package of own kernels sees them."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from ridgeline import cuda_facts, libraries


@pytest.mark.parametrize("part", ["libcuda.so.1", "libnvidia-ml.so.1"])
def test_a_driver_that_was_copied_in_part_is_named(part, tmp_path, monkeypatch):
    whole = Path("/proc/self/maps").read_text().split()
    libc = next(Path(each) for each in whole if each.endswith("/libc.so.6"))
    shutil.copy(libc, tmp_path / part)
    os.truncate(tmp_path / part, libc.stat().st_size // 2)
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path))
    monkeypatch.setattr(libraries, "is_there", lambda name: True)
    found, reason = cuda_facts.devices()
    assert found == []
    assert reason.startswith("the NVIDIA driver is broken: ")
    assert part in reason
    assert "SIGBUS" in reason


def test_a_slow_library_is_not_blamed(tmp_path, monkeypatch):
    slow = tmp_path / "slow.so"
    os.mkfifo(slow)  # opening it waits for somebody who writes
    monkeypatch.setattr(cuda_facts, "_PATIENCE_S", 1)
    assert cuda_facts._killed_by_opening(str(slow)) == ""


@pytest.mark.skipif(not shutil.which("g++"), reason="no g++ to make a library with")
@pytest.mark.parametrize(
    ("name", "blamed"),
    [("SIGKILL", False), ("SIGTERM", False), ("SIGSEGV", True), ("SIGABRT", True)],
)
def test_only_faults_are_blamed(name, blamed, tmp_path):
    library = tmp_path / "library.so"
    source = f"#include <signal.h>\n__attribute__((constructor)) void f() {{ raise({name}); }}\n"
    command = ["g++", "-x", "c", "-shared", "-fPIC", "-o", library, "-"]
    subprocess.run(command, input=source, text=True, check=True, timeout=60)
    assert cuda_facts._killed_by_opening(str(library)).startswith(name) == blamed
