"""The program behind `ci/studies/calibrate`."""

import argparse
import contextlib
import dataclasses
import datetime
import json
import math
import os
import re
import secrets
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

from ci.studies.calibration import gates, machine
from ci.studies.calibration.gates import GateFailed
from ci.studies.calibration.journal import VERSION, Journal, JournalError, append, read
from ci.studies.calibration.plan import Cell, Done, Profile, describe, next_cell, setting_text
from ci.studies.calibration.profiles import GPU_PROFILES, PROFILES, profiles_of
from ci.studies.calibration.summary import summarise
from ci.studies.calibration.table import markdown
from ci.studies.duration import duration
from ci.studies.publish import PublishError, publish

ROOT = Path(__file__).resolve().parents[3]
DOCUMENT = ROOT / "docs" / "error-rates.md"
USAGE, DEPENDENCY, STORE, INTERRUPTED = 64, 69, 74, 130

OTHER_QUESTIONS = ("ten", "tails")  # profiles

Measure = Callable[[Path, Profile, Cell, int], dict]


def device(text: str) -> str:
    if not re.fullmatch(r"cpu|cuda:\d{1,4}", text):
        raise argparse.ArgumentTypeError(f"{text!r} is no device such as cpu or cuda:0")
    return text


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> None:
        self.exit(USAGE, f"{self.prog}: {message}\n{self.format_usage()}")


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = Parser(
        prog="ci/studies/calibrate",
        description=(
            "Measures how often the gate is wrong and what it finds, on this machine, with "
            "kernels that do a known amount of extra work; and what other tools' rules say of the "
            "same samples."
        ),
        epilog=(
            "A study that was interrupted, or stopped because somebody else measured, goes on "
            "when started again."
        ),
    )
    option = parser.add_argument
    option(
        "--device", type=device, metavar="ID", default="cpu", help="cpu, cuda:0, ...; default: cpu"
    )
    names = sorted({*PROFILES, *GPU_PROFILES})
    option("--profile", choices=names, default="full", help="how much; default: full")
    option("--time", type=duration, metavar="TIME", help="for all of it; default: the profile's")
    option(
        "--output",
        type=Path,
        metavar="FILE",
        help="default: results/calibration/PROFILE.jsonl, of a GPU cuda-PROFILE.jsonl",
    )
    option(
        "--programs",
        type=Path,
        metavar="FOLDER",
        help="of the build; default: $RIDGELINE_BUILD, else the newest",
    )
    option("--plan", action="store_true", help="print what would be measured, and measure nothing")
    option(
        "--summary", action="store_true", help="summarise what was measured, and measure nothing"
    )
    publish_help = "put the tables between the markers of FILE; default: docs/error-rates.md"
    option("--publish", nargs="?", type=Path, const=DOCUMENT, metavar="FILE", help=publish_help)
    options = parser.parse_args(arguments)
    possible = profiles_of(options.device.partition(":")[0])
    if options.profile not in possible:
        parser.error(
            f"{options.device} has no profile {options.profile!r}; it has "
            f"{', '.join(sorted(possible))}"
        )
    return options


def done_of(journal: Journal) -> list[Done]:
    return [
        Done((gate["part"], gate["extra"], gate["delta"], gate.get("plant", "")), gate["step_s"])
        for gate in journal.gates
    ]


def begin(file: Path, journal: Journal, profile: Profile, programs: Path) -> None:
    """Writes the study's first line; of one that goes on, checks that it is the same study."""
    facts, build = machine.facts(), gates.build_facts(programs)
    if profile.device != "cpu":
        facts |= machine.gpu_facts(gates.device_of(programs, profile.device))
    settings = profile.settings()
    if journal.study is None:
        journal.study = {
            "kind": "study",
            "version": VERSION,
            "settings": settings,
            "machine": facts,
            "build": build,
            "load": machine.load(),
            "started": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC"),
        }
        append(file, journal.study)
        return
    for what, then, now in (
        ("settings", journal.study["settings"], settings),
        ("machine", journal.study["machine"], facts),
        ("build", journal.study.get("build"), build),
    ):
        if then != now:
            raise JournalError(
                f"{file} is of another study: its {what} differs; --output names another file, or "
                "move this one away"
            )


def run(
    file: Path,
    journal: Journal,
    profile: Profile,
    time_s: float,
    programs: Path,
    parts: tuple[str, ...],
    measure: Measure = gates.measure,
) -> None:
    """Measures until the plan or the time ends. Every gate is in the file before the next
    begins."""
    done = done_of(journal)
    wanted = sum(cell.gates for cell in profile.cells if cell.part in parts)
    while cell := next_cell(profile, done, time_s, parts):
        # The cases take turns at being the planted one.
        turn = sum(each.key == cell.key for each in done) % len(profile.cases)
        seed = secrets.randbits(40) * len(profile.cases) + turn
        gate = measure(programs, profile, cell, seed)
        append(file, gate)
        journal.gates.append(gate)
        done.append(Done(cell.key, gate["step_s"]))
        spent = sum(each.seconds for each in done)
        verdicts = " ".join(case["verdict"] for case in gate["cases"])
        say(
            f"{len(done)}/{wanted} {spent:.0f}/{time_s:.0f} s  {cell.part} "
            f"{setting_text(cell.extra, cell.plant)} delta {100 * cell.delta:g}%  "
            f"{gate['wall_s']:.1f} s: {verdicts}"
        )


def say(line: str) -> None:
    print(line, flush=True)


def finite(value: object) -> object:
    """For JSON, which has no infinity."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {key: finite(each) for key, each in value.items()}
    if isinstance(value, list):
        return [finite(each) for each in value]
    return value


def place(device_kind: str, profile: str) -> str:
    """The name of the markers between which a study's tables stand. Studies of other questions than
    `full` asks stand beside its tables, and a study of one kind of device leaves those of the
    others alone."""
    words = ["calibration"]
    words += [device_kind] if device_kind != "cpu" else []
    words += [profile] if profile in OTHER_QUESTIONS else []
    return " ".join(words)


def conclude(file: Path, journal: Journal, document: Path | None) -> int:
    try:
        summary = finite(summarise(journal))
    except ValueError as error:
        print(f"ci/studies/calibrate: {file}: {error}", file=sys.stderr)
        return 0 if document is None else STORE
    text = markdown(summary)
    file.with_suffix(".summary.json").write_text(
        json.dumps(summary, indent=1, allow_nan=False) + "\n"
    )
    file.with_suffix(".md").write_text(text)
    say(f"\n{text}")
    say(f"{file.with_suffix('.summary.json')}\n{file.with_suffix('.md')}")
    if document is not None:
        settings = summary["study"]["settings"]
        publish(document, text, place(summary["device_kind"], settings["profile"]))
        say(f"published in {document}")
    return 0


def possible_parts(profile: Profile) -> tuple[str, ...]:
    if "busy" not in profile.shares or len(os.sched_getaffinity(0)) >= 2:
        return tuple(profile.shares)
    say("  busy: left out, there is one core only")
    return tuple(part for part in profile.shares if part != "busy")


def study(options: argparse.Namespace) -> int:
    device_kind = options.device.partition(":")[0]
    profile = dataclasses.replace(profiles_of(device_kind)[options.profile], device=options.device)
    time_s = options.time or profile.time_s
    name = profile.name if device_kind == "cpu" else f"{device_kind}-{profile.name}"
    file = options.output or ROOT / "results" / "calibration" / f"{name}.jsonl"
    programs = (options.programs or gates.default_programs(ROOT)).resolve()
    journal = read(file)
    for line in journal.left_out:
        print(f"ci/studies/calibrate: {file} {line}; it is left out", file=sys.stderr)
    parts = possible_parts(profile)
    if not options.summary:
        say(describe(profile, time_s, done_of(journal), parts))
    if options.plan:
        return 0
    if not options.summary:
        for program in ("ridgeline", gates.WORKER):
            if not (programs / program).is_file():
                raise GateFailed(
                    f"{programs / program} is not built; build it, or name its folder with "
                    "--programs"
                )
        begin(file, journal, profile, programs)
        began = time.monotonic()
        try:
            run(file, journal, profile, time_s, programs, parts)
        except KeyboardInterrupt:
            print(
                f"ci/studies/calibrate: interrupted; {len(journal.gates)} gates are in {file}, "
                "and the same command goes on",
                file=sys.stderr,
            )
            return INTERRUPTED
        say(f"measured for {time.monotonic() - began:.0f} s")
    return conclude(file, journal, options.publish)


def main(arguments: list[str]) -> int:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with contextlib.suppress(ValueError):  # not in the main thread
        signal.signal(signal.SIGTERM, stop)
    try:
        return study(parse(arguments))
    except GateFailed as error:
        failure, code = error, DEPENDENCY
    except (JournalError, PublishError, OSError) as error:
        failure, code = error, STORE
    except KeyboardInterrupt:
        return INTERRUPTED
    print(f"ci/studies/calibrate: {failure}", file=sys.stderr)
    return code
