"""`ridgeline run --resume`: what an interrupted, killed or cut off run has left is measured as a
part of it, and nothing twice."""

import json
import re
import shlex
import signal
import sqlite3

import pytest

from harness.run.kill_test import RUN_ID, finish, wait_for
from harness.run.repeat_test import measured, wrapper
from harness.run.scripted_runs import PLAIN, case, left_behind

CASES = ("constant", "noisy", "drifting", "process_noise", "unsupported", "wrong_result", "slow")
PROCESSES = 4


@pytest.fixture
def profile(lab):
    return lab.profile(*CASES, processes=PROCESSES)


def resume(lab, *arguments: object, selector: str = "latest"):
    words = ("run", "--results", lab.results, "--resume", selector, "--worker", PLAIN)
    return lab.call(*words, *arguments, text=True)


def refusal(lab, *arguments: object) -> str:
    done = resume(lab, *arguments)
    assert done.returncode == 64, done.stdout + done.stderr
    return done.stderr


def interrupted(lab, profile, at: str, stop=signal.SIGINT, *arguments: object) -> str:
    """The id of a run that is stopped once it has printed `at`."""
    process = lab.start(profile, "--seed", 3, *arguments)
    printed = wait_for(process, at)
    process.send_signal(stop)
    finish(process)
    assert left_behind(wait_s=10) == []
    return RUN_ID.search(printed)[1]


def whole(lab, profile) -> list[tuple]:
    """What is measured where nothing interrupts: replicate, seeds and case, in order."""
    done = lab.run(profile, "--seed", 3)
    found = measured(lab, re.search(r"^stored as (\S+) in ", done.stdout, re.M)[1])
    lab.database.unlink()
    return found


def statuses(lab) -> list[tuple]:
    return lab.query("SELECT status, finished IS NULL FROM run")


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGKILL])
def test_a_stopped_run_goes_on_as_one_run(lab, profile, stop):
    expected = whole(lab, profile)
    run_id = interrupted(lab, profile, "(process 2/4)", stop)
    first = measured(lab, run_id)
    assert 0 < len(first) < len(expected)
    shown = lab.call("show", "latest", "--results", lab.results, text=True).stdout
    line = re.search(r"^resume: ridgeline (.*)", shown, re.M)[1]
    done = lab.execute(lab.command(*shlex.split(line)), text=True)
    assert done.returncode == 2, done.stdout + done.stderr  # one case is wrong
    assert f"run {run_id}, resumed: " in done.stdout
    assert f"{len(first)} executions are stored" in done.stdout
    assert measured(lab, run_id) == expected, "the same seeds in the same order, and none twice"
    assert statuses(lab) == [("finished", 0)]
    assert lab.is_intact()
    assert "there is nothing to resume" in refusal(lab)


def test_a_run_is_resumed_as_often_as_it_takes(lab, profile):
    expected = whole(lab, profile)
    run_id = interrupted(lab, profile, "(process 1/4)")
    for at in ("(process 2/4)", "(process 4/4)"):
        process = lab.start_command(
            lab.command("run", "--results", lab.results, "--resume", run_id, "--worker", PLAIN),
            env=lab.environment,
        )
        wait_for(process, at)
        process.send_signal(signal.SIGINT)
        rest = finish(process)
        assert process.returncode == 130
        assert f"resume: ridgeline run --resume {run_id} " in rest
        assert statuses(lab) == [("interrupted", 0)]
    done = resume(lab, "--json")
    document = json.loads(done.stdout)
    assert (document["run"], document["status"]) == (run_id, "finished")
    assert 0 < document["resumed"]["executions"] < len(expected)
    assert measured(lab, run_id) == expected


def test_what_a_budget_cut_off_is_measured_with_a_budget_that_counts_from_now(lab):
    # A second to prepare each: the first budget ends while the second case is prepared.
    profile = lab.profile("slow", "constant", "loops", processes=2, case_timeout="5s")
    first = lab.run(profile, "--seed", 1, "--budget", "2500ms")
    assert first.returncode == 2
    run_id = re.search(r"^stored as (\S+) in ", first.stdout, re.M)[1]
    assert f"resume: ridgeline run --resume {run_id} " in first.stdout
    before = lab.outcomes()
    cut = [name for name, found in before.items() if found[-1][0] in ("not_measured", "timeout")]
    assert cut
    done = resume(lab, "--budget", "60s", "--json")
    document = json.loads(done.stdout)
    assert "cut_off" not in document
    processes = {one["case"]: one["processes"] for one in document["cases"]}
    assert processes[case("slow")] == processes[case("constant")] == 2
    # The loop used up its own time in both replicates: that is a result, and not measured again.
    assert [outcome for outcome, _ in lab.outcomes()[case("loops")]][-2:] == ["timeout"] * 2
    assert "there is nothing to resume" in refusal(lab)
    attempts = lab.query("SELECT max(attempt), count(*) FROM measurement")
    assert attempts[0][0] == 2, "what was cut off counts with its next attempt"
    assert lab.is_intact()


def test_a_budget_that_ends_while_a_worker_starts_is_no_crash(lab):
    profile = lab.profile("constant", processes=20)
    worker = wrapper(lab, "slow-to-start")
    worker.write_text(worker.read_text().replace("exec", "sleep 0.7; exec"))
    first = lab.call(
        *("run", "--device", "fake", "--profile", profile, "--results", lab.results),
        *("--worker", worker, "--budget", "3s"),
        text=True,
    )
    ended = {outcome for outcome, _ in lab.outcomes()[case("constant")]}
    assert ended <= {"ok", "unstable"}, (ended, first.stdout)
    assert first.returncode == 0, first.stdout + first.stderr


def test_a_run_does_not_go_on_with_something_else(lab, profile):
    run_id = interrupted(lab, profile, "(process 2/4)")
    for option in (("--processes", 9), ("--seed", 4), ("--label", "x"), ("--exclude", "*/noisy/*")):
        assert f"{option[0]} does not go with --resume" in refusal(lab, *option)
    assert "PATTERN does not go with --resume" in refusal(lab, case("noisy"))
    unnamed = lab.call("run", "--results", lab.results, "--resume", "latest", text=True)
    assert unnamed.returncode == 64
    assert "a record can be a stranger's" in unnamed.stderr
    lab.environment["RIDGELINE_RUNNER"] = "another"
    assert "the comparable environment has changed: runner" in refusal(lab)
    del lab.environment["RIDGELINE_RUNNER"]
    for flags, said in (
        (("--slower", "7"), "the code of ridgeline-scripted-worker has changed: "),
        (("--no-code",), "ridgeline-scripted-worker does not say which code it is"),
    ):
        other = wrapper(lab, "ridgeline-scripted-worker", *flags)
        refused = lab.call(
            *("run", "--results", lab.results, "--resume", run_id, "--worker", other), text=True
        )
        assert refused.returncode == 64
        assert said in refused.stderr, refused.stderr
    assert statuses(lab) == [("interrupted", 0)], "a refusal changes nothing"


def test_another_device_is_refused(lab, profile):
    interrupted(lab, profile, "(process 2/4)")
    with sqlite3.connect(lab.database) as connection:
        connection.execute("UPDATE device SET uuid = 'another'")
    assert "it was measured on " in refusal(lab)
    assert statuses(lab) == [("interrupted", 0)]


def test_what_has_changed_since_is_said(lab, profile):
    interrupted(lab, profile, "(process 2/4)")
    lab.environment["OMP_NUM_THREADS"] = "1"  # of a device that is no CPU: recorded, not compared
    done = resume(lab)
    assert "changed since: OMP_NUM_THREADS" in done.stdout, done.stdout + done.stderr
    assert statuses(lab) == [("finished", 0)]


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        ("UPDATE run SET profile_text = 'processes = 0'", "cannot be resumed: "),
        ("UPDATE measurement SET attempt = 0 WHERE id = 1", "has 0 as attempt"),
        (
            "UPDATE \"case\" SET variant = 'other', name = 'scripted/other/f32/n=16' WHERE id = 1",
            "it would measure other cases now: scripted/other/f32/n=16 is not among them",
        ),
        ("UPDATE process SET replicate = -1 WHERE id = 1", "-1 as replicate"),
        ("DELETE FROM run", "no run"),
    ],
)
def test_a_damaged_record_is_refused_in_words(lab, profile, damage, said):
    interrupted(lab, profile, "(process 2/4)")
    with sqlite3.connect(lab.database) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.execute(damage)
    done = resume(lab)
    assert done.returncode in (64, 69, 74), done.stdout + done.stderr
    assert said in done.stderr, done.stderr
    assert "Traceback" not in done.stderr and len(done.stderr) < 2000


def test_a_side_of_a_gate_and_a_repeat_are_not_resumed(lab):
    profile = lab.profile("constant")
    assert lab.run(profile).returncode == 0
    words = ("run", "--results", lab.results, "--repeat-of", "latest", "--worker", PLAIN)
    repeated = lab.call(*words, text=True)
    assert repeated.returncode == 0
    repeat = re.search(r"^stored as (\S+) in ", repeated.stdout, re.M)[1]
    assert "it repeats another run" in resume(lab, selector=repeat).stderr
    assert lab.gate(profile, PLAIN, PLAIN, "--aa")[0] == 0
    side = lab.query("SELECT candidate_run FROM gate")[0][0]
    refused = resume(lab, selector=side)
    assert refused.returncode == 64
    assert "it is a side of gate " in refused.stderr and "resume the gate" in refused.stderr
