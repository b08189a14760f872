"""The figures of a gate: what is drawn is what was decided, nothing is left out, and no text is cut
off or covered."""

from __future__ import annotations

import itertools
import math

import pytest
from matplotlib.figure import Figure

from reports import figures, legible, load, synthetic, synthetic_gate
from reports.figures import forest, pairs
from reports.model_gate import Gate
from reports.table_test import expect_data

KINDS = {kind.name: kind for kind in figures.kinds("gate")}
INPUTS = {
    "three": lambda: synthetic_gate.gate(3),
    "thirty": lambda: synthetic_gate.gate(30),
    "two_hundred": lambda: synthetic_gate.gate(200),
    "odd": synthetic_gate.odd,
    "stored_runs": lambda: synthetic_gate.gate(12, mode="runs"),
    "narrow": lambda: synthetic_gate.gate(12, delta=0.003),
}


def parsed(document: synthetic.Json) -> Gate:
    return load.parse(synthetic.document() | {"gates": [document]}).gates[0]


def drawn(name: str, page: object) -> Figure:
    return legible.drawn(KINDS[name], page)


def only(verdict: synthetic.Json) -> forest.Page:
    (page,) = forest.pages(parsed(synthetic_gate.of([verdict])))
    return page


def test_gates_have_their_own_figures() -> None:
    assert list(KINDS) == ["forest", "pairs"]


@pytest.mark.parametrize("source", INPUTS)
@pytest.mark.parametrize("name", KINDS)
def test_text_is_neither_cut_off_nor_covered(name: str, source: str) -> None:
    pages = KINDS[name].pages(parsed(INPUTS[source]()))
    assert bool(pages) == (name == "forest" or source != "stored_runs"), "stored runs have no pairs"
    for page in pages[:2]:
        figure = drawn(name, page)
        assert figure.get_size_inches()[1] < 13
        legible.expect_legible(figure)
        assert legible.in_axes(figure) == []


@pytest.mark.parametrize("cases", [0, 1, 34, 35, 69, 200])
def test_every_case_is_on_one_page(cases: int) -> None:
    gate = parsed(synthetic_gate.gate(cases))
    pages = forest.pages(gate)
    assert [row.name for page in pages for row in page.rows] == [one.case for one in gate.verdicts]
    assert all(len(page.rows) <= forest.ROWS_A_PAGE for page in pages)
    assert len(pages) == -(-cases // forest.ROWS_A_PAGE)
    if cases == 200:
        assert pages[5].part.endswith("cases 171 to 200 of 200")


def test_names_are_cut_between_words_and_rows_can_be_told_apart() -> None:
    (page,) = forest.pages(parsed(synthetic_gate.odd()))
    figure = drawn("forest", page)
    names = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert names[0] == "attention/flash_mma/bf16/part=1,…"
    assert len(set(names)) == len(page.rows)


def test_a_program_is_called_by_what_tells_it_apart_and_not_by_its_path() -> None:
    sides = {
        "candidate": "/home/me/new/build/release/bin/ridgeline-suites",
        "baseline": "/home/me/old/build/release/bin/ridgeline-suites",
    }
    made = synthetic_gate.of([synthetic_gate.verdict("a/b/f32/n=1", "pass", 0.0, 12)], **sides)
    (page,) = forest.pages(parsed(made))
    assert page.sides == "new/…bin/ridgeline-suites against old/…bin/ridgeline-suites"


@pytest.mark.parametrize("source", INPUTS)
@pytest.mark.parametrize("name", KINDS)
def test_the_data_of_a_figure_are_its_rows(name: str, source: str) -> None:
    for page in KINDS[name].pages(parsed(INPUTS[source]())):
        rows = KINDS[name].data(page)
        expect_data(rows)
        if name == "forest":
            assert [row["case"] for row in rows] == [one.name for one in page.rows]
        else:
            counts = (len(points) for one in page.panels for points in one.points.values())
            assert len(rows) == sum(counts)


def test_the_data_of_a_gate_are_ratios() -> None:
    made = synthetic_gate.verdict("a/b/f32/n=1", "regression", 0.1, 12)
    (row,) = forest.data(only(made))
    assert row["candidate over baseline [1]"] == pytest.approx(made["ratio"])
    assert (row["low [1]"], row["high [1]"]) == pytest.approx(
        (made["ratio_low"], made["ratio_high"])
    )
    assert row["delta [1]"] == pytest.approx(0.03)
    (page,) = pairs.pages(parsed(synthetic_gate.of([made])))
    ratios = {row["round [1]"]: row["candidate over baseline [1]"] for row in pairs.data(page)}
    assert ratios == {
        pair["round"] + 1: pytest.approx(math.exp(pair["log_ratio"])) for pair in made["rounds"]
    }


def test_marks_behind_a_verdict_are_said_and_only_an_expected_regression_looks_otherwise() -> None:
    def row(words: str, state: str, kind: str = "regression") -> forest.Row:
        made = synthetic_gate.verdict("a/b/f32/n=1", kind, 0.1, 12)
        made["words"]["verdict"] = words
        made["expectation"] = {"text": "up to 5%", "state": state}
        return only(made).rows[0]

    plain = only(synthetic_gate.verdict("a/b/f32/n=1", "regression", 0.1, 12)).rows[0]
    worse = row("as bad as ever", "exceeded")
    assert (worse.words, worse.look, worse.style) == ("as bad as ever", "regression", plain.style)
    met = row("in other words", "met")
    assert (met.look, met.style != plain.style) == ("regression (expected)", True)
    assert row("pass (regression expected)", "unmet", "pass").look == "pass"


def test_what_is_drawn_is_what_was_decided() -> None:
    (page,) = forest.pages(parsed(synthetic_gate.gate(12)))
    (axes,) = drawn("forest", page).axes
    markers = {
        round(line.get_ydata()[0]): (
            line.get_xdata()[0],
            line.get_marker(),
            line.get_markerfacecolor(),
        )
        for line in axes.get_lines()
        if line.get_marker() not in ("", "None", None)
    }
    intervals = {
        round(line.get_ydata()[0]): tuple(line.get_xdata())
        for line in axes.get_lines()
        if len(line.get_xdata()) == 2 and line.get_ydata()[0] == line.get_ydata()[1]
    }
    measured = {place: row for place, row in enumerate(page.rows) if row.change is not None}
    assert measured.keys() == markers.keys() == intervals.keys()
    for place, row in measured.items():
        face = "white" if row.words == "undecided" else row.style.colour
        assert markers[place] == (row.change, row.style.marker, face)
        assert intervals[place] == (row.low, row.high)
    bands = {round(box.get_y() + 0.5): (box.get_x(), box.get_width()) for box in axes.patches}
    assert bands == {place: (-row.delta, 2 * row.delta) for place, row in measured.items()}


def test_verdicts_can_be_told_without_colour() -> None:
    rows = [
        row
        for source in (synthetic_gate.gate(12), synthetic_gate.odd())
        for row in forest.pages(parsed(source))[0].rows
    ]
    looks = {
        (row.style.marker, row.hollow): {
            other.words
            for other in rows
            if other.change is not None
            and (other.style.marker, other.hollow) == (row.style.marker, row.hollow)
        }
        for row in rows
        if row.change is not None
    }
    assert len(looks) == 5
    assert all(len(words) == 1 for words in looks.values())


def test_a_failure_is_text_and_no_number() -> None:
    page = only(
        synthetic_gate.verdict(
            "a/b/f32/n=1", "crashed", None, 7, "candidate: crashed: killed by signal 11"
        )
    )
    assert page.rows[0].change is None
    (axes,) = drawn("forest", page).axes
    assert not [line for line in axes.get_lines() if line.get_marker() not in ("", "None", None)]
    texts = [text.get_text() for text in axes.texts]
    assert "candidate: crashed: killed by signal 11" in texts
    assert "crashed" in texts


def test_a_long_reason_is_cut_at_its_end() -> None:
    reason = "candidate in round 1: " + "it remembers outputs " * 8
    page = only(synthetic_gate.verdict("a/b/f32/n=1", "wrong_result", None, 7, reason))
    figure = drawn("forest", page)
    (note,) = [text.get_text() for text in figure.axes[0].texts if "round" in text.get_text()]
    assert note.endswith(" …") and reason.startswith(note.removesuffix("…"))
    legible.expect_legible(figure)


@pytest.mark.parametrize("count", [1, 2, 3, 12])
def test_rounds_are_whole_numbers(count: int) -> None:
    made = synthetic_gate.verdict("a/b/f32/n=1", "undecided", 0.01, count)
    (page,) = pairs.pages(parsed(synthetic_gate.of([made])))
    labels = [label.get_text() for label in legible.tick_labels(drawn("pairs", page).axes[0].xaxis)]
    assert labels and all(label.isdecimal() for label in labels), labels


def test_ends_without_a_bound_are_arrows_at_the_edge() -> None:
    made = synthetic_gate.verdict("a/b/f32/n=1", "undecided", 0.01, 4)
    del made["ratio_low"], made["ratio_high"]
    page = only(made)
    (axes,) = drawn("forest", page).axes
    arrows = {
        line.get_marker(): line.get_xdata()[0]
        for line in axes.get_lines()
        if line.get_marker() in ("<", ">")
    }
    assert arrows == {"<": -page.limit, ">": page.limit}
    bounded = only(synthetic_gate.verdict("a/b/f32/n=1", "undecided", 0.01, 40))
    (axes,) = drawn("forest", bounded).axes
    assert not [line for line in axes.get_lines() if line.get_marker() in ("<", ">")]


def test_a_change_beyond_the_axis_is_said_and_not_drawn_elsewhere() -> None:
    (page,) = forest.pages(parsed(synthetic_gate.odd()))
    assert page.rows[0].change is not None
    assert page.rows[0].change > page.limit
    (axes,) = drawn("forest", page).axes
    marked = {
        round(line.get_ydata()[0])
        for line in axes.get_lines()
        if line.get_marker() not in ("", "None", None)
    }
    assert 0 not in marked
    assert f"{page.rows[0].percent} »" in [text.get_text() for text in axes.texts]


@pytest.mark.parametrize("limit", [1e-4, 0.0037, 0.02, 0.09, 0.3, 0.4, 0.41, 0.7, 1.2, 3.0])
def test_ticks_are_round_and_apart(limit: float) -> None:
    places = forest.tick_places(limit)
    logs = [math.log1p(place) for place in places]
    assert 0 in places
    assert len(places) >= 3
    assert all(abs(log) <= limit for log in logs)
    assert all(b - a > 0.2 * limit for a, b in itertools.pairwise(logs))


def test_pairs_say_which_side_came_first_and_what_was_dropped() -> None:
    gate = parsed(synthetic_gate.odd())
    panels = [one for page in pairs.pages(gate) for one in page.panels]
    assert [one.name for one in panels] == [
        one.case for one in gate.verdicts if one.rounds and one.verdict != "pass"
    ]
    bimodal = next(one for one in panels if one.name.endswith("part=3"))
    assert sum(map(len, bimodal.points.values())) == 60
    assert [number for number, _ in bimodal.points["dropped"]] == [6]
    assert all(number % 2 == 1 for number, _ in bimodal.points["baseline first"])
    assert all(number % 2 == 0 for number, _ in bimodal.points["candidate first"])
    ratios = {
        round(pair.log_ratio, 12)
        for one in gate.verdicts
        if one.case == bimodal.name
        for pair in one.rounds
    }
    assert {round(ratio, 12) for points in bimodal.points.values() for _, ratio in points} == ratios


def test_pairs_that_are_drawn_are_those_of_the_panel() -> None:
    (page,) = pairs.pages(parsed(synthetic_gate.gate(3)))
    for axes, one in zip(drawn("pairs", page).axes, page.panels, strict=True):
        points: dict[str, list[tuple[int, float]]] = {}
        for line in axes.get_lines():
            if line.get_linestyle() == "None":
                points.setdefault(line.get_marker(), []).append(
                    (int(line.get_xdata()[0]), line.get_ydata()[0])
                )
        assert points == {
            "o": list(one.points["baseline first"]),
            "^": list(one.points["candidate first"]),
        }


def test_a_pair_far_out_leaves_the_others_room_and_is_hollow_at_the_edge() -> None:
    made = synthetic_gate.verdict("a/b/f32/n=1", "regression", 0.05, 18)
    made["rounds"][3]["log_ratio"] -= math.log(1000)
    (page,) = pairs.pages(parsed(synthetic_gate.of([made])))
    far = pairs.reach(page.panels[0])
    assert far < 0.3
    (axes,) = drawn("pairs", page).axes
    hollow = [line for line in axes.get_lines() if line.get_markerfacecolor() == "white"]
    assert [(line.get_xdata()[0], line.get_ydata()[0]) for line in hollow] == [(4, -0.95 * far)]


def test_the_second_speed_of_processes_is_within_the_axis() -> None:
    made = synthetic_gate.verdict("a/b/f32/n=1", "undecided", 0.02, 60, modes=0.12)
    (page,) = pairs.pages(parsed(synthetic_gate.of([made])))
    (panel,) = page.panels
    far = pairs.reach(panel)
    assert all(abs(value) < far for points in panel.points.values() for _, value in points)


def test_many_panels_are_spread_over_pages() -> None:
    made = [synthetic_gate.verdict(f"a/b/f32/n={n}", "undecided", 0.02, 12) for n in range(40)]
    pages = pairs.pages(parsed(synthetic_gate.of(made)))
    assert sum(len(page.panels) for page in pages) == 40
    assert all(len(page.panels) <= pairs.COLUMNS * pairs.ROWS for page in pages)
