"""Imports what programs of Google Benchmark write that are built here."""

import json
import subprocess

import pytest

from harness.run.scripted_runs import BUILD

EXAMPLE = ("google_benchmark_example", "--benchmark_min_time=0.001", "--benchmark_repetitions=3")
SUITES = ("ridgeline-suites", "--benchmark_filter=^gemm/naive/f32/m=256,n=256,k=256$")


@pytest.mark.parametrize(
    ("program", "case", "samples"),
    [
        (EXAMPLE, "google_benchmark_example/BM_Copy+3cfloat+3e/untyped/arg0=64", 3),
        (SUITES, "gemm/naive/f32/m=256,n=256,k=256", 1),
    ],
    ids=["example", "suites"],
)
def test_what_a_program_writes_is_imported(tmp_path, program, case, samples):
    if not (BUILD / program[0]).is_file():
        pytest.skip(f"{program[0]} is not built")
    file = tmp_path / "out.json"
    call = [BUILD / program[0], *program[1:], f"--benchmark_out={file}"]
    subprocess.run([*call, "--benchmark_out_format=json"], check=True, capture_output=True)

    def ridgeline(*arguments):
        line = [BUILD / "ridgeline", *arguments, "--results", tmp_path / "results"]
        return subprocess.run(line, check=True, capture_output=True, text=True).stdout

    said = ridgeline("import", "google-benchmark", file, "--device-model", "synthetic-cpu")
    run = said.split("ridgeline show ")[1].split()[0]
    lines = ridgeline("export", "jsonl", run).splitlines()
    measured = {line["case"]: line for line in map(json.loads, lines)}
    assert case in measured, sorted(measured)
    assert measured[case]["outcome"] == "unverified"
    assert len(measured[case]["samples_ns"]) == samples
