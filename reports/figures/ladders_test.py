"""Ladders as paths below the roofs, from the first rung to the last."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from matplotlib.figure import Figure

from reports import figures, legible, load, plot, synthetic, synthetic_counters
from reports.figures import ladders, roofline
from reports.model import Run
from reports.table_test import expect_data

Json = synthetic.Json
KIND = next(kind for kind in figures.kinds("run") if kind.name == "ladders")
FLOPS, BYTES = 1e9, 1e6


def parsed(document: Json) -> Run:
    return load.parse(synthetic.document(document)).runs[0]


def drawn(run: Run) -> Figure:
    figure = legible.drawn(KIND, run)
    assert figure is not None
    return figure


def ladder_of(
    rungs: int, title: str = "GEMM", name: str = "rung", *, vendor: bool = True
) -> tuple[list[Json], list[str]]:
    """Cases of a ladder, each rung twice as fast as the one before, and the vendor's."""
    names = [f"gemm/{name}_{at}/f32/title={title},n=1" for at in range(rungs)]
    cases = [
        synthetic.case(one, 1e6 / 2**at, flops=FLOPS, bytes=BYTES) for at, one in enumerate(names)
    ]
    if vendor:
        vendors = f"gemm/cublaslt/f32/title={title},n=1"
        cases.append(synthetic.case(vendors, 1.5e6 / 2**rungs, flops=FLOPS, bytes=BYTES))
    return cases, [*names, *([vendors] if vendor else [])]


def run_of(count: int, rungs: int = 4, name: str = "rung", title: str = "GEMM") -> Json:
    found = [(f"{title}, {at}", *ladder_of(rungs, str(at), name)) for at in range(count)]
    cases = [case for _, some, _ in found for case in some]
    made = synthetic.run("synthetic-x", "cuda", cases, synthetic.gpu()["roofs"])
    for one, _, names in found:
        synthetic_counters.with_ladder(made, one, names[:-1], names[-1])
    return made


def the_only(made: Json) -> ladders.Ladder:
    (one,) = ladders.drawn_of(parsed(made)).ladders
    return one


def count(made: Json, variants: str, **more: float) -> None:
    for case in made["cases"]:
        if case["variant"].startswith(variants):
            synthetic_counters.count(case, **({"dram": 2e6, "l2": 0, "shared": 0} | more))


def test_rungs_are_numbered_and_say_how_much_faster_each_is() -> None:
    one = the_only(run_of(1))
    assert [(rung.number, rung.case.variant) for rung in one.rungs] == [
        (number, f"rung_{number - 1}") for number in (1, 2, 3, 4)
    ]
    assert [rung.gain for rung in one.rungs] == [None, 2.0, 2.0, 2.0]
    assert [rung.point.y for rung in one.rungs] == [1e12 * 2**at for at in range(4)]
    assert one.reference is not None
    assert (one.reference.number, one.reference.case.variant) == (0, "cublaslt")


def test_the_path_that_is_drawn_leads_from_rung_to_rung() -> None:
    run = parsed(run_of(1))
    (axes,) = drawn(run).axes
    (path,) = (line for line in axes.get_lines() if len(line.get_xdata()) == 4)
    (one,) = ladders.drawn_of(run).ladders
    assert list(zip(*path.get_data(), strict=True)) == [
        (rung.point.x, rung.point.y) for rung in one.rungs
    ]
    (star,) = (line for line in axes.get_lines() if line.get_marker() == "*")
    assert one.reference is not None
    assert list(star.get_ydata()) == [one.reference.point.y]
    texts = [text.get_text() for text in axes.texts]
    assert {"1 rung_0", "2 rung_1 2.00×", "\N{BLACK STAR} cublaslt"} <= set(texts)
    assert axes.get_title(loc="left") == "GEMM, 0\nf32, least bytes"


def test_a_gap_breaks_the_path_and_has_no_gain_over_it() -> None:
    made = run_of(1)
    gap = next(case for case in made["cases"] if case["variant"] == "rung_1")
    made["cases"].remove(gap)
    one = the_only(made)
    assert [[rung.case.variant for rung in path] for path in one.paths] == [
        ["rung_0"],
        ["rung_2", "rung_3"],
    ]
    assert [rung.gain for rung in one.rungs] == [None, None, 2.0]
    (axes,) = drawn(parsed(made)).axes
    assert [len(line.get_xdata()) for line in axes.get_lines() if line.get_zorder() == 3] == [1, 2]


def test_intensity_is_by_counters_where_all_of_a_ladder_have_them() -> None:
    made = run_of(1)
    least = {rung.point.x for rung in the_only(made).marks}
    assert least == {FLOPS / BYTES}
    count(made, "rung")
    assert the_only(made).by == ladders.LEAST, "the vendor's was not counted"
    count(made, "cublaslt", dram=4e6)
    one = the_only(made)
    assert one.by == roofline.HARDWARE
    assert {rung.point.x for rung in one.rungs} == {FLOPS / 2e6}
    assert one.reference is not None
    assert one.reference.point.x == FLOPS / 4e6
    assert drawn(parsed(made)).axes[0].get_title(loc="left").endswith("f32, DRAM by counters")


def test_intensity_is_by_emulated_counts_where_counters_lack() -> None:
    made = run_of(1)
    for case in made["cases"]:
        case["counted_dram_bytes"] = 8e6
    one = the_only(made)
    assert one.by == roofline.EMULATED
    assert {rung.point.x for rung in one.marks} == {FLOPS / 8e6}


def test_what_is_left_out_is_said() -> None:
    made = run_of(11)
    copies = [f"coalescing/{way}/f32/n=1" for way in ("strided", "wide")]
    made["cases"] += [synthetic.case(name, 1e6, bytes=1e6) for name in copies]
    synthetic_counters.with_ladder(made, "Copies", copies)
    alone = ladder_of(1, "alone", vendor=False)
    made["cases"] += alone[0]
    synthetic_counters.with_ladder(made, "Alone", alone[1])
    found = ladders.drawn_of(parsed(made))
    assert len(found.ladders) == 9
    assert found.left_out == ["GEMM, 8", "GEMM, 9"]
    assert found.without == ["Copies"]
    said = drawn(parsed(made)).legends[0].get_title().get_text().splitlines()
    assert said == [
        "For want of room, 2 not drawn: GEMM, 8; GEMM, 9",
        "Without operations, 1 not drawn: Copies",
    ]
    assert drawn(parsed(run_of(2))).legends[0].get_title().get_text() == ""


def test_a_reference_without_operations_is_not_on_the_roofline() -> None:
    made = run_of(1)
    vendor = next(case for case in made["cases"] if case["variant"] == "cublaslt")
    vendor.pop("flops")
    one = the_only(made)
    assert one.reference is None
    assert len(one.rungs) == 4


def test_runs_without_ladders_have_no_figure() -> None:
    for made in (synthetic.gpu(), synthetic.cpu(), run_of(1, rungs=1)):
        assert legible.drawn(KIND, parsed(made)) is None
        assert ladders.data(parsed(made)) == []


INPUTS: dict[str, Callable[[], Json]] = {
    "gpu": synthetic_counters.gpu,
    "one": lambda: run_of(1, 2),
    "nine": lambda: run_of(9, 9),
    "hundreds": lambda: run_of(60, 5),
    "very_long": lambda: run_of(2, 40),
    "long_names": lambda: run_of(9, 11, "W" * 60, "W" * 100),
    "without_roofs": lambda: run_of(3) | {"roofs": []},
}


@pytest.mark.parametrize("source", INPUTS)
def test_text_is_neither_cut_off_nor_covered(source: str) -> None:
    run = parsed(INPUTS[source]())
    figure = drawn(run)
    legible.expect_legible(figure, smallest=9)
    assert legible.in_axes(figure, rotated=False) == []
    assert figure.get_size_inches()[1] < 13
    widths = [axes.get_position().width * figure.get_size_inches()[0] for axes in figure.axes]
    assert min(widths) > 1.0
    assert len({(axes.get_xlim(), axes.get_ylim()) for axes in figure.axes}) == 1
    rows = ladders.data(run)
    expect_data(rows)
    found = ladders.drawn_of(run).ladders
    assert len(rows) == sum(len(one.marks) for one in found)
    assert all(
        one.paths and plot.rate_point(rung.case, rung.point.x, rung.case.flop_rate) == rung.point
        for one in found
        for rung in one.rungs
    )
