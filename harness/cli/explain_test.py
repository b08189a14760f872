"""What `ridgeline explain` says of the published runs with hardware counters."""

import contextlib
import json
import re
import shutil
import sqlite3
import subprocess

import pytest

from harness.run.scripted_runs import BUILD, ROOT

PUBLISHED = ROOT / "results/published"
PRODUCTS, OTHERS = RUNS = ("20261129T093237Z-1b4970", "20261129T093237Z-776321")
PAGE = ROOT / "docs/explain.md"


def ridgeline(*arguments: object) -> subprocess.CompletedProcess:
    words = [str(BUILD / "ridgeline"), *map(str, arguments)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


@pytest.fixture(scope="module")
def cases() -> dict[str, dict]:
    found = {}
    for run in RUNS:
        said = ridgeline("explain", "*", run, "--results", PUBLISHED, "--json").stdout
        (told,) = json.loads(said)["runs"]
        found |= {case["case"]: case for case in told["cases"]}
    return found


@pytest.mark.parametrize(
    ("name", "conclusion", "binding"),
    [
        ("gemm/persistent_clusters/bf16/m=8192,n=8192,k=8192", "bound", ["tensor_cores"]),
        ("gemm/bank_aware_tma/f32/m=8192,n=8192,k=8192", "bound", ["issue_slots"]),
        ("coalescing/transpose_tiled/f32/rows=8192,cols=8192", "bound", ["shared_memory"]),
        ("coalescing/wide/f32/width=4,elements=268435456", "bound", ["dram"]),
        ("decode/mma_rings/bf16/batch=16,heads=32,kv_heads=8,keys=8192,dim=128", "bound", ["dram"]),
        # Uncoalesced: busy is L1, which no counter here shows.
        ("gemm/naive/f32/m=4096,n=4096,k=4096", "nothing", []),
        ("coalescing/strided/f32/stride=32,elements=268435456", "nothing", []),
        # Rows of 4096 are read again from L1, not from DRAM.
        (
            "rows/softmax_naive/bf16/operation=softmax,rows=16384,cols=4096",
            "near",
            ["issue_slots"],
        ),
        # So short that launching may be most of it; nobody counted its kernels.
        ("gemm/stream_k/bf16/m=256,n=256,k=256", "open", []),
        ("gemm/mma_sync/bf16/m=8192,n=8192,k=8192", "open", []),
        ("roofs/latency/u8/level=l2", "roof", []),
    ],
)
def test_bounds_of_the_published_run(cases, name, conclusion, binding):
    assert (cases[name]["conclusion"], cases[name]["binding"]) == (conclusion, binding)


def test_every_number_says_where_it_is_from(cases):
    assert len(cases) > 280
    for case in cases.values():
        for usage in case["usages"]:
            assert usage["share"] >= 0 and usage["amount_by"] and usage["rate_of"]
        assert case["words"]["conclusion"].endswith((".", ")")) and case["settle"] is not None
        for resource in case["binding"]:
            assert any(usage["resource"] == resource for usage in case["usages"])


def test_counts_that_cannot_be_read_leave_the_run_explained(tmp_path):
    for name in ("nvidia-h200", "emulated-sm90"):
        shutil.copy(PUBLISHED / f"{name}.sqlite", tmp_path)
    damaged = sqlite3.connect(tmp_path / "emulated-sm90.sqlite")
    with contextlib.closing(damaged), damaged:
        damaged.execute("PRAGMA ignore_check_constraints = ON")
        damaged.execute("UPDATE metric SET direction = 'sideways'")
    done = ridgeline("explain", "gemm/stream_k", PRODUCTS, "--results", tmp_path)
    assert "gemm/stream_k/bf16/m=8192,n=8192,k=8192\n" in done.stdout
    assert "emulated-sm90.sqlite" in done.stderr and "left out" in done.stderr


def test_the_page_shows_what_the_command_prints():
    block = re.search(r"```\n\$ ridgeline explain (\S+)\n(.*?)```", PAGE.read_text(), re.DOTALL)
    said = ridgeline("explain", block[1], PRODUCTS, "--results", PUBLISHED).stdout
    assert said == block[2]
