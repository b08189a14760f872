"""Nights of all GPUs, with the real `ridgeline` and a worker that plays several GPUs."""

import json
import shlex
import sys
from pathlib import Path

import pytest

from ci.night.gpus import slower
from harness.run.scripted_runs import BUILD, ROOT

PLAYED = ROOT / "harness" / "run" / "several_gpus.py"


def night(lab, *played: object) -> tuple[int, dict, str]:
    """The exit code, the record and the summary of a night on GPUs that are played so."""
    worker = lab.folder / "played"
    line = shlex.join([sys.executable, str(PLAYED), *map(str, played)])
    worker.write_text(f'#!/bin/sh\nexec {line} "$@"\n')
    worker.chmod(0o755)
    profile = lab.profile(processes=3)
    profile.write_text(profile.read_text() + '\n[cuda]\ncases = ["first", "second"]\n')
    done = lab.execute(
        [
            *(str(ROOT / "ci" / "nightly"), "--device", "all", "--profile", str(profile)),
            *("--ridgeline", str(BUILD / "ridgeline"), "--results", str(lab.results)),
            *("--worker", str(worker), "--without", "preflight", "--without", "report"),
        ],
        text=True,
    )
    folder = lab.results / "nightly" / "latest"
    record = json.loads((folder / "night.json").read_text())
    assert done.returncode == record["exit_code"], done.stdout + done.stderr
    return done.returncode, record, (folder / "summary.md").read_text()


def steps(record: dict) -> dict[str, dict]:
    return {step["name"]: step for step in record["steps"]}


def test_each_gpu_has_its_run_and_the_slower_one_is_named(lab):
    code, record, page = night(lab, "--gpus", 3, "--slow", 1)
    assert code == 0, record
    assert sorted(run["device_uuid"] for run in record["runs"]) == ["GPU-0", "GPU-1", "GPU-2"]
    assert record["run"] == {}
    (line,) = record["siblings"]
    assert line.startswith("cuda:1 is slower than its siblings by ")
    assert f"## GPUs beside their siblings\n\n- {line}.\n" in page
    assert "runs of 3 GPUs: 108 ok; cuda:1 is slower" in steps(record)["run"]["said"]
    assert steps(record)["gate"]["state"] == "left out"
    assert steps(record)["export"]["said"] == "run0.jsonl, run1.jsonl, run2.jsonl"
    exported = [
        json.loads((Path(lab.results) / "nightly" / "latest" / f"run{i}.jsonl").open().readline())
        for i in range(3)
    ]
    assert {line["device_uuid"] for line in exported} == {"GPU-0", "GPU-1", "GPU-2"}
    trend = (lab.results / "nightly" / "latest" / "trend.txt").read_text()
    assert trend.count("synthetic-gpu") >= 3, "a series of its own for each GPU"


def test_equal_gpus_are_not_told_apart_and_what_failed_names_its_gpu(lab):
    code, record, page = night(lab, "--gpus", 2, "--crash", 1)
    assert code == 2
    assert (len(record["runs"]), record["siblings"]) == (2, [])
    assert {problem["outcome"] for problem in record["problems"]} == {"crashed"}
    assert all(problem["reason"].startswith("cuda:1: ") for problem in record["problems"])
    assert "GPUs beside their siblings" not in page


def of(device: str, slower: bool) -> dict:
    return {"device": device, "ratio": 1.05, "slower": slower}


@pytest.mark.parametrize(
    ("whole", "lines"),
    [
        (True, ["cuda:1 is slower than its siblings by 5.0%"]),
        (False, ["cuda:1 is slower than its siblings by 5.0% in gemm"]),
    ],
)
def test_suites_are_named_only_where_they_alone_are_slower(whole, lines):
    gemm = {"suite": "gemm", "devices": [of("cuda:0", False), of("cuda:1", True)]}
    assert slower([{"devices": [of("cuda:0", False), of("cuda:1", whole)]}, gemm]) == lines


def test_one_process_tells_no_gpu_apart():
    assert slower([{"devices": [{"device": "cuda:0", "ratio": 1.5}]}]) == []
