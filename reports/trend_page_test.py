from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from reports import load, load_test, page, render, synthetic, synthetic_trend, trend_page
from reports.model_trend import Trend
from reports.page_test import HOSTILE, Page
from reports.section import Section
from reports.synthetic_trend import Json


def parsed(document: Json) -> Trend:
    return load.parse(synthetic_trend.document(document)).trends[0]


def shown(document: Json, folder: Path | None = None, *, documented: bool = False) -> Page:
    """The part of the page alone, with its figures when they have a folder."""
    trend = (
        load.parse(synthetic.document() | {"trends": [document]}).trends[0]
        if documented
        else parsed(document)
    )
    files = render.Files(folder) if folder else None
    drawn = render.paged_pictures("trend", trend, trend.model, files) if files else []
    template = page.environment().get_template("trend.html.jinja")
    return Page(template.render(one=trend_page.section(Section("trend", "nights", trend, drawn))))


def nights(**more: object) -> synthetic_trend.Nights:
    made = synthetic_trend.Nights(60)
    made.add("a/b/f32/n=1", 1e4, {40: 0.06})
    made.add("a/b/f32/n=2", 1e4, {40: -0.06})
    return made


def slower(**more: object) -> Json:
    return nights().change("a/b/f32/n=1", 40, **more)


def faster(**more: object) -> Json:
    return nights().change("a/b/f32/n=2", 40, **more)


def event(**more: object) -> Json:
    made: Json = {
        "kind": "regression",
        "night": nights().dates[40],
        "slower": 1,
        "faster": 1,
        "ratio": 1.06,
        "new": True,
    }
    return (
        made
        | {"changes": synthetic_trend.changes(), "members": [slower(new=True), faster(new=True)]}
        | more
    )


def drift(*facts: str, **more: object) -> Json:
    made: Json = {
        "case": "a/b/f32/n=1",
        "from": nights().dates[0],
        "ratio": 1.04,
        "ratio_low": 1.03,
        "ratio_high": 1.05,
    }
    return made | {"new": True, "changes": synthetic_trend.changes(*facts)} | more


def stop(**more: object) -> Json:
    return {"case": "a/b/f32/n=2", "last": nights().dates[50], "new": True} | more


def of(**more: object) -> Json:
    return nights().trend() | more


def test_a_change_tells_its_cause_and_a_renamed_case_is_no_alarm() -> None:
    made = of(changes=[slower(cause="toolkit")], stopped=[stop()])
    text = shown(made).text
    assert "Cause: toolkit: the commit changed" in " ".join(text.split())
    (stopped,) = [one for one in parsed(made).findings if one.kind == "stopped"]
    assert trend_page.colour_of(stopped) == "bad"
    renamed = msgspec.structs.replace(stopped, worse=False)
    assert trend_page.colour_of(renamed) == "note"


ENVIRONMENT = {"night": "2026-10-20", "changed": ["power 1 -> 2"], "cases": 2, "ratio": 1.05}


@pytest.mark.parametrize(
    ("said", "colour"),
    [({}, ""), ({"doubtful": True}, "doubt"), ({"doubtful": True, "fails": True}, "wrong")],
)
def test_the_conclusion_is_what_was_said(said: Json, colour: str) -> None:
    made = trend_page.section(
        Section("trend", "nights", parsed(of(conclusion="the last 60 nights: x", **said)))
    )
    assert (made["conclusion"], made["colour"]) == ("The last 60 nights: x.", colour)


def test_what_is_for_the_worse_is_said_in_the_order_of_importance() -> None:
    made = parsed(of(changes=[slower(), faster()], drifts=[drift(new=False)], stopped=[stop()]))
    assert [
        (text.split(":")[0] + text.split(":")[1], fails) for text, fails in trend_page.worse(made)
    ] == [
        ("a/b/f32/n=2 stopped, new, 2026-11-11", True),
        ("a/b/f32/n=1 regression, 2026-11-01", False),
        ("a/b/f32/n=1 drift, 2026-09-13", False),
    ]
    shared = parsed(of(fleet_events=[event()]))
    assert trend_page.worse(shared) == [
        ("regression, new, 2026-11-01: 2 cases changed within 2 days", True)
    ]
    assert trend_page.worse(parsed(of(changes=[faster(new=True)]))) == []


def test_long_lists_of_sentences_say_how_many_there_are() -> None:
    many = parsed(of(changes=[slower(new=True) | {"case": f"a/b/f32/n={n}"} for n in range(9)]))
    assert len(trend_page.worse(many)) == trend_page.MOST_SENTENCES
    assert trend_page.worse(many)[-1] == ("and 5 more", True)


def test_a_row_has_the_words_of_the_terminal() -> None:
    """Those of the documented example, which C++ has written."""
    text = shown(load_test.block("Example of nights"), documented=True).text
    for words in (
        "The last 5 nights: 1 regression (1 new), 1 fleet event of 1 case, 1 drift, 1 stopped case "
        "(1 new); 1 change before, which --nights lists.",
        "2 cases have fewer than 5 nights in this environment: nothing of them can be told yet",
        "regression, new, 2026-01-03: +10.3% (+9.3% to +11.3%)  400 ns -> 441 ns",
        "Happened between the night before and this one, told 2026-01-05.",
        "commit bbbbbbbbbbbb -> cccccccccccc",
        "code: the commit changed; nothing else that is recorded changed",
        "mode, environment",
        "its last night; 3 nights without it since, the latest outcome is crashed",
    ):
        assert words in text


def test_why_nothing_can_confirm_it_stands_in_place_of_the_command() -> None:
    why = {"confirm": "", "cannot_confirm": "the commit is the same"}
    assert (
        shown(of(changes=[slower(**why)], fleet_events=[event() | why])).text.count(
            "the commit is the same"
        )
        == 2
    )


@pytest.mark.parametrize(
    "document", [synthetic_trend.trend(40), synthetic_trend.odd(), synthetic_trend.many(60, 70)]
)
def test_everything_that_is_told_stands_on_the_page(document: Json) -> None:
    text = shown(document).text
    assert document["command"] in text
    events = document["fleet_events"]
    for one in (*document["changes"], *(member for event in events for member in event["members"])):
        assert one["case"] in text
        assert one["night"] in text
        assert all(fact in text for fact in one["changes"]["environment"])
    for one in document["changes"]:
        if not one["mode"]:
            assert one["confirm"] in text
    for one in (*document["drifts"], *document["stopped"]):
        assert one["case"] in text
    for start in document["environments"]:
        assert start["night"] in text
        assert all(fact in text for fact in start["changed"])


def test_what_is_left_out_is_said() -> None:
    text = shown(synthetic_trend.trend(24)).text
    for words in (
        "left out: 16 measurements (14 unstable, 2 crashed), 3 runs of a gate",
        "Not drawn, but in the tables: 7 more of fleet events.",
        "docs/trend.md",
    ):
        assert words in text
    quiet = shown(synthetic_trend.quiet(2)).text
    assert "left out" not in quiet
    assert "Not drawn" not in quiet


def test_long_tables_are_folded_and_whole() -> None:
    made = shown(synthetic_trend.many(60, 60))
    assert "20 more" in made.text
    rows = [element for element, _ in made.elements if element == "tr"]
    assert len(rows) == 60 + 2, "with a head each"


def test_nothing_changed_has_no_tables(tmp_path: Path) -> None:
    made = shown(synthetic_trend.quiet(3), tmp_path)
    assert not made.all("table")
    assert "The last nights: nothing changed." in made.text
    assert [image["title"] for image in made.all("img")] == ["All nights at a glance"]


def test_hostile_names_are_text_and_nothing_else(tmp_path: Path) -> None:
    changes = synthetic_trend.changes(*[HOSTILE] * 9) | {
        "before_commit": HOSTILE,
        "after_commit": "",
    }
    said = slower(changes=changes, confirm=HOSTILE) | {"case": HOSTILE}
    document = of(
        changes=[said, said | {"metric": HOSTILE, "unit": HOSTILE, "mode": True}],
        fleet_events=[event(changes=changes, members=[said, said])],
        drifts=[drift(HOSTILE, case=HOSTILE)],
        stopped=[stop(case=HOSTILE)],
        environments=[ENVIRONMENT | {"changed": [HOSTILE]}],
        limits=[HOSTILE],
        conclusion=HOSTILE,
    )
    for key in ("model", "device", "device_uuid", "profile"):
        document[key] = HOSTILE
    for one in document["series"]:
        one["case"] = HOSTILE
        one["environment"] = HOSTILE
    document["series"] = document["series"][:1]
    made = shown(document, tmp_path)
    made.expect_text_only()
    assert all(file.parent == tmp_path / "figures" for file in tmp_path.rglob("*.png"))


@pytest.mark.parametrize("ratio", [1e-300, 1e-5, 0.99999, 1.0, 1e5, 1e300])
def test_no_ratio_breaks_the_page(ratio: float) -> None:
    said = slower(ratio=ratio, ratio_low=ratio, ratio_high=ratio, before=1e-300, after=1e300)
    counted = {key: value for key, value in said.items() if not key.startswith("ratio")} | {
        "metric": "x"
    }
    made = shown(of(changes=[said, counted], drifts=[drift(ratio=ratio)]))
    assert len([element for element, _ in made.elements if element == "tr"]) == 2 + 3
