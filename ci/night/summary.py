"""A night as one Markdown page, for a CI system's job page."""

import re
from pathlib import Path

from reports.console import harmless, printable

from . import document
from .exit_code import WORDS
from .record import DONE, FAILED, KILLED, LEFT_OUT, Night

LISTED = 50  # rows of problems
NAMED = 3  # cases in a row
SEVERE = ("wrong_result", "crashed", "timeout", "not_measured", "invalid_environment", "unstable")
GATE_BYTES = 600_000  # a GitHub job summary holds 1 MiB
TREND_LINES = 400
ICONS = {DONE: "done", FAILED: "**failed**", LEFT_OUT: "left out", KILLED: "**killed**"}


def plain(text: str, longest: int = 400) -> str:
    """Any text as words in a table or a line of Markdown: no markup, no HTML, one line."""
    text = printable(" ".join(text.split()))
    if len(text) > longest:
        text = text[: longest - 1] + "…"
    return re.sub(r"[\\`*_\[\]<>&|~#!]", lambda found: f"&#{ord(found[0])};", text)


def fenced(text: str) -> str:
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    shown = "\n".join(map(harmless, text.split("\n")))
    return f"{fence}text\n{shown.rstrip()}\n{fence}\n"


def headline(night: Night) -> str:
    if night.state == KILLED:
        return "killed"
    found = [step for step in night.steps if step.exit_code and step.exit_code == night.exit_code]
    left_out = {step.name for step in found if step.state == LEFT_OUT}
    if "run" in left_out:
        return "not measured, because the machine is not fit"
    if "gate" in left_out:
        return "there is no baseline to compare with"
    words = WORDS[night.exit_code or 0]
    return words + (f" ({', '.join(step.name for step in found)})" if found else "")


def markdown(night: Night) -> str:
    unfit = any(not one["fit"] for one in night.preflight)
    options = night.options
    devices = "; ".join(one["device"] for one in night.preflight)
    device = devices or options.get("device") or "no device"
    parts = [
        f"# Night {plain(night.id)}: {plain(headline(night))}\n\n",
        f"{plain(device)} of {plain(night.host)}, profile {plain(options['profile'])}, "
        f"{plain(night.started)} to {plain(night.finished)}. Exit code {night.exit_code}.\n\n",
    ]
    if unfit and night.all_runs():
        parts.append(
            "> **The machine was not fit to measure.** What the gate and the trend say of this "
            "night may be the machine's doing.\n\n"
        )
    parts += [f"> {plain(note)}\n\n" for note in night.notes]
    parts += [part(night) for part in PARTS]
    return "".join(parts)


def steps_table(night: Night) -> str:
    rows = ["| step | | code | time | what it found |\n|---|---|--:|--:|---|\n"]
    for step in night.steps:
        state = ICONS.get(step.state, step.state)
        name = plain(step.name)
        rows.append(
            f"| {name} | {state} | {step.exit_code} | {step.seconds:.0f} s | {plain(step.said)} |\n"
        )
    return "".join(rows) + "\n"


def preflight_part(night: Night) -> str:
    lines = [
        f"- **{plain(finding['level'])}**, {plain(finding['check'])}: {plain(finding['seen'])}. "
        f"Why: {plain(finding['why'])}. Do: {plain(finding['do'])}.\n"
        for one in night.preflight
        for finding in one["findings"]
    ]
    return "## Preflight\n\n" + "".join(lines) + "\n" if lines else ""


def run_part(night: Night) -> str:
    """Cases with one outcome for one reason are one row, the worst outcomes first."""
    groups: dict[tuple[str, str], list[str]] = {}
    for problem in night.problems:
        groups.setdefault((problem["outcome"], problem["reason"]), []).append(problem["case"])
    if not groups:
        return ""
    rows = ["## Cases that are not ok\n\n| outcome | cases | reason |\n|---|---|---|\n"]
    worst_first = sorted(groups.items(), key=lambda group: severity(group[0][0]))
    for (outcome, reason), cases in worst_first[:LISTED]:
        names = ", ".join(f"<code>{plain(case)}</code>" for case in cases[:NAMED])
        more = f" and {len(cases) - NAMED} more" if len(cases) > NAMED else ""
        rows.append(f"| {plain(outcome)} | {names}{more} | {plain(reason)} |\n")
    more = f"\n{len(groups) - LISTED} more rows: " if len(groups) > LISTED else "\n"
    return "".join(rows) + more + f"{len(night.problems)} cases are listed in night.json.\n\n"


def siblings_part(night: Night) -> str:
    lines = [f"- {plain(line)}.\n" for line in night.siblings]
    return "## GPUs beside their siblings\n\n" + "".join(lines) + "\n" if lines else ""


def severity(outcome: str) -> int:
    return SEVERE.index(outcome) if outcome in SEVERE else len(SEVERE)


def gate_part(night: Night) -> str:
    text = "\n".join(map(harmless, read(night.folder / "gate.md").split("\n")))
    if not text:
        return ""
    if len(text.encode()) > GATE_BYTES:
        return "## Gate\n\nThe table is too long for this page; it is in gate.md.\n\n"
    return "## Gate\n\n" + text.strip() + "\n\n"


def trend_part(night: Night) -> str:
    lines = read(night.folder / "trend.txt").rstrip("\n").split("\n")
    if not any(lines):
        return ""
    left_out = len(lines) - TREND_LINES
    more = f"\n{left_out} more lines are in trend.txt.\n" if left_out > 0 else ""
    shown = fenced("\n".join(line[:400] for line in lines[:TREND_LINES]))
    return f"## Trend\n\n{shown}{more}\n"


def files_part(night: Night) -> str:
    commands = "\n".join(
        f"# {step.name}\n{printable(step.command)}" for step in night.steps if step.command
    )
    text = (
        f"All of this night lies in <code>{plain(str(night.folder))}</code>; log.txt tells what "
        "happened when.\n\n"
    )
    return (
        "## Repeat\n\n"
        + text
        + (fenced(f"{printable(night.command)}\n{commands}") if commands else "")
    )


PARTS = (steps_table, preflight_part, siblings_part, run_part, gate_part, trend_part, files_part)


def read(path: Path) -> str:
    try:
        return document.read(path)
    except (OSError, document.Odd):
        return ""
