"""Reads and checks the comparisons of a report JSON."""

from __future__ import annotations

from reports.model import OUTCOMES, Roof
from reports.model_comparison import (
    CAUSES,
    ChangedMetric,
    ComparedCase,
    ComparedRun,
    ComparedSuite,
    Comparison,
    CountedCase,
    OneSided,
    SideOfCase,
)
from reports.node import Node


def comparison(node: Node) -> Comparison:
    common = {
        "a": _run(node.node("a")),
        "b": _run(node.node("b")),
        "differences": node.texts("differences"),
        "one_sided": tuple(map(_one_sided, node.nodes("one_sided"))),
    }
    if node.choice("gives", ("times", "counts")) == "counts":
        return Comparison(**common, counted=tuple(map(_counted, node.nodes("cases"))))
    return Comparison(
        **common,
        a_roofs=_roofs(node.nodes("roofs"), "a"),
        b_roofs=_roofs(node.nodes("roofs"), "b"),
        cases=tuple(map(_case, node.nodes("cases"))),
        suites=tuple(map(_suite, node.nodes("suites"))),
    )


def _run(node: Node) -> ComparedRun:
    names = ("id", "model", "device_name", "started", "status", "profile", "label")
    return ComparedRun(**{name: node.text(name) for name in names})


def _roofs(nodes: list[Node], side: str) -> tuple[Roof, ...]:
    return tuple(
        Roof(
            kind=node.text("roof"),
            value=node.number(side, positive=True),
            unit=node.text("unit"),
            source=node.text("source"),
        )
        for node in nodes
        if node.has(side)
    )


def _side(node: Node) -> SideOfCase:
    return SideOfCase(
        outcome=node.choice("outcome", OUTCOMES),
        reason=node.text("reason", ""),
        processes=node.integer("processes"),
        median_ns=node.optional("median_ns", positive=True),
        disturbed=node.flag("disturbed", False),
        **{name: node.optional(name) for name in ("flops", "bytes", "share_of_roof", "sm_clock_mhz")},
        roof=node.text("roof", ""),
    )


def _case(node: Node) -> ComparedCase:
    numbers = ("ratio", "ratio_low", "ratio_high", "work", "roofs_ratio", "rest")
    return ComparedCase(
        **{name: node.text(name) for name in ("case", "suite", "variant", "dtype")},
        measures_roof=node.flag("measures_roof"),
        a=_side(node.node("a")),
        b=_side(node.node("b")),
        not_compared=node.text("not_compared", ""),
        **{name: node.optional(name, positive=True) for name in numbers},
        roofs=node.text("roofs", ""),
        cause=node.choice("cause", CAUSES) if node.has("cause") else "",
        because=node.text("because", ""),
    )


def _suite(node: Node) -> ComparedSuite:
    return ComparedSuite(
        suite=node.text("suite"),
        **{name: node.integer(name) for name in ("cases", "a_processes", "b_processes")},
        **{name: node.number(name, positive=True) for name in ("ratio", "lowest", "highest")},
        **{name: node.optional(name, positive=True) for name in ("ratio_low", "ratio_high")},
        **{name: node.integer(name, 0) for name in ("unstable", "disturbed")},
    )


def _one_sided(node: Node) -> OneSided:
    return OneSided(case=node.text("case"), side=node.choice("in", ("a", "b")), why=node.text("why", ""))


def _counted(node: Node) -> CountedCase:
    if node.has("not_compared"):
        return CountedCase(node.text("case"), node.text("not_compared"), 0, False, ())
    return CountedCase(
        case=node.text("case"),
        not_compared="",
        equal=node.integer("equal_counts"),
        other_inputs=node.flag("other_inputs", False),
        changed=tuple(map(_metric, node.nodes("changed"))),
    )


def _metric(node: Node) -> ChangedMetric:
    return ChangedMetric(
        metric=node.text("metric"),
        unit=node.text("unit"),
        **{side: node.signed(side) for side in ("a", "b")},
        ratio=node.optional("ratio"),
    )
