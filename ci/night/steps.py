"""The steps of a night after preflight. Each fills in its record; none raises for what a program
did."""

import shlex
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TypedDict

from . import github, gpus, program
from .context import Context, newest_run, runs_of_label, written
from .exit_code import FILES, MISSING, UNDECIDED, WORDS, of_status
from .record import DONE, FAILED, LEFT_OUT, Problem, Run, Step

SHORT_S = 3600  # more than steps take that measure nothing
KEPT = 200  # problems that are listed in the record
SUFFIXES = {"csv": "csv", "jsonl": "jsonl", "google-benchmark": "google-benchmark.json"}
FINE_OUTCOMES = {"ok", "counted", "unsupported", "unavailable"}


class Cases(TypedDict):
    cases: list[Problem]


class Baseline(TypedDict):
    name: str
    model: str


class Baselines(TypedDict):
    baselines: list[Baseline]


class _Verdict(TypedDict):
    case: str
    verdict: str


class Verdict(_Verdict, total=False):
    reason: str
    ratio: float | None
    fails: bool


class Id(TypedDict):
    id: str


class Verdicts(TypedDict):
    gate: Id
    verdicts: list[Verdict]


def measure(context: Context, step: Step) -> None:
    options = context.night.options
    command = context.command("run")
    for name in ("profile", "label"):
        command += program.option(f"--{name}", options[name])
    command += ["--json"]
    if options.get("unfit_reason"):
        command += program.option("--unfit", options["unfit_reason"])
    for name in ("device", "budget", "launcher", "hosts"):
        if options.get(name):
            command += program.option(f"--{name}", options[name])
    for worker in options["worker"]:
        command += program.option("--worker", worker)
    command += ["--strict"] if options["strict"] else []
    command += ["--", *options["patterns"]] if options["patterns"] else []
    output = context.night.folder / "run.json"
    before = frozenset(run["id"] for run in runs_of_label(context))
    if not carry_out(
        context, step, command, done={0, 2, 3}, output=output, limit_s=context.limit_s
    ):
        return
    if options["device"] == gpus.ALL:
        cases = gpus.note_runs(context, step, output, before)
    else:
        context.night.run = newest_run(context, step.started, but_not=before)
        cases = (written(output, Cases, "run") or {"cases": []})["cases"]
    if step.state != FAILED and not context.night.all_runs():
        step.said = f"the run ended with {step.exit_code}, but `ridgeline runs` does not list it"
        step.state, step.exit_code = FAILED, FILES
    if context.night.run:
        run = context.night.run
        counts = listed(run["outcomes"]) or "no measurements"
        said = f"run {run['id']} is {run['status']}: {counts}"
        step.said = "; ".join(filter(None, (said, step.said)))
    context.night.problems = [
        {name: case[name] for name in ("case", "outcome", "reason")}
        for case in cases
        if case["outcome"] not in FINE_OUTCOMES
    ][:KEPT]


def gate(context: Context, step: Step) -> None:
    options, run, folder = context.night.options, context.night.run, context.night.folder
    if context.night.runs:
        own = "the trend judges each GPU by its own nights"
        leave_out(step, f"a baseline is a run of one GPU; {own}")
        return
    if not run:
        leave_out(step, "there is no run to judge")
        return
    if run["status"] != "finished":
        missing = "the cases that it did not reach would be called missing"
        leave_out(step, f"run {run['id']} is {run['status']}: {missing}")
        return
    known = context.ask(Baselines, "baseline", "list")
    if known is not None and not any(
        (one["name"], one["model"]) == (options["baseline"], run["model"])
        for one in known["baselines"]
    ):
        becomes = shlex.join(context.command("baseline", "set", options["baseline"], run["id"]))
        none = f"no run of {run['model']} is the baseline {options['baseline']}"
        leave_out(step, f"{none}; this one becomes it by: {becomes}")
        step.exit_code = UNDECIDED
        return
    baseline = f"{run['model']}@baseline:{options['baseline']}"
    command = context.command("gate")
    command += program.option("--baseline", baseline) + program.option("--candidate", run["id"])
    command += ["--json", *program.option("--markdown", str(folder / "gate.md"))]
    command += program.option("--junit", str(folder / "gate.xml"))
    command += program.option("--config", options["config"]) if options["config"] else []
    command += ["--strict"] if options["strict"] else []
    command += ["--github"] if options["github"] else []
    output = folder / "gate.json"
    say = github.annotating(context.log) if options["github"] else context.log.quote
    if not carry_out(context, step, command, done={0, 1, 2, 3}, output=output, say=say):
        return
    verdicts = written(output, Verdicts, "gate")
    if not verdicts:
        return
    cases = verdicts["verdicts"]
    counts = dict(Counter(case["verdict"] for case in cases))
    failing = [
        {name: case.get(name, "") for name in ("case", "verdict", "reason", "ratio")}
        for case in cases
        if case.get("fails")
    ]
    context.night.gate = {
        "id": verdicts["gate"]["id"],
        "counts": counts,
        "failing": failing[:KEPT],
    }
    step.said = "; ".join(filter(None, (listed(counts), step.said)))


def trend(context: Context, step: Step) -> None:
    """Over all that is stored: it makes sense on a night that measured nothing, too."""
    if not any(Path(context.results).glob("*.sqlite")):
        leave_out(step, "nothing is stored")
        return
    command = context.command("trend", "--fail-on-new", *of_run(context.night.run))
    carry_out(context, step, command, done={0, 1, 2, 3}, output=context.night.folder / "trend.txt")
    if step.state == DONE:
        step.said = {
            0: "nothing new for the worse",
            1: "newly slower",
            2: "a case has stopped",
            3: "no night of a fit machine is stored",
        }[step.exit_code]


def of_run(run: Run | dict) -> list[str]:
    """Which nights a run makes one more of: those of its device, or of the pool that it is of, with
    its profile. Other devices and profiles in the folder have nights of their own. All without a
    run."""
    if not run:
        return []
    profile = program.option("--profile", run["profile"]) if run.get("profile") else []
    return program.option("--device", run["device_uuid"]) + profile


def report(context: Context, step: Step) -> None:
    if not any(Path(context.results).glob("*.sqlite")):
        leave_out(step, "nothing is stored")
        return
    carry_out(context, step, context.command("report"), done={0})
    if step.exit_code == 0:
        step.said = str(Path(context.results) / "report" / "index.html")


def export(context: Context, step: Step) -> None:
    runs = context.night.all_runs()
    if not runs:
        leave_out(step, "there is no run to export")
        return
    written = []
    for form in context.night.options["export"]:
        for number, run in enumerate(runs):
            name = f"run{number}" if context.night.runs else "run"
            path = context.night.folder / f"{name}.{SUFFIXES[form]}"
            command = context.command("export", form)
            command += [*program.option("--output", str(path)), "--", run["id"]]
            carry_out(context, step, command, done={0})
            if step.exit_code:
                return
            written.append(path.name)
    step.said = ", ".join(written)


def listed(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items())


def leave_out(step: Step, why: str) -> None:
    step.state, step.said = LEFT_OUT, why


def carry_out(
    context: Context,
    step: Step,
    command: list[str],
    done: set[int],
    output: Path | None = None,
    limit_s: float = SHORT_S,
    say: Callable[[str], None] | None = None,
) -> bool:
    """`done`: the exit codes of a program that did its work, whatever it found. False where the
    program cannot be started or its output not be written; what came of it is in the step."""
    step.command = shlex.join(command)
    context.save()
    context.log.quote("$ " + step.command)
    try:
        ended = program.run(command, say or context.log.quote, context.interrupted, limit_s, output)
        if output and output.stat().st_size == 0:
            output.unlink()
    except OSError as error:
        step.state, step.said = FAILED, f"{error.filename or command[0]}: {error.strerror}"
        step.exit_code = MISSING if error.filename == command[0] else FILES
        return False
    step.exit_code = of_status(ended.status)
    step.state = DONE if ended.status in done and not ended.overran else FAILED
    if step.state == FAILED:
        meaning = "" if ended.status < 0 else f" ({WORDS.get(ended.status, 'an unknown code')})"
        words = " ".join(ended.last_lines[-2:])[:300]
        step.said = f"{ended.how()}{meaning}" + (f": {words}" if words else "")
    return True
