"""The stages of `ci/test` after its set-up: checks, build, tests, sanitizers; then one line that counts them all.

Every stage writes to build/test-logs/<stage>.log, and shows that log only when it fails.
"""

import os
import shlex
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOGS = ROOT / "build" / "test-logs"
VENV = Path(".venv/bin")  # commands run in ROOT, and are shown as one would type them there
JOBS = str(os.cpu_count() or 1)
TAIL = 150  # lines of a failed stage's log that are shown


@dataclass
class Tally:
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    failures: list[str] = field(default_factory=list)

    def add(self, other: "Tally") -> None:
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped
        self.failures += other.failures

    def line(self) -> str:
        skipped = f", {self.skipped} skipped" if self.skipped else ""
        return f"{self.passed} passed, {self.failed} failed{skipped}"


def from_junit(path: Path) -> Tally:
    """Counts the test cases of a JUnit file, as ctest and pytest write them."""
    tally = Tally()
    for case in ET.parse(path).getroot().iter("testcase"):
        name, group = case.get("name"), case.get("classname")
        if group and group != name:
            name = f"{group}::{name}"
        if case.find("failure") is not None or case.find("error") is not None or case.get("status") == "fail":
            tally.failed += 1
            tally.failures.append(name)
        elif case.find("skipped") is not None or case.get("status") in ("notrun", "disabled"):
            tally.skipped += 1
        else:
            tally.passed += 1
    return tally


@dataclass
class Stage:
    name: str
    commands: list[list[str]]
    repeat: str = ""  # what to type, when it is not the commands themselves
    junit: Path | None = None  # its cases are counted in place of the stage
    needs: str = ""  # a stage that must have passed
    skip: Callable[[], str] = lambda: ""  # why the stage does not apply here, or nothing

    def run(self, passed: set[str]) -> Tally:
        print(f"== {self.name}", flush=True)
        reason = self.skip()
        if self.needs and self.needs not in passed:
            print(f"   not run: {self.needs} failed")
            return Tally(failed=1, failures=[f"{self.name}: not run, because {self.needs} failed"])
        if reason:
            print(f"   skipped: {reason}")
            passed.add(self.name)
            return Tally(skipped=1)
        began = time.monotonic()
        log = LOGS / (self.name.replace(" ", "-") + ".log")
        if self.junit:
            self.junit.unlink(missing_ok=True)
        status = self.execute(log)
        tally = self.judge(status)
        print(f"   {tally.line()}, {time.monotonic() - began:.0f} s", flush=True)
        if tally.failed:
            lines = log.read_text(errors="replace").splitlines()
            print("\n".join("   | " + line for line in lines[-TAIL:]))
            print(f"   whole log: {log.relative_to(ROOT)}")
        else:
            passed.add(self.name)
        return tally

    def execute(self, log: Path) -> int:
        with log.open("wb") as sink:
            for command in self.commands:
                sink.write(f"$ {shlex.join(command)}\n".encode())
                sink.flush()
                done = subprocess.run(
                    command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=sink, stderr=subprocess.STDOUT, check=False
                )
                if done.returncode != 0:
                    return done.returncode
        return 0

    def judge(self, status: int) -> Tally:
        tally = Tally()
        if self.junit and self.junit.is_file():
            tally = from_junit(self.junit)
        elif status == 0 and not self.junit:
            tally = Tally(passed=1)
        if tally.failed == 0 and (status != 0 or tally.passed + tally.skipped == 0):
            tally.add(Tally(failed=1, failures=[f"exit status {status}" if status else "no test was found"]))
        repeat = self.repeat or " && ".join(shlex.join(command) for command in self.commands)
        tally.failures = [f"{self.name}: {failure}\n      repeat: {repeat}" for failure in tally.failures]
        return tally


def ctest(preset: str, junit: Path, *extra: str) -> list[str]:
    return ["ctest", "--preset", preset, "--parallel", JOBS, "--output-junit", str(junit), *extra]


def has_cuda(build: Path) -> bool:
    return any(build.glob("CMakeFiles/*/CMakeCUDACompiler.cmake"))


def said_by(command: list[str]) -> str:
    """What a command prints; nothing when it fails, which the stage that asks will do, too."""
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()


def stages(preset: str) -> list[Stage]:
    build = ROOT / "build" / preset
    tool = {name: str(VENV / name) for name in ("python", "ruff", "pytest")}
    programs = f"RIDGELINE_BUILD={build / 'bin'}"  # what tests of whole runs start

    def no_cuda() -> str:
        return "" if has_cuda(build) else "no CUDA compiler"

    accesses = [tool["python"], "ci/compare_accesses", "--build", str(build)]

    def no_table() -> str:
        return no_cuda() or said_by([*accesses, "--why-not"])

    return [
        Stage("layers", [[tool["python"], "ci/check_layers"]]),
        Stage("clang-format", [["ci/check_format"]]),
        Stage("ruff", [[tool["ruff"], "check"], [tool["ruff"], "format", "--check"]]),
        Stage("build", [["cmake", "--preset", preset], ["cmake", "--build", "--preset", preset]]),
        Stage(
            "ctest",
            [ctest(preset, LOGS / "ctest.xml")],
            repeat=f"ctest --preset {preset} -R NAME",
            junit=LOGS / "ctest.xml",
            needs="build",
        ),
        Stage(
            "pytest",
            [["env", programs, tool["pytest"], f"--junitxml={LOGS / 'pytest.xml'}"]],
            repeat=f"{programs} .venv/bin/pytest -k NAME",
            junit=LOGS / "pytest.xml",
            needs="build",
        ),
        Stage(
            "kernel resources",
            [[tool["python"], "ci/kernel_resources", "--check", "--build", str(build)]],
            needs="build",
            skip=no_cuda,
        ),
        Stage("kernel accesses", [[*accesses, "--check"]], needs="build", skip=no_table),
        Stage("clang-tidy", [[tool["python"], "ci/check_tidy", "--build", str(build)]], needs="build"),
        Stage("build asan", [["cmake", "--preset", "asan"], ["cmake", "--build", "--preset", "asan"]], needs="build"),
        Stage(
            "ctest asan",
            [ctest("asan", LOGS / "ctest-asan.xml")],
            repeat="ctest --preset asan -R NAME",
            junit=LOGS / "ctest-asan.xml",
            needs="build asan",
        ),
    ]


def run(plan: list[Stage]) -> int:
    LOGS.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    total, passed = Tally(), set()
    for stage in plan:
        total.add(stage.run(passed))
    if total.failures:
        print("\nfailed:")
        for failure in total.failures:
            print(f"  - {failure}")
    print(f"\n{time.monotonic() - began:.0f} s after set-up")
    print(total.line())
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(run(stages("cpu-only" if "--cpu-only" in sys.argv[1:] else "release")))
