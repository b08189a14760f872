"""Gates of several devices: one each, with one alpha, one budget and one exit code for all."""

import json
import re
import signal

import pytest

from harness.gate.told_code_test import worker
from harness.run.kill_test import finish
from harness.run.scripted_runs import PLAIN


@pytest.fixture
def sides(lab):
    """Of each side a worker of the device `fake`, and one of `cpu`."""
    return {
        "--baseline-worker": [PLAIN, worker(lab, "a", "")],
        "--candidate-worker": [lab.worker("slower", "--slower", 5), worker(lab, "b", "")],
    }


def command(lab, sides, *arguments, devices="fake,cpu", variants=("constant",)):
    words = [word for side, programs in sides.items() for each in programs for word in (side, each)]
    rules = lab.folder / "gate.toml"
    rules.write_text('[[rule]]\ncases = "sorting"\ndelta = "90%"\n')  # which is noise
    return lab.command(
        *("gate", "--device", devices, "--profile", lab.profile(*variants)),
        *("--results", lab.results, "--config", rules, *words, *arguments),
    )


def test_each_has_a_gate_and_they_share_alpha_budget_and_exit_code(lab, sides):
    done = lab.execute(command(lab, sides, "--budget", "40s", "--json"), text=True)
    document = json.loads(done.stdout)
    assert done.returncode == document["exit_code"] == 1, done.stderr
    fake, cpu = document["gates"]
    assert [one["device"]["id"] for one in (fake, cpu)] == ["fake", "cpu"]
    assert [one["gate"]["cases"] for one in (fake, cpu)] == [2, 2]
    (found,) = fake["verdicts"]
    assert found["verdict"] == "regression"
    assert found["level"] == pytest.approx(0.2 * 0.01 / 2)  # of 12 pairs, for one of two cases
    assert "at most 60 rounds and 20 s" in done.stderr
    # What failed is repeated on its device alone.
    assert " --device fake " in fake["repeat"] and "fake,cpu" not in fake["repeat"]
    for one in (fake, cpu):
        shown = lab.call("show", one["gate"]["id"], "--json", "--results", lab.results, text=True)
        assert json.loads(shown.stdout)["gate"]["cases"] == 2


def test_all_formats_have_all_devices(lab, sides):
    files = {"--junit": lab.folder / "gate.xml", "--markdown": lab.folder / "gate.md"}
    words = [word for pair in files.items() for word in pair]
    done = lab.execute(command(lab, sides, "--budget", "40s", *words), text=True)
    assert "2 gates of one alpha, exit code 1:\n  fake: the gate fails: the candidate is" in (
        done.stdout
    )
    for text in (done.stdout, *(file.read_text() for file in files.values())):
        assert "scripted/constant" in text and "sorting/python" in text


def test_an_interrupted_one_is_resumed_by_a_line_for_each(lab, sides):
    process = lab.start_command(
        command(lab, sides, "--budget", "60s", variants=("slow",)), env=lab.environment
    )
    lab.wait_for_pairs(1)
    process.send_signal(signal.SIGINT)
    printed = finish(process)
    assert process.returncode == 130, printed
    lines = re.findall(r"^  resume: (ridgeline gate --resume (\S+) .*)", printed, re.M)
    assert len({gate for _, gate in lines}) == 2
    resumed = lab.call(*lines[1][0].split()[1:], "--json", text=True)
    document = json.loads(resumed.stdout)
    assert document["device"]["id"] == "cpu" and document["gate"]["status"] == "finished"
    assert document["gate"]["cases"] == 2  # which alpha is still divided by


def test_a_pattern_is_for_the_devices_that_have_its_cases(lab, sides):
    patterns = ("scripted/constant", "sorting")
    done = lab.execute(command(lab, sides, *patterns, "--budget", "40s", "--json"), text=True)
    assert done.returncode == 1, done.stderr
    for one, suite, pattern in zip(
        json.loads(done.stdout)["gates"], ("scripted", "sorting"), patterns, strict=True
    ):
        assert [verdict["case"].split("/")[0] for verdict in one["verdicts"]] == [suite]
        assert one["gate"]["cases"] == 2
        lab.database = lab.results / f"{one['device']['model']}.sqlite"
        ((options,),) = lab.query("SELECT options FROM gate")
        assert json.loads(options)["patterns"] == [pattern]  # with which it would be resumed


def test_a_device_without_a_case_is_left_out_and_said(lab, sides):
    done = lab.execute(command(lab, sides, "sorting", "--budget", "20s", "--json"), text=True)
    document = json.loads(done.stdout)
    assert done.returncode == 0, done.stderr
    assert document["device"]["id"] == "cpu" and document["gate"]["cases"] == 1
    assert "fake is left out: no pattern chooses a case for it" in document["notes"]
    done = lab.execute(command(lab, sides, "sorting", "nothing"), text=True)
    assert done.returncode == 64 and 'no case matches "nothing"' in done.stderr, done.stderr


@pytest.mark.parametrize(
    ("devices", "message", "hint"),
    [
        ("fake,fake", "fake is named twice", False),
        ("fake,emulated:fake", "emulated:fake gives counts", True),
        ("fake,", "a name between commas is empty", False),
        ("fake,cuda:7", "there is no device cuda:7 here", False),
    ],
)
def test_what_cannot_be_gated_together_is_refused(lab, sides, devices, message, hint):
    done = lab.execute(command(lab, sides, devices=devices), text=True)
    assert done.returncode == 64 and message in done.stderr, done.stderr
    assert ("a gate of counts is one of its own" in done.stderr) == hint, done.stderr
    assert not lab.results.exists()


def test_what_ends_the_first_leaves_the_others_to_be_resumed(lab, sides):
    baseline = sides["--candidate-worker"][0]
    process = lab.start_command(
        command(lab, sides, "--budget", "60s", variants=("constant", "slow")), env=lab.environment
    )
    lab.wait_for_pairs(1)
    lab.worker("other", "--slower", 6).replace(baseline)
    with process:
        error = process.stderr.read()
    assert process.returncode == 69 and "has changed while the gate was measuring" in error
    assert lab.query("SELECT status FROM gate") == [("failed",)]
    shown = lab.call("show", "latest", "--results", lab.results, text=True).stdout
    assert "interrupted" in shown and "resume: ridgeline gate --resume" in shown, shown
    found = lab.call("show", "latest", "--json", "--results", lab.results, text=True).stdout
    assert json.loads(found)["device"]["id"] == "cpu"  # the last one that was named
