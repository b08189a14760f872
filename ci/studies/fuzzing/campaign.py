"""Runs the C++ fuzz targets side by side for a time, and keeps what they find."""

from __future__ import annotations

import argparse
import hashlib
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

from ci.night.options import Parser
from ci.studies.duration import duration
from ci.studies.fuzzing.libfuzzer import Finding, Progress, last_progress, what_was_found
from reports.console import MISSING, printable

ROOT = Path(__file__).resolve().parents[3]
CORPUS = Path(__file__).parent / "targets" / "corpus"
BUILT = ROOT / "build" / "fuzz"
FINDINGS = 2  # exit code
LONGEST_S = 15  # for one input; what takes longer is a hang
MEMORY_MIB = {"of a program": 2048, "of one allocation": 256}
MINIMISING_S = 20
MOST_FINDINGS = 10  # of one process of a target, which is broken then
SLOW = ("commands", "store_file", "store_values")  # get what others do not need
PREFIX = "fuzz_"


class Missing(Exception):
    """What is needed and not here, and what to do."""


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = Parser(
        "ci/studies/fuzz",
        description=(
            "Builds the C++ fuzz targets and runs them. An input is accepted or refused as the "
            "reader documents; one that ends otherwise, or takes too long, is minimised and kept "
            "in ci/studies/fuzzing/targets/corpus, which the tests replay."
        ),
        epilog=(
            "Exit codes: 0 nothing was found, 2 something was, 64 usage, 69 no clang, 130 "
            "interrupted. With --programs neither a compiler nor Python packages are needed."
        ),
    )
    add = parser.add_argument
    add("--time", type=duration, metavar="TIME", default=600.0, help="of all (default: 10m)")
    add("--target", action="append", metavar="NAME", help="one target; may be repeated")
    jobs = os.cpu_count() or 1
    add(
        "--jobs",
        type=int,
        metavar="N",
        default=jobs,
        help="processes at once (default: one a core)",
    )
    add(
        "--equal",
        action="store_true",
        help="give each target the same time, not the slow ones more; there are more processes "
        "then, one after another",
    )
    add("--programs", type=Path, metavar="FOLDER", help="run what is built already, and build none")
    add("--corpus", type=Path, metavar="FOLDER", default=CORPUS, help="where findings are kept")
    add(
        *("--work", "-w"),
        type=Path,
        metavar="FOLDER",
        default=BUILT / "work",
        help="where inputs that reach new code, and logs, are kept for the next time",
    )
    options = parser.parse_args(arguments)
    options.work, options.corpus = options.work.absolute(), options.corpus.absolute()
    if options.jobs < 1:
        parser.error("--jobs is 1 or more")
    return options


def main(arguments: list[str]) -> int:
    options = parse(arguments)
    try:
        folder = options.programs or build()
        programs = choose(folder, options.target)
    except Missing as missing:
        print(f"ci/studies/fuzz: {missing}", file=sys.stderr)
        return MISSING
    campaign = Campaign(options, programs)
    try:
        campaign.run()
    finally:
        campaign.ended.set()
        campaign.tell()
    return FINDINGS if campaign.found else 0


def build() -> Path:
    """The folder of the programs."""
    versions = ["clang++", *(f"clang++-{version}" for version in range(30, 13, -1))]
    compiler = next(filter(None, map(shutil.which, versions)), None)
    if not compiler:
        raise Missing("no clang++ is here: install clang, or bring programs with --programs")
    configure = ["cmake", "--preset", "fuzz", f"-DCMAKE_CXX_COMPILER={compiler}"]
    configure.append(f"-DCMAKE_C_COMPILER={compiler.replace('clang++', 'clang')}")
    for command in (configure, ["cmake", "--build", "--preset", "fuzz"]):
        try:
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        except FileNotFoundError as error:
            raise Missing(f"no {command[0]} is here: run ci/setup --dev") from error
        if done.returncode != 0:
            print(done.stdout[-4000:] + done.stderr[-4000:], file=sys.stderr)
            raise Missing(f"{' '.join(command)} failed: see above")
    return BUILT / "bin"


def choose(folder: Path, targets: list[str] | None) -> dict[str, Path]:
    programs = {
        path.name.removeprefix(PREFIX): path.absolute()
        for path in sorted(folder.glob(PREFIX + "*"))
        if path.is_file() and os.access(path, os.X_OK)
    }
    if not programs:
        raise Missing(f"no program {PREFIX}* is in {folder}")
    if unknown := [name for name in targets or () if name not in programs]:
        raise Missing(f"there is no target {unknown[0]}; there are {', '.join(programs)}")
    return {name: programs[name] for name in targets or programs}


def shares(names: list[str], jobs: int, equal: bool = False) -> dict[str, int]:
    """How many processes each target gets: one, and of more jobs the slow ones get the rest; or the
    same number, so many that all jobs are busy to the end."""
    if equal:
        return dict.fromkeys(names, jobs // math.gcd(jobs, len(names)))
    counts = dict.fromkeys(names, 1)
    favoured = [name for name in names if name in SLOW] or names
    for extra in range(max(0, jobs - len(names))):
        counts[favoured[extra % len(favoured)]] += 1
    return counts


class Campaign:
    def __init__(self, options: argparse.Namespace, programs: dict[str, Path]) -> None:
        self.options = options
        self.programs = programs
        self.counts = shares(list(programs), options.jobs, options.equal)
        self.progress: dict[str, list[Progress]] = {name: [] for name in programs}
        self.found: dict[tuple[str, str], Finding] = {}
        self.ended = Event()

    def run(self) -> None:
        turns = range(max(self.counts.values()))
        processes = [name for turn in turns for name, of in self.counts.items() if turn < of]
        # With fewer jobs than processes each has its part of the time.
        seconds = self.options.time * min(1.0, self.options.jobs / len(processes))
        with tempfile.TemporaryDirectory() as scratch:
            self.scratch = Path(scratch)
            for name in self.programs:
                self.prepare(name)
            with ThreadPoolExecutor(self.options.jobs) as pool:
                jobs = [
                    pool.submit(self.fuzz, name, number, seconds)
                    for number, name in enumerate(processes)
                ]
                try:
                    for job in jobs:
                        job.result()
                except BaseException:
                    self.ended.set()
                    pool.shutdown(cancel_futures=True)
                    raise

    def prepare(self, name: str) -> None:
        """Has the target write its seeds, and reads again what was found once."""
        subprocess.run([self.programs[name], "--seeds", self.scratch / name], check=True)
        (self.options.work / name).mkdir(parents=True, exist_ok=True)
        for path in sorted((self.options.corpus / name).glob("*")):
            said = self.call(name, [path], [])
            if finding := what_was_found(said):
                self.note(name, finding, path)

    def flags(self, name: str) -> list[str]:
        words = self.scratch / f"{name}.words"
        return [
            f"-timeout={LONGEST_S}",
            f"-rss_limit_mb={MEMORY_MIB['of a program']}",
            f"-malloc_limit_mb={MEMORY_MIB['of one allocation']}",
            *([f"-dict={words}"] if words.is_file() and words.stat().st_size else []),
        ]

    def call(self, name: str, inputs: list[Path], flags: list[str], log: Path | None = None) -> str:
        """What it said; ends it when the campaign ends."""
        log = log or self.scratch / f"{name}.log"
        command = [self.programs[name], *self.flags(name), *flags, *inputs]
        # Programs that were built elsewhere stand in no clone, whose files some commands read.
        environment = {"RIDGELINE_HOME": str(ROOT), **os.environ}
        with log.open("wb") as sink:
            child = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=sink,
                stderr=sink,
                cwd=self.scratch,
                env=environment,
            )
            while child.poll() is None:
                if self.ended.wait(0.2):
                    child.terminate()
                    child.wait()
        return log.read_text(errors="replace")

    def fuzz(self, name: str, number: int, seconds: float) -> None:
        """One process of a target, started again after each finding."""
        until = time.monotonic() + seconds
        own = self.scratch / f"{name}-{number}"
        own.mkdir()
        log = self.options.work / f"{name}-{number}.log"
        for _ in range(MOST_FINDINGS):
            left = int(until - time.monotonic())
            if left < 1 or self.ended.is_set():
                return
            flags = [f"-max_total_time={left}", f"-artifact_prefix={own}/", "-print_final_stats=1"]
            flags += ["-reload=1", "-detect_leaks=1"]
            began = time.monotonic()
            said = self.call(name, [self.options.work / name, self.scratch / name], flags, log)
            self.progress[name].append(last_progress(said, time.monotonic() - began))
            finding = what_was_found(said)
            if not finding:
                return
            for path in list(own.iterdir()):
                self.keep(name, finding, path)
            for path in own.iterdir():  # with what was made of it
                path.unlink()

    def keep(self, name: str, finding: Finding, path: Path) -> None:
        if (name, finding.what) in self.found:
            return
        if not finding.is_hang:
            path = self.minimised(name, finding, path)
        data = path.read_bytes()
        kept = self.options.corpus / name / hashlib.sha256(data).hexdigest()[:16]
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_bytes(data)
        self.note(name, finding, kept)

    def minimised(self, name: str, finding: Finding, path: Path) -> Path:
        """The smallest input that is found to do the same, or the one given."""
        small = path.with_name("smaller")
        flags = ["-minimize_crash=1", f"-max_total_time={MINIMISING_S}"]
        log = self.scratch / f"{path.parent.name}.log"  # others of the target may minimise, too
        self.call(name, [path], [*flags, f"-exact_artifact_path={small}"], log)
        if small.is_file():
            again = what_was_found(self.call(name, [small], [], log))
            if again and again.what == finding.what:
                return small
        return path

    def note(self, name: str, finding: Finding, kept: Path) -> None:
        self.found[name, finding.what] = finding
        print(f"{kept}: {printable(finding.what)}", flush=True)

    def tell(self) -> None:
        total = 0
        print(
            f"{'target':24}{'minutes':>8}{'inputs':>12}{'1/s':>8}{'edges':>8}{'corpus':>8}"
            f"{'found':>7}{'hangs':>7}"
        )
        for name, progress in self.progress.items():
            inputs = sum(one.inputs for one in progress)
            seconds = sum(one.seconds for one in progress)  # of all processes together
            edges = max((one.edges for one in progress), default=0)
            corpus = len(list((self.options.work / name).glob("*")))
            found = [one for (of, _), one in self.found.items() if of == name]
            hangs = sum(one.is_hang for one in found)
            total += inputs
            print(
                f"{name:24}{seconds / 60:8.1f}{inputs:12}{inputs / max(seconds, 1e-9):8.0f}"
                f"{edges:8}{corpus:8}{len(found) - hangs:7}{hangs:7}"
            )
        print(f"{total} inputs", flush=True)
