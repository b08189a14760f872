"""Arrows from one run of a device model to another, of the cases that changed most."""

from __future__ import annotations

import pytest
from matplotlib.figure import Figure

from reports import figures, legible, load, plot, synthetic, synthetic_comparison
from reports.figures import changes
from reports.model_comparison import Comparison
from reports.table_test import expect_data

Json = synthetic.Json
KIND = next(kind for kind in figures.kinds("comparison") if kind.name == "changes")


def before_and_after(*cases: Json) -> Json:
    return of_one_model(synthetic_comparison.times(cases))


def of_one_model(made: Json) -> Json:
    for side, label in (("a", "before"), ("b", "after")):
        made[side] |= {"model": "synthetic-gpu", "label": label}
    return made


def case(name: str, ratio: float, interval: float = 0.01, **more: object) -> Json:
    made = synthetic_comparison.case(name, 4e9, 8e6, 0.3, 0.3, interval=interval, **more)
    made["b"]["median_ns"] = made["a"]["median_ns"] * ratio
    ends = {"ratio_low": ratio * (1 - interval), "ratio_high": ratio * (1 + interval)}
    return made | {"ratio": ratio} | (ends if "ratio_low" in made else {})


def parsed(made: Json) -> Comparison:
    return load.parse(synthetic.document() | {"comparisons": [made]}).comparisons[0]


def page_of(*cases: Json) -> changes.Page:
    (page,) = changes.pages(parsed(before_and_after(*cases)))
    return page


def names(page: changes.Page) -> list[str]:
    return [arrow.case.case for arrow in page.arrows]


def drawn(page: changes.Page) -> Figure:
    return legible.drawn(KIND, page)


def test_an_arrow_leads_from_a_to_b() -> None:
    page = page_of(case("gemm/naive/f32/n=1", 0.5), case("gemm/wmma/f32/n=1", 1.25))
    faster, slower = page.arrows
    assert faster.b.y == pytest.approx(2 * faster.a.y)
    assert slower.b.y == pytest.approx(slower.a.y / 1.25)
    (axes,) = drawn(page).axes
    lines = {line.get_color(): line for line in axes.get_lines() if line.get_zorder() == 4}
    assert list(lines[plot.BLUE].get_ydata()) == [faster.a.y, faster.b.y]
    assert list(lines[plot.VERMILLION].get_ydata()) == [slower.a.y, slower.b.y]
    marks = {line.get_marker(): line for line in axes.get_lines() if line.get_zorder() == 6}
    assert list(marks["^"].get_ydata()) == [faster.b.y]
    assert list(marks["v"].get_ydata()) == [slower.b.y]
    texts = {text.get_text() for text in axes.texts}
    assert {"naive f32, time −50%", "wmma f32, time +25%"} <= texts
    assert axes.get_title(loc="left") == "A: before; B: after"


def test_what_changed_little_or_is_not_known_to_have_changed_is_not_drawn() -> None:
    certain = case("gemm/certain/f32/n=1", 1.06)
    assert names(page_of(certain)) == ["gemm/certain/f32/n=1"]
    others = [
        case("gemm/little/f32/n=1", 1.04, 0.001),
        case("gemm/noise/f32/n=1", 1.3, 0.4),
        case("gemm/no_interval/f32/n=1", 1.5, processes=2),
        synthetic_comparison.failed("gemm/failed/f32/n=2"),
        synthetic_comparison.measuring("fma.f32", 1e6, 1e5),
        synthetic_comparison.case("coalescing/offset/f32/n=1", 0, 1e6, 0.5, 0.25),
    ]
    assert names(page_of(certain, *others)) == ["gemm/certain/f32/n=1"]
    assert changes.pages(parsed(before_and_after(*others))) == []


def test_of_each_variant_and_type_the_case_that_changed_most_is_drawn() -> None:
    page = page_of(
        case("gemm/naive/f32/n=1", 0.9),
        case("gemm/naive/f32/n=2", 1.5),
        case("gemm/naive/f32/n=3", 0.7),
        case("gemm/naive/bf16/n=1", 1.1),
        case("fusion/naive/f32/n=1", 1.2),
    )
    assert names(page) == ["gemm/naive/f32/n=2", "fusion/naive/f32/n=1", "gemm/naive/bf16/n=1"]
    assert page.more == 2
    (axes,) = drawn(page).axes
    said = axes.get_title(loc="left")
    assert said == "A: before; B: after\n2 more changed and are in the table"


def test_two_models_are_not_before_and_after() -> None:
    made = before_and_after(case("gemm/naive/f32/n=1", 0.5))
    assert changes.pages(parsed(made))
    made["b"]["model"] = "synthetic-other"
    assert changes.pages(parsed(made)) == []


def test_the_ceilings_are_those_of_b_where_it_has_any() -> None:
    made = before_and_after(case("gemm/naive/f32/n=1", 0.5))
    (page,) = changes.pages(parsed(made))
    assert page.ceilings_of == "B"
    assert page.panel.memory[0].reached == 4.22e12
    for roof in made["roofs"]:
        roof.pop("b", None)
    (page,) = changes.pages(parsed(made))
    assert page.ceilings_of == "A"
    assert page.panel.memory[0].reached == 1.9e12
    made["roofs"] = []
    (page,) = changes.pages(parsed(made))
    assert not page.panel.memory
    drawn(page)


@pytest.mark.parametrize(
    ("cases", "variant"), [(1, ""), (30, ""), (300, ""), (24, "variant_"), (24, "W" * 100)]
)
def test_text_is_neither_cut_off_nor_covered(cases: int, variant: str) -> None:
    if variant:
        made = before_and_after(
            *(case(f"gemm/{variant}{at}/f32/n={at}", 1.1 + at / 20) for at in range(cases))
        )
    else:
        made = of_one_model(synthetic_comparison.comparison(cases))
    (page,) = changes.pages(parsed(made))
    figure = drawn(page)
    legible.expect_legible(figure, smallest=10)
    assert legible.in_axes(figure, rotated=False) == []
    rows = changes.data(page)
    expect_data(rows)
    assert [row["case"] for row in rows if "case" in row] == names(page)
    assert len(page.arrows) <= 12
    assert [row["time of B over A [1]"] for row in rows if "case" in row] == [
        arrow.ratio for arrow in page.arrows
    ]
