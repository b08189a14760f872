"""The study as a program, with a sanitizer and a corpus that are made up, and what it builds."""

import importlib.machinery
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
STUDY = ROOT / "ci/studies/sanitize_corpus"
LOADER = importlib.machinery.SourceFileLoader("sanitize_corpus", str(STUDY))
sanitize_corpus = importlib.util.module_from_spec(
    importlib.util.spec_from_loader("sanitize_corpus", LOADER)
)
LOADER.exec_module(sanitize_corpus)

CORPUS = """#!/bin/sh
case "$1" in
  "") printf 'beside\\t// bug: out of bounds\\nendless\\t// bug: deadlock\\nfine\\t// right\\n';;
  beside) exit 1;;
  endless) exec sleep 60;;
esac
"""
SANITIZER = """#!/bin/sh
echo "$2 $@" >> "$CALLS"
for last; do :; done
echo "========= COMPUTE-SANITIZER"
case "$2 $last" in
  *" endless") exec sleep 60;;
  "memcheck beside") echo "========= Invalid __global__ read of size 4 bytes";;
  "racecheck fine") echo "========= Error: Potential RAW hazard";;
esac
echo "========= ERROR SUMMARY: 0 errors"
"""


def study(folder: Path, *words: str) -> subprocess.CompletedProcess:
    for name, text in (("corpus", CORPUS), ("compute-sanitizer", SANITIZER)):
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    return subprocess.run(
        [sys.executable, STUDY, "--program", folder / "corpus", *words],
        capture_output=True,
        text=True,
        timeout=120,
        env={"PATH": f"{folder}:{os.environ['PATH']}", "CALLS": str(folder / "calls")},
    )


def test_what_each_tool_finds_stands_beside_what_is_planted(tmp_path):
    done = study(tmp_path, "--seconds", "3", "--jobs", "8", "--raw", tmp_path / "raw")
    assert done.returncode == 0, done.stderr
    assert "| planted mistakes found, of 2 | 2 | 1 | 1 | 0 | 0 | 0 | 1 |" in done.stdout
    assert "| right ones accused, of 1 | 0 | 0 | 0 | 1 | 0 | 0 | 1 |" in done.stdout
    assert "| `endless` | bug: deadlock | time | time | time | time | time |" in done.stdout
    calls = (tmp_path / "calls").read_text()
    again = study(tmp_path, "--raw", tmp_path / "raw")
    assert again.stdout == done.stdout
    assert (tmp_path / "calls").read_text() == calls, "what was said is there already"


def test_libraries_that_are_not_there_are_told(tmp_path):
    words = ["--program", tmp_path / "none", "--build", tmp_path, "--only-build"]
    done = subprocess.run(
        [sys.executable, STUDY, *words],
        capture_output=True,
        text=True,
        timeout=120,
        env={"PATH": str(tmp_path)},
    )
    assert (done.returncode, "nvcc" in done.stderr) == (69, True), done.stderr


def test_a_gpu_has_each_call_of_the_emulated_device_that_the_programs_make():
    declared = (ROOT / "ci/studies/corpus_on_gpu/calls.cuh").read_text()
    for file in sanitize_corpus.sources():
        for call in re.findall(r"emulated::(\w+)\(", file.read_text()):
            assert f" {call}(" in declared or f"* {call}(" in declared, f"{call} of {file.name}"


@pytest.mark.skipif(not shutil.which("nvcc"), reason="there is no nvcc")
def test_nvcc_takes_the_programs(tmp_path):
    assert len(sanitize_corpus.sources()) > 150
    first = sanitize_corpus.generated(tmp_path)[0]
    flags = ["-std=c++20", "--expt-relaxed-constexpr", "-arch=sm_90a", f"-I{ROOT}", "-ptx"]
    command = ["nvcc", *flags, str(first), "-o", str(tmp_path / "part.ptx")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
