"""Charts in a browser: what they show to pointers, keys and screen readers, and that no data spoils
them."""

from __future__ import annotations

import itertools
import json
import re

import pytest

from reports import page as pages
from reports import policy, script
from reports.browser import opened

TIMES = (0, 5e-324, 1e-9, 999.9999, 1234.5, 1e15, 1.7e308)
FOCUSED = "() => document.activeElement.getAttribute('aria-label')"
LABELS = "all => all.map((one) => one.getAttribute('aria-label'))"


@pytest.fixture
def case(browser, report_folder):
    with opened(browser, report_folder / "cases" / "01.html", "#c1") as page:
        page.locator("[data-chart=history] > svg").first.wait_for()
        yield page


def chart(page, kind: str):
    return page.locator(f"[data-chart={kind}]").first


def readout(page, kind: str) -> str:
    return chart(page, kind).locator(".readout").inner_text()


def test_a_history_names_the_run_that_is_pointed_at(case):
    points = chart(case, "history").locator(".point")
    points.nth(3).hover()
    said = readout(case, "history")
    assert said == points.nth(3).get_attribute("aria-label").strip()
    row = case.locator("table:has(th:text-is('95% interval')) tbody tr").first
    points.last.hover()
    date, median = (row.locator("td").nth(at).text_content() for at in (0, 1))
    said = readout(case, "history")
    assert said.startswith(date) and median.split()[1] in said and "environment B" in said


def test_runs_that_were_not_steady_are_hollow(browser, tmp_path):
    runs = [{"started": f"2026-11-{day:02}T12:00:00Z"} for day in range(1, 13)]
    at, values = [[2, 2], [5, 5], [9, 9]], [10.0, 11.0, 12.0]
    data = {"runs": runs, "at": at, "unsteady": [5, 7], "median": values}
    page_file = tmp_path / "page.html"
    page_file.write_text(page_of("history", [data]), encoding="utf-8")
    with opened(browser, page_file) as page:
        points = page.locator(".point")
        points.first.wait_for()
        hollow = [one.locator(".hollow").count() for one in points.all()]
        said = ["not steady" in label for label in points.evaluate_all(LABELS)]
        assert (hollow, said) == ([0, 1, 0], [False, True, False])


def test_a_history_is_one_stop_and_arrows_walk_it(case):
    one = chart(case, "history")
    assert one.locator("[tabindex='0']").count() == 1
    one.locator("[tabindex='0']").focus()
    labels = one.locator(".point").evaluate_all(LABELS)
    walk = {"Home": 0, "ArrowRight": 1, "ArrowDown": 2, "ArrowUp": 1, "ArrowLeft": 0, "End": -1}
    for key, expected in walk.items():
        case.keyboard.press(key)
        assert case.evaluate(FOCUSED) == labels[expected]
    case.keyboard.press("Tab")
    assert case.evaluate("() => document.activeElement.closest('svg')") is None


def test_a_history_is_zoomed_by_dragging_and_by_keys(case):
    one = chart(case, "history")
    one.scroll_into_view_if_needed()
    count = one.locator(".point").count

    def drag(start: float, end: float) -> None:
        box = one.locator("> svg").bounding_box()
        xs = [box["x"] + box["width"] * share for share in (start, end)]
        case.mouse.move(xs[0], box["y"] + 100)
        case.mouse.down()
        case.mouse.move(sum(xs) / 2, box["y"] + 100)
        case.mouse.move(xs[1], box["y"] + 120)
        case.mouse.up()

    whole, back = count(), one.get_by_role("button", name="Show all runs")
    assert not back.is_visible()
    drag(0.5, 0.8)
    assert 1 < count() < whole and back.is_visible()
    back.click()
    assert count() == whole and not back.is_visible()
    drag(0.8, 0.5)
    assert 1 < count() < whole
    case.keyboard.press("Escape")
    assert count() == whole
    one.locator("[tabindex='0']").focus()
    label = case.evaluate(FOCUSED)
    case.keyboard.press("+")
    assert 1 < count() < whole
    assert case.evaluate(FOCUSED) == label
    one.locator("> svg").dblclick()
    assert count() == whole


def test_axes_say_times_in_their_unit_and_days(case):
    words = chart(case, "history").locator(".axis text").all_text_contents()
    times = [re.fullmatch(r"([\d.]+) (ns|us|ms|s)", one) for one in words]
    days = [one for one in words if re.fullmatch(r"\d{4}-\d\d-\d\d", one)]
    values = [float(one[1]) for one in times if one]
    assert len(values) >= 3 and values == sorted(set(values))
    assert len({one[2] for one in times if one}) == 1
    assert len(days) >= 3 and days == sorted(set(days))
    assert len(values) + len(days) == len(words)


def test_samples_have_a_row_per_run_the_newest_first(case):
    rows = chart(case, "samples").locator(".row")
    chart(case, "samples").evaluate("one => one.scrollIntoView()")
    rows.first.wait_for()
    labels = rows.evaluate_all(LABELS)
    dates = [label.strip("\u2068")[:10] for label in labels]
    assert len(dates) == 10 and dates == sorted(dates, reverse=True)
    assert all("samples, half below " in label for label in labels)


def test_suites_of_a_roofline_are_hidden_and_its_points_lead_to_cases(browser, report_folder):
    with opened(browser, report_folder / "run-synthetic-h200.html") as page:
        roofline = chart(page, "roofline")
        roofline.scroll_into_view_if_needed()
        visible = roofline.locator(".point:visible")
        visible.first.wait_for()
        whole = visible.count()
        button = roofline.get_by_role("button", name="gemm")
        button.click()
        assert button.get_attribute("aria-pressed") == "false"
        assert 0 < visible.count() < whole
        roofline.locator("[tabindex='0']").focus()
        page.keyboard.press("Home")
        labels = [one.get_attribute("aria-label") for one in visible.all()]
        assert not [label for label in labels if "gemm/" in label]
        for _ in labels:
            assert page.evaluate(FOCUSED) in labels
            page.keyboard.press("ArrowRight")
        button.click()
        assert button.get_attribute("aria-pressed") == "true" and visible.count() == whole
        first = roofline.locator("a.point").first
        name = first.get_attribute("aria-label").strip("\u2068").split("\u2069")[0]
        first.focus()
        page.keyboard.press("Enter")
        page.wait_for_url("**/cases/*.html#c*")
        anchor = page.url.partition("#")[2]
        assert page.locator(f"#{anchor}").get_attribute("data-case") == name


def odd_data() -> dict[str, list[object]]:
    """Of each kind of chart, all that a document may hold, and what it may not."""
    text = "<img src=x onerror=alert(1)>\u2028\u202e"
    nothing: list[object] = [None, [], {}, "text", 7, {"runs": None, "points": 1, "at": "x"}]
    runs = [
        {
            "started": started,
            "commit": text,
            "label": text,
            "unfit": text,
            "environment": environment,
        }
        for started, environment in (("2026-11-20T12:45:01Z", 0), (text, 700), ("", -1))
    ]
    histories = [
        {"runs": runs, "at": [at], "median": [one], "below": [below], "above": [above]}
        for at, one in itertools.product(([0, 0], [1, 1], [2, 2**53], [3, 2], 3), TIMES)
        for below, above in ((0, 0), (one / 2, one), (-one, -one / 2), ("x", None))
    ]
    many = {
        "runs": runs * 500,
        "at": [[0, 700], [701, 1499]],
        "unsteady": [*nothing, 3],
        "changes": [{"run": 3, "words": text}],
    }
    histories += [
        many | {"median": [one] * 1500, "above": [one * 2] * 1500} for one in (1e-9, 1234.5)
    ]
    counts = ([0] * 48, [10**15] * 48, [1], [])
    row = {"run": 0, "count": 3, "below": 1, "above": 10**15}
    rows = [row, row | {"run": 1, "first": 40}, row | {"run": "x", "first": "x"}]
    samples = [
        {
            "runs": runs,
            "low_ns": low,
            "high_ns": high,
            "rows": [some | quantiles | {"counts": one} for some in rows],
        }
        for low, high in itertools.combinations_with_replacement(TIMES, 2)
        for quantiles in ({"p10_ns": low, "p50_ns": high, "p90_ns": high},)
        for one in counts
    ]
    some_roofs = [{"value": one, "origin": text} for one in (*TIMES, None, "x")]
    ceilings = [
        {"kind": kind, "name": text, "text": text, "roofs": some}
        for kind in ("memory", "compute", text)
        for some in (None, [None], some_roofs, *([one] for one in some_roofs))
    ]
    point = {"case": text, "suite": text, "href": "javascript:alert(1)"}
    rooflines = [
        {"points": [point | {"intensity": x, "rate": y}] * 2, "ceilings": some}
        for x, y in itertools.product(TIMES, repeat=2)
        for some in ([], nothing, ceilings, ceilings[:6])
    ]
    looks = [*nothing, *({"name": "0", "colour": one, "shape": one} for one in (*nothing, -1, 1e9))]
    many_suites = [{"suite": str(at), "intensity": 1 + at, "rate": 1e9} for at in range(300)]
    rooflines.append({"points": many_suites, "suites": looks})
    rooflines += [{"points": many_suites[:1], "suites": [one]} for one in looks]
    odd = [*nothing, text, *TIMES, -1, 2**53]
    around = [{"at": one, "night": one, "letter": text, "words": text} for one in odd]
    night = {"first": "2026-01-01", "last": 9, "low": 1.0, "high": 2.0}
    night |= {"series": [{"at": [[0, 2], [5, 9]], "values": [1.0, 1.5, 9e99, -3, 1, 1, "x", None]}]}
    nights = [night | {key: one} for key in ("first", "last", "low", "high", "unit") for one in odd]
    nights += [night | {"low": low, "high": high} for low, high in itertools.product(TIMES, TIMES)]
    nights += [night | {"series": [{"at": [[0, 0]], "values": [one]}]} for one in odd]
    nights += [
        night | {"series": [{"at": one, "values": [1.5] * 9}]}
        for one in (odd, [odd], [[2**53] * 2])
    ]
    lines = [[one, 1, 3, one] for one in odd]
    marks = [{"at": one, "from": 1, "to": one, "middle": one, "kind": text} for one in odd]
    marks += [{"at": 3, "from": 2, "to": 4, "middle": one, "kind": "constructor"} for one in odd]
    more = {
        "levels": odd + lines,
        "drifts": lines,
        "marks": odd + marks,
        "told": odd,
        "around": around,
    }
    nights += [night | more] + [night | more | {"stop": one} for one in odd]
    return {
        "nights": nothing + nights,
        "history": nothing + histories,
        "samples": nothing + samples,
        "roofline": nothing + rooflines,
    }


@pytest.mark.parametrize("kind", ["history", "nights", "samples", "roofline"])
def test_no_data_spoils_a_chart(browser, tmp_path, kind):
    page_file = tmp_path / "page.html"
    page_file.write_text(page_of(kind, odd_data()[kind]), encoding="utf-8")
    with opened(browser, page_file, viewport={"width": 400, "height": 800}) as page:
        page.evaluate("() => dispatchEvent(new Event('beforeprint'))")  # draws what is out of sight
        assert page.locator(".drawn:not(:has(> svg))").count() == 0
        assert page.locator(".drawn > svg").count() > 10
        attributes = page.evaluate(
            "() => [...document.querySelectorAll('svg *')]"
            ".flatMap((one) => [...one.attributes].map((its) => `${its.name}=${its.value}`))"
        )
        assert not [
            one for one in attributes if "NaN" in one or "Infinity" in one or "href=" in one
        ]


def test_runs_of_one_day_are_told_apart_by_their_minutes(browser, tmp_path):
    runs = [{"started": f"2026-11-20T{hour:02}:45:00Z"} for hour in range(10, 14)]
    data = {"runs": runs, "at": [[0, 3]], "median": [10.0, 11.0, 12.0, 13.0]}
    page_file = tmp_path / "page.html"
    page_file.write_text(page_of("history", [data]), encoding="utf-8")
    with opened(browser, page_file) as page:
        page.locator(".point").first.wait_for()
        words = page.locator(".axis text").all_text_contents()
        minutes = [one for one in words if ":" in one]
        assert minutes == [f"11-20 {hour}:45" for hour in range(10, 14)]


def test_a_run_that_did_not_finish_says_so(browser, tmp_path):
    runs = [{"started": "2026-11-20T10:00:00Z", "status": one} for one in ("", "killed")]
    page_file = tmp_path / "page.html"
    data = {"runs": runs, "at": [[0, 1]], "median": [10.0, 11.0]}
    page_file.write_text(page_of("history", [data]), encoding="utf-8")
    with opened(browser, page_file) as page:
        page.locator(".point").first.wait_for()
        whole, killed = page.locator(".point").evaluate_all(LABELS)
        assert "run" not in whole and "run \u2068killed\u2069" in killed


def test_very_long_times_are_as_short_as_others(browser, tmp_path):
    page_file = tmp_path / "page.html"
    data = {"runs": [], "at": [[0, 1]], "median": [1.0, 1e15]}
    page_file.write_text(page_of("history", [data]), encoding="utf-8")
    with opened(browser, page_file) as page:
        words = page.locator(".axis text").all_text_contents()
        assert "1 ns" in words and max(map(len, words)) <= len("1000 us")
        assert "1e+6 s" in page.locator(".point").last.get_attribute("aria-label")


def page_of(kind: str, data: list[object]) -> str:
    """With the policy and the style of a report's pages."""
    style = pages.style()
    rules = policy.policy(style, script.text())
    charts = "".join(
        f'<div class="chart" id="at{at}" data-chart="{kind}"></div>'
        f'<script type="application/json" class="data" data-for="at{at}">'
        f"{json.dumps(one).replace('<', chr(92) + 'u003c')}</script>"
        for at, one in enumerate([*data])
    )
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>x</title>'
        f'<meta http-equiv="Content-Security-Policy" content="{rules}">'
        f"<style>{style}</style>{charts}<script>{script.text()}</script>"
    )


def test_every_file_of_the_script_is_in_it():
    assert {file.name for file in script.FOLDER.glob("*.js")} == set(script.files())


def test_a_page_has_what_draws_its_charts_alone():
    for parts in pages.SCRIPTED.values():
        text = script.text(parts)
        assert {kind for kind in script.PARTS if f"CHARTS.{kind} = " in text} == parts - {"tables"}
        assert len(text) < len(script.text())
