"""The roofline that the script draws is the figure's: suites look the same in both, and each roof
has a name that can be read."""

from __future__ import annotations

import json
import math
import re

import pytest
from matplotlib.markers import MarkerStyle

from reports import plot
from reports.browser import opened
from reports.charts_browser_test import page_of

PLACES = range(len(plot.COLOURS) * len(plot.MARKERS))
LEAST_CONTRAST = 3.0  # of what is no text: WCAG 2, 1.4.11
SEEN = """all => all.map((one) => {
  const { fill, stroke } = getComputedStyle(one);
  const paper = getComputedStyle(document.body).backgroundColor;
  return { d: one.getAttribute("d"), fill, stroke, paper };
})"""


@pytest.fixture
def every_look(tmp_path):
    """A page with a point of each look, from left to right."""
    suites = [
        {"name": f"s{at}", "colour": at % len(plot.COLOURS), "shape": at % len(plot.MARKERS)}
        for at in PLACES
    ]
    points = [{"suite": f"s{at}", "intensity": 2.0**at, "rate": 1e12} for at in PLACES]
    file = tmp_path / "page.html"
    file.write_text(page_of("roofline", [{"points": points, "suites": suites}]), encoding="utf-8")
    return file


def marks(browser, file, scheme: str = "light") -> list[dict[str, str]]:
    with opened(browser, file, color_scheme=scheme) as page:
        page.locator(".point").first.wait_for()
        return page.locator(".point .mark").evaluate_all(SEEN)


def colour_of(css: str) -> tuple[float, ...]:
    """Red, green and blue as shares of one: of "rgb(0, 114, 178)" or "color(srgb 0 0.4 0.7)"."""
    numbers = [float(one) for one in re.findall(r"[\d.]+", css)][:3]
    return tuple(numbers if css.startswith("color(srgb") else (one / 255 for one in numbers))


def luminance(colour: tuple[float, ...]) -> float:
    """By WCAG 2."""
    red, green, blue = (
        one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in colour
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(a: tuple[float, ...], b: tuple[float, ...]) -> float:
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


def corners(path: str) -> list[float]:
    """Of a drawn polygon, by their angles in degrees."""
    numbers = [float(one) for one in re.findall(r"-?[\d.]+", path)]
    places = zip(numbers[::2], numbers[1::2], strict=True)
    return sorted(math.degrees(math.atan2(-y, x)) % 360 for x, y in places)


def corners_of_figures(marker: str) -> list[float]:
    style = MarkerStyle(marker)
    (polygon,) = style.get_path().transformed(style.get_transform()).to_polygons()
    return sorted(math.degrees(math.atan2(y, x)) % 360 for x, y in polygon[:-1])


def test_print_names_the_suites_that_are_shown(browser, every_look):
    with opened(browser, every_look) as page:
        page.locator(".point").first.wait_for()
        page.locator(".legend button").nth(1).click()
        page.emulate_media(media="print")
        shown = page.locator(".legend button").evaluate_all(
            "all => all.map((one) => one.checkVisibility())"
        )
    assert shown == [at != 1 for at in PLACES]


def test_colours_are_those_of_the_figures(browser, every_look):
    for place, one in enumerate(marks(browser, every_look)):
        expected = plot.COLOURS[place % len(plot.COLOURS)].lstrip("#")
        assert colour_of(one["fill"]) == tuple(byte / 255 for byte in bytes.fromhex(expected))


def test_shapes_are_those_of_the_figures(browser, every_look):
    drawn = marks(browser, every_look)
    assert "a" in drawn[0]["d"], "an arc"
    assert plot.MARKERS[0] == "o"
    for place, marker in enumerate(plot.MARKERS[1:], start=1):
        found, expected = corners(drawn[place]["d"]), corners_of_figures(marker)
        assert len(found) == len(expected), marker
        nearest = min(
            sum(abs((a - b + 180) % 360 - 180) for a, b in zip(found, turned, strict=True))
            for turned in (expected[at:] + expected[:at] for at in range(len(expected)))
        )
        assert nearest / len(found) < 8, (marker, found, expected)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_edges_of_marks_can_be_seen(browser, every_look, scheme):
    """Of hollow ones nothing else is drawn; colours that are pale on white have darker edges."""
    drawn = marks(browser, every_look, scheme)
    for seen in ("stroke",) if scheme == "light" else ("stroke", "fill"):
        found = [contrast(colour_of(one[seen]), colour_of(one["paper"])) for one in drawn]
        assert min(found) >= LEAST_CONTRAST, (seen, found)
    assert len({one["fill"] for one in drawn}) == len(plot.COLOURS)


def test_suites_have_the_looks_of_the_figures(browser, report_folder):
    with opened(browser, report_folder / "run-synthetic-h200.html") as page:
        block = page.locator("script.data[data-for$='-chart']").first
        data = json.loads(block.text_content())
        looks = {one["name"]: (one["colour"], one["shape"]) for one in data["suites"]}
        styles = plot.suite_styles(point["suite"] for point in data["points"])
        assert list(looks) == list(styles) and len(looks) > 1
        for suite, (colour, shape) in looks.items():
            assert (plot.COLOURS[colour], plot.MARKERS[shape]) == (
                styles[suite].colour,
                styles[suite].marker,
            )
        page.locator("[data-chart=roofline]").scroll_into_view_if_needed()
        page.locator(".legend button").first.wait_for()
        assert page.locator(".legend button").all_inner_texts() == [
            f"\u2068{one}\u2069" for one in looks
        ]


BOXES = """all => all.map((one) => {
  const { left, right, top, bottom } = one.getBoundingClientRect();
  return { left, right, top, bottom, text: one.textContent };
})"""
AS_WIDE_AS_ITS_PLACE = """() => {
  const drawing = document.querySelector(".drawn > svg");
  return drawing && drawing.viewBox.baseVal.width === drawing.parentElement.clientWidth;
}"""
TOUCH = 1.5  # pixels of a letter's box that are empty


def overlap(a: dict[str, float], b: dict[str, float]) -> bool:
    across = a["left"] < b["right"] - TOUCH and b["left"] < a["right"] - TOUCH
    return across and a["top"] < b["bottom"] - TOUCH and b["top"] < a["bottom"] - TOUCH


def is_inside(a: dict[str, float], b: dict[str, float]) -> bool:
    across = a["left"] >= b["left"] and a["right"] <= b["right"] + TOUCH
    return across and a["top"] >= b["top"] and a["bottom"] <= b["bottom"] + TOUCH


def crowded(count: int, *, slopes: int) -> dict[str, object]:
    """Points everywhere below roofs that lie side by side, and some above them."""
    flats = [
        {"kind": "compute", "name": f"tensor type{at}", "value": 1e15 * 1.03**at}
        for at in range(count)
    ]
    memory = [
        {"kind": "memory", "name": f"level{at}", "value": 4e12 * 1.3**at} for at in range(slopes)
    ]
    drawn = [
        {
            "kind": one["kind"],
            "name": one["name"],
            "text": f"{at}.25 of 989 TFLOP/s",
            "roofs": [
                {"value": one["value"], "origin": ("measured", "not steady")[at % 2]},
                {"value": one["value"] * 1.01, "origin": "datasheet"},
            ],
        }
        for at, one in enumerate(memory + flats)
    ]
    points = [
        {"suite": "s", "intensity": 0.3 * 2.0**x, "rate": min(0.3 * 2.0**x * 8e12, 3e15) / 2.0**y}
        for x in range(20)
        for y in range(8)
    ]
    return {"points": points, "ceilings": drawn}


@pytest.mark.parametrize(("flats", "slopes"), [(4, 3), (12, 3), (5, 0), (0, 3)])
def test_each_roof_has_a_name_that_covers_nothing(browser, tmp_path, flats, slopes):
    data = crowded(flats, slopes=slopes)
    file = tmp_path / "page.html"
    file.write_text(page_of("roofline", [data]), encoding="utf-8")
    with opened(browser, file) as page:
        for width in (1300, 700, 400):
            page.set_viewport_size({"width": width, "height": 900})
            page.wait_for_function(AS_WIDE_AS_ITS_PLACE)
            assert page.locator(".roof.unsteady").count() == (flats + slopes) // 2
            assert page.locator(".roof.sheet").count() == flats + slopes
            names = page.locator(".roofs text").evaluate_all(BOXES)
            words = page.locator(".axis text").evaluate_all(BOXES)
            marks = page.locator(".point .mark").evaluate_all(BOXES)
            (drawing,) = page.locator(".drawn > svg").evaluate_all(BOXES)
            said = " ".join(one["text"] for one in names)
            for ceiling in data["ceilings"]:
                assert ceiling["name"] in said and ceiling["text"] in said
            for at, name in enumerate(names):
                assert not [one for one in (*names[:at], *words, *marks) if overlap(name, one)]
                assert is_inside(name, drawing), (width, name)


def test_the_picture_is_folded_where_the_script_draws_the_same(browser, report_folder):
    page_file = report_folder / "run-synthetic-h200.html"
    picture, summary = "figure[data-chart-of] img", "The same as a picture"
    with opened(browser, page_file, java_script_enabled=False) as page:
        assert page.locator(picture).is_visible()
        assert page.get_by_text(summary).count() == 0
        anchor = page.locator("figure[data-chart-of]").get_attribute("id")
    with opened(browser, page_file) as page:
        assert page.locator(picture).count() == 1 and not page.locator(picture).is_visible()
        assert page.locator("figure:not([data-chart-of]) > .wide > img").first.is_visible()
        page.get_by_text(summary).click()
        assert page.locator(picture).is_visible()
    with opened(browser, page_file, f"#{anchor}") as page:
        assert page.locator(picture).is_visible(), "what an address names is opened"


@pytest.mark.parametrize(("data", "folds"), [(crowded(2, slopes=1), True), ({}, False)])
def test_files_of_a_folded_picture_stay_in_sight(browser, tmp_path, data, folds):
    file = tmp_path / "page.html"
    figure = (
        '<figure id="f" data-chart-of="at0"><p class="picture">x</p>'
        '<p class="files"><a href="figures/x.png">PNG</a></p></figure>'
    )
    text = page_of("roofline", [data]).replace("<script>", f"{figure}<script>")
    file.write_text(text, encoding="utf-8")
    with opened(browser, file) as page:
        assert page.locator(".files a").is_visible()
        assert page.locator(".picture").is_visible() is not folds
