"""GPUs by the driver alone, as the package of own kernels sees them."""

import os
import shutil
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
