"""What a gate's budget is enough for, and what it says of the rest."""

import json
import re

from harness.run.scripted_runs import PLAIN, case, named


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


def test_a_slow_case_never_ends_with_0_beside_one_that_passes(lab):
    candidate = lab.worker("candidate", "--as", "prints=tenfold")
    for budget in ("1s", "2s", "4s"):
        code, found = lab.gate(
            lab.profile("constant", "prints"), PLAIN, candidate, "--budget", budget
        )
        assert code == (1 if named(found)["prints"] == "regression" else 3), found
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
    assert (code, named(found)) == (3, {"slow": "not_measured"})
    assert found["slow"]["pairs"] == 0
    assert "was spent after no pair" in found["slow"]["reason"]
    cut = set(lab.query("SELECT outcome, reason FROM measurement WHERE median_ns IS NULL"))
    assert {outcome for outcome, _ in cut} == {"not_measured"}
    assert all("the run's budget was spent" in reason for _, reason in cut)


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
