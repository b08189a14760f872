"""The figures of a trend: what is drawn is what was told, what matters first, and no text is cut
off or covered."""

from __future__ import annotations

import datetime
import math
from pathlib import Path

import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.text import Text

from reports import (
    figures,
    legible,
    load,
    night_panels,
    plot,
    render,
    synthetic_trend,
    trend_around,
)
from reports.figures import night_map, nights
from reports.model_trend import Trend
from reports.page_test import HOSTILE
from reports.synthetic_trend import Json
from reports.table_test import expect_data

KINDS = {kind.name: kind for kind in figures.kinds("trend")}


def parsed(document: Json) -> Trend:
    return load.parse(synthetic_trend.document(document)).trends[0]


def hostile() -> Json:
    made = synthetic_trend.Nights(40)
    made.add(HOSTILE, 5e4, {20: 0.05})
    made.add("$a$/_b\n/\x07" + "long" * 25, 5e4, {20: -0.05})
    facts = synthetic_trend.changes(HOSTILE, "\x00$x$ \n -> y")
    names = [one["case"] for one in made.series]
    made.found["changes"] = [made.change(name, 20, changes=facts) for name in names]
    made.found["stopped"] = [{"case": names[1], "last": made.dates[20], "new": True}]
    return made.trend(model=HOSTILE)


def absurd() -> Json:
    """Values at both ends of what a number can be."""
    made = synthetic_trend.Nights(10)
    made.add("a/b/f32/n=1", 1.0)
    made.series[0]["median_ns"] = [1e-300, 1e300] * (len(made.series[0]["nights"]) // 2)
    made.series[0]["nights"] = made.series[0]["nights"][: len(made.series[0]["median_ns"])]
    made.add("a/b/f32/n=2", 1.0)
    changes = [
        made.change("a/b/f32/n=2", 5) | {"ratio": 1e308, "ratio_high": 1.7e308, "after": 1e308}
    ]
    changes.append(changes[0] | {"case": "a/b/f32/n=1"})
    made.found["changes"] = changes
    return made.trend()


INPUTS = {
    "one": lambda: synthetic_trend.trend(1),
    "five": lambda: synthetic_trend.trend(5),
    "forty": lambda: synthetic_trend.trend(40),
    "hundreds": lambda: synthetic_trend.trend(300),
    "few_nights": lambda: synthetic_trend.trend(40, 12),
    "one_night": lambda: synthetic_trend.quiet(3, 1),
    "counted": synthetic_trend.counted,
    "odd": synthetic_trend.odd,
    "many": synthetic_trend.many,
    "hostile": hostile,
    "absurd": absurd,
}


def drawn(name: str, page: object) -> Figure:
    return legible.drawn(KINDS[name], page)


@pytest.mark.parametrize("source", INPUTS)
@pytest.mark.parametrize("name", KINDS)
def test_the_data_of_a_figure_are_its_nights(name: str, source: str) -> None:
    for page in KINDS[name].pages(parsed(INPUTS[source]())):
        rows = KINDS[name].data(page)
        expect_data(rows)
        if name == "night_map":
            ratios = (ratio for row in page.rows for ratio in row.ratios if ratio is not None)
            assert len(rows) == sum(1 for _ in ratios)
            continue
        found = [row for row in rows if row["what"] == "night"]
        places = [place for one in page.panels for nights in one.nights for place in nights]
        dates = [datetime.date.fromordinal(int(day)).isoformat() for day, _ in places]
        assert [row["night"] for row in found] == dates
        marks = [mark for one in page.panels for mark in one.marks]
        assert sum("earliest" in row for row in rows) == len(marks)


def only_page(document: Json) -> nights.Page:
    (page,) = nights.pages(parsed(document))
    return page


def of(*changes: Json, made: synthetic_trend.Nights) -> Json:
    return made.trend() | {"changes": list(changes)}


def test_trends_have_their_own_figures() -> None:
    assert list(KINDS) == ["nights", "night_map"]


@pytest.mark.filterwarnings("ignore:Glyph .* missing from font")
@pytest.mark.parametrize("source", INPUTS)
@pytest.mark.parametrize("name", KINDS)
def test_text_is_neither_cut_off_nor_covered(name: str, source: str) -> None:
    pages = KINDS[name].pages(parsed(INPUTS[source]()))
    assert bool(pages) == (name == "night_map" or source != "one_night"), (
        "one night has nothing to tell"
    )
    for page in pages[:2]:
        figure = drawn(name, page)
        assert figure.get_size_inches()[1] < 14
        legible.expect_legible(figure, smallest=8.5)
        assert legible.in_axes(figure) == []


def test_what_matters_comes_first() -> None:
    trend = parsed(synthetic_trend.trend(24))
    words = [
        panel.words.split(",")[0].split(":")[0]
        for page in nights.pages(trend)
        for panel in page.panels
    ]
    environment = ["environment"] * 4  # three of the fleet event, and one of its own
    first = ["regression", "drift", "regression", "stopped", "improvement"]
    assert words == [*first, *environment, "mode"]
    assert "new" in nights.pages(trend)[0].panels[0].words


def test_what_is_new_and_for_the_worse_comes_before_what_is_larger() -> None:
    made = synthetic_trend.Nights(60)
    for name, size in (("a/a/f32/n=1", 0.3), ("a/a/f32/n=2", 0.02), ("a/a/f32/n=3", 0.1)):
        made.add(name, 1e4, {30: size})
    changes = [made.change(f"a/a/f32/n={n}", 30, new=n == 2) for n in (1, 2, 3)]
    made.found["stopped"] = [{"case": "a/a/f32/n=3", "last": made.dates[-4], "new": True}]
    page = only_page(of(*changes, made=made))
    assert [(one.case[-1], one.words.split(":")[0].split(", 2")[0]) for one in page.panels] == [
        ("2", "regression, new"),
        ("3", "stopped, new"),
        ("1", "regression"),
    ]
    assert page.panels[1].words.endswith("; 1 more"), "a case with two findings has one panel"


def test_of_a_fleet_event_a_few_stand_for_all() -> None:
    trend = parsed(synthetic_trend.trend(40))
    (event,) = [one for one in trend.findings if one.members]
    shown = [
        one
        for one in night_panels.panels(trend)
        if one.words.endswith(f"1 of {len(event.members)}")
    ]
    assert len(shown) == night_panels.MEMBERS
    largest = sorted((one.ratio or 0 for one in event.members), reverse=True)[
        : night_panels.MEMBERS
    ]
    ratios = {one.case: one.ratio for one in event.members}
    assert [ratios[one.case] for one in shown] == largest
    assert (f"{len(event.members) - night_panels.MEMBERS} more of fleet events") in nights.left_out(
        trend
    )


def test_a_panel_is_what_the_change_says() -> None:
    made = synthetic_trend.Nights(60)
    made.add("a/b/f32/n=1", 1e4, {40: 0.06})
    change = made.change("a/b/f32/n=1", 40, loose=2)
    (panel,) = only_page(of(change, made=made)).panels
    day = datetime.date.fromisoformat(change["night"]).toordinal()
    (mark,) = panel.marks
    assert (mark.at, mark.latest, mark.rises, mark.hollow) == (day - 0.5, day + 2, True, False)
    assert mark.earliest == day - 3, (
        "it may have been at any time since the night before the earliest"
    )
    before, after = panel.levels
    assert (before[0][1], before[1], after[0], after[1][1]) == (
        change["before"],
        (mark.at, change["before"]),
        (mark.at, change["after"]),
        change["after"],
    )
    (points,) = panel.nights
    assert [value for _, value in points] == made.series[0]["median_ns"]
    assert (
        points[0][0]
        == datetime.date.fromisoformat(made.dates[made.series[0]["nights"][0]]).toordinal()
    )
    assert "+6" in panel.words


def triangles(axes: Axes) -> list[tuple[float, str, str]]:
    return [
        (line.get_xdata()[0], line.get_marker(), line.get_markerfacecolor())
        for line in axes.get_lines()
        if line.get_marker() in ("^", "v")
    ]


def test_what_is_drawn_is_the_panel() -> None:
    made = synthetic_trend.Nights(60, start=10)
    made.add("a/b/f32/n=1", 1e4, {40: 0.06, 55: -0.04})
    first = made.change("a/b/f32/n=1", 40, end=55)
    second = made.change("a/b/f32/n=1", 55, begin=40, mode=True)
    page = only_page(of(first, second, made=made))
    (panel,) = page.panels
    axes = drawn("nights", page).axes[0]
    assert triangles(axes) == [
        (panel.marks[0].at, "^", plot.VERMILLION),
        (panel.marks[1].at, "v", "white"),
    ]
    for marker, some in zip("os", panel.nights, strict=True):
        (line,) = [
            one
            for one in axes.get_lines()
            if one.get_marker() == marker and len(one.get_xdata()) > 1
        ]
        assert list(line.get_xdata()) == [day for day, _ in some]
        assert list(line.get_ydata()) == pytest.approx([value / 1000 for _, value in some])
    levels = [
        line
        for line in axes.get_lines()
        if line.get_color() == plot.INK and len(line.get_xdata()) == 2
    ]
    assert len(levels) == len(panel.levels) == 3
    assert panel.levels[0][0][0] == panel.nights[1][0][0], (
        "a level does not reach into another environment"
    )
    assert panel.levels[1][1][0] == panel.marks[1].at


def test_points_beyond_the_axis_are_crosses_at_its_edge() -> None:
    (page,) = nights.pages(parsed(synthetic_trend.odd()))
    axes = drawn("nights", page).axes[0]
    (crosses,) = [
        line for line in axes.get_lines() if line.get_marker() == "x" and len(line.get_xdata())
    ]
    assert len(crosses.get_xdata()) == 1
    low, high = axes.get_ylim()
    assert low < crosses.get_ydata()[0] < high


def test_noise_below_what_counts_does_not_fill_a_panel() -> None:
    steady = night_panels.Panel(
        "a", "", "ns", "", (tuple((float(day), 1000 + 0.01 * day) for day in range(9)),)
    )
    low, high = night_panels.reach(steady, 0.01)
    assert high - low >= 2 * 2.5 * 0.01 * 1000


def test_a_drift_is_a_line_of_its_size_through_its_nights() -> None:
    trend = parsed(synthetic_trend.trend(5))
    panel = next(one for one in night_panels.panels(trend) if one.drifts)
    (((start, low), (end, high)),) = panel.drifts
    (drift,) = [one for one in trend.findings if one.kind == "drift"]
    assert high / low == pytest.approx(drift.ratio)
    assert (start, end) == (drift.night.toordinal(), trend.dates[-1].toordinal())
    for day, value in panel.nights[-1]:
        assert value == pytest.approx(
            low * (high / low) ** ((day - start) / (end - start)), rel=0.015
        )


def test_a_drift_that_is_over_ends_where_it_was_seen_last() -> None:
    document = synthetic_trend.trend(5)
    (first,) = document["drifts"]
    days = document["dates"][-40::13]
    document["drifts"] = [
        first | {"until": days[0]},
        first | {"from": days[1], "until": days[2], "ratio": 1 / first["ratio"]},
    ]
    trend = parsed(document)
    panel = next(one for one in night_panels.panels(trend) if one.drifts)
    up, down = panel.drifts
    assert [up[1][0], down[0][0], down[1][0]] == [
        datetime.date.fromisoformat(day).toordinal() for day in days[:3]
    ]
    assert up[0][1] < up[1][1] and down[0][1] > down[1][1]
    (page,) = [page for page in nights.pages(trend) if panel in page.panels]
    axes = drawn("nights", page).axes[page.panels.index(panel)]
    ends = [tuple(line.get_xdata()) for line in axes.get_lines()]
    for line in (up, down):
        assert tuple(day for day, _ in line) in ends


def test_a_stop_is_marked_at_its_last_night() -> None:
    trend = parsed(synthetic_trend.trend(6))
    panel = next(one for one in night_panels.panels(trend) if one.stop)
    assert panel.stop is not None
    (stop,) = [one for one in trend.findings if one.kind == "stopped"]
    assert panel.stop[0] == stop.night.toordinal()
    (page,) = [page for page in nights.pages(trend) if panel in page.panels]
    axes = drawn("nights", page).axes[page.panels.index(panel)]
    assert [line.get_xdata()[0] for line in axes.get_lines() if line.get_marker() == "X"] == [
        panel.stop[0]
    ]


def test_what_is_left_out_is_counted() -> None:
    trend = parsed(synthetic_trend.many(worth=60))
    pages = nights.pages(trend)
    assert len(pages) == nights.MOST_PAGES
    assert [len(page.panels) for page in pages] == [8, 8, 8]
    assert nights.left_out(trend) == "Not drawn, but in the tables: 36 more with something to tell."
    assert [page.note for page in pages] == ["", "", nights.left_out(trend)]
    odd = parsed(synthetic_trend.odd())
    assert "2 without a time or a count in the nights shown" in nights.left_out(odd)
    assert "2 nights on which more than the code changed" in nights.left_out(odd)
    assert nights.left_out(parsed(synthetic_trend.counted())) == ""


def test_letters_are_those_of_what_happened() -> None:
    trend = parsed(synthetic_trend.trend(40))
    start, event = trend_around.around(trend)
    assert (start.letter, start.night) == ("A", trend.environments[0].night)
    assert (event.letter, event.night) == (
        "B",
        next(one.night for one in trend.findings if one.members),
    )
    assert "power_limit_w 250 -> 300" in start.words
    assert event.words.count("driver 580.1 -> 580.2") == 1, (
        "told once, though a case of its own says so, too"
    )
    assert "compiler gcc 14.2 -> gcc 15.1" in event.words
    page = nights.pages(trend)[0]
    axes = drawn("nights", page).axes[0]
    assert [text.get_text() for text in axes.texts] == ["A", "B"]
    assert [text.get_position()[0] for text in axes.texts] == [
        trend_around.boundary(trend.dates, one.night) for one in (start, event)
    ]


def test_only_facts_of_a_known_night_are_marked() -> None:
    made = synthetic_trend.Nights(60)
    made.add("a/b/f32/n=1", 1e4, {40: 0.06})
    facts = synthetic_trend.changes("driver 1 -> 2")
    for loose, mode, letters in ((0, False, ["A"]), (1, False, []), (0, True, [])):
        change = made.change("a/b/f32/n=1", 40, loose=loose, mode=mode, changes=facts)
        assert [one.letter for one in trend_around.around(parsed(of(change, made=made)))] == letters


def test_of_many_nights_environments_keep_their_letters() -> None:
    marked = trend_around.around(parsed(synthetic_trend.odd()))
    assert len(marked) == 10
    assert [one.letter for one in marked] == ["", "", *"ABCDEFGH"]
    assert marked[0].words.endswith("fact_8 old -> new")


def test_nothing_changed_is_a_map_alone() -> None:
    trend = parsed(synthetic_trend.quiet(5))
    assert nights.pages(trend) == []
    (page,) = night_map.pages(trend)
    assert len(page.rows) == 5
    assert all(
        one is None or night_map.shade(one, 0.01) == night_map._WHITE
        for row in page.rows
        for one in row.ratios
    )


def test_cells_are_logs_against_the_first_nights() -> None:
    document = synthetic_trend.trend(1)
    trend = parsed(document)
    (row,) = night_map.case_rows(trend)
    old, new = trend.series
    assert len(old.values) > 14
    for series in (old, new):  # the step between two environments colours nothing
        first = sorted(series.values[:14])
        base = (first[6] + first[7]) / 2
        for place, value in zip(series.nights, series.values, strict=True):
            assert row.ratios[place] == pytest.approx(math.log(value / base))
    missing = set(range(len(trend.dates))) - set(old.nights) - set(new.nights)
    assert missing
    assert all(row.ratios[place] is None for place in missing)
    assert row.marks == ((trend.dates.index(trend.findings[0].night), True),)


def test_a_regression_in_a_new_environment_is_coloured() -> None:
    """Another power limit made all faster by 30%; what became 20% slower since is slower."""
    made = synthetic_trend.Nights(60, start=20)
    made.add("a/b/f32/n=1", 1e4, {20: -0.3, 45: 0.2})
    (row,) = night_map.case_rows(parsed(of(made=made)))
    shades = [None if one is None else night_map.shade(one, 0.01) for one in row.ratios]
    assert {one for one in shades[20:45] if one is not None} == {night_map._WHITE}
    assert {one for one in shades[45:] if one is not None} == {len(night_map._COLOURS) - 1}


def test_a_change_by_the_machine_begins_a_row_anew() -> None:
    """A new driver made all slower by 3%; what became 5% faster since is faster, not as before."""
    made = synthetic_trend.Nights(60)
    made.add("a/b/f32/n=1", 1e4, {20: 0.03, 45: -0.05})
    change = made.change("a/b/f32/n=1", 20, end=45, kind="environment")
    (row,) = night_map.case_rows(parsed(of(change, made=made)))
    shades = [None if one is None else night_map.shade(one, 0.01) for one in row.ratios]
    assert {one for one in shades[:45] if one is not None} == {night_map._WHITE}
    assert max(one for one in shades[45:] if one is not None) < night_map._WHITE


def test_changes_between_modes_are_not_on_the_map() -> None:
    trend = parsed(synthetic_trend.trend(3))
    assert [len(row.marks) for row in night_map.case_rows(trend)] == [1, 1, 0]
    assert trend.findings[2].mode


@pytest.mark.parametrize("least_step", [0.003, 0.01, 0.02, 0.5, 1.0])
def test_colours_have_their_bounds(least_step: float) -> None:
    ends = night_map.bounds(least_step)
    assert ends == sorted(ends)
    assert len(set(ends)) == 8
    shades = [night_map.shade(end + (1e-9 if end > 0 else -1e-9), least_step) for end in ends]
    assert shades == [0, 1, 2, 3, 5, 6, 7, 8]
    assert night_map.shade(ends[4], least_step) == night_map.shade(ends[3], least_step) == 4
    assert night_map.shade(math.inf, least_step) == 8
    assert night_map.shade(-math.inf, least_step) == 0


def test_the_colour_bar_says_percents() -> None:
    (page,) = night_map.pages(parsed(synthetic_trend.trend(5)))
    _, bar = drawn("night_map", page).axes
    texts = [label.get_text() for label in bar.get_xticklabels()]
    assert texts == ["-10%", "-5%", "-2%", "-1%", "+1%", "+2%", "+5%", "+10%"]


def test_the_darkest_cells_are_slower_without_colour_too() -> None:
    def light(colour: str) -> float:
        red, green, blue = to_rgb(colour)
        return 0.299 * red + 0.587 * green + 0.114 * blue

    slower, faster = (
        [light(one) for one in night_map._SLOWER],
        [light(one) for one in night_map._FASTER],
    )
    assert slower == sorted(slower, reverse=True)
    assert faster == sorted(faster, reverse=True)
    assert all(a < b for a, b in zip(slower, faster, strict=True))


def test_cells_that_are_drawn_are_those_of_the_rows() -> None:
    (page,) = night_map.pages(parsed(synthetic_trend.trend(6)))
    axes = drawn("night_map", page).axes[0]
    covered: dict[tuple[int, int], tuple[float, ...]] = {}
    for cells in axes.collections:
        for path in cells.get_paths():
            (left, top), (right, bottom) = path.vertices.min(axis=0), path.vertices.max(axis=0)
            assert bottom == top + 1
            for place in range(int(left), int(right)):
                covered[int(top), place] = tuple(cells.get_facecolor()[0][:3])
    expected = {
        (place, night): to_rgb(night_map._COLOURS[night_map.shade(ratio, page.least_step)])
        for place, row in enumerate(page.rows)
        for night, ratio in enumerate(row.ratios)
        if ratio is not None
    }
    assert covered == {cell: pytest.approx(colour) for cell, colour in expected.items()}
    marks = [(at - 0.5, shape) for at, shape, _ in triangles(axes)]
    assert marks == [
        (night, "^" if rises else "v") for row in page.rows for night, rises in row.marks
    ]
    assert {"^", "v"} == {shape for _, shape in marks}


@pytest.mark.parametrize(
    ("cases", "rows", "words"), [(60, 60, ""), (61, 6, "variant"), (300, 6, "variant")]
)
def test_rows_are_merged_when_there_are_many(cases: int, rows: int, words: str) -> None:
    trend = parsed(synthetic_trend.quiet(cases, 12))
    (page,) = night_map.pages(trend)
    assert len(page.rows) == rows
    assert words in page.merged
    assert bool(page.merged) == bool(words)
    if words:
        row = page.rows[0]
        some = [
            one
            for one in night_map.case_rows(trend)
            if one.name.startswith(row.name.split(" ")[0] + "/")
        ]
        assert row.name.endswith(f"({len(some)} cases)")
        column = sorted(one.ratios[3] for one in some if one.ratios[3] is not None)
        middle = len(column) // 2
        median = column[middle] if len(column) % 2 else (column[middle - 1] + column[middle]) / 2
        assert row.ratios[3] == pytest.approx(median)


def test_numbers_in_names_are_in_order() -> None:
    names = [row.name for row in night_map.case_rows(parsed(synthetic_trend.quiet(70, 3)))]
    assert names[:3] == [
        "copy/strided/f32/n=64",
        "copy/strided/f32/n=128",
        "copy/strided/f32/n=192",
    ]
    assert names.index("copy/strided/f32/n=640") < names.index("copy/wide/f32/n=64")


def test_counts_from_zero_are_beyond_the_colours() -> None:
    trend = parsed(synthetic_trend.counted())
    row = next(one for one in night_map.case_rows(trend) if one.name.endswith("atomics"))
    assert (row.ratios[0], row.ratios[-1]) == (0.0, math.inf)
    panel = next(one for one in night_panels.panels(trend) if one.metric == "atomics")
    assert panel.words.endswith("0 -> 32 atomics")
    assert [value for _, value in panel.nights[0]][-2:] == [0, 32]


def test_what_a_figure_says_needs_no_colour() -> None:
    trend = parsed(synthetic_trend.trend(40))
    made = night_panels.panels(trend)
    assert all(
        any(
            kind in one.words
            for kind in ("regression", "improvement", "environment", "drift", "stop")
        )
        for one in made
    )
    assert {mark.rises for one in made for mark in one.marks} == {True, False}


def test_hostile_text_is_drawn_and_files_stay_where_they_belong(tmp_path: Path) -> None:
    trend = parsed(hostile())
    made = render.paged_pictures("trend", trend, trend.model, render.Files(tmp_path))
    assert [picture.name for pictures in made for picture in pictures] == ["nights", "night_map"]
    assert all("<script" not in picture.svg for pictures in made for picture in pictures)
    assert {file.name for file in (tmp_path / "figures").iterdir()} == {
        f"{name}.{one}" for name in ("nights", "night_map") for one in render.FORMATS
    }
    texts = [
        text.get_text() for text in legible.free_texts(drawn("nights", nights.pages(trend)[0]))
    ]
    assert all("\x07" not in text and "\x00" not in text for text in texts)


@pytest.mark.parametrize("night", [1, 12, 20, 21, 30, 45, 59])
@pytest.mark.parametrize(
    "name", ["a/b/f32/n=1", "attention/flash_mma/bf16/batch=1,heads=16,seq=1024,dim=64,mask=causal"]
)
def test_words_above_the_map_stay_on_the_figure(name: str, night: int) -> None:
    made = synthetic_trend.Nights(60)
    made.add(name, 1e4)
    environment = {
        "night": made.dates[night],
        "changed": ["power_limit_w 250 -> 300 " * 9],
        "cases": 1,
    }
    (page,) = night_map.pages(parsed(made.trend(environments=[environment])))
    figure = drawn("night_map", page)
    (words,) = figure.axes[0].texts
    box = Text.get_window_extent(words)
    assert box.x0 >= 0
    assert box.x1 <= figure.bbox.width
    assert len(words.get_text()) > 50
