"""`run --device all`: all GPUs at once, a run each, and which of them is slower."""

import contextlib
import json
import re
import shlex
import signal
import sqlite3
import sys
from pathlib import Path

import pytest

from harness.run.scripted_runs import PLAIN

PLAYED = Path(__file__).with_name("several_gpus.py")


def command(lab, *played, arguments=(), processes=3, seed=None):
    """A machine whose GPUs are played as these options say. Their times come from the seed; without
    one, GPUs that are alike differ beyond noise now and then."""
    worker = lab.folder / "played"
    line = shlex.join([sys.executable, str(PLAYED), *map(str, played)])
    worker.write_text(f'#!/bin/sh\nexec {line} "$@"\n')
    worker.chmod(0o755)
    profile = lab.profile(processes=processes)
    profile.write_text(profile.read_text() + '\n[cuda]\ncases = ["first", "second"]\n')
    return lab.command(
        *("run", "--device", "all", "--profile", profile, "--results", lab.results),
        *("--worker", worker, *(() if seed is None else ("--seed", seed)), *arguments),
    )


def test_the_slower_gpu_is_named(lab):
    done = lab.execute(command(lab, "--gpus", 3, "--slow", 1, seed=1), text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    for gpu in range(3):
        assert f"cuda:{gpu}: [36/36] " in done.stdout
        assert re.search(rf"cuda:{gpu}: run \S+, 12 cases: 12 ok", done.stdout)
    *_, last = done.stdout.splitlines()
    assert re.fullmatch(r"cuda:1 is slower than its siblings by \S+% \(at least \S+%\)\.", last)
    (lab.database,) = lab.results.glob("*.sqlite")
    assert lab.query("SELECT DISTINCT local_id FROM device ORDER BY 1") == [
        (f"cuda:{gpu}",) for gpu in range(3)
    ]
    orders = {
        tuple(lab.query("SELECT case_id FROM measurement WHERE process_id = ? ORDER BY id", *one))
        for one in lab.query("SELECT id FROM process WHERE replicate = 1")
    }
    assert len(orders) == 1, "all in one order"


def test_programs_are_told_the_same(lab):
    chosen = ("--json", "--", "second")
    done = lab.execute(command(lab, "--gpus", 2, arguments=chosen, seed=7), text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    told = json.loads(done.stdout)
    assert [run["device"]["id"] for run in told["runs"]] == ["cuda:0", "cuda:1"]
    assert {run["seed"] for run in told["runs"]} == {7}
    names = {case["case"] for run in told["runs"] for case in run["cases"]}
    assert len(names) == 6 and all(name.startswith("second/") for name in names)
    ((siblings,),) = told["siblings"]
    assert (siblings["cases"], siblings["processes"]) == (6, 3)
    assert [one["slower"] for one in siblings["devices"]] == [False, False]
    assert told["exit_code"] == 0


def test_times_together_are_a_line_per_gpu(lab):
    none = lab.call("trend", "siblings", "--results", lab.results, text=True)
    assert none.returncode != 0
    for seed, slow in enumerate((-1, 1, 1)):
        done = lab.execute(command(lab, "--gpus", 3, "--slow", slow, seed=seed), text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    asked = ("trend", "siblings", "--results", lab.results)
    (host,) = json.loads(lab.call(*asked, "--json", text=True).stdout)["hosts"]
    assert [(gpu["id"], gpu["slower_in_a_row"]) for gpu in host["gpus"]] == [
        ("cuda:0", 0),
        ("cuda:1", 2),
        ("cuda:2", 0),
    ]
    assert len(host["times"]) == 3
    assert [len(once["runs"]) for once in host["times"]] == [3, 3, 3]
    text = lab.call(*asked, text=True).stdout
    assert "profile tests: measured together 3 times, last " in text
    assert re.search(
        r"^cuda:1 is slower than its siblings by \S+% \(at least \S+%\), and was in each of the "
        r"last 2\s+times\.$",
        text,
        re.MULTILINE,
    ), text
    (lab.database,) = lab.results.glob("*.sqlite")
    ids = dict(
        lab.query(
            "SELECT local_id, run.id FROM run JOIN device ON device.id = device_id WHERE seed = 2"
        )
    )
    asked = ("compare", ids["cuda:0"], ids["cuda:1"], "--results", lab.results, "--json")
    compared = json.loads(lab.call(*asked, text=True).stdout)
    assert compared["siblings"]["together"] == 3
    assert any(
        one.startswith("cuda:1 is slower than cuda:0 by ") for one in compared["conclusions"]
    ), compared["conclusions"]
    assert {case["cause"] for case in compared["cases"]} <= {"none", "unknown"}


def test_times_of_other_cases_are_a_table_of_their_own(lab):
    for chosen in ([], ["second"]):  # by one seed: they are still not of one time
        made = command(lab, "--gpus", 2, "--peers", arguments=chosen, seed=1)
        done = lab.execute(made, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    asked = ("trend", "siblings", "--results", lab.results)
    hosts = json.loads(lab.call(*asked, "--json", text=True).stdout)["hosts"]
    assert {host["chosen"] for host in hosts} == {"--exclude second", "second"}
    for host in hosts:
        (once,) = host["times"]
        assert len(once["runs"]) == 2
    text = lab.call(*asked, text=True).stdout
    assert "profile tests, cases second: measured together 1 time," in " ".join(text.split()), text
    (lab.database,) = lab.results.glob("*.sqlite")
    with contextlib.closing(sqlite3.connect(lab.database)) as database, database:
        database.execute("PRAGMA ignore_check_constraints = ON")
        database.execute(
            "UPDATE measurement SET median_ns = -1 WHERE id = (SELECT max(id) FROM measurement)"
        )
    rest = lab.call(*asked, "--json", text=True)
    assert rest.returncode == 0, rest.stderr
    assert rest.stderr.count("left out: ") == 1, "a broken run"
    assert [host["chosen"] for host in json.loads(rest.stdout)["hosts"]] == ["--exclude second"]


def test_times_of_one_gpu_after_the_other_are_not_together(lab):
    done = lab.execute(command(lab, "--gpus", 2, processes=1, seed=1), text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    asked = ("trend", "siblings", "--results", lab.results)
    assert lab.call(*asked, text=True).returncode == 0
    (lab.database,) = lab.results.glob("*.sqlite")
    with contextlib.closing(sqlite3.connect(lab.database)) as database, database:
        database.execute(
            "UPDATE run SET started = strftime('%Y-%m-%dT%H:%M:%SZ', started, '-1 hour'), "
            "finished = strftime('%Y-%m-%dT%H:%M:%SZ', finished, '-1 hour') "
            "WHERE id = (SELECT max(id) FROM run)"
        )
    apart = lab.call(*asked, text=True)
    assert apart.returncode == 64
    assert "no stored runs have measured several GPUs of a host together" in apart.stderr
    (one,), (other,) = lab.query("SELECT id FROM run")
    asked = ("compare", one, other, "--results", lab.results, "--json")
    assert "siblings" not in json.loads(lab.call(*asked, text=True).stdout)


def test_cases_between_two_gpus_are_measured_in_turn(lab):
    played = ("--gpus", 3, "--peers")
    done = lab.execute(command(lab, *played, arguments=["second"]), text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    said = [line.split(":")[1] for line in done.stdout.splitlines() if "/18]" in line]
    assert said == ["0"] * 18 + ["1"] * 18 + ["2"] * 18


def test_cases_between_two_gpus_are_left_out_beside_others(lab):
    done = lab.execute(command(lab, "--gpus", 2, "--peers"), text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("cases between two GPUs are left out: ")
    assert "cuda:0: [18/18] first/" in done.stdout
    assert "second/" not in done.stdout


def test_what_one_gpu_does_costs_its_run_only(lab):
    done = lab.execute(command(lab, "--gpus", 3, "--crash", 2, processes=1), text=True)
    assert done.returncode == 2, done.stdout + done.stderr
    assert re.search(r"cuda:2: run \S+, 12 cases: 12 crashed", done.stdout)
    (lab.database,) = lab.results.glob("*.sqlite")
    assert lab.query("SELECT count(DISTINCT seed), count(*) FROM run") == [(1, 3)]
    assert "With one process per case, nothing tells a slower device" in done.stdout
    assert "cuda:2  " not in done.stdout.split("beside its siblings")[1]


def test_ctrl_c_ends_all_and_keeps_what_is_there(lab):
    process = lab.start_command(command(lab, "--gpus", 2, "--seconds", 600))
    for line in process.stdout:
        if "[1/" in line:
            break
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert "interrupted; what was measured until then is stored" in errors
    assert "nothing was measured" not in errors
    (lab.database,) = lab.results.glob("*.sqlite")
    assert lab.query("SELECT DISTINCT status FROM run") == [("interrupted",)]


@pytest.mark.parametrize(
    "played, arguments, says",
    [
        (["--gpus", 0], [], "there is no GPU here for --device all"),
        (["--gpus", 2], ["--resume", "latest"], "--resume does not go with --device all"),
        (["--gpus", 2], ["--dry-run"], "--dry-run does not go with --device all"),
        (["--gpus", 2], ["nonsense"], "no case matches"),
        (["--gpus", 2], ["--budget", "soon"], "--budget soon is not a duration"),
        (["--launched"], [], "cases of several ranks use all GPUs by themselves"),
    ],
)
def test_mistakes_are_one_sentence_told_once(lab, played, arguments, says):
    line = command(lab, *played, arguments=arguments)
    if "--resume" in arguments:
        at = line.index("--profile")
        del line[at : at + 2]
    done = lab.execute(line, text=True)
    assert done.returncode == 64, done.stdout + done.stderr
    assert done.stderr.count(says) == 1, done.stderr
    assert not list(lab.results.glob("*.sqlite"))


def test_other_workers_are_as_before(lab):
    done = lab.call("run", "--device", "all", "--worker", PLAIN, text=True)
    assert (done.returncode, "there is no GPU here" in done.stderr) == (64, True), done.stderr
