"""Tells GitHub Actions of a night: the job's summary, and annotations."""

import os
from pathlib import Path

from .log import Log
from .record import FAILED, Night

LONGEST = 900_000  # bytes; a job summary holds 1 MiB, and other steps may have written to it


def escaped(text: str) -> str:
    """As the value of a workflow command."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


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


def tell(night: Night, summary: str, log: Log) -> None:
    for line in annotations(night):
        log.quote(line)
    path = os.environ.get("GITHUB_STEP_SUMMARY", "")
    if not path:
        return
    if len(summary.encode()) > LONGEST:
        summary = (
            f"# Night {night.id}\n\nThe summary is too long for this page; it is in "
            f"{night.folder / 'summary.md'}.\n"
        )
    try:
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(summary + "\n")
    except OSError as error:
        log.say(f"the job's summary {path} cannot be written: {error.strerror}")
