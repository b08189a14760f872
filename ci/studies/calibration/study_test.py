"""The program: studies that are measured, interrupted, resumed, refused and published."""

import contextlib
import dataclasses
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ci.studies.calibration import gates, plan, profiles, study
from ci.studies.calibration.busy import one_core_busy
from ci.studies.calibration.examples import PROFILE, gate
from ci.studies.calibration.gates import GateFailed
from ci.studies.calibration.journal import read
from ci.studies.publish import markers

BEGIN, END = markers("calibration")
BUILD = Path(os.environ.get("RIDGELINE_BUILD", study.ROOT / "build" / "release" / "bin"))
BUILT = {
    "commit": "0123",
    "dirty": False,
    "compiler": "synthetic",
    "flags": "",
    "worker": "aa",
    "ridgeline": "bb",
}

DEVICES = {
    "reply": "devices",
    "devices": [
        {
            "id": "cuda:1",
            "name": "Synthetic GPU",
            "uuid": "GPU-0123",
            "properties": {"sms": "4"},
            "comparable": {},
            "recorded": {"driver": "1.2", "host": "somewhere", "pci_bus": "0000:01:00.0"},
        }
    ],
    "unavailable": [{"kind": "opencl", "reason": "synthetic reason"}],
}


@pytest.fixture
def made_up(monkeypatch, tmp_path):
    """Gates that are made up at once, of a profile whose name the command line knows."""
    calls = []

    def measure(programs, profile, cell, seed):
        calls.append(cell)
        verdict = "pass" if cell.extra == 0 else "regression" if cell.extra > 0 else "improvement"
        return gate(cell.part, cell.extra, (verdict, verdict), cell.delta, seed)

    for program in ("ridgeline", gates.WORKER):
        (tmp_path / program).write_text("")
    monkeypatch.setitem(profiles.PROFILES, PROFILE.name, PROFILE)
    monkeypatch.setattr(gates, "build_facts", lambda programs: dict(BUILT))
    monkeypatch.setattr(study.run, "__defaults__", (measure,))
    monkeypatch.setattr(study, "possible_parts", lambda profile: tuple(profile.shares))
    return calls


def call(tmp_path, *arguments):
    options = (
        "--profile",
        PROFILE.name,
        "--programs",
        str(tmp_path),
        "--output",
        str(tmp_path / "study.jsonl"),
    )
    return study.main([*options, *arguments])


def test_a_study_is_measured_kept_and_published(made_up, tmp_path, capsys):
    page = tmp_path / "page.md"
    page.write_text(f"# Page\n{BEGIN}\n{END}\n")
    assert call(tmp_path, "--publish", str(page)) == 0
    assert len(made_up) == sum(cell.gates for cell in PROFILE.cells)
    journal = read(tmp_path / "study.jsonl")
    assert len(journal.gates) == len(made_up)
    summary = json.loads((tmp_path / "study.summary.json").read_text())
    assert summary["gates"] == len(made_up)
    assert os.uname().nodename not in json.dumps(journal.study)
    assert (tmp_path / "study.md").read_text() in page.read_text()
    output = capsys.readouterr().out
    assert output.index("profile synthetic-study: at most 100 s") < output.index("1/12")


def test_cases_take_turns_at_being_planted(made_up, tmp_path, monkeypatch):
    seeds = []

    def measure(programs, profile, cell, seed):
        seeds.append(seed)
        return gate(cell.part, cell.extra, ("pass", "pass"), cell.delta, seed)

    cells = (plan.Cell("one", 5, 0.03, 4),)
    profile = dataclasses.replace(PROFILE, cells=cells, shares={"one": 1})
    monkeypatch.setitem(profiles.PROFILES, PROFILE.name, profile)
    monkeypatch.setattr(study.run, "__defaults__", (measure,))
    assert call(tmp_path) == 0
    planted = [profile.planted_case(cells[0], seed) for seed in seeds]
    assert planted == [*PROFILE.cases, *PROFILE.cases]
    assert len(set(seeds)) == 4


def test_the_candidate_alone_has_what_is_planted(tmp_path):
    (tmp_path / gates.WORKER).write_text('#!/bin/sh\nfor each; do echo "[$each]"; done\n')
    (tmp_path / gates.WORKER).chmod(0o755)

    def started(side, planted):
        worker = gates.write_worker(tmp_path, tmp_path, side, planted)
        done = subprocess.run([worker, "--worker"], capture_output=True, text=True, check=True)
        return done.stdout.split("\n")[:-1]

    tail = plan.Cell("tails", 0, 0.03, 1, "--slow-samples 0.05:2")
    options = gates.planted_options(PROFILE, tail, 5)
    assert started("baseline", "") == ["[--worker]"]
    assert started("candidate", options) == [
        *("[--extra]", "[0]", "[--slow-samples]", "[0.05:2]", "[--worker]")
    ]
    only = gates.planted_options(PROFILE, plan.Cell("one", -0.5, 0.03, 1), 1)
    assert started("candidate", only) == [
        *("[--extra]", "[-0.5]", "[--only]", f"[{PROFILE.cases[1]}]", "[--worker]")
    ]


PLANNED = {"case": "a", "work_ratio": 1.0}


@pytest.mark.parametrize(
    ("case", "gate_said", "as_planned"),
    [
        ({"work_ratio": 1.05}, {"extra": 5}, True),
        ({"work_ratio": 1.0498}, {"extra": 5}, False),
        ({"work_ratio": 1.0}, {"extra": 5, "planted_case": "b"}, True),
        ({"work_ratio": 1.05}, {"extra": 5, "planted_case": "b"}, False),
        ({"work_ratio": 1.05}, {"extra": 5, "planted_case": "a"}, True),
        ({}, {"extra": 0, "plant": "--slow-samples 0.05:2"}, False),
        ({"slow_executions": 0.05}, {"extra": 0, "plant": "--slow-samples 0.05:2"}, True),
        ({"slow_executions": 0.05}, {"extra": 0}, False),
        (
            {"slow_processes": 0.2, "work_ratio": None},
            {"extra": 0, "plant": "--slow-processes"},
            True,
        ),
        ({"work_ratio": None}, {"extra": 0, "plant": "--slow-processes"}, False),
    ],
)
def test_what_kernels_have_counted_is_what_was_planned(case, gate_said, as_planned):
    whole = {key: value for key, value in {**PLANNED, **case}.items() if value is not None}
    assert gates.is_as_planned(whole, gate_said) == as_planned


def test_an_interrupted_study_goes_on(made_up, tmp_path, monkeypatch, capsys):
    (measure,) = study.run.__defaults__

    def interrupted(*arguments):
        if len(made_up) == 3:
            raise KeyboardInterrupt
        return measure(*arguments)

    monkeypatch.setattr(study.run, "__defaults__", (interrupted,))
    assert call(tmp_path) == 130
    assert "3 gates are in" in capsys.readouterr().err
    file = tmp_path / "study.jsonl"
    with file.open("ab") as stream:
        stream.write(b'{"kind":"gate","part":"qui')  # as a kill leaves it
    monkeypatch.setattr(study.run, "__defaults__", (measure,))
    assert call(tmp_path) == 0
    assert "line 5: " in capsys.readouterr().err
    assert len(made_up) == len(read(file).gates) == sum(cell.gates for cell in PROFILE.cells)
    assert call(tmp_path) == 0  # nothing is left to do
    assert len(made_up) == len(read(file).gates)


def test_another_build_or_suite_is_another_study(made_up, tmp_path, monkeypatch, capsys):
    assert call(tmp_path, "--time", "5s") == 0
    monkeypatch.setattr(gates, "build_facts", lambda programs: {**BUILT, "worker": "cc"})
    assert call(tmp_path) == 74
    assert "its build differs" in capsys.readouterr().err
    monkeypatch.setattr(gates, "build_facts", lambda programs: dict(BUILT))
    monkeypatch.setitem(profiles.PROFILES, PROFILE.name, dataclasses.replace(PROFILE, budget_s=6))
    assert call(tmp_path) == 74
    assert "its settings differs" in capsys.readouterr().err


def test_the_time_is_kept(made_up, tmp_path):
    assert call(tmp_path, "--time", "10s") == 0
    assert len(made_up) == 4  # of 2.5 s each


def test_plans_and_summaries_measure_nothing(made_up, tmp_path, capsys):
    assert call(tmp_path, "--plan") == 0
    assert "quiet" in capsys.readouterr().out
    assert call(tmp_path, "--summary") == 0
    assert "nothing was measured" in capsys.readouterr().err
    page = tmp_path / "page.md"
    page.write_text(f"{BEGIN}\n{END}\n")
    assert call(tmp_path, "--summary", "--publish", str(page)) == 74
    assert page.read_text() == f"{BEGIN}\n{END}\n"
    assert made_up == []
    assert not (tmp_path / "study.jsonl").exists()


def test_what_cannot_be_done_is_said(made_up, tmp_path, capsys):
    (tmp_path / gates.WORKER).unlink()
    assert call(tmp_path) == 69
    assert "is not built" in capsys.readouterr().err
    refused = (
        ["--profile", "none"],
        ["--time", "soon"],
        ["--time", "0s"],
        ["extra"],
        ["--device", "gpu"],
    )
    for arguments in (*refused, ["--device", "cuda:0", "--profile", PROFILE.name]):
        with pytest.raises(SystemExit) as ended:
            study.main(arguments)
        assert ended.value.code == 64


def test_a_gpu_is_studied_by_its_own_profile_and_told_without_its_name(
    made_up, tmp_path, monkeypatch
):
    measured = []

    def measure(programs, profile, cell, seed):
        measured.append((profile.device, cell.part))
        return gate(cell.part, cell.extra, ("pass", "pass"), cell.delta, seed)

    monkeypatch.setitem(
        profiles.GPU_PROFILES,
        PROFILE.name,
        dataclasses.replace(profiles.GPU_PROFILES["smoke"], time_s=1000),
    )
    monkeypatch.setattr(study.run, "__defaults__", (measure,))
    (tmp_path / gates.WORKER).write_text(f"#!/bin/sh\necho '{json.dumps(DEVICES)}'\n")
    (tmp_path / gates.WORKER).chmod(0o755)
    assert call(tmp_path, "--device", "cuda:1") == 0
    assert {device for device, _ in measured} == {"cuda:1"}
    assert {part for _, part in measured} == {"quiet", "power"}
    machine = read(tmp_path / "study.jsonl").study["machine"]
    assert (machine["gpu"], machine["sms"], machine["driver"]) == ("Synthetic GPU", "4", "1.2")
    assert not {"GPU-0123", "0000:01:00.0", "somewhere"} & set(map(str, machine.values()))
    page = tmp_path / "page.md"
    page.write_text(f"{BEGIN}\n{END}\n")
    assert call(tmp_path, "--device", "cuda:1", "--summary", "--publish", str(page)) == 74
    assert call(tmp_path, "--device", "cuda:0", "--output", str(tmp_path / "other.jsonl")) == 69


def test_a_device_that_is_not_there_is_said(tmp_path):
    (tmp_path / gates.WORKER).write_text(f"#!/bin/sh\necho '{json.dumps(DEVICES)}'\n")
    (tmp_path / gates.WORKER).chmod(0o755)
    with pytest.raises(GateFailed, match="no device 'cuda:7' here .*opencl: synthetic reason"):
        gates.device_of(tmp_path, "cuda:7")
    (tmp_path / gates.WORKER).write_text("#!/bin/sh\necho '[]'\n")
    with pytest.raises(GateFailed, match="does not say which devices it has"):
        gates.device_of(tmp_path, "cuda:7")


def fake_gate(tmp_path, script):
    program = tmp_path / "ridgeline"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return [str(program)]


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("echo broken >&2; exit 70", "ended with 70.*\n  broken"),
        ("kill -9 $$", "ended with -9"),
        ("echo '{'", "cannot be understood"),
        ("echo '[]'", "cannot be understood"),
        ('echo \'{"gate":{},"exit_code":0,"verdicts":[{}]}\'', "cannot be understood"),
    ],
)
def test_a_gate_that_breaks_is_no_trial(tmp_path, script, why):
    with pytest.raises(GateFailed, match=why):
        gates.run_gate(fake_gate(tmp_path, script), 5)


def test_a_gate_or_a_worker_that_prints_for_ever_is_no_trial(tmp_path, monkeypatch):
    monkeypatch.setattr("ci.night.program.MOST_ANSWERED", 1 << 20)
    with pytest.raises(GateFailed, match="printed more than 1 MiB"):
        gates.run_gate(fake_gate(tmp_path, "exec yes"), 5)
    (tmp_path / gates.WORKER).write_text("#!/bin/sh\nexec yes\n")
    (tmp_path / gates.WORKER).chmod(0o755)
    with pytest.raises(GateFailed, match="printed more than 1 MiB"):
        gates.build_facts(tmp_path)


ODD_GATES = [
    {"gate": {}, "exit_code": 0, "verdicts": []},
    {"gate": 7, "exit_code": 0, "verdicts": []},
    {"gate": {"baseline_run": 1, "candidate_run": 2}, "exit_code": 0, "verdicts": []},
    {"gate": {"baseline_run": "a"}, "exit_code": 0, "verdicts": [{"case": "x"}]},
    {"gate": {}, "exit_code": 0, "verdicts": [7]},
]
ODD_MEASUREMENTS = ["", "{", "[]", "7", "{}", '{"case": "x"}', '{"case": "x", "samples_ns": 7}']


@pytest.mark.parametrize("report", ODD_GATES, ids=range(len(ODD_GATES)))
@pytest.mark.parametrize("measurements", ODD_MEASUREMENTS)
def test_odd_answers_of_a_gate_are_no_trial(tmp_path, report, measurements):
    answers = {"gate": json.dumps(report), "export": measurements}
    for name, text in answers.items():
        (tmp_path / name).write_text(text)
    fake_gate(tmp_path, f'exec cat "{tmp_path}/$1"')
    with pytest.raises(GateFailed):
        gates.measure(tmp_path, PROFILE, PROFILE.cells[0], 1)


def test_an_interrupted_gate_is_no_trial(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        gates.run_gate(fake_gate(tmp_path, "exit 130"), 5)


def test_a_gate_that_hangs_is_ended(tmp_path, monkeypatch):
    monkeypatch.setattr(gates, "GATE_MAY_TAKE", -59.5)
    with pytest.raises(GateFailed, match="took longer"):
        gates.run_gate(fake_gate(tmp_path, "exec sleep 60"), 1)


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="one core only")
def test_a_core_is_kept_busy_for_as_long_as_asked():
    with one_core_busy() as process:
        os.kill(process, 0)
        (core,) = os.sched_getaffinity(process)
        assert core == max(os.sched_getaffinity(0))
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="one core only")
def test_the_busy_process_ends_with_a_killed_study():
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException), one_core_busy() as process:
            os.write(writer, f"{process}\n".encode())
            signal.pause()
        os._exit(1)
    busy = int(os.read(reader, 20))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    os.close(reader)
    os.close(writer)
    deadline = time.monotonic() + 30
    while is_running(busy) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not is_running(busy)


def is_running(process: int) -> bool:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    return False


def test_the_command_runs_in_the_python_of_its_tree(tmp_path):
    for name in ("ci", "reports"):
        shutil.copytree(study.ROOT / name, tmp_path / name)
    command = [sys.executable, "-S", tmp_path / "ci" / "studies" / "calibrate", "--plan"]
    bare = subprocess.run(command, env={}, capture_output=True, text=True, timeout=60)
    assert (bare.returncode, bare.stdout) == (69, "")
    assert "ci/setup --dev" in bare.stderr
    (tmp_path / ".venv").symlink_to(sys.prefix)
    planned = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert planned.returncode == 0, planned.stderr
    assert planned.stdout.startswith("profile full: ")


def test_the_worker_has_the_cases_of_all_profiles():
    request = json.dumps({"request": "list"}) + "\n"
    worker = [BUILD / gates.WORKER, "--worker"]
    said = subprocess.run(worker, input=request, capture_output=True, text=True, check=True)
    listed = {"cpu": set(), "cuda": set()}
    for case in json.loads(said.stdout)["cases"]:
        fields = ",".join("=".join(field) for field in case["problem"] + case.get("options", []))
        listed[case["device_kind"]].add(
            "/".join([case["suite"], case["variant"], case["dtype"], fields])
        )
    kinds = {"cpu": profiles.PROFILES, "cuda": profiles.GPU_PROFILES}
    assert listed["cpu"]
    for kind, names in listed.items():  # a build without CUDA lists none of a GPU
        for profile in kinds[kind].values() if names else ():
            assert {*profile.cases, *profile.tail_cases} <= names, profile.name


def test_real_gates_give_real_trials(tmp_path, monkeypatch):
    """One gate of the same code and one with extra work, as small as they can be; what they find is
    not asked."""
    monkeypatch.setenv("RIDGELINE_LOCKS", str(tmp_path))  # other tests measure, too
    for program in ("ridgeline", gates.WORKER):
        assert (BUILD / program).is_file(), (
            f"{BUILD / program} is not built; build it, or set RIDGELINE_BUILD"
        )
    tiny = dataclasses.replace(PROFILE, cases=PROFILE.cases[:1], budget_s=3)
    tiny = dataclasses.replace(tiny, tail_cases=profiles.PROFILES["full"].tail_cases[2:3])
    for cell in (
        plan.Cell("quiet", 0, 0.03, 1),
        plan.Cell("power", 50, 0.03, 1),
        plan.Cell("tails", 0, 0.03, 1, "--slow-samples 0.5:3"),
    ):
        measured = gates.measure(BUILD, tiny, cell, 7)
        (case,) = measured["cases"]
        assert case["work_ratio"] == pytest.approx(1 + cell.extra / 100, abs=1e-4)
        assert ("slow_executions" in case) == (cell.part == "tails")
        assert len(case["baseline"]) == len(case["candidate"]) >= 1
        assert measured["time"]["timed_ns"] > 0
        assert measured["wall_s"] < 60
    assert gates.build_facts(BUILD)["worker"] != gates.build_facts(BUILD)["ridgeline"]
