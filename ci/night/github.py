"""Tells GitHub Actions of a night: the job's summary, and annotations."""

import errno
import os
import re
import stat
from collections.abc import Callable

from reports.console import part, printable

from .log import Log
from .record import FAILED, Night

LONGEST = 900_000  # bytes; a job summary holds 1 MiB, and other steps may have written to it


def escaped(text: str) -> str:
    """As the value of a workflow command."""
    lines = (part(line).replace("%", "%25") for line in re.split("\r?\n", text))
    return "%0A".join(lines)


def annotation(level: str, title: str, text: str) -> str:
    name = escaped(title).replace(":", "%3A").replace(",", "%2C")
    return f"::{level} title={name}::{escaped(text)}"


def annotations(night: Night) -> list[str]:
    """A line for each reason not to measure and each step that is not fine; the gate itself
    annotates its cases."""
    lines = []
    for one in night.preflight:
        for finding in one["findings"]:
            if finding["level"] == "unfit":
                text = f"{finding['seen']}. {finding['why']}. To do: {finding['do']}"
                lines.append(annotation("warning", f"not fit to measure: {finding['check']}", text))
    for step in night.steps:
        if step.state == FAILED or step.exit_code:
            said = step.said or f"exit code {step.exit_code}"
            lines.append(annotation("error", f"nightly: {step.name}", said))
    return lines


def annotating(log: Log) -> Callable[[str], None]:
    """What says a gate's lines: those that annotate its cases go on to GitHub, and no others."""

    def say(line: str) -> None:
        ours = re.match(r"::(error|warning|notice) title=[^:]*::", line)
        log.command(line) if ours else log.quote(line)

    return say


def tell(night: Night, summary: str, log: Log) -> None:
    for line in annotations(night):
        log.command(line)
    path = os.environ.get("GITHUB_STEP_SUMMARY", "")
    if not path:
        return
    data = summary.encode(errors="replace")
    if len(data) > LONGEST:
        summary = (
            f"# Night {night.id}\n\nThe summary is too long for this page; it is in "
            f"{night.folder / 'summary.md'}.\n"
        )
        data = summary.encode(errors="replace")
    try:
        add(path, data + b"\n")
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        log.say(f"the job's summary {printable(path)} cannot be written: {why}")


def add(path: str, data: bytes) -> None:
    """To a file; what is none, such as a FIFO that nobody reads, is not waited for. Raises
    OSError."""
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
    descriptor = os.open(path, flags, 0o644)
    with open(descriptor, "ab") as file:  # noqa: PTH123  a descriptor has no Path
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "it is no regular file", path)
        file.write(data)
