"""Every roof of a roofline has a name that can be read, whatever stands around it."""

from __future__ import annotations

import math
from collections.abc import Callable

import matplotlib
import pytest
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

from reports import (
    ceilings,
    chart_data,
    figures,
    labels,
    legible,
    load,
    plot,
    synthetic,
    synthetic_counters,
)
from reports.figures import roofline
from reports.figures.figures_test import crowded, very_many
from reports.model import Run

Json = synthetic.Json
KIND = next(kind for kind in figures.kinds("run") if kind.name == "roofline")


def parsed(document: Json) -> Run:
    return load.parse(synthetic.document(document)).runs[0]


def full_below_the_slope() -> Json:
    """Cases all along the slopes of DRAM and of the last-level cache."""
    cases = [
        synthetic.case(
            f"gemm/variant_{at}_{share}/f32/n=1",
            1e5,
            flops=4.22e12 * share * 10 ** (at / 30 - 1) * 1e-4,
            bytes=4.22e12 * share * 1e-4 * share,
        )
        for at in range(90)
        for share in (0.4, 0.6, 0.8, 1.0)
    ]
    return synthetic.run("synthetic-full", "cpu", cases, synthetic.gpu()["roofs"])


INPUTS: dict[str, Callable[[], Json]] = {
    "gpu": synthetic.gpu,
    "cpu": synthetic.cpu,
    "counters": synthetic_counters.gpu,
    "very_many": very_many,
    "crowded": crowded,
    "full": full_below_the_slope,
}


@pytest.mark.parametrize("source", INPUTS)
def test_every_roof_has_a_name_and_no_case_covers_it(source: str) -> None:
    run = parsed(INPUTS[source]())
    figure = legible.drawn(KIND, run)
    assert figure is not None
    (axes,) = figure.axes
    panel = roofline.panel_of(run)
    said = {text.get_text(): text for text in axes.texts}
    slopes = [f"{one.name} {ceilings.value_text(one)}" for one in panel.memory]
    flats = [f"{one.name}\n{ceilings.value_text(one)}" for one in panel.compute]
    assert {*slopes, *flats} <= said.keys()
    others = [text for name, text in said.items() if name not in slopes]
    with matplotlib.rc_context(plot.RC):
        for name in slopes:
            middle = _middle_line(said[name])
            for other in others:
                box = Text.get_window_extent(other)
                assert not any(box.contains(*at) for at in middle), (name, other.get_text())
            assert all(axes.bbox.contains(*at) for at in middle)


def _middle_line(text: Text) -> list[tuple[float, float]]:
    """Points along the middle of a turned text, in pixels."""
    box, angle = text.get_window_extent(), math.radians(text.get_rotation())
    cos, sin = math.cos(angle), math.sin(angle)
    width = (box.width * cos - box.height * sin) / (cos * cos - sin * sin)
    centre = ((box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2)
    steps = [width * (step / 40 - 0.5) for step in range(41)]
    return [(centre[0] + step * cos, centre[1] + step * sin) for step in steps]


def test_a_name_that_has_no_room_is_above_what_it_covers() -> None:
    figure = Figure()
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    axes.set(xscale="log", yscale="log", xlim=(1, 1000), ylim=(1, 1000))
    (slope,) = ceilings.memory_of(parsed(_one_roof()).roofs)
    free, covering = (_named(axes, [slope], points) for points in ([], _everywhere()))
    assert (bool(free.get_path_effects()), bool(covering.get_path_effects())) == (False, True)
    assert covering.get_zorder() > free.get_zorder()


def test_names_of_cases_are_told_what_the_name_of_a_slope_covers() -> None:
    figure = Figure()
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    axes.set(xscale="log", yscale="log", xlim=(1, 1000), ylim=(1, 1000))
    boxes = ceilings.name_slopes(axes, ceilings.memory_of(parsed(_one_roof()).roofs), [], [])
    (text,) = axes.texts
    for x, y in _middle_line(text):
        at = labels.around(x * 72 / figure.dpi, y * 72 / figure.dpi, 0.5)
        assert any(box.overlaps(at) for box in boxes)


def _one_roof() -> Json:
    roof = synthetic.roof("dram.read", 1.0)
    return synthetic.run("synthetic-x", "cpu", [], [roof])


def _everywhere() -> list[tuple[float, float]]:
    places = [10 ** (at / 12) for at in range(37)]
    return [(x, y) for x in places for y in places]


def _named(axes: Axes, memory: list[ceilings.Ceiling], points: list[tuple[float, float]]) -> Text:
    for text in axes.texts:
        text.remove()
    assert ceilings.name_slopes(axes, memory, [], points)
    (text,) = axes.texts
    return text


def test_types_have_the_roofs_of_both_units_and_e4m3_has_that_of_fp8() -> None:
    roofs = parsed(synthetic.gpu()).roofs
    names = {
        dtype: [one.name for one in ceilings.compute_of(roofs, [dtype])]
        for dtype in ("f32", "bf16", "e4m3", "e4m3_fast", "i32")
    }
    assert names == {
        "f32": ["fma f32"],
        "bf16": ["tensor bf16"],
        "e4m3": ["tensor fp8"],
        "e4m3_fast": ["tensor fp8"],
        "i32": [],
    }
    both = parsed(crowded()).roofs
    found = [one.name for one in ceilings.compute_of(both, ["f16"])]
    assert found == ["fma f16", "tensor f16"]


def test_a_case_that_computes_in_another_type_has_its_roof() -> None:
    one = synthetic.case("gemm/split/f32/n=1", 1e6, flops=1e9, bytes=1e6, roof="tensor.f16")
    run = parsed(synthetic.run("synthetic-x", "cuda", [one], synthetic.gpu()["roofs"]))
    assert [one.name for one in roofline.panel_of(run).compute] == ["fma f32", "tensor f16"]
    assert roofline.types("f32", "dram.read") == {"f32"}


@pytest.mark.parametrize("source", INPUTS)
def test_the_chart_of_the_script_has_the_same_roofs(source: str) -> None:
    run = parsed(INPUTS[source]())
    panel = roofline.panel_of(run)
    data = chart_data.of_roofline(run, {})
    assert data is not None
    drawn = data["ceilings"]
    assert isinstance(drawn, list)
    assert [(one["kind"], one["name"], one["text"]) for one in drawn] == [
        (kind, one.name, ceilings.value_text(one))
        for kind, some in (("memory", panel.memory), ("compute", panel.compute))
        for one in some
    ]
    lines = [
        (f"{one['name']}, {roof['origin']}", roof["value"])
        for one in drawn
        for roof in one["roofs"]
    ]
    assert lines == [tuple(row.values()) for row in roofline.rows_of_roofs(panel)]
