"""Addresses of cases in a browser: `#case=NAME` leads to the case from any page."""

from __future__ import annotations

from urllib.parse import quote

import pytest

from reports import load, synthetic, synthetic_history, write
from reports.browser import opened


def a_case(folder) -> str:
    """One that is not the first of its page."""
    text = (folder / "cases" / "02.html").read_text(encoding="utf-8")
    return text.split(' data-case="')[2].split('"')[0]


@pytest.mark.parametrize("start", ["index.html", "cases.html", "cases/01.html", "cases/02.html"])
def test_a_case_is_found_from_any_page(browser, report_folder, start):
    name = a_case(report_folder)
    with opened(browser, report_folder / start, f"#case={quote(name, safe='')}") as page:
        page.wait_for_url("**/cases/02.html#case=*")
        alone = page.locator("section.case:visible")
        assert alone.count() == 1 and alone.get_attribute("data-case") == name
        assert not page.locator(".contents").is_visible()
        page.get_by_role("link", name="All cases of this page").click()
        page.wait_for_function("() => !document.querySelector('section.case[hidden]')")
        assert page.locator(".contents").is_visible()
        page.go_back()
        page.wait_for_function("() => document.querySelector('section.case[hidden]')")


def test_back_leads_to_where_one_came_from_and_not_forth_again(browser, report_folder):
    name = a_case(report_folder)
    with opened(browser, report_folder / "cases.html") as page:
        page.goto((report_folder / "index.html").as_uri() + f"#case={quote(name, safe='')}")
        page.wait_for_url("**/cases/02.html#case=*")
        page.go_back()
        page.wait_for_url("**/cases.html*")
        assert "#case=" not in page.url


@pytest.mark.parametrize("name", ["no/such/case", "%", "__proto__", "'\"><img src=x>", "a=b&c"])
def test_a_name_that_no_case_has_ends_at_the_table_of_all_which_says_so(
    browser, report_folder, name
):
    with opened(browser, report_folder / "index.html", f"#case={quote(name, safe='')}") as page:
        page.wait_for_url("**/cases.html#case=*")
        table = page.locator("table.worked")
        said = page.get_by_role("status").filter(has_text="No case")
        assert said.inner_text() == f"No case of this report is called \u2068{name}\u2069."
        assert said.bounding_box()["y"] < table.bounding_box()["y"]
        page.evaluate("() => { location.hash = 'case=another'; }")
        page.wait_for_function(
            "() => document.querySelector('.no-case').innerText.includes('anoth')"
        )
        assert said.count() == 1
        page.evaluate("() => { location.hash = 'q=gemm'; }")
        page.wait_for_function("() => !document.querySelector('.no-case')")
        assert table.is_visible()


def test_nothing_is_said_of_a_name_that_a_case_has(browser, report_folder):
    name = a_case(report_folder)
    with opened(browser, report_folder / "cases" / "02.html", f"#case={quote(name)}") as page:
        page.locator(".all-of-page").wait_for()
        assert page.locator(".no-case").count() == 0


def test_a_device_that_is_called_cases_is_not_taken_for_the_table(browser, tmp_path):
    run = synthetic.run("my-cases", "cpu", [synthetic.case("copy/plain/f32/n=1", 1000.0)])
    past = synthetic_history.history(run, ["copy/plain/f32/n=1"], 2)
    document = synthetic.document(run) | {"histories": [past]}
    write.write(load.parse(document), tmp_path, formats=())
    with opened(browser, tmp_path / "index.html", "#case=no/such") as page:
        page.locator(".no-case").wait_for()
        assert "/cases.html#" in page.url


def test_a_printed_command_is_whole(browser, report_folder):
    with opened(browser, report_folder / "cases" / "01.html") as page:
        page.emulate_media(media="print")
        page.set_viewport_size({"width": 400, "height": 800})
        cut = "all => all.filter((one) => one.scrollWidth > one.clientWidth).length"
        assert page.locator("pre").count() and not page.locator("pre").evaluate_all(cut)
