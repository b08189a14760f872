"""Two stored runs against each other: real workers, real runs, the second one's worker altered on
the way."""

import json
import os

import pytest

from harness.run.scripted_runs import BUILD, ROOT, case

# Between ridgeline and the scripted worker: times of some variants become longer, and the build
# says another commit.
ALTERED = """#!/usr/bin/env python3
import json, subprocess, sys
FACTOR, VARIANTS = {factor}, {variants}
pipes = dict(stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
worker = subprocess.Popen([{worker!r}, *sys.argv[1:]], **pipes)
slow = False
for line in sys.stdin:
    request = json.loads(line)
    if request["request"] == "prepare":
        slow = request["case"].split("/")[1] in VARIANTS
    worker.stdin.write(line)
    worker.stdin.flush()
    text = worker.stdout.readline()
    if not text:
        break
    answer = json.loads(text)
    if "build" in answer:
        answer["build"].update(commit={commit!r}, code_hash={commit!r}, dirty=False)
    for holder in (answer, answer.get("measurement") or {{}}):
        if slow and "samples_ns" in holder:
            holder["samples_ns"] = [FACTOR * ns for ns in holder["samples_ns"]]
    print(json.dumps(answer), flush=True)
worker.stdin.close()
sys.exit(worker.wait())
"""
OLD, NEW = "0" * 40, "1" * 40
VARIANTS = ("noisy", "drifting", "constant", "unsupported", "wrong_result")


@pytest.fixture
def runs(lab):
    """A lab, and a way to measure a run with an altered worker."""

    def measure(label, commit, *slow, variants=VARIANTS, processes=6, **options):
        worker = lab.folder / f"{label}-worker"
        worker.write_text(
            ALTERED.format(
                factor=1.1,
                variants=slow,
                commit=commit,
                worker=str(BUILD / "ridgeline-scripted-worker"),
            )
        )
        worker.chmod(0o755)
        profile = lab.profile(*variants, processes=processes)
        command = [
            "run",
            "--device",
            "fake",
            "--profile",
            profile,
            "--results",
            lab.results,
            "--worker",
            worker,
        ]
        done = lab.call(*command, "--label", label, text=True, **options)
        assert done.returncode in (0, 2), done.stderr
        return done

    lab.measure = measure
    return lab


def gate(lab, *arguments):
    done = lab.call(
        *(
            "gate",
            "--json",
            "--results",
            lab.results,
            "--baseline",
            "label:old",
            "--candidate",
            "label:new",
        ),
        *arguments,
        text=True,
    )
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout), done.stderr


def verdicts(said):
    found = {one["case"]: one["verdict"] for one in said["verdicts"]}
    return {name.split("/")[1]: verdict for name, verdict in found.items()}


def test_a_slower_run_is_found_stored_and_shown(runs):
    runs.measure("old", OLD, processes=8)
    runs.measure(
        "new",
        NEW,
        "noisy",
        "wrong_result",
        variants=("noisy", "drifting", "unsupported", "wrong_result"),
        processes=8,
    )
    code, said, _ = gate(runs)
    assert code == 2
    assert verdicts(said) == {
        "noisy": "regression",
        "drifting": "pass",
        "unsupported": "skipped",
        "wrong_result": "wrong_result",
        "constant": "missing",
    }
    slower = next(one for one in said["verdicts"] if one["verdict"] == "regression")
    assert 1.08 < slower["ratio"] < 1.12
    assert runs.query("SELECT count(*), max(mode), max(status) FROM gate") == [
        (1, "runs", "finished")
    ]
    assert runs.query("SELECT count(*) FROM pair") == [(0,)]
    assert runs.is_intact()

    code, said, _ = gate(runs, "scripted/noisy", "scripted/drifting")
    assert code == 1
    assert verdicts(said) == {"noisy": "regression", "drifting": "pass"}
    shown = runs.call(
        "gate",
        "--results",
        runs.results,
        "--baseline",
        "label:old",
        "--candidate",
        "label:new",
        case("noisy"),
        text=True,
    )
    assert f"--baseline-ref {OLD[:12]} --candidate-ref {NEW[:12]}" in shown.stdout
    assert shown.returncode == 1

    # The gate is the newest of all; what only runs have is asked of the newest run, unless a gate
    # is named.
    newest = runs.call("show", "--results", runs.results, text=True).stdout
    assert newest.startswith("gate ")
    for asked in (
        ["--failed"],
        ["--sort", "time"],
        ["latest", "scripted/noisy"],
        ["synthetic-fake", "scripted/noisy"],
    ):
        assert runs.call("show", "--results", runs.results, *asked, text=True).stdout.startswith(
            "run "
        ), asked
    named = runs.call(
        "show", "--results", runs.results, newest.split()[1].rstrip(":"), "--failed", text=True
    )
    assert (named.returncode, "is shown whole" in named.stderr) == (64, True)


def test_few_processes_decide_nothing_and_say_so(runs):
    runs.measure("old", OLD, variants=("noisy",), processes=2)
    runs.measure("new", NEW, "noisy", variants=("noisy",), processes=2)
    code, said, _ = gate(runs)
    assert code == 3, "nothing decided is no pass"
    (only,) = said["verdicts"]
    assert only["verdict"] == "undecided"
    assert "can never show a regression" in only["reason"]


def test_another_environment_is_judged_only_when_it_is_accepted(runs):
    runs.measure("old", OLD, variants=("noisy",))
    elsewhere = {**runs.environment, "RIDGELINE_RUNNER": "another"}
    runs.measure("new", NEW, "noisy", variants=("noisy",), env=elsewhere)
    code, said, _ = gate(runs)
    assert (code, verdicts(said)) == (3, {"noisy": "invalid_environment"})
    assert said["verdicts"][0]["reason"] == "runner nothing -> another"
    code, said, _ = gate(runs, "--accept-changes")
    assert (code, verdicts(said)) == (1, {"noisy": "regression"})


def test_rules_hold_for_stored_runs(runs):
    runs.measure("old", OLD, variants=("noisy", "drifting"))
    runs.measure("new", NEW, "noisy", "drifting", variants=("noisy", "drifting"))
    rules = runs.folder / "gate.toml"
    rules.write_text('[[rule]]\ncases = "scripted/noisy"\nskip = "known"\n')
    code, said, error = gate(runs, "--config", rules)
    assert (code, verdicts(said)) == (1, {"noisy": "skipped", "drifting": "regression"}), error


def test_the_report_shows_the_gate(runs):
    if "RIDGELINE_PYTHON" not in os.environ and not (ROOT / ".venv/bin/python").exists():
        pytest.skip("no Python with matplotlib")
    runs.measure("old", OLD, variants=("noisy",))
    runs.measure("new", NEW, "noisy", variants=("noisy",))
    gate(runs)
    done = runs.call("report", "--results", runs.results, text=True)
    assert done.returncode == 0, done.stderr
    report = runs.results / "report"
    assert "label:new against label:old" in (report / "index.html").read_text()
    (page,) = report.glob("gate-*.html")
    assert "The gate fails: the candidate is slower." in page.read_text()
    assert (report / "figures" / "forest.png").read_bytes().startswith(b"\x89PNG")
