"""Programs of Google Benchmark and NVBench as workers, which are started as they are."""

import json
import shutil
import subprocess

import pytest

from harness.outside.programs import fake_programs
from harness.run.scripted_runs import BUILD

PROFILE = """description = "for tests"
processes = 2
budget = "100s"
case_timeout = "{timeout}"

[sampling]
target = 0.05
unstable = 0.5
min_samples = 5
max_samples = 20
warmup = "5ms"

[cpu]
cases = ["my_bench/*"]
"""


@pytest.fixture
def start(lab, tmp_path):
    def start(*arguments, timeout="60s"):
        profile = tmp_path / "tests.toml"
        profile.write_text(PROFILE.format(timeout=timeout))
        command = lab.command(*arguments, "--device", "cpu", "--profile", profile, "--json")
        command += ["--results", lab.results]
        return lab.execute(command, timeout=200, text=True)

    return start


def named(file):
    return f"google-benchmark:{file}"


def test_benchmarks_are_measured_and_marked_as_unverified(start, tmp_path):
    program = fake_programs.google_benchmark(tmp_path / "my_bench", "Copy<float>/64", "Other/n:8")
    done = start("run", "--worker", f"{named(program)} -- --benchmark_min_time=0.01")
    assert done.returncode == 0, done.stdout + done.stderr
    cases = {each["case"]: each for each in json.loads(done.stdout)["cases"]}
    assert set(cases) == {
        "my_bench/Copy+3cfloat+3e/untyped/arg0=64,cache=hot",
        "my_bench/Other/untyped/n=8,cache=hot",
    }
    for case in cases.values():
        assert case["outcome"] == "unverified"
        assert case["median_ns"] == 1000
        assert case["processes"] == 2


def test_a_gate_of_copies_measures_nothing_and_passes(start, tmp_path):
    example = BUILD / "google_benchmark_example"
    if not example.is_file():
        pytest.skip("google_benchmark_example is not built")
    copies = []
    for side in ("old", "new"):
        (tmp_path / side).mkdir()
        copies.append(named(shutil.copy(example, tmp_path / side / "my_bench")))
    done = start("gate", "--baseline-worker", copies[0], "--candidate-worker", copies[1])
    assert done.returncode == 0, done.stdout + done.stderr
    assert {each["verdict"] for each in json.loads(done.stdout)["verdicts"]} == {"same_code"}
    done = start("gate", "--baseline-worker", copies[0], "--candidate-worker", copies[0])
    assert done.returncode == 64
    assert "there is nothing to compare" in done.stderr


def test_whatever_fails_is_the_outcome_of_its_case(start, tmp_path):
    names = ("Fine", "Crashes", "Exits", "Silent", "Broken", "Fails", "Aggregated")
    program = fake_programs.google_benchmark(tmp_path / "my_bench", *names)
    done = start("run", "--worker", named(program), "--processes", "1")
    assert done.returncode == 2, done.stdout + done.stderr
    found = {each["case"].split("/")[1]: each for each in json.loads(done.stdout)["cases"]}
    assert {name: each["outcome"] for name, each in found.items()} == {
        "Fine": "unverified",
        "Crashes": "crashed",
        "Exits": "crashed",
        "Silent": "crashed",
        "Broken": "crashed",
        "Fails": "crashed",
        "Aggregated": "unverified",
    }
    said = {
        "Crashes": "while sampling: my_bench was killed by signal 6",
        "Exits": "my_bench exited with code 1; it last said: no such device",
        "Silent": "my_bench ended well and wrote no results",
        "Broken": "what my_bench wrote",
        "Fails": "it said so",
    }
    for name, words in said.items():
        assert words in found[name]["reason"]


def test_a_program_that_does_not_end_is_a_timeout_and_is_gone(start, tmp_path):
    program = fake_programs.google_benchmark(tmp_path / "my_bench", "Hangs")
    done = start("run", "--worker", named(program), "--processes", "1", timeout="5s")
    assert done.returncode == 2, done.stdout + done.stderr
    assert json.loads(done.stdout)["cases"][0]["outcome"] == "timeout"


@pytest.mark.parametrize(
    ("names", "said"),
    [((), "my_bench lists no benchmarks"), (("A", "A"), "my_bench lists the benchmark A twice")],
)
def test_what_cannot_be_listed_ends_the_command(start, tmp_path, names, said):
    program = fake_programs.google_benchmark(tmp_path / "my_bench", *names)
    done = start("run", "--worker", named(program))
    assert done.returncode == 69
    assert said in done.stderr


def test_a_gate_has_two_builds_take_turns(start, tmp_path):
    old, new = (
        fake_programs.google_benchmark(tmp_path / folder / "my_bench", "Copy/64", ns=ns)
        for folder, ns in (("old", 1000.0), ("new", 1500.0))
    )
    sides = ("--baseline-worker", named(old), "--candidate-worker", named(new))
    done = start("gate", *sides, "--budget", "20s")
    (verdict,) = json.loads(done.stdout)["verdicts"]
    # A busy machine may start too few programs within the budget for a verdict.
    assert verdict["verdict"] in ("regression", "undecided"), verdict
    assert verdict["ratio"] == pytest.approx(1.5)
    # Blocks grow with what starting the program costs, to a second or so; 10,000 took ten.
    asked = (tmp_path / "old" / "my_bench.asked").read_text().splitlines()
    for flags in map(json.loads, asked):
        repetitions = int(flags["--benchmark_repetitions"])
        assert repetitions >= 8
        assert repetitions * float(flags["--benchmark_min_time"]) <= 2
    if verdict["verdict"] == "regression":
        assert done.returncode == 1


def test_the_states_of_an_nvbench_are_cases_and_one_execution_serves_all(tmp_path):
    program = fake_programs.nvbench(tmp_path / "my_bench")

    def case(n):
        return f"my_bench/copy/untyped/n={n},launch=single"

    requests = [{"request": "hello", "protocol": 1}, {"request": "list"}]
    for n in (1000, 2000):
        prepare = {
            "request": "prepare", "case": case(n), "device": "cuda:0", "seed": 7, "cache": "cold",
            "launch": "single", "input": "uniform", "warmup_budget_ns": 0, "sample_floor_ns": 0,
        }  # fmt: skip
        sample = {"target": 0.1, "min_samples": 5, "max_samples": 50, "budget_ns": 1e9}
        requests += [prepare, {"request": "sample", **sample}, {"request": "finish"}]
    done = subprocess.run(
        [BUILD / "ridgeline-adapter", "nvbench", program, "--worker"],
        input="".join(json.dumps(each) + "\n" for each in requests),
        capture_output=True,
        text=True,
        timeout=100,
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [each["reply"] for each in answers] == [
        "hello", "list", "prepare", "sample", "finish", "prepare", "sample", "finish",
    ], done.stdout  # fmt: skip
    assert {each["device_kind"] for each in answers[1]["cases"]} == {"cuda"}
    for n, finished in ((1000, answers[4]), (2000, answers[7])):
        measurement = finished["measurement"]
        assert measurement["case"] == case(n)
        assert measurement["outcome"] == "unverified"
        assert len(measurement["samples_ns"]) == 10
        assert measurement["samples_ns"][0] == pytest.approx(n)
    calls = (tmp_path / "my_bench.calls").read_text().splitlines()
    assert len(calls) == 2
    assert "--run-once" in calls[0] and "--benchmark copy" in calls[1]


def test_the_adapter_is_no_program_for_people():
    done = subprocess.run([BUILD / "ridgeline-adapter"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 64
    assert "this program is started by ridgeline" in done.stderr
