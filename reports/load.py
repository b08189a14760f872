"""Reads the report JSON (docs/report-format.md). Nothing in it is trusted: the types of its rows
say what is right."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path
from typing import Any

import msgspec

from reports.model import Case, Run
from reports.model_claims import DeviceClaims
from reports.model_comparison import Comparison
from reports.model_gate import Gate
from reports.model_history import History
from reports.model_row import Count, Row
from reports.model_trend import Trend

FORMAT = "ridgeline-report"
VERSION = 12

_LONGEST_TEXT = 20_000
_LONGEST_SOURCE = 300_000
_LONGEST_ERROR = 400
_ADDRESS = re.compile(
    r"https://[!#-;=?-~]{1,2000}"
)  # printable, and nothing that ends an attribute
_NUMBERS = frozenset({int, float})
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


class InputError(Exception):
    """The input is no report JSON of a version that this program reads; the message says where and
    why."""


class _Head(Row):
    format: str
    version: Count

    def __post_init__(self) -> None:
        if self.format != FORMAT:
            raise ValueError(f'format is {self.format!r}, not "{FORMAT}"')
        if self.version != VERSION:
            raise ValueError(
                f"version {self.version} of the report format, but this program reads version "
                f"{VERSION}; use `ridgeline` and `reports` of the same commit"
            )


class Report(Row):
    """`commits` is the address that a commit's id is appended to, or empty."""

    generated: str
    ridgeline: str
    runs: tuple[Run, ...]
    gates: tuple[Gate, ...] = ()
    trends: tuple[Trend, ...] = ()
    comparisons: tuple[Comparison, ...] = ()
    histories: tuple[History, ...] = ()
    commits: str = ""
    claims: tuple[DeviceClaims, ...] = ()

    def __post_init__(self) -> None:
        if not (self.runs or self.gates or self.trends or self.comparisons or self.histories):
            raise ValueError("runs is empty, and there are no gates: there is nothing to report")
        if self.commits and not _ADDRESS.fullmatch(self.commits):
            raise ValueError("commits: expected an address that begins with https://")
        cases = self.cases_of_runs()
        for at, history in enumerate(self.histories):
            for place, case in enumerate(history.cases):
                if case.latest.case is None and case.name not in cases.get(history.key(case), ()):
                    raise ValueError(
                        f"histories[{at}].cases[{place}].latest: run "
                        f"{history.runs[case.latest.run].id} has no such case here"
                    )

    def cases_of_runs(self) -> dict[tuple[str, str, str], dict[str, Case]]:
        """By name, of each run of the document."""
        return {run.key: {case.name: case for case in run.cases} for run in self.runs}


def load(path: Path) -> Report:
    try:
        return parse(msgspec.json.decode(path.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read {path}: {error}") from error
    except (msgspec.DecodeError, RecursionError) as error:
        raise InputError(f"{path} is no JSON document: {error}") from error
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def parse(document: Any) -> Report:
    """Of a document as JSON gives it: dicts, lists, texts and numbers."""
    cleaned = _cleaned(document, _LONGEST_TEXT)
    try:
        msgspec.convert(cleaned, _Head)
        return msgspec.convert(cleaned, Report)
    except msgspec.ValidationError as error:
        text = str(error)
        half = _LONGEST_ERROR // 2  # a value may stand in it, before the place
        raise InputError(
            text if len(text) <= _LONGEST_ERROR else f"{text[:half]}…{text[-half:]}"
        ) from error


def _cleaned(value: Any, longest: int) -> Any:
    if isinstance(value, str):
        return clean(value, longest)
    if isinstance(value, list):
        if _NUMBERS.issuperset(map(type, value)):  # histories have millions of numbers
            return value
        return [_cleaned(one, longest) for one in value]
    if isinstance(value, dict):
        return {
            clean(key): _cleaned(one, _LONGEST_SOURCE if key == "text" else _LONGEST_TEXT)
            for key, one in value.items()
        }
    return value


def clean(text: str, longest: int = _LONGEST_TEXT) -> str:
    """`text` without what could not be seen or would turn the direction of what follows: control
    and format characters, line ends and tabs excepted, become U+FFFD. A line ends with one
    character. Cut where nobody reads on."""
    if len(text) > longest:
        text = text[:longest] + "…"
    if text.isprintable():
        return text
    return "".join(
        "\N{REPLACEMENT CHARACTER}"
        if letter not in "\n\t" and unicodedata.category(letter) in _UNSEEN
        else letter
        for letter in text.replace("\r\n", "\n")
    )
