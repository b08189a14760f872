"""Sets own kernels against a vendor's library, or against copies: beside each other and alone.

usage: ci/studies/against_vendor [TITLE...] [--for TIME] [--processes N] [--not-alone] [--plan]
                                 [--device ID] [--results DIR] [--pairs FILE] [--profile FILE]
                                 [--build FOLDER]
       ci/studies/against_vendor --publish | --check [--results DIR] [--pairs FILE] [--build FOLDER]

Measures each pair of cases of which the title contains TITLE, without one all, by `ridgeline run`:
both in the same processes, one after the other in either order, and each alone in processes of
its own. What the results have is not measured again, and with --for nothing is begun that would
not end in that time: call again until nothing is left. Then prints what was measured. --plan only
tells what is left. --publish writes the tables into docs/against-vendor.md, --check compares them.

Exit codes: 0 all is there; 1 with --check, the document is out of date; 2 a run had a case that
failed, or has no time; 3 something is left for want of time; 69 something is missing; 74 the
document has no place, or cannot be written."""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ci.night import program
from ci.night.options import ROOT, Parser
from ci.studies.duration import duration
from ci.studies.publish import PublishError, is_published, publish
from ci.studies.vendor_ratios import pairs, table
from ci.studies.vendor_ratios.pairs import Pair
from ci.studies.vendor_ratios.ratios import MOST_PROCESSES
from reports import console

HERE = Path(__file__).resolve().parent
DOCUMENT = "docs/against-vendor.md"
# In the document: what is told of each device, and the level of its heading.
PLACES = {"against vendor": (table.markdown, "##"), "missed figures": (table.missed, "###")}
LABEL = "against-vendor"
# With it, each of two cases is the first one in half of 6 processes.
SEED = 1
LIMIT_S = 400  # for one call of ridgeline
START_S, CASE_S = 1.0, 1.5  # what a process and a case in it take on an H200, about


class Missing(Exception):
    pass


@dataclass(frozen=True)
class Ridgeline:
    program: Path
    results: Path

    def call(self, *words: str) -> subprocess.CompletedProcess[str]:
        return self.answer(*words, "--results", str(self.results))

    def answer(self, *words: str) -> subprocess.CompletedProcess[str]:
        try:
            return program.answer([str(self.program), *words], LIMIT_S, patience_s=program.TO_END_S)
        except (OSError, subprocess.TimeoutExpired, program.TooMuch) as error:
            raise Missing(f"{self.program}: {error}") from error

    def names(self) -> dict[str, str]:
        """Of the devices here, by their ids."""
        done = self.answer("devices", "--json")
        if done.returncode != 0:
            raise Missing(done.stderr.strip())
        return {one["id"]: one["name"] for one in json.loads(done.stdout)["devices"]}

    def runs(self) -> Iterator[tuple[str, str]]:
        """Id and device's name of the study's finished runs, the newest first."""
        if not any(self.results.glob("*.sqlite")):
            return
        done = self.call("runs", "--json")
        if done.returncode != 0:
            raise Missing(done.stderr.strip())
        for one in json.loads(done.stdout)["runs"]:
            if one["label"] == LABEL and one["status"] == "finished":
                yield one["id"], one["device_name"]

    def lines(self, run: str) -> list[dict]:
        done = self.call("export", "jsonl", run)
        if done.returncode != 0:
            raise Missing(done.stderr.strip())
        return [json.loads(line) for line in done.stdout.splitlines()]


Runs = dict[frozenset[str], list[dict]]


def stored(ridgeline: Ridgeline) -> dict[str, Runs]:
    """By the device's name, of which a machine may have several: the lines of the newest run of
    each set of cases."""
    found: dict[str, Runs] = {}
    for run, name in ridgeline.runs():
        lines = ridgeline.lines(run)
        cases = frozenset(line["case"] for line in lines)
        found.setdefault(name, {}).setdefault(cases, lines)
    return found


def tasks(chosen: list[Pair], *, alone: bool) -> list[tuple[str, ...]]:
    """The cases of each run: those of a pair, and each alone, once."""
    wanted = []
    for pair in chosen:
        wanted.append(pair.cases)
        wanted += [(case,) for case in pair.cases if alone]
    return list(dict.fromkeys(wanted))


def seconds(task: tuple[str, ...], processes: int) -> float:
    return processes * (START_S + CASE_S * len(task))


Made = dict[str, list[table.Row]]


def rows_of(found: dict[str, Runs], chosen: list[Pair]) -> Made:
    """By the device's name."""
    made = {
        console.printable(name): [made for pair in chosen if (made := table.row(pair, runs))]
        for name, runs in found.items()
    }
    return {name: rows for name, rows in made.items() if rows}


def told(made: Made, words: Callable[[list[table.Row]], str], level: str = "##") -> str:
    """Of each device what `words` has to say."""
    parts = [f"{level} {name}\n\n{text}" for name, rows in made.items() if (text := words(rows))]
    return "\n".join(parts) or "No published run says anything of this yet.\n"


def say(text: str) -> None:
    print(f"ci/studies/against_vendor: {text}", file=sys.stderr, flush=True)


def measure(ridgeline: Ridgeline, left: list[tuple[str, ...]], options) -> tuple[bool, int]:
    """Whether a case failed, and how many runs are left for want of time."""
    failed, begin, longest = False, time.monotonic(), 0.0
    for done, task in enumerate(left):
        need = max(longest * len(task), seconds(task, options.processes))
        if options.time and time.monotonic() - begin + need > options.time:
            return failed, len(left) - done
        say(f"{done + 1} of {len(left)}: {', '.join(task)}")
        start = time.monotonic()
        device = ["--device", options.device] if options.device else []
        answer = ridgeline.call(
            *("run", *task, "--profile", str(options.profile), "--quiet"),
            *("--processes", str(options.processes), "--seed", str(SEED), "--label", LABEL),
            *device,
        )
        longest = max(longest, (time.monotonic() - start) / len(task))
        if answer.returncode not in (0, 2):
            raise Missing(answer.stderr.strip())
        if answer.returncode == 2:
            failed = True
            say(console.printable(answer.stderr.strip() or answer.stdout.strip())[-400:])
    return failed, 0


def write(made: Made, *, check: bool) -> int:
    try:
        for place, (words, level) in PLACES.items():
            text = told(made, words, level)
            if not check:
                publish(ROOT / DOCUMENT, text, place)
            elif not is_published(ROOT / DOCUMENT, text, place):
                print(f"{DOCUMENT} is not what the runs say")
                return 1
    except PublishError as error:
        say(str(error))
        return 74
    return 0


def parsed(arguments: list[str]):
    usage = __doc__.split("\n\n")[1].removeprefix("usage: ")
    parser = Parser("ci/studies/against_vendor", usage=usage)
    parser.add_argument("titles", nargs="*")
    parser.add_argument("--for", type=duration, dest="time")
    parser.add_argument(
        "--processes", type=int, choices=range(1, MOST_PROCESSES + 1), default=6, metavar="N"
    )
    parser.add_argument("--not-alone", action="store_true")
    for flag in ("--plan", "--publish", "--check"):
        parser.add_argument(flag, action="store_true")
    parser.add_argument("--device", default="")
    parser.add_argument("--results", type=Path, default=ROOT / "results")
    parser.add_argument("--pairs", type=Path, default=HERE / "pairs.toml")
    parser.add_argument("--profile", type=Path, default=HERE / "profile.toml")
    parser.add_argument("--build", type=Path, default=ROOT / "build/release/bin")
    return parser.parse_args(arguments)


def main(arguments: list[str]) -> int:
    options = parsed(arguments)
    try:
        listed = pairs.read(options.pairs)
        chosen = [
            pair
            for pair in listed
            if not options.titles or any(title in pair.title for title in options.titles)
        ]
        ridgeline = Ridgeline(options.build / "ridgeline", options.results)
        found = stored(ridgeline)
        if options.publish or options.check:
            return write(rows_of(found, listed), check=options.check)
        here = ridgeline.names() if options.device else {}
        there = {
            cases
            for name, runs in found.items()
            if not options.device or name == here.get(options.device)
            for cases in runs
        }
        left = [
            task
            for task in tasks(chosen, alone=not options.not_alone)
            if frozenset(task) not in there
        ]
        if options.plan:
            for task in left:
                print(f"{seconds(task, options.processes):4.0f} s  {', '.join(task)}")
            total = sum(seconds(task, options.processes) for task in left)
            print(f"{len(left)} runs, about {total / 60:.0f} minutes")
            return 0
        failed, remaining = measure(ridgeline, left, options)
        print(told(rows_of(stored(ridgeline), chosen), table.markdown), end="")
    except (Missing, OSError, ValueError, LookupError) as error:
        say(console.printable(str(error)))
        return 69
    if remaining:
        say(f"{remaining} runs are left: call again")
        return 3
    return 2 if failed else 0
