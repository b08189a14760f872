"""Plants one include or import at a time in an otherwise tidy tree and reads what ci/check_layers
says about it."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent / "check_layers"

ROOMS = [
    *(
        "base",
        "record",
        "stats",
        "device",
        "protocol",
        "catalogue",
        "code",
        "store",
        "emulated",
        "measure",
        "analysis",
    ),
    *("worker", "run"),
]

# Files that planted includes point at.
TREE = [
    *(f"harness/{room}/x.hpp" for room in [*ROOMS, "cli", "attic"]),
    "kernels/variant.hpp",
    "kernels/ptx/mma.cuh",
    "kernels/gemm/gemm.hpp",
    "kernels/gemm/cuda/tile.cuh",
    "kernels/memory/memory.hpp",
    "kernels/attention/attention.hpp",
    "suites/sweep.hpp",
    "reports/__init__.py",
]


def check(root: Path, path: str = "", line: str = "") -> subprocess.CompletedProcess:
    for name in TREE:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).touch()
    if path:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(f"\n{line}\n")
    return subprocess.run([sys.executable, SCRIPT, "--root", root], capture_output=True, text=True)


@pytest.mark.parametrize(
    ("path", "line", "rule"),
    [
        ("harness/base/a.hpp", '#include "harness/record/x.hpp"', "rank 0"),
        ("harness/store/a.cpp", '#include "harness/protocol/x.hpp"', "rank 2"),
        ("harness/stats/a.cpp", '#  include "harness/cli/x.hpp"', "rank 1"),
        ("harness/device/a.hpp", '#include "harness/emulated/x.hpp"', "rank 1"),
        ("harness/analysis/a.cpp", '#include "harness/device/x.hpp"', "does not see"),
        ("harness/cli/a.cpp", '#include "harness/measure/x.hpp"', "does not see"),
        ("harness/cli/a.cpp", '  fmt::print("{}", name);', "output.hpp alone"),
        ("harness/run/a.cpp", "  std::cerr << name;", "output.hpp alone"),
        ("harness/present/terminal.cpp", "  std::fputs(name, out);", "output.hpp alone"),
        ("harness/base/a.cpp", '#include "harness/attic/x.hpp"', "no rank"),
        ("harness/worker/a.cpp", '#include "kernels/variant.hpp"', "nothing of kernels/"),
        ("harness/worker/a_test.cpp", '#include "suites/sweep.hpp"', "nothing of suites/"),
        ("harness/base/a.cpp", '#include "x.hpp"', "repository's root"),
        ("harness/device/a.hpp", "#include <cuda_runtime.h>", "only below cuda/"),
        ("harness/device/cuda.hpp", "#include <cuda_runtime.h>", "only below cuda/"),
        ("harness/device/a_test.cpp", "#include <cublasLt.h>", "only below cuda/"),
        ("suites/a.cpp", '#include "nccl.h"', "only below cuda/"),
        ("harness/worker/a.cpp", "#include <mpi.h>", "only below mpi/"),
        ("harness/run/a.cpp", "#include <SQLiteCpp/SQLiteCpp.h>", "only in harness/store"),
        (
            "kernels/gemm/a.cpp",
            '#include "harness/measure/x.hpp"',
            "harness/base and harness/device only",
        ),
        (
            "kernels/gemm/cuda/a.cu",
            '#include "harness/emulated/x.hpp"',
            "kernels/ptx harness/emulated",
        ),
        ("kernels/gemm/a.cpp", '#include "kernels/memory/memory.hpp"', "not kernels/memory"),
        (
            "kernels/gemm/a.cpp",
            '#include "kernels/attention/attention.hpp"',
            "not kernels/attention",
        ),
        ("kernels/variant2.hpp", '#include "kernels/gemm/gemm.hpp"', "includes no family"),
        ("kernels/ptx/a.cuh", '#include "kernels/gemm/gemm.hpp"', "includes no family"),
        (
            "kernels/gemm/a.cpp",
            '#include "suites/sweep.hpp"',
            "harness/base and harness/device only",
        ),
        ("suites/a.cpp", '#include "harness/store/x.hpp"', "suites include"),
        ("suites/a.cpp", '#include "kernels/gemm/cuda/tile.cuh"', "kernels/<family>/*.hpp"),
        ("reports/load.py", "import json, sqlite3", "never the database"),
        ("reports/figures/a.py", "def f():\n    from sqlite3 import connect", "never the database"),
        ("reports/load.py", "from harness import store", "nothing of the other folders"),
    ],
)
def test_violation_is_named_with_file_line_and_rule(tmp_path, path, line, rule):
    answer = check(tmp_path, path, line)
    assert answer.returncode == 1
    assert answer.stdout.startswith((f"{path}:2: ", f"{path}:3: "))
    assert rule in answer.stdout
    assert answer.stdout.count("\n") == 1


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("harness/cli/a.cpp", '#include "harness/store/x.hpp"'),
        ("harness/cli/a.cpp", '#include "harness/cli/x.hpp"'),
        ("harness/store/a_test.cpp", '#include "harness/stats/x.hpp"'),
        ("harness/cli/a_test.cpp", "#include <SQLiteCpp/SQLiteCpp.h>"),
        ("harness/store/a.cpp", "#include <sqlite3.h>"),
        ("harness/device/cuda/a.cpp", "#include <cuda_runtime.h>"),
        ("harness/worker/mpi/a.cpp", "#include <mpi.h>"),
        ("kernels/gemm/a.cpp", '#include "kernels/variant.hpp"'),
        ("kernels/attention/a.cpp", '#include "kernels/gemm/gemm.hpp"'),
        ("kernels/gemm/cuda/a.cu", '#include "kernels/ptx/mma.cuh"'),
        ("kernels/ptx/a.cuh", '#include "harness/emulated/x.hpp"'),
        ("kernels/gemm/cuda/a.cu", "#include <mma.h>"),
        ("suites/a.cpp", '#include "kernels/gemm/gemm.hpp"'),
        ("suites/a.cpp", '#include "harness/worker/x.hpp"'),
        ("reports/load.py", "from reports import model"),
        ("harness/base/a.cpp", '// #include "harness/cli/x.hpp"'),
    ],
)
def test_tidy_tree_passes(tmp_path, path, line):
    answer = check(tmp_path, path, line)
    assert (answer.returncode, answer.stderr) == (0, "")
    assert answer.stdout.endswith("keep the order of the house\n")


def test_empty_folder_fails(tmp_path):
    answer = subprocess.run(
        [sys.executable, SCRIPT, "--root", tmp_path], capture_output=True, text=True
    )
    assert answer.returncode == 1
    assert "holds no sources" in answer.stderr
