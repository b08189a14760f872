"""Whole gates over scripted times: what each side takes decides the verdict."""

import pytest

from harness.run.scripted_runs import PLAIN, named


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
