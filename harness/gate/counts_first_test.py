"""Gates that first count on the emulated device what the changed variants do."""

import json
import signal

import pytest

from harness.gate.resume_test import resuming
from harness.run.kill_test import finish
from harness.run.scripted_runs import PLAIN, case, named, verdicts

SECTORS = "twofold:global_load_sectors"
OTHERS = ("constant", "noisy", "process_noise", "drifting", "prints")


def command(lab, candidate, *arguments, variants=(*OTHERS, "twofold"), baseline=PLAIN):
    sides = lab.gate_command(lab.profile(*variants), baseline, candidate)
    return [*sides, "--counts-first", *arguments]


def notes(lab, candidate, *arguments, **options):
    done = lab.execute([*command(lab, candidate, "--json", *arguments, **options)], text=True)
    assert done.stdout, done.stderr
    return "\n".join(json.loads(done.stdout)["notes"]), verdicts(done.stdout)


def first_pairs(lab):
    return [name for (name,) in lab.query("SELECT case_name FROM pair ORDER BY id")]


def test_what_does_something_else_is_told_and_measured_first(lab):
    candidate = lab.worker("candidate", "--count", f"{SECTORS}=4")
    said, found = notes(lab, candidate, "--budget", "8s")
    assert (
        "counted first on emulated:fake: 1 of 6 variants does something else, and is measured "
        "first; 5 cannot be counted"
    ) in said
    assert f"what it does differs: {case('twofold')}: global_load_sectors 2 -> 4" in said
    # It is the last of the profile.
    assert first_pairs(lab)[0] == case("twofold")
    assert found["twofold"]["verdict"] == "pass", "counts decide nothing"
    assert lab.query("SELECT count(*) FROM measurement WHERE outcome = 'counted'") == [(0,)]


def test_equal_counts_keep_nothing_from_being_measured(lab):
    said, found = notes(lab, lab.worker("candidate", "--slower", 5), variants=("twofold",))
    assert (
        "counted first on emulated:fake: 0 of 1 variant do anything else in small problems, which "
        "proves no time"
    ) in said
    assert "differs" not in said
    assert named(found) == {"twofold": "regression"}


def test_what_one_side_cannot_count_is_told_and_measured_first(lab):
    """It is timed all the same: that is another execution, which may be fine."""
    said, found = notes(lab, ends_once(lab, "new", "segfault"))
    assert f"what it does differs: {case('twofold')}: candidate: crashed: " in said
    assert first_pairs(lab)[0] == case("twofold")
    assert found["twofold"]["verdict"] == "pass"


def ends_once(lab, name, fault):
    """A worker whose variant ends like that when it is counted, and is fine when it is timed."""
    state = lab.folder / f"{name}-counts"
    slower = ("--slower", 0.001) if name == "new" else ()  # which makes it another code
    return lab.worker(name, *slower, "--state", state, "--as", f"twofold=counted_{fault}@1-1")


@pytest.mark.parametrize("fault", ["segfault", "race", "wrong", "unmodelled"])
def test_what_cannot_be_counted_does_not_end_the_gate(lab, fault):
    said, found = notes(lab, ends_once(lab, "new", fault), baseline=ends_once(lab, "old", fault))
    assert f"cannot be counted: {case('twofold')}: " in said
    assert found["twofold"]["verdict"] == "pass"


def test_a_kernel_that_hangs_takes_its_time_and_no_more(lab):
    said, found = notes(
        lab,
        lab.worker("new", "--slower", 0.001),
        baseline=ends_once(lab, "old", "loops"),
        variants=("twofold",),
    )
    assert "counted first on emulated:fake: 0 of 1 variant" in said
    assert "1 not counted in the 10 s" in said
    assert found["twofold"]["verdict"] == "pass"


def test_a_resumed_gate_counts_again(lab):
    candidate = lab.worker("candidate", "--count", f"{SECTORS}=4")
    process = lab.start_command(command(lab, candidate), env=lab.environment)
    lab.wait_for_pairs(1)
    process.send_signal(signal.SIGINT)
    finish(process)
    again = lab.execute([*resuming(lab), "--json"], text=True)
    assert any("what it does differs" in note for note in json.loads(again.stdout)["notes"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--aa"], "--counts-first goes with two workers or two commits"),
        (["--device", "emulated:fake"], "--counts-first is for times, and emulated:fake gives"),
        (["--device", "cpu"], "--counts-first is for GPUs: what a CPU does is not counted"),
        (["--resume", "latest"], "--counts-first does not go with --resume"),
    ],
)
def test_where_it_would_do_nothing_it_is_refused(lab, arguments, message):
    done = lab.execute(
        lab.command(
            *("gate", "--baseline-worker", PLAIN, "--candidate-worker", PLAIN, "--counts-first"),
            *("--results", lab.results, *arguments),
        ),
        text=True,
    )
    assert (done.returncode, message in done.stderr) == (64, True), done.stderr
