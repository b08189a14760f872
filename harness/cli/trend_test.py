"""ridgeline trend as a whole program, on invented nights."""

import json
import re
import subprocess
import sys

import pytest

from harness.run.scripted_runs import BUILD, ROOT

CASE = "copy/wide/f32/n={}"


def trend(results, *arguments):
    return subprocess.run(
        [BUILD / "ridgeline", "trend", "--results", results, *arguments],
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.fixture(scope="module")
def nights(tmp_path_factory):
    folder = tmp_path_factory.mktemp("nights")
    made = [
        sys.executable,
        ROOT / "ci" / "studies" / "synthetic_nights",
        folder,
        "--nights",
        "160",
        "--cases",
        "14",
    ]
    subprocess.run(
        [*made, "--processes", "1", "--samples", "1", "--noise", "0.3"],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return folder


def test_every_invented_event_is_found(nights):
    told = json.loads(trend(nights, "--json", "--nights", "150").stdout)
    assert told["ridgeline_json"] == 2
    (device,) = told["devices"]
    assert (device["model"], device["nights"], device["cases"]) == ("synthetic-nights", 160, 14)
    findings = device["findings"]
    (fleet,) = [one for one in findings if "members" in one]
    assert (
        fleet["kind"] == "environment"
        and "driver 580.1 -> 580.2" in fleet["changes"]["environment"]
    )
    (start,) = device["environments"]
    assert start["changed"] == ["power_limit_w 250 -> 300"] and 0.89 < start["ratio"] < 0.92
    (stopped,) = [one for one in findings if one["kind"] == "stopped"]
    assert stopped["case"] == CASE.format(256)
    kinds = {one["case"]: one["kind"] for one in findings if "before" in one}
    assert kinds[CASE.format(64)] == "regression"
    assert kinds[CASE.format(128)] == "improvement"
    (drift,) = [one for one in findings if one["kind"] == "drift"]
    assert drift["case"] == CASE.format(192)


def test_the_nightly_job_fails_on_what_is_new(nights):
    assert trend(nights).returncode == 0
    # The slower case was told and the stopped one gone for three nights within the last seven.
    assert trend(nights, "--fail-on-new", "--new-nights", "7").returncode == 2
    assert trend(nights, "--fail-on-new", "--new-nights", "7", CASE.format(64)).returncode == 1
    assert trend(nights, "--fail-on-new", "--new-nights", "7", CASE.format(128)).returncode == 0


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        (["--since", "yesterday"], 64, "--since yesterday is not a date"),
        (["--since", "2026-02-30"], 64, "is not a date"),
        (["--nights", "0"], 64, "1 or more"),
        (["--step", "-1"], 64, "--step is a percentage"),
        (["--step", "0"], 64, "at 0 there is no change so small that noise could not be it"),
        (["--tick", "-1"], 64, "--tick is a time in ns"),
        (["--tick", "2e9"], 64, "at most a second"),
        (["acknowledge", "x", "--why", "y", "--step", "0"], 64, "--step is a percentage"),
        (["acknowledge"], 64, "ridgeline trend acknowledge --help shows what there is"),
        (["resolve", "x", "--whyy", "y"], 64, "did you mean --why?"),
        (["--device", "h200"], 64, "no stored device is meant by 'h200'"),
        (["--profile", "full"], 64, "no stored run has the profile 'full'"),
        (["copy/wild"], 64, "what is stored has no case copy/wild"),
        (["--fail-on-new", "--new-nights", "100"], 64, "--new-nights reaches farther"),
    ],
)
def test_what_cannot_be_asked_for_is_refused(nights, arguments, code, text):
    done = trend(nights, *arguments)
    assert done.returncode == code and text in done.stderr and not done.stdout


def test_results_that_are_not_there_or_damaged_are_said(tmp_path):
    assert trend(tmp_path / "nowhere").returncode == 74
    (tmp_path / "synthetic-x.sqlite").write_bytes(b"SQLite format 3\0" + bytes(5000))
    done = trend(tmp_path)
    assert done.returncode == 74 and "synthetic-x.sqlite" in done.stderr


def test_the_report_as_text_says_when_which_case_changed(nights):
    done = subprocess.run(
        [BUILD / "ridgeline", "report", "--text", "--results", nights],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    told = [line for line in done.stdout.splitlines() if line.startswith("- ")]
    assert told and all(re.match(r"- 2\d{3}-\d\d-\d\d, [a-z]", line) for line in told), told
    assert any(re.search(r"regression(, new)?, " + CASE.format(64) + r": \+", one) for one in told)


def test_a_folder_that_no_report_can_be_put_in_is_named_with_the_reason(nights):
    done = subprocess.run(
        [BUILD / "ridgeline", "report", "--results", nights, "--output", "/sys/ridgeline"],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 74
    assert re.match(r"ridgeline: cannot make the folder /sys/ridgeline: (?!No such)", done.stderr)
