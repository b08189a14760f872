"""Reads and checks the report JSON (docs/report-format.md). Nothing in it is trusted."""

from __future__ import annotations

import json
import math
import unicodedata
from pathlib import Path
from typing import Any

from reports.model import (
    OUTCOMES,
    Build,
    Case,
    Device,
    Environment,
    Facts,
    Measurement,
    Metric,
    Report,
    Roof,
    Run,
    WallTime,
)

FORMAT = "ridgeline-report"
VERSION = 1


class InputError(Exception):
    """The input is no report JSON of a version that this program reads; the message says where and why."""


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
    root = _Node(document, "")
    if root.text("format") != FORMAT:
        raise InputError(f'format is {root.text("format")!r}, not "{FORMAT}"')
    version = root.integer("version")
    if version != VERSION:
        raise InputError(
            f"version {version} of the report format, but this program reads version {VERSION}; "
            "use `ridgeline` and `reports` of the same commit"
        )
    runs = tuple(_run(node) for node in root.nodes("runs"))
    if not runs:
        raise InputError("runs is empty: there is nothing to report")
    return Report(generated=root.text("generated"), ridgeline=root.text("ridgeline"), runs=runs)


def _run(node: _Node) -> Run:
    return Run(
        id=node.text("id"),
        label=node.text("label", ""),
        status=node.text("status"),
        profile=node.text("profile"),
        profile_text=node.text("profile_text", ""),
        seed=node.integer("seed"),
        started=node.text("started"),
        finished=node.text("finished", ""),
        command_line=node.text("command_line"),
        device=_device(node.node("device")),
        environment=_environment(node.node("environment")),
        builds=tuple(_build(build) for build in node.nodes("builds")),
        roofs=tuple(_roof(roof) for roof in node.nodes("roofs")),
        wall=_wall(node.node("wall_ns")) if node.has("wall_ns") else None,
        cases=tuple(_case(case) for case in node.nodes("cases")),
    )


def _device(node: _Node) -> Device:
    names = ("id", "kind", "model", "name", "uuid", "pci_id")
    facts = ("properties", "comparable", "recorded")
    return Device(**{name: node.text(name) for name in names}, **{name: node.facts(name) for name in facts})


def _environment(node: _Node) -> Environment:
    return Environment(hash=node.text("hash"), comparable=node.facts("comparable"), recorded=node.facts("recorded"))


def _build(node: _Node) -> Build:
    names = ("worker", "commit", "compiler", "flags", "cuda", "code_hash")
    return Build(dirty=node.flag("dirty"), **{name: node.text(name) for name in names})


def _roof(node: _Node) -> Roof:
    return Roof(
        kind=node.text("kind"),
        value=node.number("value", positive=True),
        unit=node.text("unit"),
        source=node.text("source"),
    )


def _wall(node: _Node) -> WallTime:
    names = ("prepare_ns", "verify_ns", "warmup_ns", "timed_ns", "total_ns")
    return WallTime(**{name: node.number(name) for name in names})


def _case(node: _Node) -> Case:
    verification = node.node("verification") if node.has("verification") else None
    case = Case(
        name=node.text("name"),
        suite=node.text("suite"),
        variant=node.text("variant"),
        dtype=node.text("dtype"),
        problem=node.facts("problem"),
        options=node.facts("options"),
        idea=node.text("idea", ""),
        ranks=node.integer("ranks"),
        measures_roof=node.text("measures_roof", ""),
        flops=node.optional("flops"),
        bytes=node.optional("bytes"),
        outcome=node.choice("outcome", OUTCOMES),
        reason=node.text("reason", ""),
        processes=node.integer("processes"),
        median_ns=node.optional("median_ns", positive=True),
        interval_ns=node.interval("interval_ns"),
        flop_rate=node.optional("flop_rate"),
        byte_rate=node.optional("byte_rate"),
        share_of_roof=node.optional("share_of_roof"),
        roof=node.text("roof", ""),
        beats_roof=node.flag("beats_roof"),
        error=verification.optional("error") if verification else None,
        tolerance=verification.number("tolerance") if verification else None,
        metrics={metric.name: metric for metric in map(_metric, node.nodes("metrics"))},
        measurements=tuple(_measurement(measurement) for measurement in node.nodes("measurements")),
    )
    if case.interval_ns and case.median_ns is None:
        raise InputError(f"{node.at('interval_ns')}: an interval without a median")
    return case


def _metric(node: _Node) -> Metric:
    return Metric(
        name=node.text("name"),
        value=node.signed("value"),
        unit=node.text("unit"),
        direction=node.choice("direction", ("lower", "higher", "none")),
    )


def _measurement(node: _Node) -> Measurement:
    return Measurement(
        replicate=node.integer("replicate"),
        attempt=node.integer("attempt"),
        outcome=node.choice("outcome", OUTCOMES),
        reason=node.text("reason", ""),
        samples=node.integer("samples"),
        executions_per_sample=node.integer("executions_per_sample"),
        launch=node.text("launch", ""),
        cache=node.text("cache", ""),
        median_ns=node.optional("median_ns", positive=True),
        relative_spread=node.optional("relative_spread"),
        sm_clock_mhz=node.optional("sm_clock_mhz"),
        power_w=node.optional("power_w"),
        temperature_c=node.optional("temperature_c"),
        throttle=node.text("throttle", ""),
    )


_MISSING = object()
_LONGEST_TEXT = 20_000


def clean(text: str) -> str:
    """`text` without what could not be seen or would turn the direction of what follows: control and format characters,
    line ends and tabs excepted, become U+FFFD. Cut where nobody reads on."""
    if len(text) > _LONGEST_TEXT:
        text = text[:_LONGEST_TEXT] + "…"
    if text.isprintable():
        return text
    return "".join(
        "\N{REPLACEMENT CHARACTER}" if letter not in "\n\t" and unicodedata.category(letter) in _UNSEEN else letter
        for letter in text
    )


_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


class _Node:
    """A JSON object and where it stands; every accessor checks, and names the place that is wrong."""

    def __init__(self, value: Any, path: str) -> None:
        if not isinstance(value, dict):
            raise InputError(f"{path or 'the document'}: expected an object, got {_shown(value)}")
        self._value = value
        self._path = path

    def at(self, key: str) -> str:
        return f"{self._path}.{key}" if self._path else key

    def has(self, key: str) -> bool:
        return key in self._value

    def text(self, key: str, default: str | None = None) -> str:
        value = self._value.get(key, _MISSING)
        if value is _MISSING and default is not None:
            return default
        return clean(self._expect(key, value, isinstance(value, str), "a string"))

    def flag(self, key: str) -> bool:
        value = self._value.get(key, _MISSING)
        return self._expect(key, value, isinstance(value, bool), "true or false")

    def integer(self, key: str) -> int:
        value = self._value.get(key, _MISSING)
        whole = isinstance(value, int) and not isinstance(value, bool) and value >= 0
        return self._expect(key, value, whole, "a whole number from 0")

    def number(self, key: str, *, positive: bool = False) -> float:
        value = self._value.get(key, _MISSING)
        good = _is_number(value) and (value > 0 if positive else value >= 0)
        return float(self._expect(key, value, good, f"a finite number {'above' if positive else 'from'} 0"))

    def optional(self, key: str, *, positive: bool = False) -> float | None:
        return self.number(key, positive=positive) if self.has(key) else None

    def signed(self, key: str) -> float | None:
        if not self.has(key):
            return None
        return float(self._expect(key, self._value[key], _is_number(self._value[key]), "a finite number"))

    def interval(self, key: str) -> tuple[float, float] | None:
        if not self.has(key):
            return None
        value = self._value[key]
        good = isinstance(value, list) and len(value) == 2 and all(map(_is_number, value)) and 0 < value[0] <= value[1]
        low, high = self._expect(key, value, good, "two positive finite numbers, the lower first")
        return float(low), float(high)

    def choice(self, key: str, choices: tuple[str, ...]) -> str:
        value = self._value.get(key, _MISSING)
        return self._expect(key, value, value in choices, f"one of {', '.join(choices)}")

    def facts(self, key: str) -> Facts:
        value = self._value.get(key, _MISSING)
        good = isinstance(value, dict) and all(isinstance(fact, str) for fact in value.values())
        self._expect(key, value, good, "an object of strings")
        return {clean(name): clean(fact) for name, fact in value.items()}

    def node(self, key: str) -> _Node:
        return _Node(self._value.get(key), self.at(key))

    def nodes(self, key: str) -> list[_Node]:
        value = self._value.get(key, _MISSING)
        self._expect(key, value, isinstance(value, list), "a list")
        return [_Node(item, f"{self.at(key)}[{index}]") for index, item in enumerate(value)]

    def _expect(self, key: str, value: Any, good: bool, what: str) -> Any:
        if not good:
            raise InputError(f"{self.at(key)}: expected {what}, got {_shown(value)}")
        return value


def _is_number(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer beyond the range of a double
        return False


def _shown(value: Any) -> str:
    if value is _MISSING:
        return "nothing"
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _refuse_constant(text: str) -> float:
    raise ValueError(f"{text} is no JSON number")
