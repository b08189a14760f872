"""What preflight makes of the machine around the device, on made-up /proc folders and on this
machine."""

import os

import pytest

from ci.night import host
from ci.night.finding import NOTE, UNFIT, UNKNOWN, Preflight


def found(preflight):
    return [(finding.check, finding.level) for finding in preflight.findings]


def test_a_disk_with_too_little_room_is_found_although_the_folder_is_not_there_yet(tmp_path):
    preflight = Preflight("cpu")
    host.look_at_disk(tmp_path / "not" / "yet", 1 << 62, preflight)
    assert found(preflight) == [("disk", UNFIT)]
    host.look_at_disk(tmp_path, 1, enough := Preflight("cpu"))
    assert found(enough) == []
    assert "GiB" in enough.looked_at["disk free"]


@pytest.mark.parametrize(
    ("measures_cpu", "busy", "stolen", "expected"),
    [
        (True, 0.10, 0.0, []),
        (True, 0.11, 0.0, [("processor load", UNFIT)]),
        (True, 0.0, 0.03, [("stolen time", UNFIT)]),
        (False, 0.11, 0.0, []),
        (False, 0.60, 0.0, [("processor load", NOTE)]),
        (False, 0.95, 0.0, [("processor load", UNFIT)]),
        (False, 0.0, 0.03, [("stolen time", NOTE)]),
    ],
)
def test_a_cpu_needs_all_processors_and_a_gpu_one(measures_cpu, busy, stolen, expected):
    preflight = Preflight("device")
    host.judge_processors(
        measures_cpu, 16, busy, stolen, "load average 1.00", {"cc1plus (pid 7)": 0.9}, preflight
    )
    assert found(preflight) == expected
    if ("processor load", UNFIT) in expected:
        assert "most by cc1plus (pid 7) 0.9" in preflight.findings[0].seen


def test_use_is_counted_by_process_and_not_by_number():
    before = {7: ("make", "100", 4.0), 8: ("sh", "50", 9.0)}
    after = {
        7: ("make", "100", 5.0),
        8: ("cc1plus", "300", 2.0),
        os.getpid(): ("python3", "1", 60.0),
    }
    assert host.cores_used(before, after, 2.0) == {"make (pid 7)": 0.5, "cc1plus (pid 8)": 1.0}


def test_this_machine_is_read(monkeypatch):
    monkeypatch.setattr(host, "WATCHED_S", 0.2)
    preflight = Preflight("cpu")
    host.look_at_processors(True, preflight)
    host.look_at_memory(preflight)
    assert "load average" in preflight.looked_at["processors busy"]
    assert "GiB" in preflight.looked_at["memory available"]


def test_what_cannot_be_read_is_unknown_and_not_fine(tmp_path):
    preflight = Preflight("cpu")
    host.look_at_processors(True, preflight, root=tmp_path)
    assert found(preflight) == [("processor load", UNKNOWN)]


@pytest.mark.parametrize(
    ("text", "measures_cpu", "expected"),
    [
        ("max 100000", True, []),
        (f"{100000 * 4096} 100000", True, []),
        ("50000 100000", True, [("processor quota", UNFIT)]),
        ("50000 100000", False, [("processor quota", NOTE)]),
        ("nonsense", True, []),
    ],
)
def test_a_quota_below_the_processors_is_found(tmp_path, text, measures_cpu, expected):
    (tmp_path / "cpu.max").write_text(text + "\n")
    preflight = Preflight("cpu")
    host.look_at_quota(measures_cpu, preflight, root=tmp_path)
    assert found(preflight) == expected


def test_governors_that_raise_clocks_late_are_noted(tmp_path):
    for core, governor in enumerate(["performance", "powersave"]):
        folder = tmp_path / f"cpu{core}" / "cpufreq"
        folder.mkdir(parents=True)
        (folder / "scaling_governor").write_text(governor + "\n")
    preflight = Preflight("cpu")
    host.look_at_governors(preflight, root=tmp_path)
    assert found(preflight) == [("governor", NOTE)]
    (tmp_path / "cpu1" / "cpufreq" / "scaling_governor").write_text("performance\n")
    host.look_at_governors(alike := Preflight("cpu"), root=tmp_path)
    assert found(alike) == []
