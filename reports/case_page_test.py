"""Pages of cases and the table of all: what they show of histories, and of hostile ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from reports import (
    case_index,
    case_page,
    cases_page,
    chart_data,
    load,
    page,
    past_runs,
    synthetic,
    synthetic_counts,
    synthetic_gate,
    synthetic_history,
    synthetic_trend,
)
from reports.case_page import CasePart, DevicePart
from reports.page_test import HOSTILE, quickly_written
from reports.section import Section
from reports.told import Tellings

Json = synthetic.Json


def parts_of(document: Json, *sections: Section) -> list[CasePart]:
    report = load.parse(document)
    layout = case_page.CaseLayout(Tellings(sections), report.commits)
    return [layout.part(place) for place in case_index.index_of(report).places]


def first_of(document: Json, *sections: Section) -> DevicePart:
    return parts_of(document, *sections)[0].devices[0]


def past_of(document: Json) -> Json:
    return document["histories"][0]["cases"][0]


def quiet(runs: int) -> Json:
    """A document of one case that had a value in every run."""
    document = synthetic_history.document(1, runs)
    past = past_of(document)
    values = [1000.0 + at for at in range(runs)]
    past |= {"runs": [[0, runs - 1]], "without": [], "unsteady": [], "median_ns": values}
    past |= {key: [0.0] * runs for key in ("below_ns", "above_ns")}
    return document


def test_runs_stand_newest_first_with_their_values() -> None:
    document = quiet(3)
    past = past_of(document)
    past["below_ns"], past["above_ns"] = [0.0, 11.0, 2.0], [0.0, 9.0, 28.0]
    past |= {"unsteady": [1, 2], "without_interval": [0]}
    past["doubted"] = [{"run": 2, "outcome": "unstable", "reason": "interval wider than 2%"}]
    rows = first_of(document).rows
    assert [(row.value, row.interval, row.outcome, row.reason) for row in rows] == [
        ("1.00 us", "1.00 to 1.03 us", "unstable", "interval wider than 2%"),
        ("1.00 us", "990 to 1010 ns", "not steady", ""),
        ("1.00 us", "", "", ""),
    ]
    assert rows[0].run.id == document["histories"][0]["runs"][2]["id"]
    started = [row.run.started for row in rows]
    assert started == ["2026-11-20 12:45", "2026-11-19 12:45", "2026-11-18 12:45"]


def test_runs_without_a_value_stand_among_the_others() -> None:
    document = quiet(5)
    past = past_of(document)
    past["runs"] = [[0, 2], [4, 4]]
    for key in ("median_ns", "below_ns", "above_ns"):
        del past[key][3]
    past["without"] = [{"run": 3, "outcome": "crashed", "reason": "signal 11"}]
    past["unsteady"] = []
    past["samples"]["runs"] = []
    rows = first_of(document).rows
    assert [bool(row.value) for row in rows] == [True, False, True, True, True]
    assert (rows[1].outcome, rows[1].reason) == ("crashed", "signal 11")


def test_a_table_has_the_last_runs_and_says_how_many_there_are() -> None:
    one = first_of(quiet(50))
    assert (len(one.rows), one.older) == (case_page.MOST_RUNS, 20)
    assert one.rows[-1].run.started == "2026-10-22 12:45"
    assert first_of(quiet(30)).older == 0


def test_a_commit_is_a_link_where_it_is_one_and_the_address_is_known() -> None:
    document = quiet(3)
    runs = document["histories"][0]["runs"]
    runs[0]["commit"] = "unknown"
    runs[1] |= {"commit": "'onclick='x", "dirty": True}
    rows = first_of(document).rows
    known = runs[2]["commit"]
    assert [row.run.commit_at for row in rows] == [f"{synthetic_history.COMMITS}{known}", "", ""]
    assert [row.run.commit for row in rows] == [known[:12], "'onclick='x"[:12], "unknown"]
    assert [row.run.dirty for row in rows] == [False, True, False]
    del document["commits"]
    assert not any(row.run.commit_at for row in first_of(document).rows)


def test_runs_that_were_not_read_are_counted(tmp_path: Path) -> None:
    document = quiet(50)
    assert not first_of(document).has_more
    document["histories"][0]["older"] = 56
    assert first_of(document).has_more
    quickly_written(tmp_path, document)
    pages = [tmp_path / name for name in ("index.html", "cases/01.html")]
    overview, page = (one.read_text(encoding="utf-8") for one in pages)
    assert '<td class="number">50 of 106</td>' in overview
    assert "The last 30 runs, of at least 50<" in page


def test_a_commit_that_the_repository_does_not_have_is_no_link() -> None:
    document = quiet(2)
    runs = document["histories"][0]["runs"]
    del runs[0]["linked"]
    newest, oldest = first_of(document).rows
    assert (oldest.run.commit, oldest.run.commit_at) == (runs[0]["commit"][:12], "")
    assert newest.run.commit_at


def test_a_machine_that_was_not_fit_is_told_beside_its_times(tmp_path: Path) -> None:
    document = quiet(2)
    document["histories"][0]["runs"][1]["unfit"] = "a <busy> host"
    quickly_written(tmp_path, document)
    text = (tmp_path / "cases" / "01.html").read_text(encoding="utf-8")
    assert text.count("machine not fit: a &lt;busy&gt; host") == 2, (
        "of the latest, and in the table of runs"
    )
    assert text.count("machine not fit<") == 1, "in the table of the case"
    assert '"unfit":"a \\u003cbusy\\u003e host"' in text, "for the chart"


def test_how_a_run_ended_is_told_beside_its_times(tmp_path: Path) -> None:
    document = quiet(3)
    document["histories"][0]["runs"][1]["status"] = "interrupted"
    pages = quickly_written(tmp_path, document)
    shown, text = pages["cases/01.html"], (tmp_path / "cases" / "01.html").read_text("utf-8")
    assert text.count("run interrupted<") == 1, "in the table of the case"
    assert text.count('"status":') == 1 and '"status":"interrupted"' in text, "for the chart"
    (place,) = {link[1:] for link in shown.links if link.endswith("-rows")}
    assert place in shown.ids, "with the ids of its runs"


def test_environments_are_letters_and_say_what_changed() -> None:
    one = first_of(quiet(9))
    assert [row.run.letter for row in one.rows] == ["B"] * 3 + ["A"] * 6
    assert [(at.letter, at.since, at.changed) for at in one.environments] == [
        ("A", "2026-11-12 12:45", ""),
        ("B", "2026-11-18 12:45", "driver branch: 570 -> 580"),
    ]
    assert [past_runs.letter(at) for at in (0, 25, 26, 27, 701, 702)] == [
        *("A", "Z", "AA", "AB", "ZZ", "AAA")
    ]


def test_an_environment_before_all_that_is_shown_is_not_told() -> None:
    shown = first_of(quiet(120)).environments
    assert [at.letter for at in shown] == ["B"]


def test_samples_have_a_row_per_run_and_bins_for_the_chart(tmp_path: Path) -> None:
    document = synthetic_history.document(1, 20)
    one = first_of(document)
    told = past_of(document)["samples"]["runs"]
    assert [row.count for row in one.sample_rows] == [run["count"] for run in reversed(told)]
    shown = quickly_written(tmp_path, document)["cases/01.html"]
    data = shown.data("c1-1-samples")
    for drawn, run in zip(data["rows"], reversed(told), strict=True):
        assert (drawn.get("first", 0), drawn["counts"]) == (run["first"], run["counts"])
    assert [one["run"] for one in data["rows"]] == [one["run"] for one in reversed(told)]
    assert len(shown.data(data["runs"])["runs"]) == 20
    assert "p90" in shown.text


def test_the_chart_of_runs_has_all_of_them(tmp_path: Path) -> None:
    document = synthetic_history.document(2, 80)
    shown = quickly_written(tmp_path, document)["cases/01.html"]
    past = past_of(document)
    data = shown.data("c1-1-history")
    assert data["at"] == past["runs"]
    step = data["step_ns"]
    medians = [(data["base"] + one) * step for one in data["median"]]
    assert medians == pytest.approx(past["median_ns"], rel=5e-5)
    for side in ("below", "above"):
        ends = [one * step for one in data[side]]
        assert ends == pytest.approx(past[f"{side}_ns"], abs=1.01 * step)
        assert [bool(end) for end in ends] == [bool(end) for end in past[f"{side}_ns"]]
    assert 1e4 <= min(medians) / step < 1e5
    assert data["unsteady"] == past["unsteady"]
    shared = shown.data(data["runs"])
    history = document["histories"][0]
    assert [run["started"] for run in shared["runs"]] == [one["started"] for one in history["runs"]]
    assert shared["environments"] == ["", "driver branch: 570 -> 580"]
    assert shown.data("c2-1-history")["runs"] == data["runs"], "they are there once"


def sections(document: Json) -> list[Section]:
    report = load.parse(document)
    made = [Section("gate", f"gate-{at}", one) for at, one in enumerate(report.gates)]
    return made + [Section("trend", f"nights-{at}", one) for at, one in enumerate(report.trends)]


def with_changes(**device: str) -> Json:
    """Of a case of which a gate and nights of the device tell a change."""
    document = quiet(5)
    name = past_of(document)["name"]
    own = document["histories"][0]["device"] | device
    nights = synthetic_trend.Nights(30)
    nights.add(name, 1e4, {20: 0.06})
    trend = nights.trend() | {"changes": [nights.change(name, 20)]}
    trend |= {"model": own["model"], "device_uuid": own["uuid"]}
    gate = synthetic_gate.of(
        [synthetic_gate.verdict(name, "regression", 0.08, 12)],
    )
    gate["device"] = own
    return document | {"gates": [gate], "trends": synthetic_trend.document(trend)["trends"]}


def test_what_gates_and_nights_tell_of_a_case_stands_with_it() -> None:
    document = with_changes()
    told = first_of(document, *sections(document)).told
    assert [(one.address, one.colour) for one in told] == [
        ("nights-0.html", "bad"),
        ("gate-0.html", "bad"),
    ]
    assert told[0].ratio is not None
    report = load.parse(document)
    (row,) = cases_page.rows(case_index.index_of(report), Tellings(sections(document)))
    assert row.change == told[0], "nights come first"


def test_what_is_told_of_another_device_is_not_told_here() -> None:
    for other in ({"uuid": "another"}, {"model": "synthetic-other"}):
        document = with_changes(**other)
        assert first_of(document, *sections(document)).told == ()


def test_a_gate_that_passed_is_told_and_is_no_change() -> None:
    document = with_changes()
    gate = synthetic_gate.of([synthetic_gate.verdict(past_of(document)["name"], "pass", 0.0, 12)])
    gate["device"] = document["histories"][0]["device"]
    document |= {"gates": [gate], "trends": []}
    tellings = Tellings(sections(document))
    (place,) = case_index.index_of(load.parse(document)).places
    (told,) = tellings.of(place.on[0])
    assert (told.colour, told.is_change, tellings.change(place.on[0])) == ("good", False, None)


def test_a_night_that_changed_is_marked_at_its_first_run() -> None:
    document = with_changes()
    nights = document["trends"][0]["findings"][0]
    nights["night"] = nights["earliest"] = nights["latest"] = "2026-11-18"
    (place,) = case_index.index_of(load.parse(document)).places
    told = Tellings(sections(document)).of(place.on[0])
    data = chart_data.of_history(place.on[0], "runs-1", told)
    assert [one["run"] for one in data["changes"]] == [2]


def test_a_case_on_two_devices_has_one_part_and_two_rows() -> None:
    document = synthetic_history.document(3, 4)
    other = synthetic.run("synthetic-other", "cuda", [])
    names = [one["name"] for one in document["histories"][0]["cases"]]
    past = synthetic_history.history(other, names[1:], 2)
    for one in past["cases"]:
        one["latest"]["case"] = synthetic.case(one["name"], 1e4)
    document["histories"].append(past)
    parts = parts_of(document)
    assert [len(part.devices) for part in parts] == [1, 2, 2]
    rows = cases_page.rows(case_index.index_of(load.parse(document)), Tellings([]))
    assert [row.device for row in rows if row.name == names[2]] == [
        "synthetic-h200",
        "synthetic-other",
    ]


def test_a_counted_case_has_its_latest_result_and_no_times(tmp_path: Path) -> None:
    run = synthetic_counts.run()
    case = next(one for one in run["cases"] if one["outcome"] == "counted")
    keys = ("name", "suite", "variant", "dtype", "problem", "options")
    past = synthetic_history.history(run, [], 1)
    past["cases"] = [{key: case[key] for key in keys} | {"latest": {"run": 0, "case": case}}]
    pages = quickly_written(tmp_path, synthetic.document() | {"histories": [past]})
    assert "counted" in pages["cases/01.html"].text
    assert not [one for one in pages["cases/01.html"].all("div") if "data-chart" in one]
    assert case["name"] in pages["cases/01.html"].text
    assert "No case that a roof bounds was measured" in pages["index.html"].text


def test_rows_sort_by_numbers_and_filter_by_what_they_are(tmp_path: Path) -> None:
    document = with_changes()
    shown = quickly_written(tmp_path, document)["cases.html"]
    (table,) = shown.all("table")
    assert (table["class"], table["id"]) == ("worked", "cases")
    (row,) = [one for one in shown.all("tr") if "data-name" in one]
    past = past_of(document)
    for attribute in (table["data-filters"] or "").split():
        assert row[f"data-{attribute}"]
    assert (row["data-name"], row["data-suite"], row["data-type"]) == (
        past["name"],
        past["suite"],
        past["dtype"],
    )
    heads = [one["data-sort"] for one in shown.all("th")]
    cells = shown.all("td")
    assert len(heads) == len(cells)
    case = document["runs"][0]["cases"][0]
    values = [cell.get("data-value") for cell in cells]
    assert float(values[1] or "") == case["median_ns"]
    assert 0 < float(values[2] or "") < 1
    assert float(values[3] or "") > 1
    assert [at for at, kind in enumerate(heads) if kind == "number"] == [1, 2, 3]
    (link,) = [one for one in shown.all("a") if one.get("data-case") == past["name"]]
    assert (link["href"], link["title"]) == ("cases/01.html#c1", past["name"])


def test_long_names_leave_out_what_their_suite_shares() -> None:
    report = load.parse(synthetic_history.document(200, 2))
    rows = cases_page.rows(case_index.index_of(report), Tellings([]))
    assert all("layout=row_major" in row.name for row in rows)
    assert not [row.shown for row in rows if "layout" in row.shown]
    assert len({row.shown for row in rows}) == len(rows)


def test_long_names_go_on_behind_their_fields() -> None:
    long = "attention/flash_reference_maximum/bf16/heads=1,mask=<b>"
    assert page.breakable(long) == (
        "attention/flash_reference_maximum/bf16/<wbr>heads=1,<wbr>mask=&lt;b&gt;"
    )
    assert page.breakable("a/b/f32/m=1,n=<1") == "a/b/f32/m=1,n=&lt;1"


def test_a_share_is_a_number_or_nothing() -> None:
    assert cases_page.share_of("56.2%") == 0.562
    assert [cases_page.share_of(text) for text in ("", "%", "x%", "56.2")] == [None] * 4


def hostile() -> Json:
    name = HOSTILE.replace("/", "|")
    document = with_changes()
    history, past = document["histories"][0], past_of(document)
    case = synthetic.explained(synthetic.case(f"{name}/{name}/f32/m=1", 1e4, share=0.5), "x", 0.9)
    case |= {
        "name": HOSTILE,
        "suite": HOSTILE,
        "dtype": HOSTILE,
        "outcome": HOSTILE,
        "roof": HOSTILE,
    }
    case["words"] = dict.fromkeys(("median", "interval", "rate", "share", "error"), HOSTILE)
    past |= {"name": HOSTILE, "suite": HOSTILE, "variant": HOSTILE, "dtype": HOSTILE}
    past |= {"repeat": HOSTILE, "latest": {"run": 4, "case": case}}
    past["without"] = [{"run": 0, "outcome": HOSTILE, "reason": HOSTILE}]
    past["runs"] = [[1, 4]]
    for key in ("median_ns", "below_ns", "above_ns"):
        past[key] = past[key][1:]
    history["device"] = history["device"] | {"model": HOSTILE, "name": HOSTILE, "uuid": HOSTILE}
    for run in history["runs"]:
        run |= {"id": HOSTILE, "commit": HOSTILE, "label": HOSTILE, "status": HOSTILE}
        run["unfit"] = HOSTILE
    for run in history["runs"][1:]:
        run["started"] = HOSTILE
    for one in history["environments"]:
        one |= {"hash": HOSTILE, "changed": HOSTILE, "comparable": {HOSTILE: HOSTILE}}
    document["gates"][0]["device"] = history["device"]
    document["gates"][0]["verdicts"][0]["case"] = HOSTILE
    words = document["gates"][0]["verdicts"][0]["words"]
    words |= dict.fromkeys(words, HOSTILE)
    trend = document["trends"][0]
    trend |= {"model": HOSTILE, "device_uuid": HOSTILE}
    trend["findings"][0]["case"] = HOSTILE
    trend["findings"][0]["words"] |= dict.fromkeys(("kind", "said", "change"), HOSTILE)
    second = synthetic_history.history(document["runs"][0], [past_of(quiet(2))["name"]], 2)
    second["cases"][0]["latest"]["case"] = synthetic.case("a/b/f32/n=1", 1.0) | {
        "name": second["cases"][0]["name"]
    }
    return document | {"runs": [], "histories": [history, second, history]}


def test_hostile_histories_are_text_and_nothing_else(tmp_path: Path) -> None:
    pages = quickly_written(tmp_path, hostile())
    for name in ("index.html", "cases.html", "cases/01.html"):
        pages[name].expect_text_only()
    assert {file.parent for file in tmp_path.rglob("*.html")} == {tmp_path, tmp_path / "cases"}
    clean = load.clean(HOSTILE)
    shown = pages["cases/01.html"]
    assert [one["data-case"] for one in shown.all("section") if "data-case" in one][0] == clean
    shared = shown.data(shown.data("c1-1-history")["runs"])
    assert shared["runs"][1]["label"] == clean, "what a chart shows is what was said"
    assert clean in shown.data("c1-1-history")["changes"][0]["words"]


def test_data_cannot_end_its_element() -> None:
    text = str(chart_data.embedded({"x": "</script><!--&\u2028\u2029<script>"}))
    assert not set("<>&\u2028\u2029") & set(text)
    assert "\\u003c/script\\u003e" in text


def test_rooflines_lead_to_cases(tmp_path: Path) -> None:
    document = synthetic_history.document(4, 3)
    shown = quickly_written(tmp_path, document)["run-synthetic-h200.html"]
    data: Any = shown.data("run-synthetic-h200-chart")
    assert [one["href"] for one in data["points"]] == [
        f"cases/01.html#c{at}" for at in (1, 2, 3, 4)
    ]


def test_the_latest_run_is_a_link_where_it_has_a_page(tmp_path: Path) -> None:
    document = quiet(3)
    assert (
        "../run-synthetic-h200.html" in quickly_written(tmp_path, document)["cases/01.html"].links
    )
    run = document["runs"].pop()
    past_of(document)["latest"]["case"] = run["cases"][0]
    pages = quickly_written(tmp_path, document)
    assert set(pages) == {"index.html", "cases.html", "cases/01.html", "device-01.html"}
    assert run["id"] in pages["cases/01.html"].text
    assert "synthetic-h200" in pages["index.html"].text, "whose report it is"


def test_a_run_of_many_cases_leaves_what_bounds_them_to_their_pages(tmp_path: Path) -> None:
    document = synthetic_history.document(501, 1)
    for past in document["histories"][0]["cases"][1:]:
        del past["samples"]
    pages = quickly_written(tmp_path, document)
    assert "what bounds each stands on its page" in pages["run-synthetic-h200.html"].text
    assert "is known to be busy" not in pages["run-synthetic-h200.html"].text
    assert "is known to be busy" in pages["cases/01.html"].text


def test_one_run_is_no_chart(tmp_path: Path) -> None:
    shown = quickly_written(tmp_path, quiet(1))["cases/01.html"]
    charts = [one["data-chart"] for one in shown.all("div") if "data-chart" in one]
    assert charts == ["samples"]
    assert "The last run" in shown.text
