"""Reads and checks the runs of a report JSON."""

from __future__ import annotations

from reports.model import (
    OUTCOMES,
    Build,
    Case,
    Device,
    Environment,
    Measurement,
    Metric,
    Roof,
    Run,
    Site,
    SitesLeftOut,
    Source,
    WallTime,
)
from reports.node import InputError, Node


def run(node: Node) -> Run:
    sources = tuple(_source(source) for source in node.nodes("sources")) if node.has("sources") else ()
    made = Run(
        id=node.text("id"),
        label=node.text("label", ""),
        status=node.text("status"),
        profile=node.text("profile"),
        profile_text=node.text("profile_text", ""),
        seed=node.integer("seed"),
        started=node.text("started"),
        finished=node.text("finished", ""),
        command_line=node.text("command_line"),
        device=device(node.node("device")),
        environment=_environment(node.node("environment")),
        builds=tuple(_build(build) for build in node.nodes("builds")),
        roofs=tuple(roof(one) for one in node.nodes("roofs")),
        wall=_wall(node.node("wall_ns")) if node.has("wall_ns") else None,
        cases=tuple(_case(case, sources) for case in node.nodes("cases")),
    )
    if made.counted:
        for case in made.cases:
            if case.measured:
                raise InputError(f"{node.at('cases')}: a time of a device that has none: {case.name}")
    return made


def device(node: Node) -> Device:
    names = ("id", "kind", "model", "name", "uuid", "pci_id")
    facts = ("properties", "comparable", "recorded")
    return Device(**{name: node.text(name) for name in names}, **{name: node.facts(name) for name in facts})


def _environment(node: Node) -> Environment:
    return Environment(hash=node.text("hash"), comparable=node.facts("comparable"), recorded=node.facts("recorded"))


def _build(node: Node) -> Build:
    names = ("worker", "commit", "compiler", "flags", "cuda", "code_hash")
    return Build(dirty=node.flag("dirty"), **{name: node.text(name) for name in names})


def roof(node: Node) -> Roof:
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
