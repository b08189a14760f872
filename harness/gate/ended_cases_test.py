"""What ends a case of a gate: a fault, a wrong result, or that one side lacks it. Nothing missing
is a pass."""

import pytest

from harness.run.scripted_runs import PLAIN, ROUNDS, case, left_behind, named


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
