"""Each case stands below the roof of each level, by the bytes that were counted there."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from reports import figures, legible, load, synthetic, synthetic_counters
from reports.figures import levels, roofline
from reports.model import Run
from reports.table_test import expect_data

Json = synthetic.Json
KIND = next(kind for kind in figures.kinds("run") if kind.name == "levels")
FLOPS, NS = 8e9, 1e6


def parsed(document: Json) -> Run:
    return load.parse(synthetic.document(document)).runs[0]


def case(variant: str = "tiled", ns: float = NS, **more: object) -> Json:
    return synthetic.case(f"gemm/{variant}/f32/n=1", ns, flops=FLOPS, bytes=1e7, **more)


def run(*cases: Json, kind: str = "cuda") -> Json:
    return synthetic.run("synthetic-x", kind, cases, synthetic.gpu()["roofs"])


def intensities(document: Json) -> dict[str, dict[str, float]]:
    return {
        one.level.name: {spot.point.name: spot.point.x for spot in one.panel.spots}
        for one in levels.panels(parsed(document))
    }


def test_intensity_is_by_the_bytes_that_each_level_moved() -> None:
    one = case()
    synthetic_counters.count(one, dram=2e7, l2=8e7, shared=4e8)
    by = {"DRAM": FLOPS / 2e7, "L2": FLOPS / 8e7, "shared memory": FLOPS / 4e8}
    assert intensities(run(one)) == {level: {one["name"]: x} for level, x in by.items()}
    for panel in levels.panels(parsed(run(one))):
        (spot,) = panel.panel.spots
        assert spot.point.y == FLOPS / NS * 1e9


@pytest.mark.parametrize(
    ("dram", "l2", "shared", "busiest"),
    [
        (4.2e9, 1e9, 1e9, "DRAM"),
        (1e9, 1.1e10, 1e9, "L2"),
        (1e9, 1e9, 2.9e10, "shared memory"),
        (4.2e8, 9e8, 3e9, "DRAM"),
    ],
)
def test_a_case_is_large_where_it_is_nearest_to_the_slope(
    dram: float, l2: float, shared: float, busiest: str
) -> None:
    one = case()
    synthetic_counters.count(one, dram=dram, l2=l2, shared=shared)
    large = {
        panel.level.name: [spot.best for spot in panel.panel.spots]
        for panel in levels.panels(parsed(run(one)))
    }
    assert large == {level.name: [level.name == busiest] for level in levels.LEVELS}


def test_the_fastest_of_each_variant_that_was_counted_is_drawn() -> None:
    slow, fast, other, uncounted = case(ns=3e6), case(ns=2e6), case("naive"), case(ns=1e6)
    fast["name"], uncounted["name"] = "gemm/tiled/f32/n=2", "gemm/tiled/f32/n=3"
    for one in (slow, fast, other):
        synthetic_counters.count(one, dram=2e7, l2=8e7, shared=4e8)
    drawn = intensities(run(slow, fast, other, uncounted))
    assert list(drawn["DRAM"]) == ["gemm/tiled/f32/n=2", "gemm/naive/f32/n=1"]


def test_emulated_counts_stand_in_for_counters_and_say_so() -> None:
    one = synthetic.explained(case(), "CUDA cores", 0.5) | {"counted_dram_bytes": 4e7}
    one["explanation"]["usages"] += [
        synthetic_counters.emulated_usage("l2", 1e8, "B"),
        synthetic_counters.emulated_usage("shared_memory", 1e6, "wavefronts"),
    ]
    by = {"DRAM": FLOPS / 4e7, "L2": FLOPS / 1e8, "shared memory": FLOPS / 128e6}
    assert intensities(run(one)) == {level: {one["name"]: x} for level, x in by.items()}
    assert {row["counted by"] for row in levels.data(parsed(run(one))) if "case" in row} == {
        roofline.EMULATED
    }
    assert _legend(parsed(run(one))) >= {"in a ring: by counts of the emulated device"}
    synthetic_counters.count(one, dram=2e7, l2=8e7, shared=4e8)
    assert intensities(run(one))["L2"] == {one["name"]: FLOPS / 8e7}
    assert not any("ring" in text for text in _legend(parsed(run(one))))


def _legend(run: Run) -> set[str]:
    figure = legible.drawn(KIND, run)
    assert figure is not None
    return {text.get_text() for legend in figure.legends for text in legend.get_texts()}


def test_what_the_problem_needs_is_no_count() -> None:
    one = synthetic.explained(case(), "CUDA cores", 0.5)
    usage = synthetic_counters.emulated_usage("l2", 1e8, "B") | {"amount_by": "problem"}
    one["explanation"]["usages"].append(usage)
    assert levels.panels(parsed(run(one))) == []


def test_counters_of_a_cold_start_say_nothing_of_the_dram_of_a_hot_case() -> None:
    one = case() | {"options": {"cache": "hot"}}
    synthetic_counters.count(one, dram=2e7, l2=8e7, shared=4e8)
    assert list(intensities(run(one))) == ["L2", "shared memory"]


def test_levels_without_a_roof_or_a_count_have_no_panel() -> None:
    one = case()
    synthetic_counters.count(one, dram=2e7, l2=8e7, shared=0)
    made = run(one)
    assert list(intensities(made)) == ["DRAM", "L2"]
    made["roofs"] = [roof for roof in made["roofs"] if not roof["kind"].startswith("llc")]
    assert list(intensities(made)) == ["DRAM"]
    made["roofs"] = []
    assert intensities(made) == {}
    assert legible.drawn(KIND, parsed(made)) is None
    assert levels.data(parsed(made)) == []


def test_the_roofline_says_how_to_count_where_nothing_was() -> None:
    asked = "What moved was not counted. To count it: ridgeline run --resume "
    roofline_of = next(kind for kind in figures.kinds("run") if kind.name == "roofline")

    def said(document: Json) -> str:
        figure = legible.drawn(roofline_of, parsed(document))
        assert figure is not None
        return figure.axes[0].get_title(loc="left")

    one = case()
    assert said(run(one)) == f"{asked}{run(one)['id']} --counters"
    assert said(run(one, kind="cpu")) == ""
    synthetic_counters.count(one, dram=2e7, l2=8e7, shared=4e8)
    assert said(run(one)) == ""


@pytest.mark.parametrize("amount", [1e-300, 1e300])
def test_absurd_counts_break_nothing(amount: float) -> None:
    one = case()
    synthetic_counters.count(one, dram=amount, l2=amount, shared=amount)
    run_of_it = parsed(run(one))
    for kind in figures.kinds("run"):
        if kind.name in ("levels", "roofline"):
            legible.drawn(kind, run_of_it)
    assert all(0 < x < math.inf for some in intensities(run(one)).values() for x in some.values())


def test_only_the_last_panel_names_the_flat_lines_that_all_have() -> None:
    figure = legible.drawn(KIND, parsed(synthetic_counters.gpu()))
    assert figure is not None
    named = [[text.get_text() for text in axes.texts] for axes in figure.axes]
    assert [any(name.startswith("fma") for name in names) for names in named] == [0, 0, 1]
    slopes = [("dram", "llc", "shared")[at] for at in range(3)]
    assert all(
        any(name.startswith(slope) for name in names)
        for slope, names in zip(slopes, named, strict=True)
    )


INPUTS: dict[str, Callable[[], Json]] = {
    "gpu": synthetic_counters.gpu,
    "one": lambda: synthetic_counters.many(1),
    "thirty": lambda: synthetic_counters.many(30),
    "hundreds": lambda: synthetic_counters.many(300),
    "long_names": lambda: synthetic_counters.many(40, "W" * 100),
}


@pytest.mark.parametrize("source", INPUTS)
def test_text_is_neither_cut_off_nor_covered(source: str) -> None:
    run = parsed(INPUTS[source]())
    figure = legible.drawn(KIND, run)
    assert figure is not None
    legible.expect_legible(figure, smallest=11)
    assert legible.in_axes(figure, rotated=False) == []
    assert len({axes.get_ylim() for axes in figure.axes}) == 1
    assert len({axes.get_xlim() for axes in figure.axes}) == 1
    rows = levels.data(run)
    expect_data(rows)
    spots = sum(len(one.panel.spots) for one in levels.panels(run))
    assert sum("case" in row for row in rows) == spots > 0
