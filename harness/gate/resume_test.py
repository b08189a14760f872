"""Gates that end early: what was measured is stored, and `--resume` goes on with the same and
nothing else."""

import json
import re
import shlex
import signal
import sqlite3
import time

import pytest

from harness.run.kill_test import finish, wait_for
from harness.run.scripted_runs import PLAIN, VARIANTS, left_behind, repeatable, verdicts

GATE_ID = re.compile(r"^gate (\S+?)[:,] ", re.MULTILINE)


@pytest.fixture
def gate(lab):
    """A gate of about a hundred pairs, with a seed; what it says when nothing interrupts it."""
    profile, candidate = lab.profile(*VARIANTS, warmup="1s"), lab.worker("candidate", "--slower", 4)
    command = lab.gate_command(profile, PLAIN, candidate, "--seed", 5)
    whole = lab.execute([*command, "--json"], text=True)
    expected = verdicts(whole.stdout)
    assert whole.returncode == 2
    lab.database.unlink()
    return command, expected


def resuming(lab) -> list[str]:
    """The command that `show` gives for the latest gate, once it is interrupted or killed."""
    shown = lab.call("show", "latest", "--results", lab.results, text=True).stdout
    return lab.command(*shlex.split(re.search(r"^  resume: ridgeline (.*)", shown, re.M)[1]))


def resume(lab, *arguments: object):
    done = lab.execute([*resuming(lab), "--json", *arguments], text=True)
    assert done.stdout, done.stderr
    return done.returncode, verdicts(done.stdout)


def test_an_interrupted_gate_goes_on_and_says_what_an_uninterrupted_one_does(lab, gate):
    command, expected = gate
    for pairs in (1, 30, 60):
        process = lab.start_command(command, env=lab.environment)
        lab.wait_for_pairs(pairs)
        process.send_signal(signal.SIGINT)
        printed = finish(process)
        assert process.returncode == 130, printed
        assert lab.query("SELECT status FROM gate") == [("interrupted",)]
        assert lab.query("SELECT DISTINCT status FROM run") == [("interrupted",)]
        assert "undecided" in printed
        assert re.search(rf"ridgeline gate --resume {GATE_ID.search(printed)[1]}", printed)
        stored = lab.query("SELECT count(*) FROM pair")[0][0]
        assert stored >= pairs
        code, found = resume(lab)
        assert (code, repeatable(found)) == (2, repeatable(expected))
        assert lab.query("SELECT status FROM gate") == [("finished",)]
        assert lab.query("SELECT count(*) FROM gate") == [(1,)]
        assert lab.is_intact()
        lab.database.unlink()


def test_a_killed_gate_goes_on_and_says_what_an_uninterrupted_one_does(lab, gate):
    command, expected = gate
    process = lab.start_command(command, env=lab.environment)
    for pairs in (10, 40):
        lab.wait_for_pairs(pairs)
        process.kill()
        finish(process)
        assert left_behind(wait_s=10) == []
        assert lab.is_intact()
        assert lab.query("SELECT status FROM gate") == [("running",)]
        shown = lab.execute(lab.command("show", "--results", lab.results), text=True).stdout
        stored = lab.query("SELECT count(*) FROM pair")[0][0]
        assert (
            f"the gate was killed; {stored} pairs are stored\n  resume: ridgeline gate --resume "
        ) in shown
        process = lab.start_command([*resuming(lab), "--json"], env=lab.environment)
    printed = finish(process)
    assert process.returncode == 2
    assert repeatable(verdicts(printed)) == repeatable(expected)


def test_a_second_interrupt_ends_a_gate_at_once(lab):
    process = lab.start_command(
        lab.gate_command(lab.profile("constant", "loops_with_child"), PLAIN, PLAIN, "--aa"),
        env=lab.environment,
    )
    wait_for(process, "A/A")
    time.sleep(0.3)
    for _ in range(2):
        process.send_signal(signal.SIGTERM)
    finish(process)
    assert process.returncode == 130
    assert left_behind(wait_s=5) == []
    assert lab.is_intact()


@pytest.mark.parametrize("stopped", [signal.SIGINT, signal.SIGKILL])
def test_stopped_workers_are_not_left_behind(lab, stopped):
    # One of the two is always stopped while the other works.
    process = lab.start_command(
        lab.gate_command(lab.profile("slow"), PLAIN, PLAIN, "--aa"), env=lab.environment
    )
    wait_for(process, "A/A")
    time.sleep(0.7)
    process.send_signal(stopped)
    finish(process)
    assert left_behind(wait_s=5) == []


def interrupted_gate(lab, candidate):
    process = lab.start_command(
        lab.gate_command(lab.profile("constant", "slow"), PLAIN, candidate), env=lab.environment
    )
    lab.wait_for_pairs(1)
    process.send_signal(signal.SIGINT)
    finish(process)
    assert process.returncode == 130


def refusal(lab, *arguments: object) -> str:
    done = lab.execute([*resuming(lab), *arguments], text=True)
    assert done.returncode == 64, done.stdout + done.stderr
    return done.stderr


def test_a_program_that_only_the_record_names_is_not_started(lab):
    started = lab.folder / "started"
    candidate = lab.worker("candidate", "--slower", 1)
    interrupted_gate(lab, candidate)
    candidate.write_text(f"#!/bin/sh\ntouch {started}\n")
    unnamed = lab.call("gate", "--resume", "latest", "--results", lab.results, text=True)
    assert unnamed.returncode == 64 and not started.exists()
    assert "starts programs that its record names, and a record can be a stranger's" in (
        unnamed.stderr
    )
    advised = shlex.split(unnamed.stderr.split("if you trust them, add: ")[1])
    assert advised == resuming(lab)[4:-2]
    assert advised[1::2] == [str(PLAIN), str(candidate)]


def test_a_gate_does_not_go_on_with_something_else(lab):
    candidate = lab.worker("candidate", "--slower", 1)
    interrupted_gate(lab, candidate)
    assert "--delta does not go with --resume" in refusal(lab, "--delta", "1%")
    assert "--worker does not go with gate" in refusal(lab, "--worker", candidate)
    assert "--resume does not go with --baseline-variant" in refusal(
        lab, "--baseline-variant", "constant", "--candidate-variant", "noisy"
    )
    lab.environment["RIDGELINE_RUNNER"] = "another"
    assert "the comparable environment has changed" in refusal(lab)
    del lab.environment["RIDGELINE_RUNNER"]
    lab.worker("candidate", "--slower", 2)
    assert "the candidate's code has changed" in refusal(lab)
    lab.worker("candidate", "--slower", 1)
    assert lab.query("SELECT status FROM gate") == [("interrupted",)]


def test_what_the_time_went_into_is_said_and_stored(lab):
    command = lab.gate_command(lab.profile("constant"), PLAIN, PLAIN, "--aa")
    said = re.search(r"^  time: (.*)$", lab.execute(command, text=True).stdout, re.M)[1]
    shown = lab.call("show", "latest", "--results", lab.results, text=True).stdout
    assert f"\n  time: {said}\n" in shown
    stored = lab.call("show", "latest", "--json", "--results", lab.results, text=True).stdout
    time = json.loads(stored)["time"]
    assert time.pop("text") == said
    total = time.pop("total_ns")
    assert (total,) == lab.query("SELECT sum(total_ns) FROM measurement")[0]
    assert len(time) == 4 and time["sampling_ns"] > 0
    shares = dict(re.findall(r"(sampling|preparing|verifying) ([\d.]+)%", said))
    for what, share in shares.items():
        assert float(share) == pytest.approx(100 * time[f"{what}_ns"] / total, rel=0.01, abs=0.1)


@pytest.mark.parametrize(
    ("key", "value"),
    [("beta", 5), ("beta", 0), ("alpha", -1), ("delta", 1.5), ("budget_s", -1), ("budget_s", 1e9)],
)
def test_numbers_that_no_gate_was_asked_for_are_refused(lab, key, value):
    interrupted_gate(lab, lab.worker("candidate", "--slower", 1))
    command = resuming(lab)
    with sqlite3.connect(lab.database) as store:
        store.execute("UPDATE gate SET options = json_set(options, ?, ?)", (f"$.{key}", value))
    refused = lab.execute(command, text=True)
    assert refused.returncode == 74, refused.stderr
    assert f"cannot be read: {key} is {value:g}" in refused.stderr
    assert str(lab.database) in refused.stderr


def test_a_finished_gate_does_not_go_on(lab):
    assert lab.gate(lab.profile("constant"), PLAIN, PLAIN, "--aa")[0] == 0
    finished = lab.call("gate", "--resume", "latest", "--results", lab.results, text=True)
    assert finished.returncode == 64
    assert "has finished: there is nothing to resume" in finished.stderr


def test_a_gate_holds_the_device_throughout(lab):
    process = lab.start_command(
        lab.gate_command(lab.profile("slow"), PLAIN, PLAIN, "--aa"), env=lab.environment
    )
    gate_id = GATE_ID.search(wait_for(process, "gate "))[1]
    lab.wait_for_pairs(1)
    refused = lab.run(lab.profile("constant"), "--no-wait")
    assert refused.returncode == 69
    assert f"is in use by pid {process.pid}, gate {gate_id}" in refused.stderr
    process.send_signal(signal.SIGINT)
    finish(process)


def test_a_gate_whose_samples_were_dropped_stays_as_it_was(lab):
    interrupted_gate(lab, lab.worker("candidate", "--slower", 1))
    with sqlite3.connect(lab.database) as store:
        store.execute("UPDATE process SET started = '2020-01-01T00:00:00Z'")
    lab.call("prune", "--older-than", "90d", "--yes", "--results", lab.results)
    refused = lab.execute(resuming(lab), text=True)
    assert refused.returncode == 74
    assert "samples" in refused.stderr and "dropped" in refused.stderr
    assert lab.query("SELECT status FROM gate") == [("interrupted",)]
