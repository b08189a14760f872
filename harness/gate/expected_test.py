"""What processes of a gate keep for each other: where, for whom, and how long."""

import fcntl
import json
import os
import shutil
import sys
from pathlib import Path

import pytest

from harness.run.scripted_runs import BUILD, PLAIN

SUITES = BUILD / "ridgeline-suites"
MINIMAL = Path(__file__).parents[1] / "worker" / "scripted" / "minimal_worker.py"


@pytest.fixture
def telling(lab):
    """Makes a worker of some code that writes down what each of its processes is told."""

    def make(name, code, features):
        path, log = lab.folder / name, lab.folder / f"{name}.log"
        text = MINIMAL.read_text().replace("#!/usr/bin/env python3", f"#!{sys.executable}")
        for old, new in (
            ('"launcher": ""', f'"launcher": "", "features": {json.dumps(features)}'),
            ('"code_hash": ""', f'"code_hash": "{code}"'),
            ("range(10000)", "range(10)"),
            (
                "        random.seed(",
                "        import os\n"
                "        folder = os.environ.get('RIDGELINE_EXPECTED', '')\n"
                "        there = os.path.isdir(folder)\n"
                f"        print(request['seed'], there, folder, file=open({str(log)!r}, 'a'))\n"
                "        random.seed(",
            ),
        ):
            assert text.count(old) == 1
            text = text.replace(old, new)
        path.write_text(text)
        path.chmod(0o755)
        return path, lambda: [line.split(" ", 2) for line in log.read_text().splitlines()]

    return make


def gate(lab, baseline, candidate):
    done = lab.execute(
        lab.command(
            *("gate", "sorting", "--device", "cpu", "--results", lab.results, "--seed", "3"),
            *("--baseline-worker", baseline, "--candidate-worker", candidate),
            *("--budget", "30s", "--delta", "90%"),
        ),
        text=True,
    )
    assert done.returncode in (0, 1, 3), done.stderr  # of a case that is noise


def test_processes_of_a_side_share_a_private_folder_and_two_sets_of_inputs(lab, telling):
    (baseline, of_baseline), (candidate, of_candidate) = (
        telling(name, name * 16, ["expected"]) for name in "ab"
    )
    gate(lab, baseline, candidate)
    seeds, there, folders = zip(*of_baseline(), strict=True)
    assert len(seeds) >= 4 and len(set(seeds)) == 2
    assert seeds[0] == seeds[2] != seeds[1]
    assert set(there) == {"True"} and len(set(folders)) == 1
    assert {seed for seed, *_ in of_candidate()} == set(seeds)
    (other,) = {folder for *_, folder in of_candidate()}
    assert other != folders[0]  # of other code: it may expect something else
    assert Path(other).parent == Path(folders[0]).parent
    assert not Path(other).parent.exists()  # any more


def test_who_keeps_nothing_has_other_inputs_each_round(lab, telling):
    (baseline, of_baseline), (candidate, of_candidate) = (
        telling(name, name * 16, features) for name, features in (("a", ["expected"]), ("b", []))
    )
    gate(lab, baseline, candidate)
    for told in (of_baseline(), of_candidate()):
        seeds, _, folders = zip(*told, strict=True)
        assert len(seeds) >= 4 and len(set(seeds)) == len(seeds)
        assert set(folders) == {""}


@pytest.fixture
def temporary(lab, tmp_path):
    """Where the programs of this test have their temporary files."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    lab.environment["TMPDIR"] = str(folder)
    return folder


def test_a_killed_gates_folder_is_removed_by_the_next(lab, telling, temporary):
    # In a container of its own, the owner of the second could have any number.
    left, used, *others = (
        temporary / name
        for name in ("ridgeline-gate-aB3dEf", "ridgeline-gate-abcdef", "ridgeline-gate-x", "mine")
    )
    for folder in (left, used, *others):
        (folder / "part").mkdir(parents=True)
    link = temporary / "ridgeline-gate-aaaaaa"
    link.symlink_to(others[0])
    owner = os.open(used, os.O_RDONLY)
    fcntl.flock(owner, fcntl.LOCK_EX)
    (baseline, _), (candidate, _) = (telling(name, name * 16, ["expected"]) for name in "ab")
    gate(lab, baseline, candidate)
    assert sorted(temporary.iterdir()) == sorted([used, link, *others])
    os.close(owner)


def test_a_gate_that_keeps_nothing_makes_no_folder(lab, temporary):
    made = temporary / "ridgeline-gate-abcdef"
    made.mkdir()
    assert lab.gate(lab.profile("constant"), PLAIN, PLAIN, "--aa")[0] == 0
    assert list(temporary.iterdir()) == [made]  # nor looks for others


def test_what_is_kept_judges_no_output_of_another_problem(lab, tmp_path):
    """Of the house's own worker: kept files are read again, and damaged ones are not believed."""
    kept = tmp_path / "kept"
    kept.mkdir()
    case = "gemm/naive/f32/m=128,n=128,k=128"

    def measured():
        requests = [
            {"request": "hello", "protocol": 1},
            {
                "request": "prepare",
                "case": case,
                "device": "cpu",
                "seed": 5,
                "cache": "hot",
                "launch": "graph",
                "input": "uniform",
                "warmup_budget_ns": 1e6,
                "sample_floor_ns": 1e5,
            },
            {
                "request": "sample",
                "target": 0,
                "min_samples": 2,
                "max_samples": 2,
                "budget_ns": 1e8,
            },
            {"request": "finish"},
            {"request": "bye"},
        ]
        done = lab.execute(
            [SUITES, "--worker"],
            input="".join(json.dumps(request) + "\n" for request in requests),
            env=lab.environment | {"RIDGELINE_EXPECTED": str(kept)},
            text=True,
        )
        return json.loads(done.stdout.splitlines()[-1])["measurement"]["outcome"]

    assert measured() == "ok"
    files = sorted(kept.iterdir(), key=lambda file: file.stat().st_size)
    right, expected = files[:2], files[2:]
    assert len(expected) == len(right) == 2  # of two sets of inputs
    before = [file.stat().st_mtime_ns for file in files]
    assert measured() == "ok"
    assert [file.stat().st_mtime_ns for file in files] == before

    # A damaged file is not believed, and written again.
    for file in files:
        whole = file.read_bytes()
        file.write_bytes(whole[:-8] + b"\1" * 8)
        for known in right if file in expected else []:
            known.unlink()  # or nobody reads what was expected
        assert measured() == "ok"
        assert file.read_bytes() == whole
    # Nor is one of another problem.
    expected[0].write_bytes(expected[1].read_bytes())
    for known in right:
        known.unlink()
    assert measured() == "ok"
    right[0].write_bytes(right[1].read_bytes())
    assert measured() == "ok"
    shutil.rmtree(kept)
    assert measured() == "ok"
