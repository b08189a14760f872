"""What the sides of a gate may be: not the same code, two variants, and no worker that changes."""

import json

import pytest

from harness.run.kill_test import wait_for
from harness.run.scripted_runs import PLAIN, case


def test_what_another_device_would_measure_is_said(lab):
    command = lab.gate_command(lab.profile("constant"), PLAIN, PLAIN, "--aa")
    said = "1 case for emulated is not in this gate: --device emulated:fake counts it"
    assert f"  {said}\n" in lab.execute(command, text=True).stdout
    assert said in json.loads(lab.execute([*command, "--json"], text=True).stdout)["notes"]


def test_a_program_named_twice_is_refused_unless_that_is_said(lab):
    link = lab.folder / "link"
    link.symlink_to(PLAIN)
    for again in (PLAIN, link):
        refused = lab.execute(lab.gate_command(lab.profile("constant"), PLAIN, again), text=True)
        assert refused.returncode == 64
        assert "both sides are" in refused.stderr and "nothing to compare" in refused.stderr
        assert "--aa" in refused.stderr
        assert not lab.results.exists()
    said = lab.execute(lab.gate_command(lab.profile("constant"), PLAIN, PLAIN, "--aa"), text=True)
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
