"""All pages of a report in a browser: nothing goes wrong on them, with friendly and with hostile
texts, with and without the script, and people can use them."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path

import pytest

from reports import browser as pages
from reports import load, synthetic, synthetic_hostile, write
from reports.browser import opened
from reports.first_screen_test import many_devices

WIDE, NARROW = {"width": 1200, "height": 900}, {"width": 400, "height": 800}
SEVERE = ("serious", "critical")
_SHOWN = "() => document.querySelector('main').innerText"
_OVERFLOWS = "() => document.documentElement.scrollWidth > innerWidth"
_CUT = "all => all.filter((one) => one.scrollWidth > one.clientWidth).length"
# In parts, so that all that is drawn in sight is drawn.
_SCROLL = """async () => {
  for (let y = 0; y < document.body.scrollHeight; y += 1500) {
    scrollTo(0, y);
    await new Promise((seen) => requestAnimationFrame(() => setTimeout(seen)));
  }
}"""


# Of a page of many cases the first one of each suite: what is looked at takes its square.
_FEW_CASES = """() => {
  const seen = new Set();
  for (const one of document.querySelectorAll("section.case")) {
    const suite = one.dataset.case.split("/")[0];
    if (seen.has(suite)) one.remove();
    seen.add(suite);
  }
}"""


def one_of_each(folder: Path) -> list[Path]:
    """The pages, but of listings and of pages of cases only the first."""
    listings = sorted((folder / "listings").glob("*.html"))
    return [*sorted(folder.glob("*.html")), folder / "cases" / "01.html", *listings[:1]]


@pytest.mark.parametrize("look", [("light", WIDE), ("dark", NARROW)], ids=["wide", "narrow"])
def test_nothing_goes_wrong_on_any_page(browser, report_folder, look):
    scheme, size = look
    for path in one_of_each(report_folder):
        with opened(browser, path, color_scheme=scheme, viewport=size) as page:
            page.evaluate(_SCROLL)
            assert not page.evaluate(_OVERFLOWS), path
            assert page.locator("pre").evaluate_all(_CUT) == 0, "a command that is cut off"
            undrawn = "() => document.querySelectorAll('[data-chart]:not(:has(> svg))').length"
            assert page.evaluate(undrawn) == 0, path


@pytest.mark.parametrize(("devices", "size"), [(10, WIDE), (10, NARROW), (4, WIDE)])
def test_what_devices_reach_fits_a_screen(browser, tmp_path, devices, size):
    document = synthetic.document() | {"histories": many_devices(devices)}
    file = tmp_path / "report.json"
    file.write_text(json.dumps(document), encoding="utf-8")
    overview = write.write(load.load(file), tmp_path / "report", formats=())
    with opened(browser, overview, viewport=size) as page:
        place = page.locator(".wide:has(.reached)")
        assert place.locator("tbody a[href^=device], thead a[href^=device]").count() >= devices
        assert not place.evaluate("one => one.scrollWidth > one.clientWidth")


def test_hostile_texts_are_shown_as_text(browser, hostile_folder):
    shown = ""
    for path in one_of_each(hostile_folder):
        with opened(browser, path, viewport=NARROW) as page:
            page.evaluate(_SCROLL)
            assert page.locator("main script:not(.data), main img[onerror]").count() == 0
            assert page.locator("[onload], [onfocus], [href^='javascript:']").count() == 0
            for label in page.locator("[data-chart] [aria-label]").all()[:3]:
                label.focus()
            assert not page.evaluate(_OVERFLOWS), path
            shown += page.evaluate(_SHOWN)
    assert all(text in shown for text in synthetic_hostile.TEXTS[:3])


def test_hostile_texts_are_searched_filtered_and_found(browser, hostile_folder):
    text = synthetic_hostile.TEXTS[0]
    with opened(browser, hostile_folder / "cases.html", f"#q={text}&suite={text}&sort=x") as page:
        assert page.locator("input[type=search]").input_value() == text
        name = page.locator("a[data-case]").nth(3).get_attribute("data-case")
        page.evaluate("name => { location.hash = `case=${encodeURIComponent(name)}`; }", name)
        page.wait_for_url("**/cases/*.html#case=*")
        assert page.locator("section.case:visible").get_attribute("data-case") == name


def test_without_the_script_tables_are_there(browser, report_folder):
    for path in one_of_each(report_folder):
        with opened(browser, path, java_script_enabled=False) as page:
            tables = page.locator("table").all()
            assert all(
                one.is_visible() or one.locator("xpath=ancestor::details").count() for one in tables
            ), path
            for chart in page.locator("[data-chart]").all()[:4]:
                box = chart.bounding_box()
                assert box is None or box["height"] == 0


@pytest.fixture(scope="session")
def axe() -> str:
    return (resources.files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")


LOOKS = [("light", "dark", WIDE), ("dark", "light", NARROW)]


@pytest.mark.parametrize(("first", "then", "size"), LOOKS)
def test_axe_finds_nothing_severe(browser, report_folder, axe, first, then, size):
    """All that it knows in one colour scheme, and contrast in the other on pages of each kind."""
    found = []
    for path in one_of_each(report_folder):
        with opened(browser, path, color_scheme=first, viewport=size) as page:
            page.evaluate(_FEW_CASES)
            page.evaluate(_SCROLL)
            page.evaluate(axe)
            found += severe(page, {"resultTypes": ["violations"]})
            if path.name in ("index.html", "cases.html", "01.html", "device-01.html"):
                page.emulate_media(color_scheme=then)
                found += severe(page, {"runOnly": {"type": "rule", "values": ["color-contrast"]}})
    assert not found, "\n".join(found)


def severe(page, options: dict[str, object]) -> list[str]:
    """The rules that the page breaks, each with an element that does."""
    result = page.evaluate("options => axe.run(document, options)", options)
    return [
        f"{page.url}: {one['id']}: {one['nodes'][0]['html'][:200]}"
        for one in result["violations"]
        if one["impact"] in SEVERE
    ]


def test_what_goes_wrong_is_seen(browser, tmp_path):
    wrong = {
        "exception: ": "<script>null.x</script>",
        "error: ": "<script>console.error('x')</script>",
        "dialog: ": "<script>alert(1)</script>",
        "request: https://": "<img src='https://x.invalid/' alt=''>",
        "policy: ": "<meta http-equiv='Content-Security-Policy' content=\"script-src 'none'\">"
        "<script>1</script>",
    }
    for expected, text in wrong.items():
        path = tmp_path / "page.html"
        path.write_text(f"<!doctype html><title>x</title>{text}")
        with pytest.raises(AssertionError, match=expected), opened(browser, path) as page:
            page.wait_for_load_state()


def test_a_reason_is_given_where_there_is_no_browser(monkeypatch):
    monkeypatch.setattr(pages, "PROGRAMS", ("no-such-browser",))
    assert "no-such-browser" in pages.missing()
