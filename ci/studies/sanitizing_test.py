"""What is read of compute-sanitizer, and the study beside a sanitizer that is made up."""

import json
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from ci.studies.sanitizing import (
    BULK,
    EXPLAINED,
    Case,
    Found,
    Unreadable,
    found,
    mistakes,
    one_of_each,
    table,
)

ROOT = Path(__file__).resolve().parents[2]
CLEAN = "========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n"
READ = """========= COMPUTE-SANITIZER
========= Invalid __global__ read of size 4 bytes
=========     at copy_kernel(float*)+0x90
=========     by thread (31,0,0) in block (7,0,0)
=========
========= ERROR SUMMARY: 2 errors
"""
RACE = """========= COMPUTE-SANITIZER
========= Error: Race reported between Write access at ring_kernel+0x150
=========     and Read access at ring_kernel+0x270 [4096 hazards]
=========
========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)
"""


def case(variant: str, name: str = "", size: float = 1) -> Case:
    return Case(name or f"{variant}/f32/n=1", variant, size)


def test_errors_are_those_of_the_summary_and_the_first_one_is_told():
    assert found(CLEAN) == Found(0)
    assert found(READ) == Found(2, "Invalid __global__ read of size 4 bytes")
    race = found(RACE)
    assert race.errors == 1
    assert race.first == "Error: Race reported between Write access at ring_kernel+0x150"


@pytest.mark.parametrize("said", ["", "Segmentation fault\n", CLEAN.rpartition("=========")[0]])
def test_without_a_summary_nothing_is_known(said):
    with pytest.raises(Unreadable):
        found(said)


def test_the_smallest_case_of_each_variant_is_watched():
    small, large, other = case("a/x", "a/x/1", 10), case("a/x", "a/x/2", 20), case("a/y")
    assert one_of_each([large, small, other]) == [small, other]


def test_races_of_bulk_copies_stand_apart_and_nothing_else_does():
    ring, plain = case("attention/flash_wgmma"), case("gemm/naive")
    results = {
        ("racecheck", ring.name): Found(3, "Error: Race"),
        ("memcheck", ring.name): Found(0),
        ("racecheck", plain.name): Found(0),
        ("memcheck", plain.name): "not within 60 s",
    }
    text = table(["memcheck", "racecheck"], [ring, plain], results)
    assert "| `attention/flash_wgmma/f32/n=1` | 0 | 3 explained |" in text
    assert "| `gemm/naive/f32/n=1` | not within 60 s | 0 |" in text
    assert "Explained, racecheck: filled by bulk or tensor copies" in text
    assert mistakes([ring, plain], results) == 0
    results["memcheck", ring.name] = Found(1, "Invalid read")
    results["racecheck", plain.name] = Found(2, "Error: Race")
    assert mistakes([ring, plain], results) == 2
    text = table(["memcheck", "racecheck"], [ring, plain], results)
    assert "| `attention/flash_wgmma/f32/n=1` | **1** | 3 explained |" in text
    assert "- memcheck of `attention/flash_wgmma/f32/n=1`: Invalid read" in text


def included(source: Path) -> set[str]:
    """All files of kernels/ that it includes, by way of others of its folder too."""
    names = set(re.findall(r'#include "(kernels/[^"]+)"', source.read_text()))
    for name in list(names):
        if name.startswith(str(source.parent.relative_to(ROOT))):
            names |= included(ROOT / name)
    return names


def test_races_are_explained_by_bulk_copies_in_kernels_that_have_some_alone():
    suites = {"memory": "coalescing", "stream": "roofs"}
    copies = {"kernels/ptx/copy_bulk.cuh", "kernels/ptx/copy_tensor.cuh"}
    with_copies = set()
    for file in ROOT.glob("kernels/*/cuda/**/*.cu"):
        family = file.relative_to(ROOT).parts[1]
        if included(file) & copies:
            with_copies.add(f"{suites.get(family, family)}/{file.stem}")
    assert {variant for (_, variant), why in EXPLAINED.items() if why == BULK} < with_copies


def programs(folder: Path, said: dict[str, str], status: int = 0) -> Path:
    """`ridgeline` that lists cases, and a compute-sanitizer that says something of each tool."""
    cases = [
        {"name": f"{suite}/{variant}/f32/n={n}", "suite": suite, "variant": variant, "bytes": n}
        for suite, variant in (("gemm", "naive"), ("attention", "flash_wgmma"))
        for n in (8, 4)
    ]
    (folder / "listed.json").write_text(json.dumps({"cases": cases}))
    (folder / "ridgeline").write_text(f"#!/bin/sh\nexec cat '{folder}/listed.json'\n")
    for tool, text in said.items():
        (folder / f"{tool}.txt").write_text(text)
    (folder / "compute-sanitizer").write_text(
        f'#!/bin/sh\necho "$@" >> "{folder}/calls"\ncat "{folder}/$2.txt"\nexit {status}\n'
    )
    for name in ("ridgeline", "compute-sanitizer"):
        (folder / name).chmod(0o755)
    return folder


def study(folder: Path, *options: str) -> subprocess.CompletedProcess:
    command = [sys.executable, ROOT / "ci/studies/sanitize", "--build", folder, *options]
    path = {"PATH": f"{folder}:/usr/bin:/bin"}
    return subprocess.run(
        command, capture_output=True, text=True, timeout=60, check=False, env=path
    )


def test_a_study_watches_each_variant_with_each_tool_and_goes_on_where_it_ended(tmp_path):
    folder = programs(tmp_path, {"memcheck": CLEAN, "racecheck": RACE, "initcheck": CLEAN})
    done = study(folder, "--raw", tmp_path / "raw", "--output", tmp_path / "table.md")
    assert done.returncode == 1, done.stderr
    assert "| `gemm/naive/f32/n=4` | 0 | **1** | 0 |" in done.stdout
    assert "| `attention/flash_wgmma/f32/n=4` | 0 | 1 explained | 0 |" in done.stdout
    assert (tmp_path / "table.md").read_text() == done.stdout
    calls = (tmp_path / "calls").read_text().splitlines()
    assert len(calls) == 6
    assert calls[0] == (
        f"--tool memcheck {folder}/ridgeline-suites --device cuda:0 --once gemm/naive/f32/n=4"
    )
    assert "--tool racecheck --racecheck-report analysis" in calls[2]
    again = study(folder, "--raw", tmp_path / "raw")
    assert again.stdout == done.stdout
    assert len((tmp_path / "calls").read_text().splitlines()) == 6


def test_what_is_clean_ends_with_0_and_patterns_choose_all_of_their_cases(tmp_path):
    folder = programs(tmp_path, {"memcheck": CLEAN})
    done = study(folder, "--tools", "memcheck", "gemm")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("| 0 |") == 4


@pytest.mark.parametrize(
    ("said", "status", "told"),
    [
        (CLEAN, 1, "the case ended with 1"),
        ("nothing that is known", 0, "compute-sanitizer said no summary"),
    ],
)
def test_what_cannot_be_checked_is_said_and_ends_with_2(tmp_path, said, status, told):
    folder = programs(tmp_path, {"memcheck": said}, status)
    done = study(folder, "--tools", "memcheck")
    assert done.returncode == 2, done.stderr
    assert told in done.stdout


def test_time_limits_hold_and_what_they_leave_out_is_said(tmp_path):
    folder = programs(tmp_path, {"memcheck": CLEAN})
    (folder / "compute-sanitizer").write_text("#!/bin/sh\nexec sleep 50\n")
    slow = study(folder, "--tools", "memcheck", "--seconds", "0.2")
    assert (slow.returncode, slow.stdout.count("not within 0.2 s")) == (2, 2), slow.stderr
    none = study(folder, "--tools", "memcheck", "--budget", "0")
    assert (none.returncode, none.stdout.count("| not tried |")) == (2, 2), none.stderr


def test_one_that_is_stopped_leaves_nothing_of_the_sanitizer_running(tmp_path):
    folder = programs(tmp_path, {"memcheck": CLEAN})
    watched = folder / "watched"
    (folder / "compute-sanitizer").write_text(
        f"#!/bin/sh\nsleep 300 &\necho $! > '{watched}.part'\n"
        f"mv '{watched}.part' '{watched}'\nwait\n"
    )
    command = [sys.executable, ROOT / "ci/studies/sanitize", "--build", folder]
    study_of_all = subprocess.Popen(command, env={"PATH": f"{folder}:/usr/bin:/bin"})
    until(watched.exists)
    study_of_all.terminate()
    assert study_of_all.wait(60) == 130
    until(lambda: not runs(int(watched.read_text())))


def runs(process: int) -> bool:
    """Not so of one that has ended, though nobody has asked how: it has no command line."""
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes() != b""
    except (FileNotFoundError, ProcessLookupError):
        return False


def until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_what_is_missing_is_69_and_unknown_tools_are_64(tmp_path):
    folder = programs(tmp_path, {})
    assert study(folder, "--tools", "synccheck,bogus").returncode == 64
    (folder / "compute-sanitizer").unlink()
    done = study(folder)
    assert done.returncode == 69
    assert "compute-sanitizer is not on the PATH" in done.stderr
