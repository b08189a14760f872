"""Every figure on every kind of input: what is drawn is what the series say, and no text is cut off
or covered."""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Callable
from pathlib import Path

import matplotlib
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from reports import ceilings, figures, legible, load, plot, synthetic
from reports.figures import (
    attention,
    beside,
    coalescing,
    collectives,
    divergence,
    fusion,
    gemm,
    library_choices,
    occupancy,
    peers,
    roofline,
    roofs,
    transfer,
)
from reports.model import Ceiling, Roof, Run
from reports.table_test import expect_data

Json = synthetic.Json


def parsed(document: Json) -> Run:
    return load.parse(synthetic.document(document)).runs[0]


def without_roofs() -> Json:
    made = synthetic.gpu()
    made["roofs"] = []
    for case in made["cases"]:
        case.pop("share_of_roof", None)
    return made


def one_case() -> Json:
    only = synthetic.case(
        "gemm/naive/f32/m=64,n=64,k=64", 5e4, flops=2.0 * 64**3, bytes=12.0 * 64 * 64, processes=1
    )
    return synthetic.run("synthetic-one", "cpu", [only])


def all_failed() -> Json:
    names = [case["name"] for case in synthetic.cpu()["cases"]]
    failed = [
        synthetic.case(name, outcome="crashed", reason="killed by signal 11") for name in names
    ]
    return synthetic.run("synthetic-failed", "cpu", failed)


def very_many() -> Json:
    cases = [
        synthetic.case(
            f"gemm/variant_{variant:02d}/{dtype}/m={n},n={n},k={n}",
            2.0 * n**3 / (1e11 * (variant + 1)) * 1e9,
            flops=2.0 * n**3,
            bytes=12.0 * n * n,
        )
        for variant in range(32)
        for dtype in ("f32", "bf16")
        for n in (128, 256, 512, 1024, 1537, 2048, 3000, 4096)
    ]
    cases += [
        synthetic.case(f"coalescing/p{i}/f32/elements=9", 9e3 + i, bytes=1e6) for i in range(30)
    ]
    return synthetic.run("synthetic-many", "cuda", cases, synthetic.gpu()["roofs"])


def crowded() -> Json:
    """Like a whole run on a GPU: four types, four suites below the roofs, cases that were not
    steady, equal ceilings, loads of several widths, head sizes at one length, and requests that
    caches serve again and again."""
    made = synthetic.gpu()
    roofs = [one for one in made["roofs"] if one["kind"] not in ("tensor.f16", "tensor.bf16")]
    for dtype, measured in (("f16", 945.4e12), ("bf16", 945.5e12)):
        for value, source in ((measured, "measured"), (989.4e12, "synthetic datasheet")):
            roofs.append(synthetic.roof(f"tensor.{dtype}", value, "FLOP/s", source))
    roofs.append(synthetic.roof("fma.f16", 66.6e12, "FLOP/s"))
    made["roofs"] = roofs
    compute = {"f32": 65e12, "tf32": 400e12, "f16": 945e12, "bf16": 944e12}
    cases = []

    def add(name: str, flops: float, moved: float, efficiency: float, **more: object) -> None:
        time, share = synthetic.roofline_time(
            flops, moved, compute[name.split("/")[2]], 4.22e12, efficiency
        )
        hollow = len(cases) % 7 == 3
        more |= {"outcome": "unstable", "reason": "3 samples are too few"} if hollow else {}
        cases.append(synthetic.case(name, time, flops=flops, bytes=moved, share=share, **more))

    for variant, dtypes, efficiency in (
        ("cublaslt", ("f32", "tf32", "f16", "bf16"), 0.85),
        ("wmma", ("f16", "bf16"), 0.21),
        ("register_tiled", ("f32",), 0.62),
        ("shared_tiled", ("f32",), 0.13),
        ("coalesced", ("f32",), 0.08),
        ("naive", ("f32",), 0.007),
    ):
        for dtype, n in itertools.product(dtypes, (512, 1024, 2048, 4096)):
            moved = 3.0 * n * n * (2 if dtype.endswith("16") else 4)
            add(f"gemm/{variant}/{dtype}/m={n},n={n},k={n}", 2.0 * n**3, moved, efficiency)
    for variant, dtypes, efficiency in (
        ("flash", ("f32",), 0.45),
        ("flash_mma", ("f16", "bf16"), 0.25),
        ("standard", ("f32", "f16", "bf16"), 0.01),
    ):
        for dtype, mask, (seq, dim) in itertools.product(
            dtypes, ("full", "causal"), ((512, 64), (1024, 64), (2048, 64), (4096, 64), (2048, 128))
        ):
            flops, moved = (
                64.0 * seq * seq * dim,
                4.0 * 16 * seq * dim * (4 if dtype == "f32" else 2),
            )
            memory = [
                (
                    "memory_bytes",
                    moved + (16.0 * seq * seq if variant == "standard" else 0),
                    "B",
                    "lower",
                )
            ]
            name = f"attention/{variant}/{dtype}/batch=1,heads=16,seq={seq},dim={dim},mask={mask}"
            add(name, flops, moved, efficiency, metrics=memory)
    for used, again in ((1, 4.5), (8, 7.2)):
        name = f"coalescing/array_of_structs/f32/used={used},elements=8388608"
        add(name, 5.8e7, 3e8, 0.9, metrics=[("moved_bytes", 3e8 * again, "B", "lower")])
    for n in (1 << 20, 1 << 24, 1 << 27):
        add(f"reduction/tree/f32/n={n}", 1.0 * n, 4.0 * n, 0.8)
    for limit, warps, loads, width in itertools.product(
        ("block", "registers", "shared"), (1, 2, 4, 8, 16, 32, 64), (1, 2, 4, 8, 16), (4, 8, 16)
    ):
        if limit == "block" or width == 4:
            flight = warps * 32.0 * loads * width
            facts = [
                ("occupancy_ran", warps / 64, "1", "none"),
                ("bytes_in_flight", flight, "B", "none"),
            ]
            problem = f"limit={limit},warps={warps},loads={loads},width={width},elements=67108864"
            name = f"occupancy/load/f32/{problem}"
            time = 1e9 / (4.22e12 * min(0.97, flight / 4e4)) * 1e9
            cases.append(synthetic.case(name, time, bytes=1e9, metrics=facts))
    for limit, warps, chains in itertools.product(
        ("block", "registers", "shared"), (1, 4, 16, 64), (1, 2, 4, 8, 16)
    ):
        facts = [("occupancy_ran", warps / 64, "1", "none")]
        name = f"occupancy/fma/f32/limit={limit},warps={warps},chains={chains}"
        time = 9e9 / (65e12 * min(0.97, warps * chains / 16)) * 1e9
        cases.append(synthetic.case(name, time, flops=9e9, bytes=34e3 * chains, metrics=facts))
    kept = ("roofs", "collectives", "coalescing")
    made["cases"] = [case for case in made["cases"] if case["suite"] in kept] + cases
    return made


def hostile() -> Json:
    name = '<script>alert(1)<|script>"&$x_1$\\frac{{a}}' * 3
    cases = [
        synthetic.case(
            f"gemm/{name}{i}/f32/m={n},n={n},k={n}", 5e4 * n, flops=2.0 * n**3, bytes=12.0 * n
        )
        for i in range(3)
        for n in (64, 128)
    ]
    cases += [
        synthetic.case(
            "coalescing/_\N{CJK UNIFIED IDEOGRAPH-4E2D}\x07/f32/elements=5", 5e4, bytes=12.0
        )
    ]
    cases += [
        synthetic.case("attention/$\\alpha$/f32/seq=x,dim=\n,mask=", 5e4, flops=5.0, bytes=12.0)
    ]
    return synthetic.run(name, "cpu", cases)


INPUTS: dict[str, Callable[[], Json]] = {
    "gpu": synthetic.gpu,
    "cpu": synthetic.cpu,
    "without_roofs": without_roofs,
    "one_case": one_case,
    "all_failed": all_failed,
    "very_many": very_many,
    "crowded": crowded,
    "hostile": hostile,
    "peers": synthetic.peers,
    "told": synthetic.told,
    "pairs": synthetic.pairs,
    "two_gpus": lambda: synthetic.pairs(gpus=2, slow=(0, 1)),
    "beside": synthetic.beside,
}
NAMES = [kind.name for kind in figures.kinds("run")]
NOTHING_TO_DRAW = {("divergence", "cpu"), ("divergence", "crowded"), ("fusion", "crowded")}
NOTHING_TO_DRAW |= {("transfer", "cpu"), ("transfer", "crowded")}
NOTHING_TO_DRAW |= {
    (name, source)
    for name in ("peers", "library_choices", "beside")
    for source in ("gpu", "cpu", "crowded")
}
NOTHING_TO_DRAW |= {  # without counts, and without ladders
    (name, source) for name in ("levels", "ladders") for source in ("gpu", "cpu", "crowded")
}


def drawn(name: str, run: Run) -> Figure | None:
    return legible.drawn(next(kind for kind in figures.kinds("run") if kind.name == name), run)


@functools.cache
def drawn_once(name: str, source: str) -> Figure | None:
    """For tests that only look."""
    return drawn(name, parsed(INPUTS[source]()))


def test_figures_are_found_by_listing_their_folder() -> None:
    assert NAMES == [
        "roofline",
        "levels",
        "ladders",
        "roofs",
        "coalescing",
        "occupancy",
        "divergence",
        "fusion",
        "gemm",
        "attention",
        "transfer",
        "peers",
        "collectives",
        "library_choices",
        "beside",
    ]


def test_pairs_show_the_largest_copies_by_the_distance_of_the_peer() -> None:
    run = parsed(synthetic.peers(gpus=4, slow=2))
    rows = peers.cells(run)
    assert list(rows) == [
        (variant, direction)
        for variant in ("copy_engine", "copy_kernel")
        for direction in ("both_ways", "from_peer", "to_peer")
    ]
    for row in rows.values():
        assert list(row) == [1, 2, 3]
        assert row[2].y < 0.7 * row[1].y < 0.7001 * row[3].y
        assert all("elements=268435456" in point.name for point in row.values())
    figure = drawn("peers", run)
    assert figure is not None
    (axes,) = figure.axes
    texts = [text.get_text() for text in axes.texts]
    points = [point for row in rows.values() for point in row.values()]
    assert texts == [f"{point.y / 1e9:.3g}" for point in points]
    assert axes.get_xlabel().endswith("bandwidth, GB/s")
    shades = axes.images[0].get_array()
    assert shades is not None and shades.shape == (6, 3)
    assert shades[0][1] < 0.7 < shades[0][0]


def test_pairs_of_gpus_that_were_measured_together_are_a_matrix() -> None:
    run = parsed(synthetic.pairs(gpus=4, slow=(2, 1)))
    whole = peers.matrices(run)
    assert [(one.variant, one.direction) for one in whole] == [
        (variant, direction)
        for variant in ("copy_engine", "copy_kernel")
        for direction in ("both_ways", "from_peer", "to_peer")
    ]
    expect_data(peers.data(run))
    assert len(peers.data(run)) == 6 * 4 * 3
    figure = drawn("peers", run)
    assert figure is not None
    assert len(figure.axes) == 6
    for axes, matrix in zip(figure.axes, whole, strict=True):
        by_place = {text.get_position(): text.get_text() for text in axes.texts}
        shades = axes.images[0].get_array()
        assert shades is not None and len(by_place) == 4 * 3
        for pair in matrix.pairs:
            row, column = (int(of.removeprefix("cuda:")) for of in (pair.gpu, pair.peer))
            number = f"{pair.rate / 1e9:.3g}"
            assert by_place[column, row] == number + ("*" if pair.unstable else "")
            assert shades[row][column] == pytest.approx(pair.rate / pair.roof)
        (frame,) = axes.patches
        assert frame.get_extents().contains(*axes.transData.transform((1, 2))), "the slower pair"
    assert "of the links' 956 GB/s" in figure.axes[0].get_title(loc="left")
    alone = synthetic.pairs(gpus=4)
    alone["pairs"]["runs"] = alone["pairs"]["runs"][:1]
    assert peers.matrices(parsed(alone)) == [], "a run of one GPU is a row"


def test_a_pair_is_shaded_by_what_its_own_links_carry() -> None:
    made = synthetic.pairs(gpus=3)
    for matrix in made["pairs"]["matrices"]:
        for pair in matrix["pairs"]:
            share = 0.9 if pair["gpu"] == "cuda:1" else 0.6
            pair["roof"] = 2e11 if pair["gpu"] == "cuda:1" else 4e11  # the first has lost links
            pair["rate"] = share * pair["roof"]
        matrix["pairs"][-1].pop("roof")
    run = parsed(made)
    figure = drawn("peers", run)
    assert figure is not None
    for axes, matrix in zip(figure.axes, peers.matrices(run), strict=True):
        shades = axes.images[0].get_array()
        assert shades is not None
        best = max(pair.rate for pair in matrix.pairs)
        for pair in matrix.pairs:
            row, column = (int(of.removeprefix("cuda:")) for of in (pair.gpu, pair.peer))
            assert shades[row][column] == pytest.approx(pair.rate / (pair.roof or best))
        assert "60% to 90% of the links' 200 to 400 GB/s" in axes.get_title(loc="left")


def test_matrices_that_there_is_no_room_for_are_counted() -> None:
    made = synthetic.pairs(gpus=2)
    whole = made["pairs"]["matrices"]
    whole += [one | {"variant": f"{one['variant']}_2"} for one in whole[:3]]
    figure = drawn("peers", parsed(made))
    assert figure is not None
    assert len(figure.axes) == peers.MOST_PANELS
    assert figure.get_supxlabel().endswith("; the first 6 of 9")
    few = drawn_once("peers", "two_gpus")
    assert few is not None and "first" not in few.get_supxlabel()


def test_collectives_beside_work_have_their_shares_and_slow_downs() -> None:
    run = parsed(synthetic.beside())
    rows = beside.rows(run)
    assert [label for label, _ in rows[:2]] == ["nccl, 25 MiB", "nccl, 64 MiB"]
    assert len(rows) == 6
    found = beside.data(run)
    expect_data(found)
    shares = {row["line"]: row for row in found if row["what"] == "hidden share"}
    assert shares["rung_by_size, 64 MiB"]["value [1]"] == -0.08, "nothing is cut off"
    assert shares["rung_by_size, 128 MiB"]["value low [1]"] is None
    assert shares["nccl, 128 MiB"]["steady"] == "no"
    figure = drawn("beside", run)
    assert figure is not None
    panels = figure.axes
    points = [
        (line.get_xdata()[0], line.get_ydata()[0], line.get_markerfacecolor() == "white")
        for line in panels[0].lines
        if line.get_marker() == "D"
    ]
    assert [(round(x, 9), y) for x, y, _ in points] == [
        (13.0, 0), (63.0, 1), (70.0, 2), (16.0, 3), (-8.0, 4), (20.0, 5)
    ]  # fmt: skip
    assert [hollow for _, _, hollow in points] == [False, False, True, False, False, True]
    beside_alone = [line.get_xdata()[0] for line in panels[1].lines if line.get_marker() == "s"]
    assert beside_alone[1] == pytest.approx(2 - 0.63)
    assert [label.get_text() for label in panels[0].get_yticklabels()] == [name for name, _ in rows]


def test_what_a_library_is_told_stands_beside_its_own_choice() -> None:
    run = parsed(synthetic.told())
    panels = library_choices.ratios(run)
    assert list(panels) == ["all_reduce, 2 ranks, f32", "broadcast, 2 ranks, f32"]
    for drawn_lines in panels.values():
        found = {one.label: [(p.x, round(p.y, 9)) for p in one.points] for one in drawn_lines}
        assert found == {
            "ring ll": [(2**10, 1.0), (2**20, 1.0), (2**28, 2.4)],
            "ring ll128": [(2**10, 1.3), (2**20, 0.9), (2**28, 1.3)],
            "ring simple": [(2**10, 2.2), (2**20, 2.2), (2**28, 1.0)],
        }
    expect_data(library_choices.data(run))
    own = [point for one in collectives.bus_bandwidth(run) for point in one.points]
    assert len(own) == 6 and not any("algorithm" in point.name for point in own)


def test_what_a_library_is_told_is_read_on_one_scale_and_panels_left_out_are_counted() -> None:
    made = synthetic.told()
    slow = [one for one in made["cases"] if "op=all_reduce" in one["name"] and one["options"]]
    for field in ("median_ns", "low_ns", "high_ns"):
        for one in slow:
            if field in one:
                one[field] *= 3
    figure = drawn("library_choices", parsed(made))
    assert figure is not None
    low, high = figure.axes[0].get_ylim()
    assert [axes.get_ylim() for axes in figure.axes] == [(low, high)] * 2
    assert low < 0.9 and high > 3 * 2.4
    assert "first" not in figure.get_suptitle()
    every = [
        one | {"dtype": dtype, "name": one["name"].replace("/f32/", f"/{dtype}/")}
        for dtype in ("f32", "f16", "bf16", "f64")
        for one in made["cases"]
    ]
    crowded = drawn("library_choices", parsed(made | {"cases": every}))
    assert crowded is not None and len(crowded.axes) == library_choices.MOST_PANELS
    assert crowded.get_suptitle().endswith(" · the first 6 of 8")
    legible.expect_legible(crowded)


@pytest.mark.parametrize("source", INPUTS)
@pytest.mark.parametrize("name", NAMES)
def test_text_is_neither_cut_off_nor_covered(name: str, source: str) -> None:
    figure = drawn_once(name, source)
    if figure is None:
        assert source not in ("gpu", "cpu", "crowded") or (name, source) in NOTHING_TO_DRAW
        return
    legible.expect_legible(figure)


@pytest.mark.parametrize("source", ["gpu", "cpu", "very_many", "crowded"])
@pytest.mark.parametrize("name", NAMES)
def test_panels_have_the_room_and_legends_stay_on_the_figure(name: str, source: str) -> None:
    figure = drawn_once(name, source)
    if figure is None:
        return
    least = {"roofline": 0.6, "roofs": 0.3}.get(name, 0.5)
    assert sum(axes.get_position().width for axes in _first_row(figure)) >= least
    legends = [*figure.legends, *(axes.get_legend() for axes in figure.axes)]
    for legend in filter(None, legends):
        box = legend.get_window_extent()
        assert figure.bbox.padded(1).contains(box.x0, box.y0)
        assert figure.bbox.padded(1).contains(box.x1, box.y1)


def _first_row(figure: Figure) -> list[Axes]:
    top = max(axes.get_position().y1 for axes in figure.axes)
    return [
        axes
        for axes in figure.axes
        if axes.get_position().y1 > top - 0.02 and axes.get_subplotspec()
    ]


@pytest.mark.parametrize("source", INPUTS)
@pytest.mark.parametrize("name", NAMES)
def test_panels_of_a_figure_have_titles_of_their_own(name: str, source: str) -> None:
    figure = drawn_once(name, source)
    titles = [axes.get_title(loc="left") for axes in (figure.axes if figure else [])]
    titles = [title for title in titles if title]
    assert len(set(titles)) == len(titles)


@pytest.mark.parametrize("source", ["gpu", "cpu", "very_many", "crowded"])
def test_names_of_a_roofline_do_not_cover_each_other(source: str) -> None:
    with matplotlib.rc_context(plot.RC):
        figure = drawn_once("roofline", source)
        assert figure is not None
        texts = [text for text in figure.axes[0].texts if not text.get_rotation()]
        assert len(texts) >= 4
        assert legible.covering(texts) == []


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_drawn_of_cases_that_failed(name: str) -> None:
    assert drawn(name, parsed(all_failed())) is None


@pytest.mark.parametrize("source", INPUTS)
@pytest.mark.parametrize("name", NAMES)
def test_the_data_of_a_figure_have_units_and_are_of_its_cases(name: str, source: str) -> None:
    run = parsed(INPUTS[source]())
    kind = next(kind for kind in figures.kinds("run") if kind.name == name)
    if drawn_once(name, source) is None:
        return
    rows = kind.data(run)
    expect_data(rows)
    names = {case.name for case in run.cases if case.measured}
    assert {row["case"] for row in rows if "case" in row} <= names


def test_the_data_are_the_points_that_are_drawn() -> None:
    run = parsed(synthetic.gpu())
    column = "rate [FLOP/s]"
    in_rows = [
        (row["panel"], row["line"], row["n [elements]"], row[column])
        for row in gemm.data(run)
        if "case" in row
    ]
    assert in_rows == [
        (dtype, one.label, point.x, point.y)
        for dtype in ("f32", "bf16")
        for one in gemm.ladder(run, dtype)
        for point in one.points
    ]
    assert {(row["line"], row[column]) for row in gemm.data(run) if "case" not in row} >= {
        ("fma.f32, measured", 61.8e12),
        ("tensor.bf16, datasheet", 989.4e12),
    }
    rows = roofline.data(run)
    found = {row["case"]: (row["intensity [FLOP/B]"], row[column]) for row in rows if "case" in row}
    assert found == {spot.point.name: (spot.point.x, spot.point.y) for spot in roofline.spots(run)}
    assert {row["roof"] for row in rows if "roof" in row} >= {"dram, measured", "dram, datasheet"}
    measured = {row["ceiling"]: row["measured [B/s]"] for row in roofs.data(run)[:3]}
    assert measured == {"dram.read": 4.22e12, "dram.copy": 4.05e12, "dram.triad": 4.09e12}
    assert len(roofs.data(run)) == sum(map(len, roofs.bars(run).values()))


def lines(axes: Axes) -> list[list[tuple[float, float]]]:
    return [
        list(zip(*line.get_data(), strict=True))
        for line in axes.get_lines()
        if len(line.get_xdata()) > 2
    ]


def test_what_is_drawn_is_what_the_series_say() -> None:
    run = parsed(synthetic.gpu())
    with matplotlib.rc_context(plot.RC):
        figure = drawn("gemm", run)
    assert figure is not None
    f32 = figure.axes[0]
    assert f32.get_title(loc="left") == "f32, TFLOP/s"
    for one in gemm.ladder(run, "f32"):
        assert [(point.x, pytest.approx(point.y * 1e-12)) for point in one.points] in lines(f32)


def series_of(some: list[plot.Series]) -> dict[str, list[tuple[float, float]]]:
    return {one.label: [(point.x, point.y) for point in one.points] for one in some}


def test_gemm_ladder_has_cases_of_other_products_but_not_of_other_options() -> None:
    for options, shown in (({"products": "3xf16"}, True), ({"cache": "hot"}, False)):
        made = synthetic.gpu()
        for case in made["cases"]:
            if case["suite"] == "gemm" and case["variant"] == "naive":
                case["options"] = options
        assert ("naive" in series_of(gemm.ladder(parsed(made), "f32"))) == shown


def test_gemm_ladder_over_n() -> None:
    run = parsed(synthetic.gpu())
    ladder = series_of(gemm.ladder(run, "f32"))
    assert sorted(ladder) == ["cublaslt", "naive", "register_tiled", "shared_tiled"]
    assert [n for n, _ in ladder["naive"]] == [256, 512, 1024, 2048, 4096, 8192]
    naive = next(case for case in run.cases if case.name == "gemm/naive/f32/m=256,n=256,k=256")
    assert ladder["naive"][0] == (256, naive.flop_rate)
    styles = {one.label: one.style for one in gemm.ladder(run, "f32")}
    assert styles["cublaslt"].dash != "-"
    assert styles["naive"].dash == "-"
    assert [(roof.value, roof.measured) for roof in gemm.ceilings(run, "bf16")] == [
        (702e12, True),
        (989.4e12, False),
    ]


def test_gemm_ladder_leaves_other_shapes_and_options_to_the_table() -> None:
    made = synthetic.gpu()
    odd = synthetic.case("gemm/naive/f32/m=16,n=512,k=64", 1e4, flops=1e6)
    hot = synthetic.case("gemm/naive/f32/m=99,n=99,k=99", 1e4, flops=1e6) | {
        "options": {"cache": "hot"}
    }
    made["cases"] += [odd, hot]
    assert gemm.ladder(parsed(made), "f32") == gemm.ladder(parsed(synthetic.gpu()), "f32")


def test_what_was_not_steady_is_hollow_and_intervals_turn_with_the_rate() -> None:
    (tiled,) = [
        one for one in gemm.ladder(parsed(synthetic.gpu()), "f32") if one.label == "shared_tiled"
    ]
    assert [point.hollow for point in tiled.points] == [False, True, False, False, False, False]
    for point in tiled.points:
        assert point.low is not None
        assert point.high is not None
        assert point.low < point.y < point.high
    assert all(
        point.low is None
        for one in gemm.ladder(parsed(synthetic.cpu()), "f32")
        for point in one.points
    )


def test_hollow_points_and_intervals_are_drawn_as_such() -> None:
    points = tuple(
        plot.Point(x, 10.0, low, high, hollow, "")
        for x, low, high, hollow in ((1.0, 9.0, 12.0, False), (2.0, None, None, True))
    )
    axes = Figure().subplots()
    plot.draw(axes, [plot.Series("one", points, plot.Style(plot.GREEN))], scale=2)
    faces = {
        (x, y): line.get_markerfacecolor()
        for line in axes.get_lines()
        if line.get_marker() == "o"
        for x, y in zip(*line.get_data(), strict=True)
    }
    assert faces == {(1.0, 20.0): plot.GREEN, (2.0, 20.0): "white"}
    (whiskers,) = axes.collections
    assert [[tuple(end) for end in segment] for segment in whiskers.get_segments()] == [
        [(1.0, 18.0), (1.0, 24.0)]
    ]


def test_attention_over_sequence_length() -> None:
    run = parsed(synthetic.gpu())
    times, memory = series_of(attention.times(run)), series_of(attention.memory(run))
    assert sorted(times) == sorted(
        f"{variant} {mask} bf16 d={dim}"
        for variant in ("flash", "standard")
        for mask in ("full", "causal")
        for dim in (64, 128)
    )
    assert [seq for seq, _ in times["flash full bf16 d=64"]] == [
        128,
        256,
        512,
        1024,
        2048,
        4096,
        8192,
    ]
    assert [seq for seq, _ in times["standard full bf16 d=64"]][-1] == 4096, (
        "what is unsupported has no point"
    )
    assert memory["standard full bf16 d=64"][0] == (128, 16 * 128 * 128 * 4)


def test_attention_draws_lines_and_leaves_single_lengths_to_the_table() -> None:
    labels = [one.label for one in attention.times(parsed(crowded()))]
    assert len(labels) == 12
    assert all(label.endswith("d=64") for label in labels)
    one_length = synthetic.case(
        "attention/flash/f32/seq=64,dim=32,mask=full", 5e4, flops=1e6, bytes=1e5
    )
    assert len(attention.times(parsed(synthetic.run("synthetic-x", "cpu", [one_length])))) == 1


def test_lines_that_lie_on_each_other_are_named() -> None:
    run = parsed(synthetic.gpu())
    of_some = "causal and full coincide: standard bf16 d=128, standard bf16 d=64"
    assert attention.coincidences(run, attention.times(run)) == [of_some]
    of_all = "causal and full; bf16 d=128 and bf16 d=64 coincide"
    assert attention.coincidences(run, attention.memory(run)) == [of_all]
    figure = drawn("attention", run)
    assert figure is not None
    times, memory = figure.axes
    for axes, said in ((times, of_some), (memory, of_all)):
        assert " ".join(axes.get_xlabel().split()) == f"sequence length {said}"
    made = synthetic.gpu()
    made["cases"] = [case for case in made["cases"] if case["variant"] == "flash"]
    run = parsed(made)
    assert attention.coincidences(run, attention.times(run)) == []
    memory = attention.memory(run)
    assert attention.coincidences(run, memory) == ["all lines coincide"]
    of_two = "causal and full coincide"
    assert attention.coincidences(run, memory[:1] + memory[2:3]) == [of_two]
    of_three = "flash causal bf16 d=128, flash causal bf16 d=64 and flash full bf16 d=128 coincide"
    assert of_three in attention.coincidences(run, memory[:3] + attention.times(run)[:1])


def test_some_lines_that_lie_on_each_other_are_said_with_where() -> None:
    made = synthetic.gpu()
    for case in made["cases"]:
        if case["suite"] == "attention" and case["metrics"]:
            dim, flash = int(case["problem"]["dim"]), case["variant"] == "flash"
            apart = 3 if flash and case["problem"]["mask"] == "full" else 1
            case["metrics"][0]["value"] *= dim * apart
    run = parsed(made)
    assert attention.coincidences(run, attention.memory(run)) == [
        "causal and full coincide: standard bf16 d=128, standard bf16 d=64"
    ]


@pytest.mark.parametrize(
    ("ys", "others", "same"),
    [
        ([1, 10, 100], [1, 10, 100], True),
        ([1, 10, 100], [1.01, 9.9, 101], True),
        ([1, 10, 100], [1, 10, 103], False),
        ([1, 10, 100], [1, 10], True),
    ],
)
def test_lines_coincide_where_no_reader_sees_two(
    ys: list[float], others: list[float], same: bool
) -> None:
    drawn = [
        plot.Series(
            label,
            tuple(plot.Point(x, y, None, None, False, "") for x, y in enumerate(some, start=1)),
            plot.Style(),
        )
        for label, some in (("one", ys), ("other", others))
    ]
    labels = [[one.label for one in group] for group in plot.coinciding(drawn)]
    assert labels == ([["one", "other"]] if same else [])


def test_collectives_over_message_size() -> None:
    made = synthetic.gpu()
    made["cases"].append(synthetic.case("collectives/nccl/f32/op=broadcast,ranks=1,bytes=64", 5e3))
    bandwidth = series_of(collectives.bus_bandwidth(parsed(made)))
    assert len(bandwidth) == 6, "one rank has no bus bandwidth"
    assert [size for size, _ in bandwidth["all_reduce, 8 ranks"]][:2] == [1024, 4096]


def test_a_collective_with_an_option_is_another_line() -> None:
    busbw = ("busbw", 1e9, "B/s", "higher")
    name = "collectives/mpi/f32/op=reduce,ranks=2,bytes=64"
    usual = synthetic.case(name, 5e3, metrics=[busbw])
    largest = usual | {"name": usual["name"] + ",reduction=max", "options": {"reduction": "max"}}
    placed = usual | {"name": usual["name"] + ",in_place=yes", "options": {"in_place": "yes"}}
    run = parsed(synthetic.run("synthetic-x", "cpu", [usual, largest, placed]))
    assert set(series_of(collectives.bus_bandwidth(run))) == {
        "reduce, 2 ranks",
        "reduce max, 2 ranks",
        "reduce in place, 2 ranks",
    }


def test_coalescing_by_stride_and_pattern() -> None:
    run = parsed(synthetic.gpu())
    stride = series_of(coalescing.stride(run))
    assert [x for x, _ in stride["useful"]] == [1, 2, 4, 8, 16, 32]
    assert stride["moved"][5][1] == pytest.approx(8 * stride["useful"][5][1])
    bars = {bar.label: bar for bar in coalescing.patterns(run)}
    assert {"offset 1", "wide 16", "gather", "array of structs", "transpose padded"} <= set(bars)
    moved = bars["array of structs"].moved
    assert moved is not None
    assert moved == pytest.approx(4 * bars["array of structs"].useful.y)


def test_a_line_over_strides_is_of_one_size() -> None:
    sizes = [(1, 100), (2, 100), (4, 100), (1, 1000), (2, 1000)]
    cases = [
        synthetic.case(f"coalescing/strided/f32/stride={s},elements={n}", 1e3, bytes=4.0 * n)
        for s, n in sizes
    ]
    (useful,) = coalescing.stride(parsed(synthetic.run("synthetic-x", "cpu", cases)))
    assert [point.name.rpartition("=")[2] for point in useful.points] == ["100"] * 3


def test_coalescing_draws_the_largest_of_a_pattern() -> None:
    cases = [
        synthetic.case(f"coalescing/gather/f32/elements={n}", 1e3, bytes=4.0 * n)
        for n in (10, 1000, 100)
    ]
    (bar,) = coalescing.patterns(parsed(synthetic.run("synthetic-x", "cpu", cases)))
    assert bar.useful.name.endswith("elements=1000")


def test_bytes_that_caches_serve_do_not_squeeze_the_bars() -> None:
    run = parsed(crowded())
    bars = coalescing.patterns(run)
    roofs_of_dram = [
        roof for roof in (run.roof("dram", measured=True), run.roof("dram", measured=False)) if roof
    ]
    assert max(bar.moved or 0 for bar in bars) > 2e13
    assert coalescing.edge_of(bars, roofs_of_dram) == pytest.approx(1.4 * 4.814e12)
    near = [bar for bar in bars if (bar.moved or 0) < 9e12]
    highest = max(bar.moved or 0 for bar in near)
    assert coalescing.edge_of(near, roofs_of_dram) == pytest.approx(1.05 * max(highest, 4.814e12))


def test_lines_over_occupancy_are_of_the_usual_width() -> None:
    run = parsed(crowded())
    assert (
        occupancy.usual_width(
            [case for case in run.of_suite("occupancy") if case.variant == "load"]
        )
        == "4"
    )
    named = re.compile(r"width=(\d+)")
    assert {
        w
        for one in occupancy.bandwidth(run)
        for point in one.points
        for w in named.findall(point.name)
    } == {"4"}
    widths = {
        w
        for one in occupancy.in_flight(run)
        for point in one.points
        for w in named.findall(point.name)
    }
    assert widths == {"4", "8", "16"}


def test_occupancy_over_what_is_in_flight() -> None:
    run = parsed(synthetic.gpu())
    bandwidth = series_of(occupancy.bandwidth(run))
    assert [x for x, _ in bandwidth["1 block"]] == pytest.approx(
        [100 * 0.97 * warps / 64 for warps in (4, 8, 16, 32, 64)]
    )
    assert len(bandwidth) == 12
    assert [x for x, _ in series_of(occupancy.in_flight(run))["2 shared"]] == [
        1024,
        2048,
        4096,
        8192,
    ]
    assert sorted(series_of(occupancy.fma_rate(run))) == sorted(bandwidth)
    threads = series_of(occupancy.bandwidth(parsed(synthetic.cpu())))
    assert {label: [x for x, _ in points] for label, points in threads.items()} == {
        str(n): [1, 2] for n in (1, 2, 4, 8)
    }


def test_roofline_names_the_fastest_of_each_variant() -> None:
    run = parsed(synthetic.gpu())
    spots = roofline.spots(run)
    named = {(spot.suite, spot.variant, spot.dtype): spot.point for spot in spots if spot.best}
    assert {suite for suite, *_ in named} == {"attention", "fusion", "gemm"}
    best = max(
        (case for case in run.of_suite("gemm") if case.variant == "wmma"),
        key=lambda case: case.flop_rate or 0,
    )
    assert named[("gemm", "wmma", "bf16")].name == best.name
    assert best.flops is not None
    assert best.bytes is not None
    assert named[("gemm", "wmma", "bf16")].x == best.flops / best.bytes
    names = {spot.point.name for spot in spots}
    assert not any(name.startswith(("roofs/", "coalescing/", "occupancy/")) for name in names)
    assert {spot.suite for spot in roofline.spots(parsed(crowded()))} == {
        "attention",
        "coalescing",
        "gemm",
        "reduction",
    }, "multiply-adds of suite occupancy touch next to no memory"


def test_roofline_leads_to_what_was_counted() -> None:
    made = synthetic.gpu()
    *_, small, one = [case for case in made["cases"] if case["name"].startswith("gemm/wmma")]
    both = [("hardware_dram_read_bytes", 3e6), ("hardware_dram_written_bytes", 1e6)]
    for known in (1, 2):
        one["metrics"] = [
            {"name": name, "value": value, "unit": "B", "direction": "none", "text": ""}
            for name, value in both[:known]
        ]
        run = parsed(made)
        spots = {spot.point.name: spot.counted for spot in roofline.spots(run)}
        hardware = {roofline.HARDWARE: one["flops"] / 4e6}
        assert spots.pop(one["name"]) == (hardware if known == 2 else {})
        assert not any(spots.values())
        assert len(_counted_ends(run)) == known - 1
    one["counted_dram_bytes"] = 8e6
    run = parsed(made)
    (best,) = (spot for spot in roofline.spots(run) if spot.point.name == one["name"])
    assert best.counted == hardware | {roofline.EMULATED: one["flops"] / 8e6}
    small["counted_dram_bytes"] = 4e6
    run = parsed(made)
    assert sum(bool(spot.counted) for spot in roofline.spots(run)) == 2
    ends = _counted_ends(run)
    assert sorted(line.get_marker() for line in ends) == ["x", "|"], "of the fastest alone"


def _counted_ends(run: Run) -> list[Line2D]:
    figure = drawn("roofline", run)
    assert figure is not None
    return [line for line in figure.axes[0].lines if line.get_markevery() == [1]]


def test_a_roofline_without_roofs_says_what_to_run() -> None:
    figure = drawn("roofline", parsed(without_roofs()))
    assert figure is not None
    assert figure.axes[0].get_title(loc="left") == (
        "This run has no roofs. To measure them:\n"
        "ridgeline run --device cuda:0 --profile quick roofs attention fusion gemm"
    )
    for left, missing in ((("dram",), "compute"), (("fma", "tensor"), "memory")):
        made = synthetic.gpu()
        made["roofs"] = [one for one in made["roofs"] if one["kind"].startswith(left)]
        figure = drawn("roofline", parsed(made))
        assert figure is not None
        assert figure.axes[0].get_title(loc="left").startswith(f"This run has no {missing} roofs.")
    whole = drawn_once("roofline", "cpu")
    assert whole is not None
    assert whole.axes[0].get_title(loc="left") == ""


def test_a_suite_has_one_look_in_all_figures() -> None:
    looks = plot.suite_styles(plot.SUITES)
    assert len({(look.colour, look.marker) for look in looks.values()}) == len(plot.SUITES)
    for some in (["gemm"], ["rows", "gemm", "attention"], ["gemm", "theirs", "others"]):
        assert plot.suite_styles(some)["gemm"] == looks["gemm"]
    theirs = plot.suite_styles(["theirs"])["theirs"]
    assert plot.suite_styles(["theirs", *plot.SUITES])["theirs"] == theirs
    many = plot.suite_styles([f"suite_{at}" for at in range(40)])
    assert len({(look.colour, look.marker) for look in many.values()}) == 40


def test_the_suites_that_have_a_look_are_those_there_are() -> None:
    folder = Path(__file__).parents[2] / "suites"
    there = {
        file.stem
        for file in folder.glob("*.cpp")
        if f"worker::Suite {file.stem}()" in file.read_text(encoding="utf-8")
    }
    assert set(plot.SUITES) == there


def test_roofline_ceilings_tell_measured_from_datasheet() -> None:
    run = parsed(synthetic.gpu())
    dram, *caches = ceilings.memory_of(run.roofs)
    assert dram.measured is not None
    assert dram.datasheet is not None
    assert (dram.measured.kind, dram.measured.value, dram.datasheet.value) == (
        "dram.read",
        4.22e12,
        4.814e12,
    )
    assert [ceiling.name for ceiling in caches] == ["llc", "l1"]
    assert [
        ceiling.name for ceiling in ceilings.compute_of(run.roofs, roofline.drawn_types(run))
    ] == [
        "fma f32",
        "tensor bf16",
    ]


def test_equal_ceilings_of_a_roofline_share_a_name() -> None:
    run = parsed(crowded())
    texts = [
        (one.name, ceilings.value_text(one))
        for one in ceilings.compute_of(run.roofs, roofline.drawn_types(run))
    ]
    assert texts == [
        ("fma f32", "61.8 of 66.9 TFLOP/s"),
        ("fma f16", "66.6 TFLOP/s"),
        ("tensor tf32", "388 of 495 TFLOP/s"),
        ("tensor f16, bf16", "945 of 989 TFLOP/s"),
    ]
    figure = drawn_once("roofline", "crowded")
    assert figure is not None
    shown = [text.get_text() for text in figure.axes[0].texts]
    assert "tensor f16, bf16\n945 of 989 TFLOP/s" in shown
    assert "dram 4.22 of 4.81 TB/s" in shown
    assert "cublaslt f16, bf16" in shown
    assert len(shown) >= 14


@pytest.mark.parametrize(
    ("measured", "datasheet", "text"),
    [
        ("945 TFLOP/s", "989 TFLOP/s", "945 of 989 TFLOP/s"),
        ("945 TFLOP/s", "1.20 PFLOP/s", "945 TFLOP/s of 1.20 PFLOP/s"),
        ("945 TFLOP/s", None, "945 TFLOP/s"),
        (None, "989 TFLOP/s", "989 TFLOP/s (datasheet)"),
    ],
)
def test_a_ceiling_says_what_was_measured(
    measured: str | None, datasheet: str | None, text: str
) -> None:
    roofs = [
        Roof("x", 1.0, "FLOP/s", "", words) if words else None for words in (measured, datasheet)
    ]
    assert ceilings.value_text(Ceiling("x", *roofs)) == text


def test_roofs_stand_beside_the_datasheet() -> None:
    panels = roofs.bars(parsed(synthetic.gpu()))
    assert list(panels) == [
        "DRAM",
        "On the chip",
        "Multiply-add",
        "Tensor cores",
        "Link",
        "Latency of a load",
    ]
    assert [(bar.name, bar.measured.value, bar.datasheet.value) for bar in panels["DRAM"]] == [
        ("dram.read", 4.22e12, 4.814e12),
        ("dram.copy", 4.05e12, 4.814e12),
        ("dram.triad", 4.09e12, 4.814e12),
    ]
    assert (panels["Tensor cores"][-1].name, panels["Tensor cores"][-1].measured) == (
        "tensor.fp8",
        None,
    )


def test_roofs_that_were_not_steady_are_hollow_and_measured() -> None:
    made = synthetic.gpu()
    for one in made["roofs"]:
        if one["kind"] in ("dram.copy", "fma.f32") and one["source"] == "measured":
            one["source"] = "measured, unsteady"
    run = parsed(made)
    copy = run.roof("dram.copy", measured=True)
    assert copy is not None and copy.unsteady and copy.origin == "not steady"
    assert "not steady" not in {roof.origin for roof in parsed(synthetic.gpu()).roofs}
    for name, entry in (("roofs", "hollow: not steady"), ("roofline", "not steady")):
        figure = drawn(name, run)
        assert figure is not None
        legible.expect_legible(figure)
        texts = {text.get_text() for legend in figure.legends for text in legend.get_texts()}
        assert {entry, "measured", "datasheet"} <= texts
    figure = drawn("roofs", run)
    assert figure is not None
    patches = [patch for axes in figure.axes for patch in axes.patches if patch.get_fill()]
    white = [patch for patch in patches if patch.get_facecolor() == (1, 1, 1, 1)]
    assert (len(white), len(patches)) == (2, len([one for one in run.roofs if one.measured]))


def test_fusion_draws_the_largest_problem_of_each_type_by_what_moves() -> None:
    bars = fusion.bars(parsed(synthetic.gpu()))
    variants = ["separate", "fused elementwise", "fused", "fused vectorized"]
    assert [bar.label for bar in bars] == [
        f"{name} {dtype}" for dtype in ("f32", "bf16") for name in variants
    ]
    elements = 16384.0 * 4096
    assert [bar.moved for bar in bars[:4]] == [
        14 * 4 * elements,
        8 * 4 * elements,
        6 * 4 * elements,
        6 * 4 * elements,
    ]
    assert {bar.least for bar in bars[:4]} == {12 * (elements + 4096)}
    assert all(bar.time and bar.time.low and bar.time.low < bar.time.y for bar in bars)


def test_fusion_names_the_sizes_where_types_differ_in_them() -> None:
    made = synthetic.gpu()
    assert not any(" x " in bar.label for bar in fusion.bars(parsed(made)))
    for case in made["cases"]:
        if case["suite"] == "fusion" and case["dtype"] == "f32":
            case["problem"] = {"rows": "64", "cols": "768"}
            case["name"] = f"fusion/{case['variant']}/f32/rows=64,cols=768"
    labels = [bar.label for bar in fusion.bars(parsed(made))]
    assert labels and all(label.endswith(" x 768") == (" f32 " in label) for label in labels)
    assert all(" x " in label for label in labels)


def test_fusion_and_divergence_draw_counts_where_there_are_no_times() -> None:
    made = synthetic.gpu()
    for case in made["cases"]:
        if case["suite"] not in ("fusion", "divergence"):
            continue
        case.update({"outcome": "counted", "processes": 1})
        for key in ("median_ns", "interval_ns", "flop_rate", "byte_rate", "share_of_roof"):
            case.pop(key, None)
        paths = next(
            (metric["value"] for metric in case["metrics"] if metric["name"] == "paths_of_a_warp"),
            1,
        )
        names = ("global_load_requests", "global_store_requests")
        case["metrics"] += [
            {"name": name, "value": 8192 * paths, "unit": "1", "direction": "lower", "text": ""}
            for name in names
        ]
        case["metrics"].append(
            {
                "name": "global_moved_bytes",
                "value": 5e8,
                "unit": "B",
                "direction": "lower",
                "text": "",
            }
        )
    run = parsed(made)
    assert divergence.times(run) == []
    counted = series_of(divergence.requests(run))
    assert counted["by lane"] == [(ways, 16384 * ways) for ways in (1, 2, 4, 8, 16, 32)]
    assert [y for _, y in counted["by warp"]] == [16384] * 6
    assert [(bar.moved, bar.time) for bar in fusion.bars(run)] == [(5e8, None)] * 8
    for name in ("fusion", "divergence"):
        assert drawn(name, run) is not None


def test_transfers_approach_the_ceilings_of_the_link() -> None:
    run = parsed(synthetic.gpu())
    drawn = series_of(transfer.bandwidth(run))
    assert sorted(drawn) == [
        f"{variant} to {side}" for variant in ("pageable", "pinned") for side in ("device", "host")
    ]
    size, rate = drawn["pinned to device"][-1]
    assert size == 2**30 and rate == pytest.approx(5.52e10, rel=1e-3)
    kinds = [roof.kind for roof in transfer.ceilings(run)]
    assert kinds == ["link.to_device", "link.to_host", "link"]
    assert transfer.ceilings(parsed(synthetic.cpu())) == []


def test_divergence_compares_with_one_path_after_the_other() -> None:
    run = parsed(synthetic.gpu())
    times = divergence.times(run)
    assert sorted(series_of(times)) == ["by lane", "by warp"]
    least = min(point.y for one in times for point in one.points if point.x == 1)
    assert divergence.slowest_allowed(times) == [
        (ways, least * ways) for ways in (1, 2, 4, 8, 16, 32)
    ]
    assert divergence.slowest_allowed([]) == []
