"""Charts of nights in a browser: they are the figure's, and answer to pointers and keys."""

from __future__ import annotations

import json
import re

import pytest

from reports import load, synthetic_trend, write
from reports.browser import opened
from reports.charts_browser_test import FOCUSED, LABELS, page_of

FIGURE = "figure[data-chart-of] img"


def written(tmp_path_factory, trend: synthetic_trend.Json):
    folder = tmp_path_factory.mktemp("nights")
    source = folder / "report.json"
    source.write_text(json.dumps(synthetic_trend.document(trend)), encoding="utf-8")
    write.write(load.load(source), folder, formats=("png",))
    return folder / "nights-synthetic-gpu.html"


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    return written(tmp_path_factory, synthetic_trend.trend(30))


@pytest.fixture
def nights(browser, file):
    with opened(browser, file) as page:
        page.locator("[data-chart=nights] > svg").first.wait_for()
        yield page


def first_chart(page):
    return page.locator("[data-chart=nights]").first


def test_a_night_names_itself_with_what_is_told_of_it(nights):
    one = first_chart(nights)
    labels = one.locator(".point").evaluate_all(LABELS)
    told = [at for at, label in enumerate(labels) if "told:" in label]
    assert len(told) == 1 and "regression" in labels[told[0]]
    one.locator(".point").nth(told[0]).hover()
    said = one.locator(".readout").inner_text()
    assert said == labels[told[0]].strip() and re.match(r"2026-11-\d\d, 9\d\d(\.\d+)? ns, ", said)
    assert len({label.split(", ")[0] for label in labels}) == len(labels)
    nights.mouse.move(0, 0)  # what leaves it later would take the name away
    one.locator("[tabindex='0']").focus()
    nights.keyboard.press("Home")
    assert nights.evaluate(FOCUSED) == labels[0]
    assert one.locator(".readout").inner_text() == labels[0].strip()


def test_environments_and_changes_are_marked(nights):
    one = first_chart(nights)
    labels = one.locator(".point").evaluate_all(LABELS)
    shapes = one.locator(".point .mark").evaluate_all("all => all.map(e => e.getAttribute('d'))")
    of = {1: set(), 2: set()}
    for label, shape in zip(labels, shapes, strict=True):
        of[int(re.search(r"environment (\d)", label)[1])].add(shape)
    assert len(of[1]) == len(of[2]) == 1 and of[1] != of[2]
    assert one.locator(".band").count() == 2 and one.locator(".band.odd").count() == 1
    assert one.locator(".change").count() == one.locator(".range").count() == 1
    assert [words.strip("⁨⁩") for words in one.locator(".around text").all_text_contents()] == [
        "A",
        "B",
    ]
    begun = [label for label in labels if "A⁩: " in label]
    assert len(begun) == 1 and "power_limit_w" in begun[0] and "environment 2" in begun[0]


def test_nights_are_zoomed_by_dragging_and_by_keys(nights):
    one = first_chart(nights)
    one.scroll_into_view_if_needed()
    count = one.locator(".point").count
    whole, back = count(), one.get_by_role("button", name="Show all nights")
    box = one.locator("> svg").bounding_box()
    xs = [box["x"] + box["width"] * share for share in (0.6, 0.7, 0.8)]
    nights.mouse.move(xs[0], box["y"] + 100)
    nights.mouse.down()
    nights.mouse.move(xs[1], box["y"] + 100)
    nights.mouse.move(xs[2], box["y"] + 110)
    nights.mouse.up()
    assert 1 < count() < whole and back.is_visible()
    days = one.locator(".axis text").all_text_contents()
    assert [one for one in days if re.fullmatch(r"2026-\d\d-\d\d", one)]
    nights.keyboard.press("Escape")
    assert count() == whole and not back.is_visible()
    one.locator("[tabindex='0']").focus()
    label = nights.evaluate(FOCUSED)
    nights.keyboard.press("+")
    assert 1 < count() < whole and nights.evaluate(FOCUSED) == label


def test_pictures_say_the_same_without_the_script(browser, file):
    with opened(browser, file, java_script_enabled=False) as page:
        assert page.locator(FIGURE).is_visible()
        assert not page.locator(".charts").is_visible()
    with opened(browser, file) as page:
        assert page.locator(".charts").is_visible()
        assert not page.locator(FIGURE).is_visible()
        assert page.locator("details:has(> figure[data-chart-of]) + .files").is_visible()
        page.get_by_text("The same as a picture").click()
        assert page.locator(FIGURE).is_visible()


def test_more_charts_and_pictures_are_folded(browser, tmp_path_factory):
    file = written(tmp_path_factory, synthetic_trend.many(20, 30, 40))
    with opened(browser, file) as page:
        charts = page.locator("[data-chart=nights]")
        assert charts.count() == 20
        assert page.locator("[data-chart=nights]:visible").count() == 8
        page.get_by_text("12 more", exact=True).first.click()
        charts.nth(8).locator("> svg").wait_for()
        page.get_by_text("The same as a picture").click()
        pictures = page.locator("details:has(> figure[data-chart-of]) figure img")
        assert pictures.count() > 1 and pictures.first.is_visible()
        assert not pictures.last.is_visible()


def test_a_night_beyond_the_axis_says_its_value(browser, tmp_path):
    data = {
        "first": "2026-01-01",
        "last": 4,
        "low": 90.0,
        "high": 110.0,
        "series": [{"at": [[0, 1], [4, 4]], "values": [100, 900, 101]}],
        "levels": [[0, 100, 4, 100]],
        "stop": 4,
    }
    file = tmp_path / "page.html"
    file.write_text(page_of("nights", [data, data | {"unit": "sectors"}]), encoding="utf-8")
    with opened(browser, file) as page:
        times, counts = page.locator(".chart").all()
        times.locator(".point").first.wait_for()
        assert times.locator(".point").evaluate_all(LABELS) == [
            "2026-01-01, 100 ns",
            "2026-01-02, 900 ns, beyond the axis",
            "2026-01-05, 101 ns",
        ]
        heights = times.locator(".point").evaluate_all(
            "all => all.map((e) => Number(/ ([-.0-9]+)[)]/.exec(e.getAttribute('transform'))[1]))"
        )
        assert heights[1] == 30 < heights[2] < heights[0], "at the upper end"
        assert times.locator(".stop").get_attribute("d")
        label = counts.locator(".point").first.get_attribute("aria-label")
        assert label == "2026-01-01, 100 ⁨sectors⁩"
