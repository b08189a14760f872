"""Starts the trials of all kinds, as many at once as are asked for, and tells what they found."""

from __future__ import annotations

import argparse
import concurrent.futures
import os
import random
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from ci.night.options import NoRidgeline, Parser, find_ridgeline
from ci.studies.duration import duration
from ci.studies.faulting import full_disk
from ci.studies.faulting.kinds import DISTURBANCES, Kind, kinds
from ci.studies.faulting.outcome import Outcome
from ci.studies.faulting.place import Programs
from ci.studies.faulting.subjects import SUBJECTS
from ci.studies.faulting.table import Table
from reports.console import MISSING, printable

NAME = "ci/studies/faults"
FOUND = 2  # exit code


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = Parser(
        NAME,
        description=(
            "Kills ridgeline and ci/nightly at random moments, has each of their writes fail, and "
            "cuts the logs of stores as a power failure does. Afterwards all that was reported "
            "must be stored, every command must work, and no process may be left."
        ),
        epilog=(
            "Exit codes: 0 nothing was found, 2 something was, 64 usage, 69 something needed is "
            "missing, 130 interrupted. A finding is printed with the command that repeats its "
            "trial; its folder is kept."
        ),
    )
    add = parser.add_argument
    add(
        *("--only", "-o"),
        action="append",
        default=[],
        metavar="KIND",
        choices=[*DISTURBANCES, *SUBJECTS, *kinds()],
        help=f"one of {', '.join([*DISTURBANCES, *SUBJECTS])}, or both as in kill-run; repeatable",
    )
    add("--kills", type=count, metavar="N", default=200, help="over all commands (default: 200)")
    add(
        "--trials",
        type=count,
        metavar="N",
        default=60,
        help="of each kind that is no kill, spread over its writes or moments (default: 60)",
    )
    add(
        "--first",
        type=count,
        metavar="N",
        default=1,
        help="number of the first trial, to repeat it",
    )
    add(
        "--time", type=duration, metavar="TIME", default=0.0, help="such as 10m; begin no more then"
    )
    add("--seed", type=int, metavar="N", default=1, help="of the moments (default: 1)")
    add(
        "--jobs",
        type=count,
        metavar="N",
        default=max(1, (os.cpu_count() or 1) // 2),
        help="at once",
    )
    add("--programs", type=Path, metavar="DIR", help="with ridgeline and its workers")
    add("--worker", type=Path, metavar="PROGRAM", help="in place of the scripted one")
    add("--device", metavar="ID", default="", help="of that worker: cpu, cuda:0")
    add(
        "--cases",
        metavar="PATTERN",
        action="append",
        default=[],
        help="of that worker (default: roofs/copy/*); repeatable",
    )
    add("--library", type=Path, metavar="FILE", help="failing_calls.so, where there is no compiler")
    add("--folder", type=Path, metavar="DIR", help="for the trials, on a local disk (default: new)")
    add("--build-library", type=Path, metavar="FILE", help="only build failing_calls.so there")
    return parser.parse_args(arguments)


def count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError
    return number


def find_programs(options: argparse.Namespace) -> Programs:
    """Raises NoRidgeline."""
    built = options.programs or os.environ.get("RIDGELINE_BUILD", "")
    ridgeline = find_ridgeline(str(Path(built, "ridgeline")) if built else "")
    worker = options.worker or ridgeline.with_name("ridgeline-scripted-worker")
    if not os.access(worker, os.X_OK):
        raise NoRidgeline(f"no program at {worker}; build it, or name one with --worker")
    if not options.worker:
        return Programs(ridgeline, worker)
    cases = tuple(options.cases) or ("roofs/copy/*",)
    return Programs(ridgeline, worker.absolute(), options.device or "cpu", cases)


class Campaign:
    """All trials of one call. Several threads work at it, each on one trial at a time."""

    def __init__(self, options: argparse.Namespace, programs: Programs, folder: Path):
        self.options, self.programs, self.folder = options, programs, folder
        self.table = Table()
        self.until = time.monotonic() + options.time if options.time else float("inf")

    def run(self) -> None:
        chosen = []
        for kind in self._wanted():
            if why := kind.prepare():
                print(f"{kind.name} is left out: {printable(why)}", flush=True)
                continue
            chosen.append(kind)
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            self._all(pool, chosen)

    def _wanted(self) -> Iterator[Kind]:
        for name, make in kinds().items():
            parts = {name, *name.split("-", 1)}
            if not self.options.only or parts & set(self.options.only):
                yield make(self.folder / name, self.programs, self.options)

    def _all(self, pool: concurrent.futures.Executor, chosen: list[Kind]) -> None:
        """Kinds in turn, so that a campaign whose time is over has something of each."""
        running: dict[concurrent.futures.Future[Outcome], Kind] = {}
        while True:
            for kind in sorted(chosen, key=lambda kind: kind.share_done):
                if len(running) < self.options.jobs and time.monotonic() < self.until:
                    number = kind.next_number()
                    if number:
                        running[pool.submit(self._one, kind, number)] = kind
            if not running:
                return
            done, _ = concurrent.futures.wait(running, return_when="FIRST_COMPLETED")
            for future in done:
                outcome = future.result()
                running.pop(future).ended(outcome)
                self._tell(outcome)

    def _one(self, kind: Kind, number: int) -> Outcome:
        chance = random.Random(f"{self.options.seed} {kind.name} {number}")
        folder = self.folder / kind.name / f"trial-{number}"
        try:
            outcome = kind.trial(folder, number, chance)
        except Exception as error:  # one trial of many
            outcome = Outcome(kind.name, number)
            outcome.find("wrong", f"the trial itself failed: {type(error).__name__}: {error}")
        if not outcome.findings:
            shutil.rmtree(folder, ignore_errors=True)
        return outcome

    def _tell(self, outcome: Outcome) -> None:
        self.table.add(outcome)
        if not outcome.findings:
            return
        print(f"{outcome.kind}, trial {outcome.number}:")
        for words in outcome.findings[:10]:
            print(f"  {printable(words)}")
        kills = "--kills" if outcome.kind.startswith("kill") else "--trials"
        print(
            f"  repeat: {NAME} --seed {self.options.seed} --only {outcome.kind} "
            f"--first {outcome.number} {kills} 1\n"
            f"  kept: {self.folder / outcome.kind / f'trial-{outcome.number}'}",
            flush=True,
        )


def main(arguments: list[str]) -> int:
    options = parse(arguments)
    try:
        if options.build_library:
            full_disk.build_library(options.build_library.absolute())
            return 0
        programs = find_programs(options)
    except (NoRidgeline, full_disk.NoLibrary) as error:
        print(f"{NAME}: {printable(str(error))}")
        return MISSING
    if options.folder:
        options.folder.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="ridgeline-faults-", dir=options.folder)).absolute()
    campaign = Campaign(options, programs, folder)
    began = time.monotonic()
    try:
        campaign.run()
    finally:
        if not campaign.table.findings:
            shutil.rmtree(folder, ignore_errors=True)
        print(campaign.table.text(), end="")
        seconds = time.monotonic() - began
        print(f"{campaign.table.findings} findings in {seconds:.0f} s", flush=True)
    return FOUND if campaign.table.findings else 0
