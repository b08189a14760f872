"""Pairs are measured in both orders and alone, once, and what is told follows from the runs."""

import contextlib
import json
import math
import os
import sqlite3
import subprocess
import sys

import pytest

from ci.studies.vendor_ratios import pairs, ratios, study, table
from ci.studies.vendor_ratios.pairs import Pair
from harness.run.scripted_runs import BUILD, ROOT

ENVIRONMENT = os.environ | {"RIDGELINE_HOME": str(ROOT)}
OWN, OTHER, COPY = "gemm/own/f32/n=1", "gemm/other/f32/n=1", "rows/copy/f32/n=1"


def line(case: str, process: int, median_ns: float, flops: float = 8.0, **metrics: float) -> dict:
    return {
        "case": case,
        "process": process,
        "outcome": "ok",
        "median_ns": median_ns,
        "flops": flops,
        "bytes": 16.0,
        "metrics": [{"name": name, "value": value} for name, value in metrics.items()],
    }


def both(own_ns: list[float], other_ns: list[float]) -> list[dict]:
    """Process by process; the own case is first in every second one."""
    lines = []
    for process, (own, other) in enumerate(zip(own_ns, other_ns, strict=True)):
        two = [line(OWN, process, own), line(OTHER, process, other)]
        lines += two if process % 2 == 0 else two[::-1]
    return lines


def test_processes_that_measure_both_are_pairs():
    cases = ratios.cases_of(both([100, 200, 400], [110, 220, 440]))
    found = ratios.paired(cases[OWN], cases[OTHER])
    assert found.value == pytest.approx(1.1)
    assert (found.low, found.high) == (pytest.approx(1.1), pytest.approx(1.1)), "noise is shared"
    apart = ratios.apart(cases[OWN], cases[OTHER])
    assert apart.value == pytest.approx(1.1) and apart.low < 0.5 < 2 < apart.high


def test_an_interval_is_student_s():
    cases = ratios.cases_of(both([100, 100, 100], [100, 110, 121]))
    found = ratios.paired(cases[OWN], cases[OTHER])
    assert found.value == pytest.approx(1.1)
    half = 4.303 * math.log(1.1) / math.sqrt(3)
    assert found.high == pytest.approx(1.1 * math.exp(half))
    assert found.low == pytest.approx(1.1 / math.exp(half))


def test_below_three_processes_there_is_no_interval():
    cases = ratios.cases_of(both([100, 100], [100, 121]))
    assert ratios.paired(cases[OWN], cases[OTHER]) == ratios.Ratio(pytest.approx(1.1), None, None)
    assert table.reached(ratios.paired(cases[OWN], cases[OTHER]), 1.0) == "?"


def test_both_orders_are_told_apart():
    cases = ratios.cases_of(both([100, 100, 100, 100], [120, 90, 120, 90]))
    first, last = ratios.by_order(cases[OWN], cases[OTHER])
    assert (first.value, last.value) == (pytest.approx(1.2), pytest.approx(0.9))


def test_what_was_disturbed_is_no_part_of_a_ratio():
    lines = both([100, 100, 100, 100], [110, 110, 110, 999])
    lines[-2]["outcome"] = "invalid_environment"  # in the last process the other one is first
    cases = ratios.cases_of(lines)
    assert len(cases[OTHER]) == 3
    assert ratios.paired(cases[OWN], cases[OTHER]).value == pytest.approx(1.1)


def test_a_copy_is_compared_by_bytes():
    cases = ratios.cases_of([line(OWN, 0, 100), {**line(COPY, 0, 50, flops=0.0), "bytes": 32.0}])
    assert ratios.paired(cases[OWN], cases[COPY]).value == pytest.approx(0.25)


PAIR = Pair("a pair", OWN, (OTHER, COPY), 1.05)


def test_the_fastest_of_several_counts():
    lines = both([100, 100, 100], [110, 110, 110])
    copies = [{**line(COPY, process, 150, flops=0.0), "bytes": 30.0} for process in range(3)]
    runs = {frozenset(PAIR.cases): lines + copies}
    made = table.row(PAIR, runs)
    assert made.against == COPY, "30 bytes in 150 ns are more than 16 in 110"
    assert made.beside.value == pytest.approx(0.8)
    assert made.alone is None and made.sustained is None


def test_the_table_tells_what_is_sustained_and_whether_the_aim_is_reached():
    pair = Pair("a pair", OWN, (OTHER,), 1.05)
    told = {"sustained_power": 700.0, "sustained_sm_clock": 1400.0}
    lines = []
    for process in range(3):
        lines.append(line(OWN, process, 100, 1e9, sustained_time=200.0, **told))
        lines.append(line(OTHER, process, 110, 1e9, sustained_time=200.0 + process, **told))
    made = table.row(pair, {frozenset(pair.cases): lines})
    text = table.markdown([made])
    cells = [cell.strip() for cell in text.splitlines()[2].strip("|").split("|")]
    by_column = dict(zip(table.COLUMNS, cells, strict=True))
    assert by_column["beside"] == "1.100 (1.100 to 1.100)"
    assert by_column["sustained"].startswith("1.005 (")
    assert by_column["reached"] == "yes, ?, no"
    assert by_column["own"] == "5000 TFLOP/s, 1400 MHz, 700 W"
    assert table.reached(ratios.Ratio(1.0, 0.9, 1.1), 1.05) == "within"


def test_a_figure_is_missed_where_the_whole_interval_lies_below():
    lines = both([100, 100, 100, 100], [104, 106, 104, 106])
    runs = {frozenset((OWN, OTHER)): lines}
    rows = [
        table.row(Pair(f"aims at {figure}", OWN, (OTHER,), figure), runs)
        for figure in (1.0, 1.05, 1.1)
    ]
    text = table.missed(rows)
    assert [line.split(" |")[0] for line in text.splitlines()[2:]] == ["| aims at 1.1"]
    assert text.endswith("| 1.10 | 1.050 (1.032 to 1.068) | 4.5% |\n")
    none = "Of the pairs that were measured, none misses its aim.\n"
    assert table.missed(rows[:2]) == none, "an interval that holds the figure does not miss it"
    nobody = both([100, 100], [50, 50])
    assert table.missed([table.row(PAIR, {frozenset(PAIR.cases): nobody})]) == none


def test_a_pair_without_a_time_has_no_row():
    lines = both([100, 100, 100], [110, 110, 110])
    for one in lines:
        one["outcome"] = "unsupported"
    assert table.row(PAIR, {frozenset(PAIR.cases): lines}) is None
    assert table.row(PAIR, {}) is None


def test_a_case_of_several_pairs_is_measured_alone_once():
    other = Pair("another", COPY, (OTHER,), 1.0)
    wanted = study.tasks([Pair("a pair", OWN, (OTHER,), 1.0), other], alone=True)
    assert wanted == [(OWN, OTHER), (OWN,), (OTHER,), (COPY, OTHER), (COPY,)]
    assert len(study.tasks([PAIR, other], alone=False)) == 2


LISTED = pairs.read(study.HERE / "pairs.toml")


def test_the_pairs_are_cases_that_exist():
    command = [BUILD / "ridgeline", "list", "--json", "--device", "cuda:0"]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=60, check=False, env=ENVIRONMENT
    )
    if done.returncode == 69 or "there are no cases for device" in done.stderr:
        pytest.skip(done.stderr)  # of a build without them
    there = {case["name"] for case in json.loads(done.stdout)["cases"]}
    assert {case for pair in LISTED for case in pair.cases} - there == set()
    assert len({pair.title for pair in LISTED}) == len(LISTED)


CPU = """[[pair]]
title = "On a CPU"
own = "gemm/register_tiled/f32/m=128,n=128,k=128"
against = ["gemm/openblas/f32/m=128,n=128,k=128"]
figure = 0.1
"""
PROFILE = """description = "for tests"
processes = 6
budget = "5m"
case_timeout = "60s"

[sampling]
target = 0.5
unstable = 0.9
min_samples = 3
max_samples = 3
warmup = "1ms"

[cpu]
cases = ["gemm"]
"""


def call(folder, *options: str) -> subprocess.CompletedProcess:
    (folder / "pairs.toml").write_text(CPU)
    (folder / "profile.toml").write_text(PROFILE)
    command = [sys.executable, ROOT / "ci/studies/against_vendor", "--build", BUILD]
    command += ["--pairs", folder / "pairs.toml", "--profile", folder / "profile.toml"]
    command += ["--results", folder / "results", *options]
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
        env=ENVIRONMENT | {"RIDGELINE_LOCKS": str(folder), "OMP_NUM_THREADS": "1"},
    )


def test_a_pair_is_measured_in_both_orders_and_alone_and_not_again(tmp_path):
    done = call(tmp_path, "--device", "cpu")
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("ci/studies/against_vendor: ") == 3
    cells = [cell.strip() for cell in done.stdout.splitlines()[-1].strip("|").split("|")]
    by_column = dict(zip(table.COLUMNS, cells, strict=True))
    assert by_column["pair"] == "On a CPU"
    assert by_column["own first"] and by_column["own last"], "the seed has both orders"
    assert by_column["alone"] and by_column["reached"].startswith("yes, yes")
    again = call(tmp_path, "--device", "cpu")
    assert (again.returncode, again.stderr, again.stdout) == (0, "", done.stdout)
    # Another device of the same name, as of a machine with several GPUs.
    (file,) = (tmp_path / "results").glob("*.sqlite")
    with contextlib.closing(sqlite3.connect(file)) as database, database:
        (run,) = database.execute("SELECT id FROM run ORDER BY started LIMIT 1").fetchone()
        database.execute(
            "INSERT INTO device SELECT 100, uuid || '2', 'cpu:1', kind, model, name, pci_id,"
            " properties, comparable, recorded FROM device LIMIT 1"
        )
        database.execute("UPDATE run SET device_id = 100 WHERE id = ?", (run,))
    again = call(tmp_path, "--device", "cpu")
    assert (again.returncode, again.stderr, again.stdout) == (0, "", done.stdout)
    ridgeline = study.Ridgeline(BUILD / "ridgeline", tmp_path / "results")
    (runs,) = study.stored(ridgeline).values()
    (lines,) = (found for cases, found in runs.items() if len(cases) == 2)
    own = ratios.cases_of(lines)[by_name("own")]
    assert sorted(one.place for one in own) == [1, 1, 1, 2, 2, 2]


def by_name(side: str) -> str:
    return CPU.split(f"{side} = ")[1].split('"')[1]


def test_what_does_not_fit_into_the_time_is_left_for_the_next_call(tmp_path):
    done = call(tmp_path, "--device", "cpu", "--for", "1s")
    assert done.returncode == 3, done.stderr
    assert "3 runs are left: call again" in done.stderr
    plan = call(tmp_path, "--device", "cpu", "--plan")
    assert plan.stdout.endswith("3 runs, about 1 minutes\n")


def test_the_document_is_that_of_the_published_runs():
    command = [sys.executable, ROOT / "ci/studies/against_vendor", "--check", "--build", BUILD]
    command += ["--results", ROOT / "results/published"]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=100, check=False, env=ENVIRONMENT
    )
    assert done.returncode == 0, done.stdout + done.stderr
