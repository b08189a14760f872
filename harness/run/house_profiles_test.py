"""The profiles of the house name cases that exist, also for devices that this machine lacks."""

import functools
import json
import re
import subprocess
import tomllib
from fnmatch import fnmatchcase

import pytest

from harness.run.scripted_runs import BUILD, ROOT

PROFILES = sorted((ROOT / "suites" / "profiles").glob("*.toml"))
# An H200 took 2.9 s for five processes of a case of `ladders`: counters do not fit into the hour.
CASES_OF_AN_HOUR = 1000
PROGRAMS = ("ridgeline-suites", "ridgeline-collectives", "ridgeline-emulated")


@functools.cache
def listed() -> dict[str, set[str]]:
    """Names of cases by the kind of their device."""
    names: dict[str, set[str]] = {}
    asked = b'{"request":"hello","protocol":1}\n{"request":"list"}\n'
    for program in PROGRAMS:
        if not (BUILD / program).exists():  # a build without CUDA, or without MPI
            continue
        done = subprocess.run([BUILD / program, "--worker"], input=asked, stdout=subprocess.PIPE)
        for case in json.loads(done.stdout.splitlines()[-1])["cases"]:
            fields = [f"{key}={value}" for key, value in case["problem"] + case["options"]]
            name = [case["suite"], case["variant"], case["dtype"], ",".join(fields)]
            names.setdefault(case["device_kind"], set()).add("/".join(name).rstrip("/"))
    return names


def picks(pattern: str, name: str) -> bool:
    return fnmatchcase(name, pattern) or fnmatchcase(name, pattern.rstrip("/") + "/*")


def patterns(profile: str, kind: str) -> list[str]:
    path = ROOT / "suites" / "profiles" / f"{profile}.toml"
    return tomllib.loads(path.read_text())[kind]["cases"]


def picked(profile: str, kind: str) -> set[str]:
    if kind not in listed():
        pytest.skip(f"this build lists no case of kind {kind}")
    wanted = patterns(profile, kind)
    return {
        name
        for name in listed()[kind]
        if any(picks(one, name) for one in wanted if not one.startswith("!"))
        and not any(picks(one[1:], name) for one in wanted if one.startswith("!"))
    }


@pytest.mark.parametrize("kind", ["cpu", "cuda", "emulated"])
@pytest.mark.parametrize("profile", PROFILES, ids=lambda path: path.stem)
def test_every_pattern_of_a_profile_picks_a_case(profile, kind):
    if kind not in listed():
        pytest.skip(f"this build lists no case of kind {kind}")
    lost = [
        one
        for one in patterns(profile.stem, kind)
        if not any(picks(one.lstrip("!"), n) for n in listed()[kind])
    ]
    assert not lost


@pytest.mark.parametrize("kind", ["cpu", "cuda", "emulated"])
def test_the_profile_full_has_what_the_ladders_have(kind):
    assert picked("ladders", kind) - picked("full", kind) == set()


def test_a_gpu_measures_the_profile_full_within_an_hour():
    names = picked("full", "cuda")
    # Of collectives a machine with one GPU has those of one rank, and it has no peers.
    alone = {name for name in names if not re.search(r",ranks=(?!1,)|/peer=", name)}
    assert len(alone) <= CASES_OF_AN_HOUR
    assert {name.split("/")[0] for name in names} == {
        name.split("/")[0] for name in listed()["cuda"]
    }, "a suite is left out"
