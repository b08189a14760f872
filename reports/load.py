"""Reads and checks the report JSON (docs/report-format.md). Nothing in it is trusted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from reports import load_comparison, load_gate, load_run, load_trend
from reports.model import Report
from reports.node import InputError, Node, clean

__all__ = ["InputError", "clean", "load", "parse"]

FORMAT = "ridgeline-report"
VERSION = 2


def load(path: Path) -> Report:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read {path}: {error}") from error
    try:
        document = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is no JSON document: {error}") from error
    try:
        return parse(document)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def parse(document: Any) -> Report:
    root = Node(document, "")
    if root.text("format") != FORMAT:
        raise InputError(f'format is {root.text("format")!r}, not "{FORMAT}"')
    version = root.integer("version")
    if version != VERSION:
        raise InputError(
            f"version {version} of the report format, but this program reads version {VERSION}; "
            "use `ridgeline` and `reports` of the same commit"
        )
    report = Report(
        generated=root.text("generated"),
        ridgeline=root.text("ridgeline"),
        runs=tuple(map(load_run.run, root.nodes("runs"))),
        gates=tuple(map(load_gate.gate, root.nodes("gates"))) if root.has("gates") else (),
        trends=tuple(map(load_trend.trend, root.nodes("trends"))) if root.has("trends") else (),
        comparisons=tuple(map(load_comparison.comparison, root.nodes("comparisons")))
        if root.has("comparisons")
        else (),
    )
    if not (report.runs or report.gates or report.trends or report.comparisons):
        raise InputError("runs is empty, and there are no gates: there is nothing to report")
    return report


def _refuse_constant(text: str) -> float:
    raise ValueError(f"{text} is no JSON number")
