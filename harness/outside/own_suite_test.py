"""docs/examples/own-suite from an installed tree: built, run, checked on the emulated device, gated
against a build that is slower; and a program that replaces its clock."""

import json
import os
import shutil
import subprocess

import pytest

from harness.run.scripted_runs import ROOT

EXAMPLE = ROOT / "docs" / "examples" / "own-suite"
CASE = "mine/loop/f32/n=1000"
PROFILE = """description = "for tests"
processes = 1
budget = "60s"
case_timeout = "30s"

[sampling]
target = 0.05
unstable = 0.5
min_samples = 5
max_samples = 20
warmup = "5ms"
sample_floor = "50us"

[cpu]
cases = ["{}/*"]
"""
# It measures by a clock that runs at a tenth of the speed.
CHEATS = """
#include <ctime>
#include <sys/syscall.h>
#include <unistd.h>

#include "harness/outside/suite.hpp"

extern "C" int clock_gettime(clockid_t clock, timespec* now) noexcept {
  const long done = syscall(SYS_clock_gettime, clock, now);
  const long long tenth = (now->tv_sec * 1'000'000'000LL + now->tv_nsec) / 10;
  *now = {tenth / 1'000'000'000, tenth % 1'000'000'000};
  return static_cast<int>(done);
}

using namespace ridgeline::outside;

void ridgeline::outside::cases(Suite& suite) {
  suite.add({.variant = "clock", .problem = {{"n", 100}}, .inputs = {{100}},
             .outputs = {{100, [](const Inputs& in, std::int64_t i) { return in(0, i); }}},
             .launch = [](const Execution& on) {
               for (int i = 0; i < 100; ++i) on.out<float>(0)[i] = on.in<float>(0)[i];
             }});
}
"""


def build(sources, installed, *arguments):
    for command in (
        ["cmake", "-B", "build", f"-DCMAKE_PREFIX_PATH={installed}", *arguments],
        ["cmake", "--build", "build", "--parallel", "2"],
    ):
        done = subprocess.run(command, cwd=sources, capture_output=True, text=True, timeout=400)
        assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="session")
def suite(installed, shared_folder):
    """The folder of the built example."""

    def make(folder):
        shutil.copytree(EXAMPLE, folder)
        build(folder, installed)

    return shared_folder("own-suite", make) / "build"


@pytest.fixture
def ridgeline(installed, tmp_path):
    environment = {
        **os.environ,
        "OMP_WAIT_POLICY": "passive",
        "RIDGELINE_LOCKS": str(tmp_path),
        "RIDGELINE_RESULTS": str(tmp_path / "results"),
    }

    def run(*arguments, suite=None):
        command = [installed / "bin" / "ridgeline", *arguments]
        if suite:
            profile = tmp_path / f"{suite}.toml"
            profile.write_text(PROFILE.format(suite))
            command += ["--profile", profile]
        return subprocess.run(
            command, env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=300
        )

    return run


def test_a_case_takes_eight_lines():
    text = (EXAMPLE / "mine.cpp").read_text()
    case = text[text.index("    suite.add(") : text.index("#ifdef")]
    assert case.count("\n") <= 8


def found_in(done):
    (found,) = json.loads(done.stdout)["cases"]
    return found


def test_the_example_is_run_counted_and_checked(suite, installed, ridgeline):
    done = ridgeline(
        "run", "--worker", suite / "mine", "--device", "cpu", "--json", CASE, suite="mine"
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert found_in(done)["case"] == CASE
    assert found_in(done)["outcome"] in ("ok", "unstable", "invalid_environment")

    if not (installed / "bin" / "ridgeline-emulated").exists():
        return
    done = ridgeline(
        "run", "--worker", suite / "mine-emulated", "--device", "emulated:sm_90", "--json",
        "mine/grid/f32/n=1000",
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert found_in(done)["outcome"] == "counted"
    done = ridgeline("check", EXAMPLE / "mine.cpp", EXAMPLE / "kernel.cu")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "kernel twice_kernel" in done.stdout


def test_a_slower_build_is_found_and_a_replaced_clock_too(suite, installed, ridgeline, tmp_path):
    slower = tmp_path / "slower"
    shutil.copytree(EXAMPLE, slower)
    source = (slower / "mine.cpp").read_text()
    begin = "static void twice(const float* x, float* y, std::int64_t n) {\n"
    assert begin in source
    planted = "  for (volatile int wait = 0; wait < 3'000'000; wait = wait + 1) {}\n"
    (slower / "mine.cpp").write_text(source.replace(begin, begin + planted))
    (slower / "cheats.cpp").write_text(CHEATS)
    with (slower / "CMakeLists.txt").open("a") as file:
        file.write("ridgeline_add_suite(cheats cheats.cpp)\n")
    build(slower, installed, "-DCMAKE_CUDA_COMPILER=NOTFOUND")
    programs = slower / "build"

    done = ridgeline(
        "gate", "--baseline-worker", suite / "mine", "--candidate-worker", programs / "mine",
        "--device", "cpu", "--budget", "60s", "--json", CASE, suite="mine",
    )  # fmt: skip
    (verdict,) = json.loads(done.stdout)["verdicts"]
    # A machine that stands still now and then may leave too little for a verdict.
    assert verdict["verdict"] in ("regression", "undecided", "invalid_environment"), done.stdout
    if verdict["verdict"] == "regression":
        assert verdict["ratio"] > 2
        assert done.returncode == 1

    done = ridgeline(
        "run", "--worker", programs / "cheats", "--device", "cpu", "--json",
        "cheats/clock/f32/n=100", suite="cheats",
    )  # fmt: skip
    assert done.returncode == 2, done.stdout + done.stderr
    assert found_in(done)["outcome"] == "wrong_result"
    assert "the times are not those of this machine" in found_in(done)["reason"]
