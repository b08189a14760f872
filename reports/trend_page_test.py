from __future__ import annotations

import math
from pathlib import Path

import pytest

from reports import load, page, render, synthetic_trend, trend_page, trend_words
from reports.model_trend import Trend
from reports.page_test import HOSTILE, Page
from reports.section import Section
from reports.synthetic_trend import Json


def parsed(document: Json) -> Trend:
    return load.parse(synthetic_trend.document(document)).trends[0]


def shown(document: Json, folder: Path | None = None) -> Page:
    """The part of the page alone, with its figures when they have a folder."""
    trend = parsed(document)
    drawn = render.paged_pictures("trend", trend, trend.model, folder) if folder else []
    template = page._environment().get_template("trend.html.jinja")
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
    return made | {"changes": synthetic_trend.changes(), "members": [slower(new=True), faster(new=True)]} | more


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


ENVIRONMENT = {"night": "2026-10-20", "changed": ["power 1 -> 2"], "cases": 2, "ratio": 1.05}


@pytest.mark.parametrize(
    ("document", "colour", "conclusion"),
    [
        (of(), "", "Nothing changed in the last 60 nights."),
        (of(changes=[slower(new=True)]), "wrong", "1 case newly for the worse, since 2026-11-01."),
        (of(changes=[slower(new=True, confirmed=False)]), "", "Nothing changed in the last 60 nights."),
        (of(changes=[slower(new=True, kind="environment")]), "doubt", "Nothing is newly for the worse; what changed"),
        (
            of(changes=[slower()]),
            "doubt",
            "Nothing is newly for the worse; what changed in the last 60 nights last did so",
        ),
        (of(changes=[faster(new=True)]), "", "Nothing is newly for the worse"),
        (of(fleet_events=[event()]), "wrong", "1 case newly for the worse"),
        (of(fleet_events=[event(kind="environment")]), "doubt", "Nothing is newly for the worse"),
        (
            of(fleet_events=[event(members=[faster(new=True)], kind="improvement")]),
            "",
            "Nothing is newly for the worse",
        ),
        (of(fleet_events=[event(members=[slower(confirmed=False)])]), "", "Nothing changed"),
        (of(drifts=[drift()]), "wrong", "1 case newly for the worse"),
        (of(drifts=[drift("driver 1 -> 2")]), "doubt", "Nothing is newly for the worse"),
        (of(drifts=[drift(new=False)]), "doubt", "Nothing is newly for the worse"),
        (of(drifts=[drift(ratio=0.9)]), "", "Nothing is newly for the worse"),
        (of(stopped=[stop()]), "wrong", "1 case newly without a time."),
        (of(stopped=[stop(new=False)]), "doubt", "Nothing is newly for the worse"),
        (
            of(changes=[slower(new=True)], stopped=[stop()]),
            "wrong",
            "1 case newly for the worse, since 2026-11-01; 1 case",
        ),
        (of(environments=[ENVIRONMENT]), "doubt", "No case changed in the last 60 nights, but series start anew"),
        (of(too_short=2), "doubt", "Nothing can be confirmed yet"),
        (of(too_short=1), "", "Nothing changed"),
    ],
)
def test_only_what_fails_a_night_is_wrong(document: Json, colour: str, conclusion: str) -> None:
    trend = parsed(document)
    assert trend_page.colour(trend) == colour
    assert trend_page.conclusion(trend).startswith(conclusion)
    assert bool(trend_page.wrong(trend)) == (colour == "wrong")


def test_short_sentences_say_what_matters_first() -> None:
    trend = parsed(of(changes=[slower(new=True), faster()], drifts=[drift(new=False)], stopped=[stop()]))
    much = trend_words.percent(trend.changes[0].ratio or 0)
    assert trend_page.wrong(trend) == [
        f"new: a/b/f32/n=1 {much} since 2026-11-01",
        "new: a/b/f32/n=2 has no time since 2026-11-11",
    ]
    told = trend_page.changed(trend)
    assert [one.split(":")[0] for one in told] == ["1 known drift", "1 improvement"]
    both = parsed(of(changes=[slower(), slower(ratio=1.2)], environments=[ENVIRONMENT] * 3))
    assert trend_page.changed(both) == [
        "2 known regressions, the largest: a/b/f32/n=1 +20.0% since 2026-11-01",
        "another comparable environment: 2 cases, since 2026-10-20, the last of 3",
    ]
    assert (trend_page.wrong(parsed(of())), trend_page.changed(parsed(of()))) == ([], [])


def test_long_lists_of_sentences_say_how_many_there_are() -> None:
    many = parsed(of(changes=[slower(new=True) | {"case": f"a/b/f32/n={n}"} for n in range(9)]))
    assert len(trend_page.wrong(many)) == trend_page.MOST_SENTENCES
    assert trend_page.wrong(many)[-1] == "and 5 more"
    everything = parsed(synthetic_trend.trend(40))
    assert len(trend_page.changed(everything)) == trend_page.MOST_SENTENCES
    assert trend_page.changed(everything)[-1] == "and 3 more"


def test_numbers_in_words() -> None:
    said = slower(loose=2, before=6859.0, after=7027.0, ratio=1.0245, ratio_low=1.0236, ratio_high=1.03)
    trend = parsed(of(changes=[said]))
    line = trend_page.line(trend, trend.changes[0])
    assert (line["size"], line["interval"], line["levels"]) == ("+2.4%", "+2.4% to +3.0%", "6.86 → 7.03 us")
    assert line["place"] == f"between {nights().dates[37]} and {nights().dates[42]}"
    assert line["facts"] == ("commit 61c0ffee61c0 → 62c0ffee62c0",)
    near = parsed(of(changes=[faster(before=1000.4, after=1000.1)]))
    line = trend_page.line(near, near.changes[0])
    assert line["levels"] == "1.0004 → 1.0001 us", "two levels never read as one number"
    assert line["place"] == "between the night before and this one"


def test_counts_have_values_and_no_interval() -> None:
    trend = parsed(synthetic_trend.counted())
    lines = {line["counted"]: line for line in (trend_page.line(trend, one) for one in trend.changes)}
    assert lines["sectors and 2 more"]["levels"] == "1024 → 1536"
    assert lines["sectors and 2 more"]["size"] == "+50.0%"
    assert (lines["atomics"]["size"], lines["atomics"]["levels"]) == ("", "0 → 32")
    assert {(line["interval"], line["place"]) for line in lines.values()} == {("", "")}
    assert "new: copy/strided/f32/n=64 atomics 0 → 32 since 2026-11-20" in trend_page.wrong(trend)


def test_why_nothing_can_confirm_it_stands_in_place_of_the_command() -> None:
    why = {"confirm": "", "cannot_confirm": "the commit is the same"}
    shared = event() | why
    trend = parsed(of(changes=[slower(**why)], fleet_events=[shared]))
    assert trend_page.line(trend, trend.changes[0])["cannot_confirm"] == "the commit is the same"
    assert trend_page.event_line(trend, trend.fleet_events[0])["cannot_confirm"] == "the commit is the same"


def test_the_command_is_one_for_a_shell() -> None:
    trend = parsed(of(device="cuda:0; rm -rf x", new_nights=7))
    assert trend_page.command(trend) == "ridgeline trend --device 'cuda:0; rm -rf x' --profile nightly --new-nights 7"


@pytest.mark.parametrize("document", [synthetic_trend.trend(40), synthetic_trend.odd(), synthetic_trend.many(60, 70)])
def test_everything_that_is_told_stands_on_the_page(document: Json) -> None:
    text = shown(document).text
    events = document["fleet_events"]
    for one in (*document["changes"], *(member for event in events for member in event["members"])):
        assert one["case"] in text
        assert one["night"] in text
        assert all(fact in text for fact in one["changes"]["environment"])
    for one in document["changes"]:
        if one["confirmed"]:
            assert one["confirm"] in text
    for one in (*document["drifts"], *document["stopped"]):
        assert one["case"] in text
    for start in document["environments"]:
        assert start["night"] in text
        assert all(fact in text for fact in start["changed"])


def test_what_is_left_out_is_said() -> None:
    text = shown(synthetic_trend.trend(24)).text
    for words in (
        "2 cases have fewer than 60 nights in this environment: nothing of them can be confirmed yet.",
        "16 measurements left out (14 unstable, 2 crashed).",
        "3 runs of a gate left out.",
        "4 changes before these nights, told no more.",
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
    assert "Nothing changed in the last 90 nights." in made.text
    assert [image["title"] for image in made.all("img")] == ["All nights at a glance"]


def test_hostile_names_are_text_and_nothing_else(tmp_path: Path) -> None:
    changes = synthetic_trend.changes(*[HOSTILE] * 9) | {"before_commit": HOSTILE, "after_commit": ""}
    said = slower(changes=changes, confirm=HOSTILE) | {"case": HOSTILE}
    document = of(
        changes=[said, said | {"metric": HOSTILE, "unit": HOSTILE, "confirmed": False}],
        fleet_events=[event(changes=changes, members=[said, said])],
        drifts=[drift(HOSTILE, case=HOSTILE)],
        stopped=[stop(case=HOSTILE)],
        environments=[ENVIRONMENT | {"changed": [HOSTILE]}],
        left_out={HOSTILE: 1},
        other_runs={HOSTILE: 2},
    )
    for key in ("model", "device", "device_uuid", "profile"):
        document[key] = HOSTILE
    for one in document["series"]:
        one["case"] = HOSTILE
        one["environment"] = HOSTILE
    document["series"] = document["series"][:1]
    made = shown(document, tmp_path)
    assert not made.all("script")
    assert all((image["src"] or "").startswith("data:image/svg+xml;base64,") for image in made.all("img"))
    assert not [key for _, attributes in made.elements for key in attributes if key.startswith("on")]
    assert "<script>alert(1)</script>" in made.text
    assert "{{ 7*7 }}" in made.text
    assert "\u202e" not in made.text
    assert all(file.parent == tmp_path / "figures" for file in tmp_path.rglob("*.png"))


@pytest.mark.parametrize("ratio", [1e-300, 1e-5, 0.99999, 1.0, 1e5, 1e300])
def test_no_ratio_breaks_the_page(ratio: float) -> None:
    said = slower(ratio=ratio, ratio_low=ratio, ratio_high=ratio, before=1e-300, after=1e300)
    counted = {key: value for key, value in said.items() if not key.startswith("ratio")} | {"metric": "x"}
    trend = parsed(of(changes=[said, counted], drifts=[drift(ratio=ratio)]))
    assert trend_page.wrong(trend) + trend_page.changed(trend)
    assert all(trend_page.line(trend, one)["levels"] for one in trend.changes)
    assert math.isfinite(trend_words.size(trend.changes[1]))
    assert trend_words.change(trend.changes[1]) == "", "no percentage tells it"
