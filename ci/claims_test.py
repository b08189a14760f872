"""Claims name cases that exist, and the list of the house can be read."""

import json
import os
import subprocess
import tomllib

import pytest

from harness.run.scripted_runs import BUILD, ROOT

CLAIMS = tomllib.loads((ROOT / "suites/claims.toml").read_text())["claim"]
ENVIRONMENT = os.environ | {"RIDGELINE_HOME": str(ROOT)}


def answer(*words: str | os.PathLike) -> dict:
    done = subprocess.run(
        [BUILD / "ridgeline", *words, "--json"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env=ENVIRONMENT,
    )
    if done.returncode == 69 or "there are no cases for device" in done.stderr:
        pytest.skip(done.stderr)  # of a build without them
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def names(check: dict) -> set[str]:
    entries = (check.get(side, []) for side in ("of", "over"))
    return {name for each in entries for name in ([each] if isinstance(each, str) else each)}


@pytest.fixture(scope="module")
def claims():
    """As they are told of the one GPU whose times are published."""
    (device,) = answer("report", "--claims", "--results", ROOT / "results/published")["devices"]
    return device["claims"]


def test_every_check_names_cases_that_exist():
    assert {claim["device"] for claim in CLAIMS} == {"cuda"}, "list others below, too"
    wanted = set().union(*(names(check) for claim in CLAIMS for check in claim["check"]))
    listed = {case["name"] for case in answer("list", "--device", "cuda:0")["cases"]}
    assert wanted
    assert wanted - listed == set()


def test_the_list_of_the_house_can_be_read(claims):
    assert [claim["title"] for claim in claims] == [claim["title"] for claim in CLAIMS]
    assert [len(claim["checks"]) for claim in claims] == [len(claim["check"]) for claim in CLAIMS]


def test_what_is_not_measured_says_why_and_how_to_measure_it(claims):
    for claim, told in zip(CLAIMS, claims, strict=True):
        for check, one in zip(claim["check"], told["checks"], strict=True):
            assert ("command" in one) == ("missing" not in check)
            if one["verdict"] == "not_measured":
                assert one["why"]
            else:
                assert "value" in one and "of" in one and "run" in one
