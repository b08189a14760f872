"""Checkouts of one commit build the same code wherever they lie: a gate tells builds apart by a
hash of their code."""

import os
import shlex
import subprocess
from pathlib import Path

import pytest

from ci import compile_commands

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("RIDGELINE_BUILD", ROOT / "build" / "release" / "bin"))
CPP = """
namespace { int calls = 0; }
const char* where() { return ++calls > 1 ? __FILE__ : "first"; }
"""
CUDA = """
namespace {
__device__ float table[2] = {1, 2};
__global__ void fill(float* out) { out[threadIdx.x] = table[threadIdx.x & 1]; }
}
const char* where(float* out) { fill<<<1, 32>>>(out); return __FILE__; }
"""


def commands() -> dict[str, list[str]]:
    """How the build compiles each file, by the file's path from the root."""
    entries = compile_commands.entries(BUILD.parent)
    return {
        str(Path(entry["file"]).relative_to(ROOT)): shlex.split(entry["command"])
        for entry in entries
        if Path(entry["file"]).is_relative_to(ROOT)
        and not Path(entry["file"]).is_relative_to(BUILD.parent)
    }


def compiled(arguments: list[str], source: str, text: str, root: Path, without: str = "") -> bytes:
    """The object of `text` at `source` in a checkout at `root`, less the names that are of no use
    at run time."""
    (root / source).parent.mkdir(parents=True, exist_ok=True)
    (root / source).write_text(text)
    moved = [
        each.replace(str(ROOT), str(root))
        for each in arguments
        if not without or not each.startswith(without)
    ]
    moved[moved.index("-o") + 1] = "object.o"
    subprocess.run(
        moved, cwd=root, check=True, capture_output=True, env={**os.environ, "CCACHE_DISABLE": "1"}
    )
    subprocess.run(["strip", "--strip-all", "object.o"], cwd=root, check=True)
    return (root / "object.o").read_bytes()


@pytest.mark.parametrize(
    ("suffix", "text", "flags"),
    [
        (".cpp", CPP, ["-ffile-prefix-map="]),
        (".cu", CUDA, ["-ffile-prefix-map=", "-Xcudafe=--orig_src_path_name="]),
    ],
    ids=["cpp", "cuda"],
)
def test_one_source_in_two_folders_is_the_same_code(tmp_path, suffix, text, flags):
    folder = {".cpp": "harness/base/", ".cu": "kernels/gemm/cuda/"}[suffix]
    source = next(
        (name for name in sorted(commands()) if name.startswith(folder) and name.endswith(suffix)),
        None,
    )
    if source is None:
        pytest.skip(f"{BUILD.parent} was built without CUDA")
    arguments = commands()[source]
    here = compiled(arguments, source, text, tmp_path / "here")
    there = compiled(arguments, source, text, tmp_path / "a-longer-name" / "there")
    assert here == there
    for flag in flags:  # it is the flags that make it so
        assert compiled(arguments, source, text, tmp_path / "flagless", without=flag) != here, flag


def test_every_cuda_file_is_called_after_its_own_path():
    for source, arguments in commands().items():
        if source.endswith(".cu"):
            assert arguments.count(f"-Xcudafe=--orig_src_path_name={source}") == 1, source


def test_no_program_knows_where_it_was_built():
    for program in ("ridgeline-suites", "ridgeline-collectives"):
        if (BUILD / program).is_file():
            assert str(ROOT).encode() not in (BUILD / program).read_bytes(), program
