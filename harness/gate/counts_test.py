"""Whole gates on a device that counts: one execution of each side decides, exactly, and there is
never a time."""

import json
import signal

import pytest

from harness.gate.resume_test import resuming
from harness.run.kill_test import finish, wait_for
from harness.run.scripted_runs import PLAIN, case, named, verdicts

SECTORS = "counted:global_load_sectors"


def gate_command(lab, baseline, candidate, *arguments):
    lab.database = lab.results / "synthetic-emulated.sqlite"
    return lab.command(
        *(
            "gate",
            "--device",
            "emulated:fake",
            "--profile",
            lab.profile(),
            "--results",
            lab.results,
        ),
        *("--baseline-worker", baseline, "--candidate-worker", candidate, *arguments),
    )


def gate(lab, baseline, candidate, *arguments):
    done = lab.execute([*gate_command(lab, baseline, candidate, *arguments), "--json"], text=True)
    assert done.stdout, done.stderr
    return done.returncode, verdicts(done.stdout)


def sectors(lab, value, name="candidate"):
    return lab.worker(name, "--count", f"{SECTORS}={value}")


def rules(lab, text):
    path = lab.folder / "gate.toml"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("value", "verdict", "code"), [(3, "regression", 1), (1, "improvement", 0), (2, "pass", 0)]
)
def test_a_single_count_decides(lab, value, verdict, code):
    found = gate(lab, PLAIN, sectors(lab, value))
    assert (found[0], named(found[1])) == (code, {"counted": verdict})
    if verdict != "pass":
        assert found[1]["counted"]["metric"] == "global_load_sectors"
        assert (found[1]["counted"]["baseline_value"], found[1]["counted"]["candidate_value"]) == (
            2,
            value,
        )
        assert found[1]["counted"]["ratio"] == value / 2
    assert not {"baseline_ns", "p_value", "noise", "ratio_low"} & found[1]["counted"].keys()
    assert lab.query("SELECT count(*) FROM pair") == [(0,)]
    assert lab.query("SELECT replicate, count(*), count(DISTINCT seed) FROM process") == [(0, 2, 1)]
    assert lab.query("SELECT outcome, samples FROM measurement") == [("counted", None)] * 2
    assert lab.query("SELECT metric <> '', verdict FROM verdict") == [(1, verdict)]
    assert lab.is_intact()


def test_the_same_code_passes(lab):
    assert named(gate(lab, PLAIN, lab.worker("same"))[1]) == {"counted": "pass"}
    assert named(gate(lab, PLAIN, PLAIN, "--aa")[1]) == {"counted": "pass"}


def test_rules_say_how_much_a_metric_may_grow(lab):
    candidate = sectors(lab, 3)
    allowed = rules(lab, '[[rule]]\ncases = "*"\ncounts = { global_load_sectors = "50%" }\n')
    found = gate(lab, PLAIN, candidate, "--config", allowed)
    assert (found[0], found[1]["counted"]["verdict"], found[1]["counted"]["delta"]) == (
        0,
        "pass",
        0.5,
    )
    misspelt = rules(lab, '[[rule]]\ncases = "*"\ncounts = { global_load_sector = "50%" }\n')
    done = lab.execute(gate_command(lab, PLAIN, candidate, "--config", misspelt), text=True)
    assert done.returncode == 1
    assert (
        "gate.toml:1: no case that was compared counts global_load_sector; did you mean"
    ) in done.stdout


def test_a_metric_that_one_side_lacks_decides_nothing(lab):
    candidate = lab.worker("candidate", "--count", "counted:bank_conflicts=0")
    code, found = gate(lab, PLAIN, candidate)
    assert (code, named(found)) == (3, {"counted": "undecided"})
    assert "bank_conflicts (the candidate alone)" in found["counted"]["reason"]


def test_what_goes_wrong_on_either_side_is_no_pass(lab):
    faults = {
        "counted_wrong": "wrong_result",
        "counted_race": "wrong_result",
        "counted_segfault": "crashed",
    }
    for fault, verdict in faults.items():
        bad = lab.worker("bad", "--as", f"counted={fault}")
        for side, pair in (("baseline", (bad, PLAIN)), ("candidate", (PLAIN, bad))):
            code, found = gate(lab, *pair)
            assert (code, named(found)) == (2, {"counted": verdict})
            assert found["counted"]["reason"].startswith(f"{side}: ")
            assert "round" not in found["counted"]["reason"]
    lacks = lab.worker("lacks", "--as", "counted=counted_unmodelled")
    assert named(gate(lab, PLAIN, lacks)[1]) == {"counted": "missing"}
    assert named(gate(lab, lacks, PLAIN)[1]) == {"counted": "new"}
    assert named(gate(lab, PLAIN, lab.worker("without", "--without", "counted"))[1]) == {
        "counted": "missing"
    }


def test_a_crash_costs_no_other_case_anything(lab):
    candidate = lab.worker(
        "candidate", "--as", "counted_wrong=counted_segfault", "--as", "counted_race=counted"
    )
    baseline = lab.worker(
        "baseline", "--as", "counted_wrong=counted", "--as", "counted_race=counted"
    )
    code, found = gate(
        lab, baseline, candidate, *map(case, ("counted", "counted_wrong", "counted_race"))
    )
    assert code == 2
    assert named(found) == {"counted": "pass", "counted_wrong": "crashed", "counted_race": "pass"}


def test_two_variants_are_compared(lab):
    worker = lab.worker("variants", "--as", "counted_race=counted")
    done = lab.call(
        *(
            "gate",
            "--device",
            "emulated:fake",
            "--results",
            lab.results,
            "--profile",
            lab.profile(),
            "--json",
        ),
        *(
            "--worker",
            worker,
            "--baseline-variant",
            "counted_race",
            "--candidate-variant",
            "counted",
            case("counted"),
        ),
        text=True,
    )
    assert done.stdout, done.stderr
    (found,) = json.loads(done.stdout)["verdicts"]
    assert (found["baseline_case"], found["case"]) == (case("counted_race"), case("counted"))
    assert found["verdict"] == "pass"


def test_what_is_said_names_metric_and_values_and_no_time(lab):
    files = [lab.folder / "gate.md", lab.folder / "gate.xml"]
    words = ["--github", "--markdown", files[0], "--junit", files[1]]
    done = lab.execute(gate_command(lab, PLAIN, sectors(lab, 512), *words), text=True)
    assert done.returncode == 1, done.stderr
    assert "counts are exact, so one execution of each side decides" in done.stdout
    assert "the candidate's counts are worse" in done.stdout
    for text in (done.stdout, *(file.read_text() for file in files)):
        assert "global_load_sectors" in text and "512" in text
        for time in ("interval", "round", "budget", "pairs"):
            assert time not in text
    shown = lab.call("show", "--results", lab.results, text=True)
    assert shown.returncode == 0
    assert (
        "global_load_sectors" in shown.stdout and "the candidate's counts are worse" in shown.stdout
    )
    assert "alpha" not in shown.stdout
    stored = json.loads(lab.call("show", "--json", "--results", lab.results, text=True).stdout)
    assert stored["verdicts"][0]["metric"] == "global_load_sectors"
    sampled = lab.call(
        "show", "--samples", "scripted/counted", "--results", lab.results, text=True
    ).stdout
    assert "regression, global_load_sectors 2 -> 512, ratio 256" in sampled
    assert "counts have no pairs" in sampled


@pytest.mark.parametrize("option", [("--budget", "1m"), ("--delta", "1%"), ("--alpha", "5%")])
def test_options_of_times_are_refused(lab, option):
    done = lab.execute(gate_command(lab, PLAIN, sectors(lab, 3), *option), text=True)
    assert done.returncode == 64
    assert f"{option[0]} is for times" in done.stderr
    assert not lab.results.exists()


def test_an_interrupted_gate_goes_on(lab):
    slow_start = {**lab.environment, "RIDGELINE_SCRIPTED_DELAY_MS": "1000"}
    process = lab.start_command(gate_command(lab, PLAIN, sectors(lab, 3)), env=slow_start)
    wait_for(process, "one execution of each side decides")
    process.send_signal(signal.SIGINT)
    assert "ridgeline gate --resume " in finish(process)
    assert process.returncode == 130
    assert lab.query("SELECT verdict, reason FROM verdict") == [
        ("undecided", "the gate was interrupted")
    ]
    again = lab.execute([*resuming(lab), "--json"], text=True)
    assert (again.returncode, named(verdicts(again.stdout))) == (1, {"counted": "regression"})
    assert lab.query("SELECT count(*) FROM measurement") == [(2,)]


def test_stored_runs_are_judged_alike(lab):
    lab.database = lab.results / "synthetic-emulated.sqlite"
    for worker, label, seed in (
        (PLAIN, "old", 5),
        (sectors(lab, 3), "new", 5),
        (sectors(lab, 2, "equal"), "same", 6),
    ):
        done = lab.call(
            *(
                "run",
                "--device",
                "emulated:fake",
                "--profile",
                lab.profile(),
                "--results",
                lab.results,
            ),
            *("--worker", worker, "--label", label, "--seed", seed),
            text=True,
        )
        assert done.returncode == 0, done.stderr

    def judged(baseline, candidate, *arguments):
        words = ("gate", "--baseline", f"label:{baseline}", "--candidate", f"label:{candidate}")
        return lab.call(*words, "--results", lab.results, *arguments, text=True)

    worse = judged("old", "new", "--json")
    assert (worse.returncode, named(verdicts(worse.stdout))) == (1, {"counted": "regression"})
    assert verdicts(worse.stdout)["counted"]["metric"] == "global_load_sectors"
    assert judged("new", "old").returncode == 0
    equal = judged("old", "same")
    assert equal.returncode == 0
    assert "the runs had other inputs, of the seeds 5 and 6" in equal.stdout
    assert "error rates" not in equal.stdout
    assert "--alpha is for times" in judged("old", "new", "--alpha", "1%").stderr
    assert lab.query("SELECT count(*) FROM gate") == [(3,)]
    assert lab.is_intact()
