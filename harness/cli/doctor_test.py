"""`ridgeline doctor` on this machine, whatever it is like."""

import json
import os

import pytest

from harness.run.scripted_runs import BUILD

LEVELS = {"fine", "note", "unknown", "unfit"}


def test_this_machine_is_looked_at_and_its_noise_measured(lab):
    if not (BUILD / "ridgeline-suites").is_file():
        pytest.skip("ridgeline-suites is not built")
    words = ("--device", "cpu", "--results", lab.results, "--json")
    done = lab.call("doctor", *words, text=True)
    found = json.loads(done.stdout)
    levels = {one["check"]: one["level"] for one in found["findings"]}
    assert set(levels.values()) <= LEVELS
    assert found["fit"] == ("unfit" not in levels.values())
    assert done.returncode == (0 if found["fit"] else 3), done.stderr
    assert levels["noise of roofs/fma/f32"] in ("fine", "note", "unfit"), "it was measured"
    assert levels["processor load"] != "unknown"
    for one in found["findings"]:
        assert all(one[key] for key in ("seen", "source", "why")), one
        assert bool(one["do"]) == (one["level"] != "fine"), one
    assert not lab.results.exists(), "nothing is stored"


def test_a_device_that_only_counts_or_is_scripted_needs_room_alone(lab):
    words = ("--worker", lab.worker("worker"), "--device", "fake", "--results", lab.results)
    done = lab.call("doctor", *words, "--strict", text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[0] == "fake (Synthetic Fake) is fit to measure: 2 fine"
    none = lab.call("doctor", *words, "--strict", "--min-free", "100000000", text=True)
    assert none.returncode == 3
    assert none.stdout.startswith("fake (Synthetic Fake) is not fit to measure: 1 against it, 1 ")
    assert "\n   from: the file system of the results\n" in none.stdout


@pytest.mark.parametrize(
    ("words", "code"),
    [(["--min-free", "-1"], 64), (["--device", "nothing"], 64), (["--profile", "none"], 64)],
)
def test_what_cannot_be_looked_at_is_refused(lab, words, code):
    done = lab.call("doctor", "--worker", lab.worker("worker"), "--quick", *words, text=True)
    assert done.returncode == code, done.stderr


def test_a_folder_that_no_option_can_name_is_looked_at(lab):
    environment = {**lab.environment, "RIDGELINE_RESULTS": os.fsdecode(b"no \xff text")}
    words = ("doctor", "--worker", lab.worker("worker"), "--device", "fake")
    done = lab.call(*words, text=True, env=environment)
    assert done.returncode == 0, done.stderr
