"""A night from its lock to its exit code: preflight, run, gate, trend, report, export, summary."""

import contextlib
import dataclasses
import time
import traceback
from collections.abc import Callable

from reports.console import printable

from . import github, steps, summary, tell
from .context import Context, newest_run
from .document import Odd
from .exit_code import FILES, INTERNAL, INTERRUPTED, MISSING, UNDECIDED, worst
from .preflight import NoDevice, find_devices, look_at
from .record import (
    DONE,
    FAILED,
    KILLED,
    LEFT_OUT,
    RUNNING,
    Night,
    Step,
    now,
    remove_unfinished,
    set_aside,
    unfinished,
    write_whole,
)

STEPS = ("preflight", "run", "gate", "trend", "report", "export")
WORK: dict[str, Callable[[Context, Step], None]] = {
    "run": steps.measure,
    "gate": steps.gate,
    "trend": steps.trend,
    "report": steps.report,
    "export": steps.export,
}


def whole_night(context: Context) -> int:
    """What it ends with. Whatever happens is in the record, the summary and the log."""
    telling = tell.Telling(context)
    telling.send()
    for name in STEPS:
        if name == "trend":
            telling.expect()
        one_step(context, name)
        if name == "trend":
            telling.gather()
    telling.send()
    context.night.state = "interrupted" if context.interrupted else "finished"
    return finish(context)


def one_step(context: Context, name: str) -> None:
    step = Step(name, started=now())
    context.night.steps.append(step)
    context.save()
    context.log.stage(name)
    began = time.monotonic()
    try:
        if name in context.night.options["without"]:
            steps.leave_out(step, "as asked")
        elif context.interrupted:
            steps.leave_out(step, "the night was interrupted")
        elif name == "preflight":
            preflight(context, step)
        elif name == "run" and not may_measure(context.night):
            anyway = "with --unfit measure it is measured all the same"
            steps.leave_out(step, f"the machine is not fit to measure; {anyway}")
            step.exit_code = UNDECIDED
        else:
            WORK[name](context, step)
    except Exception as error:  # a mistake of ours must not cost the steps that follow
        step.state, step.exit_code = FAILED, INTERNAL
        step.said = unforeseen(context, error)
    if step.state == RUNNING:
        step.state = DONE
    step.seconds = round(time.monotonic() - began, 1)
    said = f", {printable(step.said)}" if step.said else ""
    context.log.say(f"   {step.state}{said} ({step.seconds:.0f} s)")
    context.save()


def unforeseen(context: Context, error: Exception) -> str:
    """In words; where it happened goes into the log."""
    if isinstance(error, Odd):
        return str(error)
    for line in "".join(traceback.format_exception(error)).splitlines():
        context.log.write("   ! " + line)
    return f"{type(error).__name__}: {error}"


def may_measure(night: Night) -> bool:
    return night.options["unfit"] == "measure" or all(one["fit"] for one in night.preflight)


def preflight(context: Context, step: Step) -> None:
    options = context.night.options
    try:
        looked = [
            look_at(
                context.ridgeline,
                device,
                str(context.results),
                options["min_free"],
                options["worker"],
            )
            for device in find_devices(context.ridgeline, options["device"], options["worker"])
        ]
    except NoDevice as error:
        step.state, step.exit_code, step.said = FAILED, MISSING, str(error)
        return
    context.night.preflight = [one.to_json() for one in looked]
    for one in looked:
        context.log.say(one.text())
    step.said = "; ".join(one.headline() for one in looked)
    if not all(one.fit for one in looked):
        options["label"] += "-unfit"
        options["unfit_reason"] = "; ".join(one.headline() for one in looked if not one.fit)


def finish(context: Context) -> int:
    """Writes the summary; the record goes last, because from then on the night counts as ended."""
    night = context.night
    night.finished = now()
    codes = [*context.codes, *(step.exit_code for step in night.steps)]
    codes += [INTERRUPTED] * (night.state != "finished")
    if broken := [*filter(None, (*context.broken, context.log.broken))]:
        codes.append(FILES)
        night.notes += broken
    night.exit_code = worst(codes)
    text = summary.markdown(night)
    try:
        write_whole(night.folder / "summary.md", text)
        point_latest(night)
    except OSError as error:
        night.exit_code = worst([night.exit_code, FILES])
        context.log.say(f"{night.folder / 'summary.md'} cannot be written: {error.strerror}")
    context.save()
    if context.broken:
        night.exit_code = worst([night.exit_code, FILES])
    if night.options["github"]:
        github.tell(night, text, context.log)
    return night.exit_code


def point_latest(night: Night) -> None:
    """`nightly/latest` is the newest night, for CI systems that want a fixed path."""
    link, temporary = night.folder.parent / "latest", night.folder.parent / ".latest"
    with contextlib.suppress(FileNotFoundError):
        temporary.unlink()
    temporary.symlink_to(night.folder.name)
    temporary.replace(link)


def close_killed(context: Context) -> list[str]:
    """Ends the nights that were killed: judges and exports their runs that were finished, and
    writes their summaries.

    Returns a line on each. `context`: of the night that does it, whose lock says that they do not
    run."""
    said = []

    def note(words: str) -> None:
        context.log.say(printable(words))
        said.append(words)

    for night in unfinished(context.night.folder.parent, note):
        if night.id == context.night.id:
            continue
        try:
            said.append(close_one(dataclasses.replace(context, night=night, broken=[], codes=[])))
        except Exception as error:  # must not cost this night, nor every one that follows
            note(set_aside(night.folder, unforeseen(context, error)))
            context.codes.append(INTERNAL)
    return said


def close_one(context: Context) -> str:
    night = context.night
    during = night.steps[-1].name if night.steps else "its start"
    for step in night.steps:
        if step.state == RUNNING:
            step.state, step.said = KILLED, "killed in the middle"
    began = night.step("run")
    if began and began.state != LEFT_OUT:
        night.run = newest_run(context, began.started) or night.run
    stored = "nothing was measured"
    if night.run:
        count = night.run.get("measurements", 0)
        stored = (
            f"run {night.run['id']} is {night.run['status']}, its {count} measurements are stored"
        )
    words = f"night {night.id} was killed in {during}; {stored}"
    night.notes.append(
        f"This night was killed in {during}, and ended afterwards by the night that followed; "
        f"{stored}."
    )
    context.log.say(printable(words))
    for name in STEPS[1:]:
        gone_on_with = name in ("gate", "export") and night.run.get("status") == "finished"
        known = night.step(name)
        if known and (known.state != KILLED or name == "run"):
            continue
        night.steps = [step for step in night.steps if step.name != name]
        if gone_on_with:
            one_step(context, name)
        else:
            by_next = name in ("trend", "report")
            why = "the night that followed did it" if by_next else "the night was killed"
            night.steps.append(Step(name, LEFT_OUT, said=why))
    night.state = KILLED
    finish(context)
    remove_unfinished(night.folder)
    return words
