"""Runs stages of `ci/test`, such as a build or a suite of tests; then one line counts them all.

Every stage writes to build/test-logs/<stage>.log, and shows that log only when it fails. Lines of
it that begin with "note: " are shown in any case.
"""

import shlex
import subprocess
import time
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOGS = ROOT / "build" / "test-logs"
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


def from_junit_case(case: ET.Element) -> Tally:
    name, group = case.get("name"), case.get("classname")
    if group and group != name:
        name = f"{group}::{name}"
    if (
        case.find("failure") is not None
        or case.find("error") is not None
        or case.get("status") == "fail"
    ):
        return Tally(failed=1, failures=[name])
    if case.find("skipped") is not None or case.get("status") in ("notrun", "disabled"):
        return Tally(skipped=1)
    return Tally(passed=1)


def from_junit(path: Path) -> Tally:
    """Counts the test cases of a JUnit file, as ctest, pytest and Google Test write them."""
    tally = Tally()
    for case in ET.parse(path).getroot().iter("testcase"):
        tally.add(from_junit_case(case))
    return tally


def from_programs(path: Path, results: dict[str, Path]) -> Tally:
    """Counts the JUnit file of ctest, in which a test is a program of Google Test: its cases are
    counted in its place, from the file in `results` that it wrote, unless it ended otherwise than
    they did."""
    tally = Tally()
    for case in ET.parse(path).getroot().iter("testcase"):
        name = case.get("name")
        own = from_junit_case(case)
        wrote = results.get(name)
        cases = from_junit(wrote) if wrote and wrote.is_file() else Tally()
        cases.failures = [f"{name}: {failure}" for failure in cases.failures]
        tally.add(cases)
        if not (cases.failed if own.failed else cases.passed + cases.skipped):
            tally.add(own)
    return tally


@dataclass
class Stage:
    name: str
    commands: list[list[str]]
    repeat: str = ""  # what to type, when it is not the commands themselves
    junit: Path | None = None  # its cases are counted in place of the stage
    results: dict[str, Path] = field(default_factory=dict)  # see from_programs
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
        for old in filter(None, [self.junit, *self.results.values()]):
            old.unlink(missing_ok=True)
        status = self.execute(log)
        tally = self.judge(status)
        print(f"   {tally.line()}, {time.monotonic() - began:.0f} s", flush=True)
        lines = log.read_text(errors="replace").splitlines()
        for line in lines:
            if line.startswith("note: "):
                print("   " + line)
        if tally.failed:
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
                    command,
                    cwd=ROOT,
                    stdin=subprocess.DEVNULL,
                    stdout=sink,
                    stderr=subprocess.STDOUT,
                    check=False,
                )
                if done.returncode != 0:
                    return done.returncode
        return 0

    def judge(self, status: int) -> Tally:
        tally = Tally()
        if self.junit and self.junit.is_file():
            tally = from_programs(self.junit, self.results)
        elif status == 0 and not self.junit:
            tally = Tally(passed=1)
        if tally.failed == 0 and (status != 0 or tally.passed + tally.skipped == 0):
            tally.add(
                Tally(
                    failed=1, failures=[f"exit status {status}" if status else "no test was found"]
                )
            )
        repeat = self.repeat or " && ".join(shlex.join(command) for command in self.commands)
        tally.failures = [
            f"{self.name}: {failure}\n      repeat: {repeat}" for failure in tally.failures
        ]
        return tally


def run(plan: Iterable[Stage]) -> int:
    """Runs the stages, each before the next is asked for: a plan may look at what those before it
    did."""
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
