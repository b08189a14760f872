"""What a nightly job tells is remembered, and answered: ridgeline trend as a whole program."""

import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys

import pytest

from harness.cli.trend_test import CASE, trend
from harness.run.scripted_runs import ROOT

SLOWER, SLOW, STOPPED = CASE.format(64), CASE.format(192), CASE.format(256)
WEEK = ("--fail-on-new", "--new-nights", "7")  # which brought a slower case and one that stopped


@pytest.fixture(scope="module")
def invented(tmp_path_factory):
    folder = tmp_path_factory.mktemp("nights")
    made = [sys.executable, ROOT / "ci" / "studies" / "synthetic_nights", folder]
    made += ["--nights", "160", "--cases", "14", "--processes", "1", "--samples", "1"]
    subprocess.run([*made, "--noise", "0.3"], check=True, stdout=subprocess.DEVNULL)
    return folder


@pytest.fixture
def nights(invented, tmp_path):
    return shutil.copytree(invented, tmp_path / "results")


def database(results):
    return sqlite3.connect(results / "synthetic-nights.sqlite")


def told(results):
    return json.loads(trend(results, "told", "--json").stdout)["told"]


def label_of(results, case):
    (label,) = [one["label"] for one in told(results) if one["case_name"] == case and one["failed"]]
    return label


def listed(results, *arguments):
    (device,) = json.loads(trend(results, "--json", *arguments).stdout)["devices"]
    return device["findings"]


def a_day_later(results):
    """As if all that was told had been told a day ago."""
    with database(results) as made:
        made.execute(
            "UPDATE told SET told_at = strftime('%Y-%m-%dT%H:%M:%SZ', told_at, '-1 day'),"
            " state_at = strftime('%Y-%m-%dT%H:%M:%SZ', state_at, '-1 day')"
        )


def test_looking_remembers_nothing(nights):
    before = (nights / "synthetic-nights.sqlite").read_bytes()
    for arguments in ((), ("--json",), (*WEEK, "--no-record"), (*WEEK, "--until", "2026-06-09")):
        trend(nights, *arguments)
    assert (nights / "synthetic-nights.sqlite").read_bytes() == before
    assert "nothing was told yet" in trend(nights, "told").stdout


def test_a_job_that_starts_again_fails_again_and_the_next_one_does_not(nights):
    assert [trend(nights, *WEEK).returncode for _ in range(2)] == [2, 2]
    a_day_later(nights)
    assert trend(nights, *WEEK).returncode == 0, "no night came: the machine died"
    assert trend(nights, *WEEK, "--no-record").returncode == 0


def test_a_tick_makes_another_job_and_none_does_not(nights):
    for arguments in ((), ("--tick", "0"), ("--tick", "32"), ("--step", "1", "--tick", "32")):
        trend(nights, *WEEK, *arguments)
    with database(nights) as made:
        jobs = [job for (job,) in made.execute("SELECT job FROM telling ORDER BY job")]
    assert jobs == ["", "--step 1 --tick 32", "--tick 32"]


def test_what_was_told_is_told_of_the_copy_too(nights, tmp_path):
    trend(nights, *WEEK)
    a_day_later(nights)
    copy = shutil.copytree(nights, tmp_path / "copy")
    assert trend(copy, *WEEK).returncode == 0
    (finding,) = [one for one in listed(copy) if one.get("case") == SLOWER]
    assert finding["told_night"] == "2026-06-09" and "told 20" in finding["words"]["standing"]


def test_answers_are_heard(nights):
    assert trend(nights, *WEEK).returncode == 2
    stopped, slower = label_of(nights, STOPPED), label_of(nights, SLOWER)
    done = trend(nights, "acknowledge", stopped[:6], "--why", "ticket 17", "--by", "ops")
    assert done.returncode == 0, done.stderr
    assert (
        done.stdout == f"acknowledged {stopped}: stopped of {STOPPED} on 2026-06-04 (ticket 17)\n"
    )
    assert trend(nights, *WEEK).returncode == 1, "the slower one is still open"
    assert trend(nights, "expect", SLOWER + "@2026-06-04", "--why", "f32 sums").returncode == 0
    assert trend(nights, *WEEK).returncode == 0
    findings = {one.get("case"): one for one in listed(nights)}
    answer = findings[STOPPED]["answer"]
    assert (answer["state"], answer["why"], answer["by"]) == ("acknowledged", "ticket 17", "ops")
    assert findings[STOPPED]["worse"] and not findings[SLOWER]["worse"]
    assert findings[SLOWER]["words"]["kind"] == "regression, expected"
    text = trend(nights).stdout
    assert f"label {stopped}: told 20" in text and "by ops: ticket 17" in text
    assert trend(nights, "reopen", slower).returncode == 0
    assert trend(nights, *WEEK).returncode == 1
    states = {one["label"]: one["state"] for one in told(nights)}
    assert (states[stopped], states[slower]) == ("acknowledged", "told")


def test_a_change_can_be_answered_before_it_is_told(nights):
    for case in (SLOWER, STOPPED):
        assert trend(nights, "acknowledge", case, "--why", "seen at noon").returncode == 0
    assert trend(nights, *WEEK).returncode == 0


def test_an_event_is_answered_by_its_label(nights):
    trend(nights, *WEEK)
    (event,) = [one for one in listed(nights) if "members" in one]
    done = trend(nights, "acknowledge", event["label"], "--why", "the new driver")
    assert len(done.stdout.splitlines()) == len(event["members"]) == 14
    (event,) = [one for one in listed(nights) if "members" in one]
    assert event["answer"]["state"] == "acknowledged"


def test_the_beginning_of_several_labels_means_none(nights):
    trend(nights, *WEEK)
    (event,) = [one for one in listed(nights) if "members" in one]
    with database(nights) as made:
        made.execute("UPDATE told SET event = 'a0b1c2d3' WHERE event <> ''")
        made.execute("UPDATE told SET label = 'a0b1ffff' WHERE case_name = ? AND failed", (SLOWER,))
    done = trend(nights, "expect", "a0b1", "--why", "x")
    assert (done.returncode, "2 labels begin with 'a0b1'" in done.stderr) == (64, True), done.stderr
    assert all(one["state"] != "expected" for one in told(nights))
    done = trend(nights, "expect", "a0b1c", "--why", "x")
    assert len(done.stdout.splitlines()) == len(event["members"])


def test_a_night_that_failed_is_told_as_such_later(nights):
    then = ("--until", "2026-06-09", *WEEK)
    assert trend(nights, *WEEK).returncode == 2
    as_told = trend(nights, *then)
    assert as_told.returncode == 2
    a_day_later(nights)
    assert trend(nights, *WEEK).returncode == 0
    assert trend(nights, *then).returncode == 2
    assert trend(nights, *then).stdout.count("new\n") == as_told.stdout.count("new\n") > 0


def test_a_job_that_sees_less_takes_nothing_back(nights):
    assert trend(nights, *WEEK).returncode == 2
    before = {one["label"]: one for one in told(nights)}
    assert SLOWER in {one["case_name"] for one in before.values() if one["state"] == "told"}
    trend(nights, *WEEK, "--tick", "1000000000")
    after = {one["label"]: one for one in told(nights)}
    assert {label: after[label] for label in before} == before


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["acknowledge", "beef", "--why", "x"], "no change is meant by 'beef'"),
        (["acknowledge", CASE.format(512) + "@2026-01-02", "--why", "x"], "no change is meant"),
        (["acknowledge", SLOWER + "@yesterday", "--why", "x"], "yesterday is not a date"),
        (["acknowledge", SLOWER], "--why is required"),
        (["acknowledge", SLOWER, "--why", ""], "--why"),
        (["acknowledge", "--why", "x"], "WHICH is required"),
        (["reopen", SLOWER], "nothing was said of"),
        (["resolve", SLOWER, "--why", "x", "--by", "trend"], "name a person"),
        (["--only", "worse"], "--only"),
        (["--limit", "0"], "--limit is 1 or more"),
        (["--until", "today"], "--until today is not a date"),
        (["--until", "2026-01-01", "--since", "2026-02-01"], "--until lies before --since"),
    ],
)
def test_what_cannot_be_meant_is_refused(nights, arguments, text):
    done = trend(nights, *arguments)
    assert done.returncode == 64 and text in done.stderr and not done.stdout


def test_a_file_that_cannot_be_written_is_said_after_the_alarm(nights):
    file = nights / "synthetic-nights.sqlite"
    os.link(file, nights.parent / "other-name.sqlite")  # which root cannot write to either
    done = trend(nights, *WEEK)
    assert done.returncode == 74 and SLOWER in done.stdout
    assert "cannot write to" in done.stderr and "is not remembered" in done.stderr
    done = trend(nights, "acknowledge", SLOWER, "--why", "x")
    assert done.returncode == 74 and not done.stdout
    (nights.parent / "other-name.sqlite").unlink()
    assert trend(nights, *WEEK).returncode == 2, "no alarm is lost"


def test_a_locked_file_is_said(nights):
    writer = database(nights)
    writer.execute("PRAGMA journal_mode = WAL")
    writer.execute("BEGIN IMMEDIATE")
    done = trend(nights, *WEEK)
    writer.rollback()
    assert done.returncode == 74 and "another process has had it locked" in done.stderr
    assert SLOWER in done.stdout
    assert trend(nights, *WEEK).returncode == 2


def without_later_runs(results, day):
    with database(results) as made:
        made.executescript(
            "PRAGMA foreign_keys = OFF;"
            "DELETE FROM measurement WHERE process_id IN (SELECT process.id FROM process JOIN run"
            f" ON run.id = run_id WHERE substr(run.started, 1, 10) > '{day}');"
            "DELETE FROM process WHERE run_id IN (SELECT id FROM run WHERE"
            f" substr(started, 1, 10) > '{day}');"
            f"DELETE FROM run WHERE substr(started, 1, 10) > '{day}'"
        )


def test_until_a_day_is_as_if_no_later_run_were_stored(nights, tmp_path):
    for day in ("2026-06-08", "2026-05-01", "2026-03-01"):
        earlier = shutil.copytree(nights, tmp_path / day)
        without_later_runs(earlier, day)
        then = trend(nights, "--until", day, "--fail-on-new", "--no-record")
        now = trend(earlier, "--until", day, "--fail-on-new", "--no-record")
        assert (then.stdout, then.returncode) == (now.stdout, now.returncode), day
        assert f"to {day}, 14 cases" in then.stdout
    assert trend(nights, "--until", "2025-12-31").returncode == 3


def test_findings_are_listed_newest_first_and_chosen(nights):
    dates = [one["night"] for one in listed(nights, "--nights", "150")]
    assert dates == sorted(dates, reverse=True) and len(set(dates)) > 3
    only = {one["kind"]: one for one in listed(nights, "--only", "drift", "--only", "stopped")}
    assert {kind: one["case"] for kind, one in only.items()} == {"drift": SLOW, "stopped": STOPPED}
    assert "2026-05-01" <= only["drift"]["night"] <= "2026-05-05", "where it was invented"
    assert 1.03 < only["drift"]["ratio"] < 1.049
    (first,) = listed(nights, "--limit", "1")
    assert first["night"] == dates[0]
    new = listed(nights, "--only", "new", "--only", "regression", "--new-nights", "7")
    assert [one["case"] for one in new] == [SLOWER]
    assert "and 4 more, which --limit hides" in trend(nights, "--limit", "1").stdout
    code = trend(nights, *WEEK, "--only", "improvement").returncode
    assert code == 2, "what is not listed is told all the same"


def test_a_device_that_is_silent_is_said(nights):
    silent = "silent: no night since 2026-06-09, "
    assert silent in trend(nights).stdout
    assert silent not in trend(nights, "--until", "2026-06-11").stdout
    assert silent + "6 days ago" in trend(nights, "--until", "2026-06-15").stdout


def test_a_run_of_the_future_is_said_and_silences_nothing(nights):
    with database(nights) as made:
        made.execute(
            "INSERT INTO run SELECT 'future', device_id, environment_id, label, command_line,"
            " profile, profile_text, seed, '2099-01-01T02:00:00Z', '2099-01-01T03:00:00Z', status,"
            " gate, unfit, unstable, imported FROM run ORDER BY started DESC LIMIT 1"
        )
    done = trend(nights, *WEEK)
    assert done.returncode == 2
    assert "1 run of the future (a clock was wrong)" in done.stdout
    assert "to 2026-06-09" in done.stdout


def test_series_come_with_the_facts_of_their_environment(nights):
    (device,) = json.loads(trend(nights, "--json", "--series").stdout)["devices"]
    limits = {device["comparable"][one["environment"]]["power_limit_w"] for one in device["series"]}
    assert limits == {"250", "300"}
    longest = max(device["series"], key=lambda one: len(one["nights"]))
    assert 0.002 < longest["spread"] < 0.004 and 0 <= longest["phi"] < 0.5


def test_who_answered_is_listed_and_what_was_not_told_yet(nights):
    answer = ("acknowledge", SLOWER, "--why", "seen", "--by", "ops")
    assert trend(nights, *answer).returncode == 0
    lines = [line for line in trend(nights, "told").stdout.splitlines() if f"{SLOWER} " in line]
    assert lines
    for line in lines:
        assert re.search(r" not yet +acknowledged +ops +seen$", line), line


@pytest.mark.parametrize("option", ["--why", "--by"])
@pytest.mark.parametrize("value", ["--results", "--json", "--nights=3", "-h"])
def test_an_option_is_no_reason(nights, option, value):
    done = trend(nights, "resolve", "*", "--why", "over", option, value)
    assert (done.returncode, done.stdout) == (64, "")
    word = value.split("=")[0]
    assert f"{option}: its value is missing, for {word} is an option itself" in done.stderr


def test_a_reason_may_look_like_a_foreign_option(nights):
    assert trend(nights, "acknowledge", SLOWER, "--why", "--use_fast_math").returncode == 0
