"""The figures of a comparison: what is drawn is what was compared, nothing is left out, and no text
is cut off or covered."""

from __future__ import annotations

import itertools
import math

import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reports import compared, figures, legible, load, synthetic, synthetic_comparison
from reports.figures import ratios, roofline, rooflines
from reports.model_comparison import CAUSES, Comparison
from reports.table_test import expect_data

Json = synthetic.Json
KINDS = {kind.name: kind for kind in figures.kinds("comparison")}
LONG = "W" * 100


def parsed(document: Json) -> Comparison:
    return load.parse(synthetic.document() | {"comparisons": [document]}).comparisons[0]


def renamed(document: Json, a: str, b: str) -> Json:
    for side, model in (("a", a), ("b", b)):
        document[side] |= {"model": model}
    return document


def hostile() -> Json:
    """Names that would be markup, mathematics or lines of their own."""
    cases = [
        synthetic_comparison.case(
            f"$\\frac{{a}}/_{name}\x07\n<script>/bf16/n={n},$x_1$", 4e9, 8e6, 0.5, 0.3
        )
        for name in ("<b>", "$$", "\N{CJK UNIFIED IDEOGRAPH-4E2D}")
        for n in range(2)
    ]
    return renamed(synthetic_comparison.times(cases), "<script>$a_1$\n", "$\\alpha$\x1b[31m")


def many_suites() -> Json:
    cases = (
        synthetic_comparison.case(f"suite_{n}/tree/f32/n=1", 1e9, 4e9, 0.5, 0.5 + n / 100)
        for n in range(40)
    )
    return synthetic_comparison.times(cases)


INPUTS = {
    "one": lambda: synthetic_comparison.comparison(1),
    "five": lambda: synthetic_comparison.comparison(5),
    "forty": lambda: synthetic_comparison.comparison(40),
    "hundreds": lambda: synthetic_comparison.comparison(300),
    "odd": synthetic_comparison.odd,
    "datasheets": lambda: synthetic_comparison.comparison(12, roofs="datasheet"),
    "no_roofs": lambda: synthetic_comparison.comparison(12, roofs="none"),
    "long_names": lambda: renamed(synthetic_comparison.odd(), f"{LONG}a", f"{LONG}b"),
    "one_model": lambda: renamed(
        synthetic_comparison.comparison(5), "synthetic-gpu", "synthetic-gpu"
    ),
    "many_suites": many_suites,
    "hostile": hostile,
}


def drawn(name: str, page: object) -> Figure:
    return legible.drawn(KINDS[name], page)


def only(*cases: Json) -> ratios.Page:
    (page,) = ratios.pages(parsed(synthetic_comparison.times(cases)))
    return page


def marks(axes: Axes, place: int) -> dict[str, float]:
    """The marks of a row and where they are."""
    lines = [
        line
        for line in axes.get_lines()
        if len(line.get_xdata()) == 1 and line.get_ydata()[0] == place
    ]
    return {line.get_marker(): line.get_xdata()[0] for line in lines}


def test_comparisons_have_their_own_figures() -> None:
    assert list(KINDS) == ["rooflines", "changes", "ratios"]


@pytest.mark.parametrize("source", INPUTS)
@pytest.mark.parametrize("name", KINDS)
def test_text_is_neither_cut_off_nor_covered(name: str, source: str) -> None:
    pages = KINDS[name].pages(parsed(INPUTS[source]()))
    assert pages or (name == "changes" and source != "one_model")
    for page in pages[:3]:
        figure = drawn(name, page)
        assert figure.get_size_inches()[1] < 13
        legible.expect_legible(figure, smallest=8.5)
        assert legible.in_axes(figure, rotated=False) == []


@pytest.mark.parametrize("source", INPUTS)
@pytest.mark.parametrize("name", KINDS)
def test_the_data_of_a_figure_are_its_rows(name: str, source: str) -> None:
    for page in KINDS[name].pages(parsed(INPUTS[source]())):
        rows = KINDS[name].data(page)
        expect_data(rows)
        if name == "ratios":
            drawn_ones = [one for one in page.rows if one.ratio is not None]
            assert [row["row"] for row in rows] == [one.name for one in drawn_ones]
            ratios_of = [
                next(value for key, value in row.items() if key.startswith("time of"))
                for row in rows
            ]
            assert ratios_of == [one.ratio for one in drawn_ones]
        elif name == "rooflines":
            spots = sum(len(panel.spots) for panel in page.panels)
            assert sum("case" in row for row in rows) == spots
            assert {row["side"] for row in rows} == set(page.titles)


@pytest.mark.parametrize("cases", [1, 29, 30, 31, 120, 300])
def test_every_case_is_on_one_page_below_its_suite(cases: int) -> None:
    comparison = parsed(synthetic_comparison.comparison(cases))
    pages = ratios.pages(comparison)
    assert pages[0].overview == (len(pages) > 1)
    of_cases = [page for page in pages if not page.overview]
    found, suite = [], ""
    for page in of_cases:
        assert len(page.rows) <= ratios.ROWS_A_PAGE
        assert page.rows[0].is_mean, "a page says of which suite its first cases are"
        assert not page.rows[-1].is_mean, "a suite's name stands above a case"
        for row in page.rows:
            suite = row.name.removesuffix(", continued") if row.is_mean else suite
            if not row.is_mean:
                found.append(f"{suite}/{row.name.removesuffix(' (per unit of work)')}")
    assert found == [case.case for some in compared.by_suite(comparison).values() for case in some]
    assert len(found) == cases
    if len(of_cases) > 1:
        assert of_cases[0].part.startswith(" · cases 1 to ")
        assert of_cases[-1].part.endswith(f" to {cases} of {cases}")
        assert min(len(page.rows) for page in of_cases) >= ratios.ROWS_A_PAGE / 3, (
            "no page is nearly empty"
        )


def test_the_overview_has_a_row_a_suite_and_splits_aloud() -> None:
    pages = [page for page in ratios.pages(parsed(many_suites())) if page.overview]
    assert [page.part for page in pages] == [" · suites 1 to 34 of 40", " · suites 35 to 40 of 40"]
    assert [row.name for page in pages for row in page.rows] == [f"suite_{n}" for n in range(40)]
    (first, *_) = ratios.pages(parsed(synthetic_comparison.comparison(120)))
    assert first.part == " · all 4 suites"
    title = drawn("ratios", first).get_suptitle()
    assert "all 4 suites" in title
    assert "Time of B, synthetic-large-gpu, over time of A, synthetic-small-gpu" in title


def test_what_is_drawn_is_what_was_compared() -> None:
    (page,) = ratios.pages(parsed(synthetic_comparison.comparison(16)))
    (axes,) = drawn("ratios", page).axes
    for place, row in enumerate(page.rows):
        assert row.ratio is not None
        assert row.roofs is not None
        look = row.style.marker
        assert marks(axes, place) == {look: math.log(row.ratio), "D": math.log(row.roofs)}
        level = [line for line in axes.get_lines() if list(line.get_ydata()) == [place, place]]
        ends = {tuple(line.get_xdata()) for line in level}
        interval = {(math.log(row.low), math.log(row.high))} if row.low and row.high else set()
        assert ends == {(math.log(row.ratio), math.log(row.roofs))} | interval
    assert any(row.low is None for row in page.rows)
    hollow = {place for place, row in enumerate(page.rows) if row.hollow}
    white = {
        line.get_ydata()[0]
        for line in axes.get_lines()
        if line.get_marker() != "D" and line.get_markerfacecolor() == "white"
    }
    assert white == hollow
    assert len(hollow) == 2


def test_b_is_faster_on_the_left() -> None:
    page = only(synthetic_comparison.case("gemm/naive/f32/n=512", 2.7e8, 3e6, 0.5, 0.5))
    case = page.rows[1]
    assert case.ratio is not None
    assert case.ratio < 1, "B has the higher roofs"
    (axes,) = drawn("ratios", page).axes
    assert marks(axes, 1)["o"] < 0
    label = axes.get_xlabel()
    assert label.index("← B faster") < label.index("A faster →")
    assert axes.get_xlim() == (-page.limit, page.limit), "no change is in the middle"


def test_columns_have_the_ratio_and_the_word() -> None:
    (page,) = ratios.pages(parsed(synthetic_comparison.odd()))
    (axes,) = drawn("ratios", page).axes
    by_row: dict[float, list[str]] = {}
    for text in axes.texts:
        if text.get_transform() != axes.transData:
            by_row.setdefault(text.xy[1], []).append(text.get_text())
    assert by_row[-1] == ["B/A", "roofs alone", "the rest is"]
    told = {row.name: by_row[place] for place, row in enumerate(page.rows)}
    assert told["roofs"] == ["", "", "no mean"]
    assert told["fma/f32"] == ["0.310", "", "measures a roof"]
    assert told["gemm"] == ["1.17", "0.306", "mean of 2"]
    assert told["naive/f32/n=512"] == ["4.59", "0.306", "distance"]
    assert told["naive/f32/elements=66% (per unit of work)"] == ["0.300", "0.306", "hardware"]
    assert told["mpi/f32/op=broadcast,ranks=2,bytes=1048576"] == ["0.900", "", "no roof known"]


def test_causes_can_be_told_without_colour() -> None:
    looks = {word: style.marker for word, style in ratios._STYLES.items()}
    assert set(looks) > set(CAUSES)
    assert len(set(looks.values()) | {ratios._MEAN.marker, ratios._ROOFS.marker}) == len(looks) + 2


def test_cases_that_failed_are_not_drawn() -> None:
    assert (
        ratios.pages(
            parsed(synthetic_comparison.times([synthetic_comparison.failed("gemm/naive/f32/n=2")]))
        )
        == []
    )
    page = only(
        synthetic_comparison.failed("a/b/f32/n=2"),
        synthetic_comparison.case("a/b/f32/n=1", 1, 1, 0.5, 0.5),
    )
    assert [row.name for row in page.rows] == ["a", "b/f32/n=1"]


def test_a_mean_has_a_prediction_only_of_all_its_cases() -> None:
    cases = [
        synthetic_comparison.case(f"gemm/naive/f32/n={n}", 2.7e8, 3e6, 0.5, 0.5) for n in range(3)
    ]
    assert only(*cases).rows[0].roofs == pytest.approx(18.9 / 61.8)
    disturbed = synthetic_comparison.case("gemm/naive/f32/n=9", 9.0, 9e6, 0.5, 0.1, disturbed=True)
    assert only(*cases, disturbed).rows[0].roofs == pytest.approx(18.9 / 61.8), (
        "it is not in the mean either"
    )
    without = synthetic_comparison.case("gemm/naive/f32/n=9", 2.7e8, 3e6, 0.5, 0.5, roofs="none")
    assert only(*cases, without).rows[0].roofs is None


def test_what_the_axis_does_not_reach_is_said_and_not_drawn_elsewhere() -> None:
    usual = [
        synthetic_comparison.case(f"gemm/naive/f32/n={n}", 2.7e8, 3e6, 0.5, 0.5) for n in range(20)
    ]
    far = synthetic_comparison.case("gemm/naive/f32/n=99", 2.7e8, 3e6, 0.9, 0.0009)
    near = far | {"case": "gemm/naive/f32/n=98", "ratio": 0.3, "roofs_ratio": 1e-6}
    page = only(*usual, far, near)
    assert page.limit < math.log(100)
    (axes,) = drawn("ratios", page).axes
    assert set(marks(axes, 21)) == {"D"}
    assert "305.83 »" in [text.get_text() for text in axes.texts]
    assert marks(axes, 22)["<"] == -page.limit
    assert "D" not in marks(axes, 22)


@pytest.mark.parametrize(
    "limit", [0.2232, 0.4, 0.7, 1.1, 1.28, 1.6, 1.62, 1.8, 3.0, 3.5, 5.0, 20.0]
)
def test_ticks_are_round_and_apart(limit: float) -> None:
    logs = [math.log(place) for place in ratios.tick_places(limit)]
    assert 0 in logs
    assert len(logs) >= (3 if limit > 1.6 else 5)
    assert all(abs(log) <= limit for log in logs)
    assert all(b - a >= 0.19 * limit for a, b in itertools.pairwise(logs))


@pytest.mark.parametrize("value", [1e-300, 1e300])
def test_absurd_numbers_are_drawn_or_left_out_and_break_nothing(value: float) -> None:
    case = synthetic_comparison.case("gemm/naive/f32/n=1", 2.7e8, 3e6, 0.5, 0.5)
    case |= {"ratio": value, "ratio_low": value, "ratio_high": value, "roofs_ratio": 1 / value}
    case["a"]["median_ns"], case["b"]["flops"] = value, value
    document = synthetic_comparison.times([case])
    document["roofs"][0]["a"] = document["roofs"][1]["b"] = value
    document["b"]["model"] = document["a"]["model"]
    for name, kind in KINDS.items():
        for page in kind.pages(parsed(document)):
            drawn(name, page)
            for panel in page.panels if name == "rooflines" else ():
                assert all(
                    0 < spot.point.y < math.inf and 0 < spot.point.x < math.inf
                    for spot in panel.spots
                )


def test_names_of_sides_tell_them_apart() -> None:
    def sides(a: str, b: str) -> tuple[str, str]:
        return compared.sides(parsed(renamed(synthetic_comparison.comparison(1), a, b)))

    assert sides("synthetic-a", "synthetic-b") == ("synthetic-a", "synthetic-b")
    assert sides("synthetic-a", "synthetic-a") == (
        "run 20261118T090000Z-aaaaaa",
        "run 20261119T090000Z-bbbbbb",
    )
    a, b = sides(f"{LONG}x{LONG}", f"{LONG}y{LONG}")
    assert "x" in a and "y" in b
    labelled = renamed(synthetic_comparison.comparison(1), "synthetic-a", "synthetic-a")
    labelled["a"]["label"], labelled["b"]["label"] = "before", "after"
    assert compared.sides(parsed(labelled)) == ("before", "after")
    labelled["b"] |= {"label": "before", "id": labelled["a"]["id"]}
    assert compared.sides(parsed(labelled)) == ("A", "B"), "nothing tells them apart"
    assert all(len(name) <= 28 for name in sides(f"{LONG}x", f"{LONG}y"))


def test_two_runs_of_a_model_are_named_in_both_figures() -> None:
    comparison = parsed(INPUTS["one_model"]())
    (page,) = rooflines.pages(comparison)
    assert page.titles == ("A: run 20261118T090000Z-aaaaaa", "B: run 20261119T090000Z-bbbbbb")
    title = "Rooflines side by side · two runs of synthetic-gpu"
    assert drawn("rooflines", page).get_suptitle() == title
    (page,) = ratios.pages(comparison)
    title = drawn("ratios", page).get_suptitle()
    assert "Time of B, run 20261119T090000Z-bbbbbb,\nover time of A, run 2026" in title


def test_a_side_without_roofs_says_what_to_measure() -> None:
    document = synthetic_comparison.comparison(12)
    for roof in document["roofs"]:
        roof.pop("b", None)
        roof["words"].pop("b", None)
    (page,) = rooflines.pages(parsed(document))
    left, right = drawn("rooflines", page).axes
    assert "has no" not in left.get_title(loc="left")
    assert right.get_title(loc="left").endswith(
        "its run has no roofs: measure the suite roofs, too"
    )


def test_rooflines_show_the_same_cases_with_the_same_looks_and_limits() -> None:
    comparison = parsed(synthetic_comparison.comparison(60))
    (page,) = rooflines.pages(comparison)
    a, b = page.panels
    names = [[spot.point.name for spot in panel.spots] for panel in (a, b)]
    assert names[0] == names[1]
    assert {case.case for case in comparison.cases if case.a.flops} == set(names[0])
    assert page.titles == ("A: synthetic-small-gpu", "B: synthetic-large-gpu")
    left, right = drawn("rooflines", page).axes
    across, up = roofline.limits(page.panels)
    assert left.get_xlim() == right.get_xlim() == pytest.approx(across)
    assert left.get_ylim() == right.get_ylim() == pytest.approx(up)
    looks = [
        [
            (line.get_marker(), line.get_color())
            for line in axes.get_lines()
            if len(line.get_xdata()) == 1
        ]
        for axes in (left, right)
    ]
    assert looks[0] == looks[1]
    points = [
        (line.get_xdata()[0], line.get_ydata()[0])
        for line in right.get_lines()
        if len(line.get_xdata()) == 1
    ]
    assert points == [(spot.point.x, spot.point.y) for spot in b.spots]


def test_rooflines_have_the_ceilings_of_their_own_side() -> None:
    (page,) = rooflines.pages(parsed(synthetic_comparison.comparison(60)))
    found = [
        [
            (one.name, one.measured.value, one.datasheet.value)
            for one in (*panel.memory, *panel.compute)
        ]
        for panel in page.panels
        if all(one.measured and one.datasheet for one in (*panel.memory, *panel.compute))
    ]
    assert found == [
        [("dram", 1.9e12, 2.04e12), ("fma f32", 18.9e12, 19.5e12), ("tensor bf16", 280e12, 312e12)],
        [
            ("dram", 4.22e12, 4.81e12),
            ("fma f32", 61.8e12, 66.9e12),
            ("tensor bf16", 702e12, 989e12),
        ],
    ]
    (sheets,) = rooflines.pages(parsed(synthetic_comparison.comparison(60, roofs="datasheet")))
    assert not any(one.measured for panel in sheets.panels for one in panel.memory + panel.compute)


def test_a_point_is_the_work_over_the_time() -> None:
    case = synthetic_comparison.case("gemm/naive/f32/n=512", 2.7e8, 3e6, 0.5, 0.25)
    (page,) = rooflines.pages(parsed(synthetic_comparison.times([case])))
    for panel, side in zip(page.panels, ("a", "b"), strict=True):
        (spot,) = panel.spots
        assert (spot.point.x, spot.best) == (90.0, True)
        assert spot.point.y == pytest.approx(2.7e8 / case[side]["median_ns"] * 1e9)
    assert page.panels[0].spots[0].point.y == pytest.approx(0.5 * 18.9e12)


@pytest.mark.parametrize(
    "case",
    [
        synthetic_comparison.measuring("fma.f32", 1e6, 1e5),
        synthetic_comparison.failed("gemm/naive/f32/n=2"),
        synthetic_comparison.differently("gemm/naive/f32/n=2"),
        synthetic_comparison.case("coalescing/offset/f32/n=1", 0, 1e6, 0.5, 0.5),
        synthetic_comparison.case("occupancy/fma/f32/n=1", 1e9, 1e3, 0.5, 0.5),
    ],
    ids=["measures a roof", "failed", "measured differently", "no operations", "no workload"],
)
def test_what_is_no_workload_below_a_roof_makes_no_rooflines(case: Json) -> None:
    assert rooflines.pages(parsed(synthetic_comparison.times([case]))) == []


def test_counts_have_no_figures() -> None:
    comparison = parsed(synthetic_comparison.counts(7))
    assert [kind.pages(comparison) for kind in KINDS.values()] == [[], [], []]


def test_both_panels_use_the_roofline_of_a_run() -> None:
    (page,) = rooflines.pages(parsed(synthetic_comparison.comparison(6)))
    assert all(isinstance(panel, roofline.Panel) for panel in page.panels)
