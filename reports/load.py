"""Reads and checks the report JSON (docs/report-format.md). Nothing in it is trusted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from reports.model import (
    OUTCOMES,
    Build,
    Case,
    Device,
    Environment,
    Measurement,
    Metric,
    Report,
    Roof,
    Run,
    Site,
    SitesLeftOut,
    Source,
    WallTime,
)
from reports.model_gate import MODES, VERDICTS, Gate, Pair, Verdict
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
    runs = tuple(_run(node) for node in root.nodes("runs"))
    gates = tuple(_gate(node) for node in root.nodes("gates")) if root.has("gates") else ()
    if not runs and not gates:
        raise InputError("runs is empty, and there are no gates: there is nothing to report")
    return Report(generated=root.text("generated"), ridgeline=root.text("ridgeline"), runs=runs, gates=gates)


def _run(node: Node) -> Run:
    sources = tuple(_source(source) for source in node.nodes("sources")) if node.has("sources") else ()
    run = Run(
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
        cases=tuple(_case(case, sources) for case in node.nodes("cases")),
    )
    if run.counted:
        for case in run.cases:
            if case.measured:
                raise InputError(f"{node.at('cases')}: a time of a device that has none: {case.name}")
    return run


def _device(node: Node) -> Device:
    names = ("id", "kind", "model", "name", "uuid", "pci_id")
    facts = ("properties", "comparable", "recorded")
    return Device(**{name: node.text(name) for name in names}, **{name: node.facts(name) for name in facts})


def _environment(node: Node) -> Environment:
    return Environment(hash=node.text("hash"), comparable=node.facts("comparable"), recorded=node.facts("recorded"))


def _build(node: Node) -> Build:
    names = ("worker", "commit", "compiler", "flags", "cuda", "code_hash")
    return Build(dirty=node.flag("dirty"), **{name: node.text(name) for name in names})


def _roof(node: Node) -> Roof:
    return Roof(
        kind=node.text("kind"),
        value=node.number("value", positive=True),
        unit=node.text("unit"),
        source=node.text("source"),
    )


def _wall(node: Node) -> WallTime:
    names = ("prepare_ns", "verify_ns", "warmup_ns", "timed_ns", "total_ns")
    return WallTime(**{name: node.number(name) for name in names})


def _source(node: Node) -> Source:
    text = node.source("text") if node.has("text") else None
    return Source(file=node.text("file"), text=text, size=node.integer("bytes") if text is None else 0)


def _site(node: Node) -> Site:
    return Site(
        **{name: node.text(name) for name in ("kernel", "file", "access")},
        **{name: node.integer(name, 0) for name in ("line", "lane_bytes", "lanes", "sectors", "wavefronts")},
        **{name: node.optional(name, positive=True) for name in ("sectors_needed", "wavefronts_needed")},
        requests=node.integer("requests"),
    )


def _left_out(node: Node) -> SitesLeftOut:
    counts = {name: node.integer(name, 0) for name in ("sectors", "wavefronts")}
    return SitesLeftOut(sites=node.integer("sites"), requests=node.integer("requests"), **counts)


def _case(node: Node, sources: tuple[Source, ...]) -> Case:
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
        sites=tuple(_site(site) for site in node.nodes("sites")) if node.has("sites") else (),
        left_out=_left_out(node.node("sites_left_out")) if node.has("sites_left_out") else SitesLeftOut(),
        sources=tuple(sources[at] for at in node.places("sources", len(sources))) if node.has("sources") else (),
        processes_differ=node.flag("processes_differ", False),
    )
    if case.counted and case.median_ns is not None:
        raise InputError(f"{node.at('median_ns')}: a time of a case that was counted")
    if case.sites and not case.counted:
        raise InputError(f"{node.at('sites')}: sites of a case that was not counted")
    if case.interval_ns and case.median_ns is None:
        raise InputError(f"{node.at('interval_ns')}: an interval without a median")
    return case


def _metric(node: Node) -> Metric:
    return Metric(
        name=node.text("name"),
        value=node.signed("value"),
        unit=node.text("unit"),
        direction=node.choice("direction", ("lower", "higher", "none")),
    )


def _measurement(node: Node) -> Measurement:
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


def _gate(node: Node) -> Gate:
    names = ("id", "status", "baseline", "candidate", "baseline_run", "candidate_run", "command_line", "started")
    return Gate(
        **{name: node.text(name) for name in names},
        mode=node.choice("mode", MODES),
        finished=node.text("finished", ""),
        rules_text=node.text("rules_text", ""),
        seed=node.integer("seed"),
        alpha=node.number("alpha", positive=True),
        cases=node.integer("cases"),
        aa=node.flag("aa"),
        device=_device(node.node("device")),
        verdicts=tuple(_verdict(verdict) for verdict in node.nodes("verdicts")),
    )


def _verdict(node: Node) -> Verdict:
    numbers = ("baseline_ns", "candidate_ns", "ratio", "ratio_low", "ratio_high")
    verdict = Verdict(
        case=node.text("case"),
        baseline_case=node.text("baseline_case", ""),
        verdict=node.choice("verdict", VERDICTS),
        reason=node.text("reason", ""),
        delta=node.number("delta"),
        **{name: node.optional(name, positive=True) for name in numbers},
        pairs=node.integer("pairs"),
        dropped=node.integer("dropped"),
        **{name: node.optional(name) for name in ("noise", "smallest_effect", "p_value", "level")},
        expected=node.flag("expected"),
        expectation=node.text("expectation", ""),
        rounds=tuple(sorted((_pair(pair) for pair in node.nodes("rounds")), key=lambda pair: pair.round)),
        metric=node.text("metric", ""),
        **{name: node.signed(name) for name in ("baseline_value", "candidate_value")},
    )
    ends = [end for end in (verdict.ratio_low, verdict.ratio, verdict.ratio_high) if end is not None]
    if ends and (verdict.ratio is None or ends != sorted(ends)):
        raise InputError(f"{node.at('ratio')}: expected a number within its interval")
    return verdict


def _pair(node: Node) -> Pair:
    return Pair(
        round=node.integer("round"),
        baseline_first=node.flag("baseline_first"),
        baseline_ns=node.number("baseline_ns", positive=True),
        candidate_ns=node.number("candidate_ns", positive=True),
        dropped=node.text("dropped", ""),
    )


def _refuse_constant(text: str) -> float:
    raise ValueError(f"{text} is no JSON number")
