"""Rounds of a gate that something disturbed."""

from harness.run.scripted_runs import PLAIN, case, named


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
