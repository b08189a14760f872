"""Where a gate could be fooled: what is lost, hangs, disturbs itself, or is another thing when the
gate goes on."""

import os
import re
import signal

import pytest

from harness.gate.resume_test import interrupted_gate, refusal, resuming
from harness.run.kill_test import finish
from harness.run.scripted_runs import PLAIN, ROUNDS, case, named


def acting(lab, name: str, *acts: str, **options):
    """A worker whose cases act as others in some rounds."""
    words = [word for act in acts for word in ("--as", act)]
    for key, value in options.items():
        words += [f"--{key}", value]
    return lab.worker(name, "--state", lab.folder / f"{name}.counts", *words)


# ---- what could be measured and then cannot


@pytest.mark.parametrize(("baseline", "candidate"), [(True, False), (False, True), (True, True)])
def test_what_was_measured_and_then_is_not_there_has_crashed(lab, baseline, candidate):
    # Of a candidate that is 50% slower, which a verdict of "new" or "skipped" would let pass.
    sides = [
        acting(lab, "baseline", *(["noisy=unavailable@4-99"] if baseline else [])),
        acting(lab, "candidate", *(["noisy=unsupported@4-99"] if candidate else []), slower=50),
    ]
    code, found = lab.gate(lab.profile("noisy"), *sides)
    assert (code, named(found)) == (2, {"noisy": "crashed"})
    assert "in round 4: was measured in 3 rounds and then said un" in found["noisy"]["reason"]
    assert lab.query("SELECT count(*) FROM pair") == [(3,)]


def test_memory_that_does_not_suffice_any_more_is_no_case_to_skip(lab):
    sides = [acting(lab, side, "noisy=fills_memory@3-99") for side in ("baseline", "candidate")]
    code, found = lab.gate(lab.profile("noisy"), *sides, "--aa")
    assert (code, named(found)) == (3, {"noisy": "invalid_environment"})
    assert "do not fit into memory together any more, after 2 rounds" in found["noisy"]["reason"]


# ---- hangs, and the budget


@pytest.mark.parametrize("side", ["baseline", "candidate"])
def test_a_hang_is_a_timeout_although_the_budget_is_shorter_than_the_cases_limit(lab, side):
    sides = {
        "baseline": PLAIN,
        "candidate": PLAIN,
        side: lab.worker("hangs", "--as", "noisy=loops"),
    }
    # The case's own limit is 20 s.
    code, found = lab.gate(
        lab.profile("noisy"), sides["baseline"], sides["candidate"], "--budget", "8s"
    )
    assert (code, named(found)) == (2, {"noisy": "timeout"})
    assert (f"{side} in round 1: killed while sampling: the run's budget was spent") in found[
        "noisy"
    ]["reason"]
    assert "which never took longer than" in found["noisy"]["reason"]


def test_two_sides_that_hang_share_the_budget_and_say_nothing(lab):
    worker = lab.worker("hangs", "--as", "noisy=loops")
    code, found = lab.gate(lab.profile("noisy"), worker, worker, "--aa", "--budget", "2s")
    assert (code, named(found)) == (3, {"noisy": "not_measured"})
    assert re.search(
        r"did not finish within the (1|\d+\.\d+) s that it had left", found["noisy"]["reason"]
    )
    cut = lab.query("SELECT total_ns / 1e9 FROM measurement WHERE outcome = 'not_measured'")
    assert len(cut) == 2
    assert sum(spent_s for (spent_s,) in cut) < 3.5  # 2; were it not shared, 4


# ---- disturbance


def test_a_candidate_that_disturbs_itself_does_not_pass(lab):
    rounds = [f"constant=throttled@{number}" for number in (1, 3, 5, 7, 9, 11, 13)]
    code, found = lab.gate(lab.profile("constant"), PLAIN, acting(lab, "candidate", *rounds))
    assert (code, named(found)) == (3, {"constant": "undecided"})
    assert (
        "the candidate alone was disturbed in 7 rounds, the baseline alone in 0"
        in found["constant"]["reason"]
    )
    # So many coins do not fall alike by chance, also where another case passes.
    lab.database.unlink()
    candidate = acting(lab, "beside", *rounds)
    code, found = lab.gate(lab.profile("constant", "noisy"), PLAIN, candidate)
    assert (code, named(found)) == (3, {"constant": "undecided", "noisy": "pass"})
    assert found["constant"]["doubt"] == "exact"
    # The same rounds on both sides in turn are chance.
    lab.database.unlink()
    sides = [acting(lab, "even", *rounds[::2]), acting(lab, "odd", *rounds[1::2])]
    code, found = lab.gate(lab.profile("constant"), *sides)
    assert (code, named(found)) == (0, {"constant": "pass"})
    assert found["constant"]["dropped"] == 7


def test_a_candidate_that_throttles_itself_again_and_again_fails(lab):
    rounds = [f"constant=throttled@{number}" for number in range(2, 61, 3)]
    code, found = lab.gate(lab.profile("constant"), PLAIN, acting(lab, "candidate", *rounds))
    assert (code, named(found)) == (1, {"constant": "tail"})
    assert found["constant"]["tail"] == "throttles"
    assert "the candidate alone was disturbed in" in found["constant"]["reason"]


# ---- order and layout


def test_a_coin_says_which_process_starts_first(lab):
    first = {}
    for seed in range(3):
        assert lab.gate(lab.profile("constant"), PLAIN, PLAIN, "--aa", "--seed", seed)[0] == 0
        rows = lab.query("SELECT replicate, run_id FROM process ORDER BY id")
        order = [
            [run.rsplit("-", 1)[1] for number, run in rows if number == each]
            for each in range(ROUNDS)
        ]
        assert all(sorted(each) == ["baseline", "candidate"] for each in order)
        first[seed] = tuple(each[0] for each in order)
        assert len(set(first[seed])) == 2
        lab.database.unlink()
    assert len(set(first.values())) > 1


@pytest.mark.parametrize("old", ["baseline", "candidate"])
def test_when_one_side_does_not_know_layouts_neither_has_one(lab, old):
    # The median of this case is drawn from the layout alone.
    sides = {"baseline": PLAIN, "candidate": PLAIN, old: lab.worker("old", "--no-layout")}
    done = lab.execute(
        lab.gate_command(
            lab.profile("process_noise", "constant"), sides["baseline"], sides["candidate"]
        ),
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert (
        done.stdout.count(f"{sides[old]} does not know layouts: neither side's are random") == 2
    )  # when it is found out, and at the end
    medians = lab.query(
        'SELECT DISTINCT median_ns FROM measurement JOIN "case" ON "case".id = case_id '
        "WHERE name = ?",
        case("process_noise"),
    )
    assert len(medians) == 1
    assert lab.query("SELECT count(*), count(DISTINCT outcome) FROM measurement") == [
        (4 * ROUNDS, 1)
    ]


# ---- going on


def test_a_gate_goes_on_with_the_profile_that_it_had_from_any_folder(lab):
    lab.profile("constant", "slow")
    relative = lab.gate_command("tests.toml", PLAIN, PLAIN, "--aa")
    process = lab.start_command([*relative, "--budget", "5s"], env=lab.environment, cwd=lab.folder)
    lab.wait_for_pairs(1)
    process.send_signal(signal.SIGINT)
    finish(process)
    assert process.returncode == 130
    assert lab.query("SELECT count(*) FROM verdict WHERE reason LIKE '%interrupted%'") == [(2,)]
    lab.profile("constant", "noisy")  # another one by the same name
    done = lab.execute(resuming(lab), text=True, cwd=lab.folder.parent)
    assert done.returncode == 0, done.stdout + done.stderr
    assert ", resumed with a fresh budget: 2 cases, at most 60 rounds and 5 s" in done.stdout
    assert {name for (name,) in lab.query("SELECT case_name FROM verdict")} == {
        case("constant"),
        case("slow"),
    }
    assert lab.query("SELECT count(*) FROM verdict WHERE reason LIKE '%interrupted%'") == [(0,)]


def test_a_gate_does_not_go_on_with_other_cases_of_the_same_number(lab):
    # The list of cases is no part of the code that this worker could tell of.
    lists = lab.folder / "lists"
    lists.write_text("constant slow")
    candidate = lab.worker("candidate", "--no-code")
    every = ("constant", "slow", "noisy")
    candidate.write_text(
        "#!/bin/sh\nwithout=\nfor each in " + " ".join(every) + f"; do grep -q $each {lists} || "
        f'without="$without --without $each"; done\nexec {PLAIN} --no-code $without "$@"\n'
    )
    profile = lab.profile(*every)
    process = lab.start_command(
        lab.gate_command(profile, candidate, candidate, "--aa"), env=lab.environment
    )
    lab.wait_for_pairs(1)
    process.send_signal(signal.SIGINT)
    finish(process)
    lists.write_text("constant noisy")
    assert f"it would compare other cases now: {case('noisy')} and 1 more" in refusal(lab)
    assert lab.query("SELECT status FROM gate") == [("interrupted",)]


def test_a_worker_that_cannot_tell_its_code_is_known_by_its_file(lab):
    candidate = lab.worker("candidate", "--no-code", "--slower", 1)
    interrupted_gate(lab, candidate)
    lab.worker("candidate", "--no-code", "--slower", 2)
    assert "the candidate's code has changed" in refusal(lab)
    lab.worker("candidate", "--no-code", "--slower", 1)
    os.utime(candidate)  # the time is no part of it
    process = lab.start_command(resuming(lab), env=lab.environment)
    lab.wait_for_pairs(1 + lab.query("SELECT count(*) FROM pair")[0][0])
    lab.worker("other", "--no-code", "--slower", 3).replace(candidate)
    with process:
        error = process.stderr.read()
    assert process.returncode == 69
    assert "candidate has changed while the gate was measuring" in error
    assert "start another gate" in error
    assert "--resume" not in error  # which would be refused
    assert lab.query("SELECT status FROM gate") == [("failed",)]
