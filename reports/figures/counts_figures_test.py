"""Figures of counts: what is drawn is what the cases say, and no text is cut off or covered."""

from __future__ import annotations

import matplotlib
import pytest
from matplotlib.figure import Figure
from msgspec import structs

from reports import counted, figures, legible, load, plot, synthetic, synthetic_counts
from reports.counted import Dot
from reports.figures import counts_bytes, counts_sectors, counts_wavefronts
from reports.model import Run
from reports.table_test import expect_data

Json = synthetic.Json


def parsed(made: Json | None = None) -> Run:
    return load.parse(synthetic.document(made or synthetic_counts.run())).runs[0]


def many() -> Json:
    """Names and numbers of all sizes, and more cases than a figure has rows."""
    cases = []
    for at in range(60):
        sites = [
            synthetic_counts.site(
                "k", "k.cu", 1, "global load", 10**at if at < 9 else 7, sectors=0.5 + at
            ),
            synthetic_counts.site("k", "k.cu", 2, "shared load", 64, wavefronts=1 + at % 32),
        ]
        dtype = "f32" if at % 2 else "bf16"
        name = f"many/a_variant_with_quite_a_long_name_{at}/{dtype}/way={at},elements=64"
        cases.append(synthetic_counts.counted(name, sites, [], dram=10.0**at if at < 15 else 0))
    made = synthetic.run("synthetic-many", "emulated", cases)
    return made


def drawn_suite(name: str, run: Run, suite: str) -> Figure | None:
    kind = next(kind for kind in figures.kinds("suite") if kind.name == name)
    return legible.drawn(kind, run, suite)


INPUTS = {"usual": synthetic_counts.run, "many": many}
KINDS = [kind.name for kind in figures.kinds("suite")]


def test_figures_of_counts_are_found() -> None:
    assert KINDS == ["counts_sectors", "counts_wavefronts", "counts_bytes"]


@pytest.mark.parametrize("source", INPUTS)
@pytest.mark.parametrize("name", KINDS)
def test_the_data_of_a_figure_are_its_counts(name: str, source: str) -> None:
    run = parsed(INPUTS[source]())
    kind = next(kind for kind in figures.kinds("suite") if kind.name == name)
    for suite in counted.suites(run):
        rows = kind.data(run, suite)
        assert bool(rows) == (drawn_suite(name, run, suite) is not None)
        if rows:
            expect_data(rows)
            labels = [row.label for row in counted.rows(run, suite)[0]]
            assert {row["row"] for row in rows} <= set(labels)


@pytest.mark.parametrize("source", INPUTS)
@pytest.mark.parametrize("name", KINDS)
def test_text_is_neither_cut_off_nor_covered(name: str, source: str) -> None:
    run = parsed(INPUTS[source]())
    for suite in counted.suites(run):
        figure = drawn_suite(name, run, suite)
        if figure is None:
            assert (name, suite) == ("counts_wavefronts", "stepping")
            continue
        legible.expect_legible(figure)


def rows_of(run: Run, suite: str) -> dict[str, counted.Row]:
    return {row.label: row for row in counted.rows(run, suite)[0]}


def test_of_problems_that_differ_in_size_alone_the_largest_is_drawn() -> None:
    run = parsed()
    assert [row.case.name for row in rows_of(run, "turning").values()] == [
        "turning/tiled/f32/rows=512,cols=512",
        "turning/padded/f32/rows=512,cols=512",
    ]
    assert list(rows_of(run, "stepping")) == [
        f"step stride={stride}" for stride in (1, 2, 4, 8, 16)
    ]
    shown, more = counted.rows(parsed(many()), "many")
    assert (len(shown), more) == (counted.MOST_ROWS, 60 - counted.MOST_ROWS)


def test_sectors_stand_beside_what_is_needed() -> None:
    run = parsed()
    dots = [counts_sectors.dot(row.case, "load") for row in rows_of(run, "stepping").values()]
    assert dots == [Dot(4, 4), Dot(8, 4), Dot(16, 4), Dot(32, 4), Dot(32, 4)]
    assert [dot.wasted for dot in dots if dot] == [False, True, True, True, True]
    (wide,) = rows_of(run, "product").values()
    assert counts_sectors.dot(wide.case, "load") == Dot(16, 16), (
        "16 bytes per lane, through asynchronous copies"
    )


def test_what_is_needed_is_not_claimed_where_a_site_is_missing() -> None:
    made = synthetic_counts.run()
    case = next(case for case in made["cases"] if case["name"].startswith("stepping/"))
    case["sites"] = case["sites"][1:]
    run = parsed(made)
    assert counts_sectors.dot(rows_of(run, "stepping")["step stride=1"].case, "load") == Dot(
        4, None
    )


def reference_lines(figure: Figure) -> list[list[float]]:
    """Of each panel the places of its upright lines."""
    upright = [
        [line for line in axes.get_lines() if list(line.get_ydata()) == [0, 1]]
        for axes in figure.axes
    ]
    return [[float(line.get_xdata()[0]) for line in lines] for lines in upright]


def test_one_line_stands_for_all_only_where_all_need_the_same() -> None:
    with matplotlib.rc_context(plot.RC):
        figure = drawn_suite("counts_sectors", parsed(), "stepping")
        assert figure is not None
        assert reference_lines(figure) == [[4.0], [4.0]]
        made = synthetic_counts.run()
        wide = synthetic_counts.site("k", "k.cu", 1, "global load", 64, sectors=16, lane_bytes=16)
        made["cases"].append(synthetic_counts.counted("stepping/wide/f32/elements=64", [wide], []))
        mixed = drawn_suite("counts_sectors", parsed(made), "stepping")
        assert mixed is not None
        assert reference_lines(mixed) == [[], [4.0]]


def test_wavefronts_are_of_loads_and_stores_together() -> None:
    run = parsed()
    rows = rows_of(run, "turning")
    assert counts_wavefronts.dot(rows["tiled"].case) == Dot(16.5, 1)
    assert counts_wavefronts.dot(rows["padded"].case) == Dot(1, 1)
    assert counts_wavefronts.dot(rows_of(run, "stepping")["step stride=1"].case) is None
    (wide,) = rows_of(run, "product").values()
    dot = counts_wavefronts.dot(wide.case)
    assert dot is not None
    assert (dot.needed, dot.wasted) == (4, True)


def test_bytes_are_useful_moved_and_of_dram() -> None:
    run = parsed()
    rows = counted.rows(run, "stepping")[0]
    by_label = {one.label: one.values for one in counts_bytes.bytes_of(rows)}
    assert by_label["step stride=8"] == {
        "useful": 2048 * 256.0,
        "moved": 2048 * 36 * 32.0,
        "DRAM": 2.6e5 * 9,
    }
    case = rows[0].case
    half = tuple(metric for metric in case.metrics if metric.name != "dram_read_bytes")
    assert "DRAM" in counts_bytes.of_case(case)
    assert "DRAM" not in counts_bytes.of_case(structs.replace(case, metrics=half)), (
        "half of it is no sum"
    )


@pytest.mark.parametrize("name", KINDS)
def test_nothing_is_drawn_of_cases_that_were_not_counted(name: str) -> None:
    failed = synthetic.case("a/b/f32/n=1", outcome="crashed", reason="killed by signal 11")
    assert (
        drawn_suite(name, parsed(synthetic.run("synthetic-x", "emulated", [failed])), "a") is None
    )
