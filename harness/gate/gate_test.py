"""Whole gates over scripted times: what each side does decides the verdict, and nothing missing is
a pass."""

import contextlib
import json
import os
import re
import signal
import time
from pathlib import Path

import pytest

from harness.run.kill_test import finish, wait_for
from harness.run.scripted_runs import PLAIN, ROUNDS, case, left_behind, named, repeatable

# ---- speed


@pytest.mark.parametrize(
    ("slower", "verdict", "code"),
    [(5, "regression", 1), (-5, "improvement", 0), (0.5, "pass", 0)],
)
def test_what_is_slower_faster_or_neither(lab, slower, verdict, code):
    profile = lab.profile("constant", "noisy", "process_noise")
    found = lab.gate(profile, PLAIN, lab.worker("candidate", "--slower", slower), "--seed", 1)
    assert (found[0], set(named(found[1]).values())) == (code, {verdict})
    for each in found[1].values():
        assert each["ratio"] == pytest.approx(1 + slower / 100, rel=0.005)
        assert each["ratio_low"] <= each["ratio"] <= each["ratio_high"]
        assert each["pairs"] >= (
            8 if verdict == "pass" else 12
        )  # eight pairs are too few for an alarm


def test_equal_times_are_all_ties_and_pass_at_the_first_look(lab):
    code, found = lab.gate(lab.profile("constant"), PLAIN, PLAIN, "--aa")
    assert code == 0
    assert found["constant"]["verdict"] == "pass"
    assert (found["constant"]["pairs"], found["constant"]["ratio"]) == (8, 1)
    assert found["constant"]["p_value"] == 2**-8


def test_two_kinds_of_processes_raise_no_alarm(lab):
    profile = lab.profile("bimodal")
    for seed in range(3):
        code, found = lab.gate(profile, PLAIN, PLAIN, "--aa", "--seed", seed)
        assert (found["bimodal"]["verdict"], code) in (("pass", 0), ("undecided", 3))


def test_a_smaller_delta_finds_less(lab):
    profile, candidate = lab.profile("process_noise"), lab.worker("candidate", "--slower", 1.5)
    assert named(lab.gate(profile, PLAIN, candidate)[1]) == {"process_noise": "pass"}
    assert named(lab.gate(profile, PLAIN, candidate, "--delta", "0.5%")[1]) == {
        "process_noise": "regression"
    }
    assert named(lab.gate(profile, PLAIN, candidate, "--delta", "0.005")[1]) == {
        "process_noise": "regression"
    }


# ---- how it is measured


def test_a_round_is_a_fresh_process_of_each_side_with_the_same_inputs(lab):
    profile = lab.profile("constant", "noisy", "process_noise", "drifting")
    assert lab.gate(profile, PLAIN, PLAIN, "--aa", "--seed", 9)[0] == 0
    rows = lab.query(
        "SELECT run.id, replicate, process.seed FROM process JOIN run ON run.id = run_id ORDER BY "
        "replicate"
    )
    seeds = {
        side: {r: seed for run, r, seed in rows if run.endswith(side)}
        for side in ("baseline", "candidate")
    }
    assert len(rows) == 2 * ROUNDS  # and nothing but a process of each side in each round
    assert seeds["baseline"] == seeds["candidate"]
    assert sorted(seeds["baseline"]) == list(range(ROUNDS))
    assert len(set(seeds["baseline"].values())) == ROUNDS
    assert lab.query("SELECT DISTINCT profile, gate <> '' FROM run") == [("tests", 1)]
    # The median of this case is drawn from the layout alone, which is another one for each side and
    # round.
    medians = lab.query(
        'SELECT median_ns FROM measurement JOIN "case" ON "case".id = case_id WHERE name = ?',
        case("process_noise"),
    )
    assert len(set(medians)) == 2 * ROUNDS
    assert lab.is_intact()


def test_a_coin_says_which_side_is_first_and_cases_come_in_random_order(lab):
    profile = lab.profile("constant", "noisy", "process_noise", "drifting", "prints")
    assert lab.gate(profile, PLAIN, PLAIN, "--aa", "--seed", 4)[0] == 0
    first = {}
    for name, number, baseline in lab.query(
        "SELECT case_name, round, baseline_first FROM pair ORDER BY round"
    ):
        first.setdefault(name, []).append((number, baseline))
    for rounds in first.values():
        assert [number for number, _ in rounds] == list(range(ROUNDS))
        assert len({baseline for _, baseline in rounds}) == 2
    assert len({tuple(rounds) for rounds in first.values()}) > 1
    orders = {
        tuple(
            name
            for (name,) in lab.query(
                "SELECT case_name FROM pair WHERE round = ? ORDER BY id", number
            )
        )
        for number in range(8)
    }
    assert len(orders) > 1


def worker_states() -> dict[int, str]:
    """Of the scripted workers that descend from this process, by pid: T is stopped."""
    parents, states = {}, {}
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            name, rest = (folder / "stat").read_text().split("(", 1)[1].rsplit(")", 1)
            state, parent = rest.split()[:2]
            parents[int(folder.name)] = int(parent)
            if name.startswith("ridgeline-scrip"):
                states[int(folder.name)] = state

    def ours(pid: int) -> bool:
        while pid > 1 and pid != os.getpid():
            pid = parents.get(pid, 0)
        return pid == os.getpid()

    return {pid: state for pid, state in states.items() if ours(pid)}


def first(counts: list[int]) -> int:
    """Where the first is that is not 0."""
    return next((i for i, count in enumerate(counts) if count > 0), len(counts))


def test_the_side_that_waits_is_stopped(lab):
    # Whatever spins or polls between requests (MPI ranks do) would take time from the side that is
    # measured.
    process = lab.start_command(
        lab.gate_command(lab.profile("slow"), PLAIN, PLAIN, "--aa"), env=lab.environment
    )
    wait_for(process, "A/A")
    # By the two processes of a round: how many of them were, each time that one looked.
    stopped = {}
    deadline = time.monotonic() + 30
    while sum(map(len, stopped.values())) < 120 and time.monotonic() < deadline:
        states = worker_states()
        if len(states) == 2:
            stopped.setdefault(tuple(sorted(states)), []).append(list(states.values()).count("T"))
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    finish(process)
    # Both run while they start and end. In between one of them is stopped, unless they change over
    # while one looks.
    measuring = [
        counts[first(counts) : len(counts) - first(counts[::-1])] for counts in stopped.values()
    ]
    counts = [count for counts in measuring for count in counts]
    assert len(counts) > 50
    assert counts.count(1) >= 0.9 * len(counts)


def test_the_seed_repeats_a_gate(lab):
    profile = lab.profile("constant", "noisy", "process_noise", warmup="1s")
    candidate = lab.worker("candidate", "--slower", 4)
    gates = [lab.gate(profile, PLAIN, candidate, "--seed", 12) for _ in range(2)]
    assert gates[0][0] == gates[1][0]
    assert repeatable(gates[0][1]) == repeatable(gates[1][1])
    other = lab.gate(profile, PLAIN, candidate, "--seed", 13)[1]
    assert repeatable(other) != repeatable(gates[0][1])


def test_a_worker_that_is_older_than_layouts_can_be_a_baseline(lab):
    code, found = lab.gate(lab.profile("constant"), lab.worker("old", "--no-layout"), PLAIN)
    assert (code, named(found)) == (0, {"constant": "pass"})


# ---- what goes wrong


def test_a_fault_of_one_side_ends_its_case_alone(lab):
    faults = {
        "noisy": ("segfault", "crashed", "signal 11"),
        "drifting": ("loops", "timeout", "the case's 1.50 s were over"),
        "prints": ("wrong_result", "wrong_result", "before timing"),
        "bimodal": ("wrong_after_timing", "wrong_result", "while timing"),
        "slow": ("nan_time", "crashed", "not JSON"),
        "unstable": ("infinite_time", "crashed", "out of range"),
        "fills_memory": ("zero_time", "crashed", "must be a number from 0.001 to"),
        "fills_memory_late": ("negative", "crashed", "must be a number from 0.001 to"),
    }
    profile = lab.profile("constant", "process_noise", *faults, case_timeout="1500ms")
    options = [
        word for variant, (other, _, _) in faults.items() for word in ("--as", f"{variant}={other}")
    ]
    for bad in ("baseline", "candidate"):
        worker = lab.worker("faulty", *options)
        sides = (worker, PLAIN) if bad == "baseline" else (PLAIN, worker)
        code, found = lab.gate(profile, *sides)
        assert code == 2
        assert named(found) == {"constant": "pass", "process_noise": "pass"} | {
            variant: verdict for variant, (_, verdict, _) in faults.items()
        }
        for variant, (_, _, reason) in faults.items():
            assert found[variant]["reason"].startswith(f"{bad} in round 1: ")
            assert reason in found[variant]["reason"]
            assert "ratio" not in found[variant]
        assert lab.query("SELECT count(*) FROM verdict WHERE verdict = 'pass'") == [(2,)]
        assert lab.is_intact()
        lab.database.unlink()


def test_a_wrong_result_wins_over_any_speed_and_over_a_crash(lab):
    baseline = lab.worker("baseline", "--as", "noisy=segfault")
    candidate = lab.worker(
        "candidate",
        "--slower",
        -50,
        "--as",
        "constant=wrong_after_timing",
        "--as",
        "noisy=wrong_result",
    )
    code, found = lab.gate(lab.profile("constant", "noisy"), baseline, candidate)
    assert (code, named(found)) == (2, {"constant": "wrong_result", "noisy": "wrong_result"})
    # The crash is stored, too.
    assert ("crashed",) in {(outcome,) for outcome, _ in lab.outcomes()[case("noisy")]}


def test_a_crash_in_round_7_ends_the_case_and_costs_no_other_anything(lab):
    candidate = lab.worker(
        "candidate", "--state", lab.folder / "counts", "--as", "noisy=segfault@7"
    )
    code, found = lab.gate(lab.profile("constant", "noisy", "process_noise"), PLAIN, candidate)
    assert code == 2
    assert named(found) == {"constant": "pass", "noisy": "crashed", "process_noise": "pass"}
    assert "candidate in round 7: while sampling" in found["noisy"]["reason"]
    counts = dict(lab.query("SELECT case_name, count(*) FROM pair GROUP BY case_name"))
    assert counts == {case("constant"): ROUNDS, case("noisy"): 6, case("process_noise"): ROUNDS}


def test_an_output_that_becomes_wrong_in_a_later_round_is_no_pass(lab):
    candidate = lab.worker(
        "candidate", "--state", lab.folder / "counts", "--as", "constant=wrong_result@8"
    )
    code, found = lab.gate(lab.profile("constant"), PLAIN, candidate)
    assert (code, named(found)) == (2, {"constant": "wrong_result"})
    assert "round 8" in found["constant"]["reason"]


def test_cases_that_one_side_lacks_are_missing_or_new(lab):
    baseline = lab.worker(
        "baseline",
        "--without",
        "constant",
        "--as",
        "drifting=unavailable",
        "--as",
        "prints=unsupported",
    )
    candidate = lab.worker(
        "candidate",
        "--without",
        "noisy",
        "--as",
        "process_noise=unavailable",
        "--as",
        "prints=unsupported",
    )
    profile = lab.profile("constant", "noisy", "drifting", "process_noise", "prints", "bimodal")
    code, found = lab.gate(profile, baseline, candidate, "--budget", "5s")
    assert code == 2  # something is missing
    verdict = named(found)
    assert verdict.pop("bimodal") in ("pass", "undecided")
    assert verdict == {
        "constant": "new",
        "noisy": "missing",
        "drifting": "new",
        "process_noise": "missing",
        "prints": "skipped",
    }
    assert "libscript.so.1 not found" in found["process_noise"]["reason"]
    assert "the script says so" in found["prints"]["reason"]


def test_new_cases_alone_are_fine_but_decide_nothing(lab):
    code, found = lab.gate(
        lab.profile("constant"), lab.worker("baseline", "--without", "constant"), PLAIN
    )
    assert (code, named(found)) == (3, {"constant": "new"})


@pytest.mark.parametrize("variant", ["fills_memory", "fills_memory_late"])
def test_a_case_that_does_not_fit_twice_is_skipped_with_that_reason(lab, variant):
    code, found = lab.gate(lab.profile("constant", variant), PLAIN, PLAIN, "--aa")
    assert (code, named(found)) == (0, {"constant": "pass", variant: "skipped"})
    assert "both sides do not fit into memory together" in found[variant]["reason"]
    assert lab.gate(lab.profile("constant", variant), PLAIN, PLAIN, "--aa", "--strict")[0] == 3
    assert left_behind() == []


def test_what_fits_on_no_side_is_not_called_too_large_for_both(lab):
    found = lab.gate(lab.profile("constant", "too_large"), PLAIN, PLAIN, "--aa")[1]
    assert found["too_large"]["verdict"] == "skipped"
    assert "together" not in found["too_large"]["reason"]
    assert "550 GB" in found["too_large"]["reason"]


def test_what_fits_on_one_side_only_is_missing_on_the_other(lab):
    found = lab.gate(
        lab.profile("constant"), PLAIN, lab.worker("candidate", "--as", "constant=too_large")
    )[1]
    assert found["constant"]["verdict"] == "missing"
    assert "550 GB" in found["constant"]["reason"]


# ---- disturbance


def test_disturbed_rounds_are_dropped_whichever_side_they_hit(lab):
    baseline = lab.worker("baseline", "--state", lab.folder / "b", "--as", "constant=neighbour@4")
    candidate = lab.worker(
        "candidate", "--state", lab.folder / "c", "--as", "constant=throttled@2-3"
    )
    code, found = lab.gate(lab.profile("constant"), baseline, candidate)
    assert (code, named(found)) == (0, {"constant": "pass"})
    # Twice the candidate, once the baseline: that may be chance, once there are enough others.
    assert (found["constant"]["pairs"], found["constant"]["dropped"]) == (27, 3)
    assert (found["constant"]["dropped_baseline"], found["constant"]["dropped_candidate"]) == (1, 2)
    disturbed = lab.query("SELECT round, baseline_disturbed, candidate_disturbed FROM pair")
    dropped = {number: why for number, *why in disturbed if any(why)}
    assert set(dropped) == {1, 2, 3}
    assert dropped[1][0] == "" and "the hardware throttled" in dropped[1][1]
    assert "1 other process" in dropped[3][0] and dropped[3][1] == ""


def test_a_case_that_is_always_disturbed_is_judged_by_nothing(lab):
    throttled = lab.worker("throttled", "--as", "constant=throttled")
    code, found = lab.gate(lab.profile("constant"), throttled, throttled, "--aa")
    assert (code, named(found)) == (3, {"constant": "invalid_environment"})
    assert "8 of 8 pairs were disturbed" in found["constant"]["reason"]
    assert "hw_thermal_slowdown" in found["constant"]["reason"]


def test_unstable_samples_count_because_leaving_them_out_would_not_be_blind(lab):
    code, found = lab.gate(lab.profile("unstable"), PLAIN, PLAIN, "--aa")
    assert (code, named(found)) == (0, {"unstable": "pass"})
    assert {outcome for outcome, _ in lab.outcomes()[case("unstable")]} == {"unstable"}


# ---- the budget


def test_one_pair_decides_nothing(lab):
    code, found = lab.gate(
        lab.profile("slow"), PLAIN, lab.worker("candidate", "--slower", 50), "--budget", "4s"
    )
    assert (code, named(found)) == (3, {"slow": "undecided"})
    assert found["slow"]["pairs"] == 1
    assert "the budget of 4 s was spent after 1 pair" in found["slow"]["reason"]
    assert "ratio_low" not in found["slow"] and "ratio_high" not in found["slow"]


def test_a_ten_fold_slow_down_never_ends_with_0(lab):
    candidate = lab.worker("candidate", "--slower", 900)
    for budget in ("1s", "2s", "4s"):
        code, found = lab.gate(
            lab.profile("constant", "prints"), PLAIN, candidate, "--budget", budget
        )
        assert code == (1 if "regression" in named(found).values() else 3), found
        lab.database.unlink()


def test_a_short_budget_decides_some_cases_and_says_what_all_would_need(lab):
    profile = lab.profile("constant", "noisy", "process_noise", "drifting", "prints", "slow")
    command = lab.gate_command(profile, PLAIN, PLAIN, "--aa", "--budget", "7s")
    done = lab.execute(command, text=True)
    assert re.search(
        r"  a round of 6 cases takes about .*: the budget is enough for about \d+ rounds?, and "
        r"with fewer than 10 no slow-down is found; so \d of the cases (is|are) measured first, in "
        r"about \d+ rounds, and others while time is left; all cases need about .*; --spread "
        r"measures all alike\n",
        done.stdout,
    ), done.stdout
    assert done.returncode == 0, done.stdout
    shown = json.loads(
        lab.call("show", "latest", "--json", "--results", lab.results, text=True).stdout
    )
    forecast = shown["forecast"]
    assert (forecast["cases"], forecast["least_rounds"], forecast["enough"]) == (6, 10, False)
    assert forecast["taken"] < 6 and forecast["rounds"] > forecast["all_rounds"] >= 1
    assert forecast["wanted_s"] > 7 and forecast["all_round_s"] > forecast["round_s"] > 0
    assert (
        "forecast    a round of 6 cases takes about"
        in lab.call("show", "latest", "--results", lab.results, text=True).stdout
    )
    found = dict(lab.query("SELECT case_name, verdict FROM verdict"))
    assert set(found.values()) == {"pass", "not_measured"}
    assert found[case("slow")] == "not_measured"
    lab.database.unlink()
    code, found = lab.gate(profile, PLAIN, PLAIN, "--aa", "--budget", "3s", "--spread")
    assert "not_measured" not in named(found).values()


def test_a_case_that_was_too_dear_is_measured_when_the_others_leave_time(lab):
    # Fourteen rounds of it take longer than that, but not those that it needs to pass.
    profile = lab.profile("constant", "noisy", "process_noise", "drifting", "prints", "slow")
    command = lab.gate_command(profile, PLAIN, PLAIN, "--aa", "--budget", "24s")
    done = lab.execute(command, text=True)
    assert "one round takes" in done.stdout, done.stdout
    assert dict(lab.query("SELECT verdict, count(*) FROM verdict GROUP BY 1")) == {"pass": 6}
    query = "SELECT round FROM pair WHERE case_name = ? ORDER BY round"
    rounds = [number for (number,) in lab.query(query, case("slow"))]
    assert rounds[0] == 0 and rounds[1] > 1  # after the others


def test_a_budget_that_ends_in_the_middle_of_a_case_is_no_timeout_of_it(lab):
    code, found = lab.gate(lab.profile("slow"), PLAIN, PLAIN, "--aa", "--budget", "1s")
    assert (code, named(found)) == (3, {"slow": "undecided"})
    assert found["slow"]["pairs"] == 0
    assert "was spent after no pair" in found["slow"]["reason"]


def test_the_pilot_says_what_can_be_found(lab):
    profile = lab.profile("bimodal", "process_noise")
    done = lab.execute(
        lab.gate_command(profile, PLAIN, lab.worker("candidate", "--slower", 3), "--seed", 2),
        text=True,
    )
    pilot = re.search(
        r"after 12 rounds (\d) of 2 cases (?:is|are) undecided; in .* find slow-downs\n",
        done.stdout,
    )
    assert pilot, done.stdout
    assert re.search(rf"  of about \d+(\.\d+)?% \(delta 3.0%\)  {case('bimodal')}\n", done.stdout)
    shown = lab.call("show", "latest", "--json", "--results", lab.results, text=True)
    forecast = json.loads(shown.stdout)["forecast"]
    assert forecast["enough"] and 0.03 <= forecast["smallest_effect"] < 1


# ---- sides


def test_what_another_device_would_measure_is_said(lab):
    command = lab.gate_command(lab.profile("constant"), PLAIN, PLAIN, "--aa")
    said = "1 case for emulated is not in this gate: --device emulated:fake counts it"
    assert f"  {said}\n" in lab.execute(command, text=True).stdout
    assert said in json.loads(lab.execute([*command, "--json"], text=True).stdout)["notes"]


def test_the_same_code_is_refused_unless_that_is_said(lab):
    refused = lab.execute(
        lab.gate_command(lab.profile("constant"), PLAIN, lab.worker("same")), text=True
    )
    assert refused.returncode == 64
    assert "are the same code" in refused.stderr and "there is nothing to compare" in refused.stderr
    assert "--aa" in refused.stderr
    assert not lab.results.exists()
    said = lab.execute(
        lab.gate_command(lab.profile("constant"), PLAIN, lab.worker("same"), "--aa"), text=True
    )
    assert said.returncode == 0
    assert "every alarm is a false one" in said.stdout


def variants_command(lab, profile, baseline, candidate, *arguments):
    return lab.command(
        *(
            "gate",
            "--device",
            "fake",
            "--profile",
            profile,
            "--results",
            lab.results,
            "--worker",
            PLAIN,
        ),
        *("--baseline-variant", baseline, "--candidate-variant", candidate, *arguments),
    )


def test_two_variants_of_one_build_are_paired_by_problem(lab):
    done = lab.execute(
        [*variants_command(lab, lab.profile(), "constant", "unstable"), "--json"], text=True
    )
    found = json.loads(done.stdout)["verdicts"]
    assert [(each["case"], each["baseline_case"]) for each in found] == [
        (case("unstable"), case("constant"))
    ]
    assert (done.returncode, found[0]["verdict"]) == (1, "regression")


@pytest.mark.parametrize(
    ("baseline", "candidate", "message"),
    [
        ("constat", "noisy", "did you mean constant?"),
        ("constant", "nosy", "did you mean noisy?"),
        ("constant", "constant", "there is nothing to compare"),
    ],
)
def test_variants_that_cannot_be_compared(lab, baseline, candidate, message):
    done = lab.execute(variants_command(lab, lab.profile(), baseline, candidate), text=True)
    assert done.returncode == 64
    assert message in done.stderr


def test_a_worker_that_changes_in_the_middle_ends_the_gate(lab):
    candidate = lab.worker("candidate", "--slower", 1)
    process = lab.start_command(
        lab.gate_command(lab.profile("constant", "slow"), PLAIN, candidate), env=lab.environment
    )
    wait_for(process, "baseline: ")
    lab.wait_for_pairs(1)
    replacement = lab.worker("other", "--slower", 2)
    replacement.replace(candidate)
    with process:
        error = process.stderr.read()
    assert process.returncode == 69
    assert "candidate has changed while the gate was measuring" in error
    assert lab.query("SELECT status FROM gate") == [("failed",)]
