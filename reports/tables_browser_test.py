"""Tables in a browser: what is searched, filtered and sorted, and that an address keeps it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from reports.browser import opened

MANY = 1200  # rows; those of one suite are more than what is shown at once
AT_ONCE = 100  # of tables.js

# Answers the names of the rows that the table has before the browser draws again.
_SEARCH = """words => {
  const box = document.querySelector("input[type=search]");
  box.value = words;
  box.dispatchEvent(new Event("input"));
  return [...document.querySelector("tbody").rows].map((row) => row.dataset.name);
}"""

_HAS_ROWS = "count => document.querySelector('tbody').rows.length === count"


@pytest.fixture
def cases(browser, report_folder):
    with opened(browser, report_folder / "cases.html") as page:
        yield page


def shown(page) -> list[str]:
    return page.evaluate(
        "() => [...document.querySelectorAll('table.worked tbody tr')]"
        ".filter((row) => row.checkVisibility()).map((row) => row.dataset.name)"
    )


def fragment(page) -> str:
    return page.evaluate("() => location.hash")


def test_words_in_any_order_narrow_the_table(cases):
    whole = shown(cases)
    cases.locator("input[type=search]").fill("NAIVE gemm")
    expected = [name for name in whole if name.startswith("gemm/naive/")]
    assert shown(cases) == expected and 0 < len(expected) < len(whole)
    count = cases.get_by_role("status")
    assert count.inner_text() == f"{len(expected)} of {len(whole)} cases"
    cases.wait_for_function("() => location.hash === '#q=NAIVE%20gemm'")
    cases.get_by_role("button", name="Clear").click()
    assert shown(cases) == whole
    assert fragment(cases) in ("", "#")


def test_a_reload_and_the_way_back_keep_what_was_set(cases):
    cases.get_by_label("Suite").select_option("gemm")
    cases.get_by_role("button", name="Share of roof").click()
    cases.get_by_role("button", name="Share of roof").click()
    set_up, names = fragment(cases), shown(cases)
    assert set_up == "#suite=gemm&sort=-3"
    cases.reload()
    assert (fragment(cases), shown(cases)) == (set_up, names)
    cases.locator("a[data-case]:visible").first.click()
    cases.wait_for_url("**/cases/*.html#*")
    cases.go_back()
    cases.wait_for_url("**/cases.html#*")
    assert (fragment(cases), shown(cases)) == (set_up, names)
    assert cases.get_by_label("Suite").input_value() == "gemm"


def test_an_address_sets_the_table_and_a_changed_one_anew(browser, report_folder):
    with opened(browser, report_folder / "cases.html", "#q=%zz&suite=nonsense&sort=99") as page:
        assert shown(page) == []
        assert page.get_by_label("Suite").input_value() == ""
        page.evaluate("() => { location.hash = 'suite=scan'; }")
        page.wait_for_function("() => document.querySelector('select').value === 'scan'")
        assert shown(page) and all(name.startswith("scan/") for name in shown(page))


def test_heads_sort_up_down_and_back(cases):
    before = shown(cases)
    head = cases.locator("th", has=cases.get_by_role("button", name="Median"))
    values = (
        "() => [...document.querySelectorAll('tbody tr')]"
        ".map((row) => row.cells[1].dataset.value ?? '').map(Number.parseFloat)"
    )
    head.get_by_role("button").press("Enter")
    assert head.get_attribute("aria-sort") == "ascending"
    up = cases.evaluate(values)
    assert up == sorted(up) and len(set(up)) > 3
    head.get_by_role("button").press("Enter")
    assert head.get_attribute("aria-sort") == "descending"
    assert cases.evaluate(values) == sorted(up, reverse=True)
    head.get_by_role("button").press("Enter")
    assert head.get_attribute("aria-sort") is None
    assert shown(cases) == before


def test_unknown_values_come_last_and_rows_below_follow(browser, report_folder, tmp_path):
    rows = [("b", "2"), ("none", None), ("a", "10"), ("c", "-1e-3")]
    body = "".join(
        f"<tr data-name={name}><td>{name}</td>"
        f"<td{f' data-value={value}' if value else ''}>x</td></tr>"
        f"<tr class=below data-name=under-{name}><td colspan=2>words{name}</td></tr>"
        for name, value in rows
    )
    page_file = tmp_path / "cases.html"
    page_file.write_text(with_rows(report_folder, body, ("text", "number")), encoding="utf-8")
    for sort, expected in (("2", "c b a none"), ("-2", "a b c none"), ("-1", "none c b a")):
        with opened(browser, page_file, f"#sort={sort}") as page:
            names = expected.split()
            assert shown(page) == [one for name in names for one in (name, f"under-{name}")]
            page.locator("input[type=search]").fill("wordsb")
            assert shown(page) == ["b", "under-b"]


def with_rows(report_folder: Path, body: str, sorts: tuple[str, ...]) -> str:
    """The page of all cases with another table in place of its own."""
    text = (report_folder / "cases.html").read_text(encoding="utf-8")
    heads = "".join(f"<th data-sort={sort}>{sort}</th>" for sort in sorts)
    table = f"<thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"
    return re.sub(r"<thead>.*</table>", lambda _: table, text, flags=re.DOTALL)


@pytest.fixture
def many_cases(browser, report_folder, tmp_path):
    text = (report_folder / "cases.html").read_text(encoding="utf-8")
    (body,) = re.findall(r"<tbody>(.*)</tbody>", text, flags=re.DOTALL)
    rows = re.findall(r"<tr .*?</tr>", body, flags=re.DOTALL)
    many = (rows * (MANY // len(rows) + 1))[:MANY]
    page_file = tmp_path / "cases.html"
    page_file.write_text(text.replace(body, "".join(many)), encoding="utf-8")
    with opened(browser, page_file) as page:
        yield page


def test_who_searches_many_rows_has_the_first_at_once_and_all_when_they_go_on(many_cases):
    """However many fit, the browser has few to lay out before it answers."""
    names = shown(many_cases)
    assert len(names) == MANY
    gemm = [name for name in names if name.startswith("gemm/")]
    assert AT_ONCE < len(gemm) < MANY
    search = many_cases.get_by_role("searchbox")
    search.focus()
    many_cases.wait_for_function(_HAS_ROWS, arg=AT_ONCE)
    assert many_cases.evaluate(_SEARCH, "gemm") == gemm[:AT_ONCE]
    search.blur()
    many_cases.wait_for_function(_HAS_ROWS, arg=len(gemm))
    assert shown(many_cases) == gemm
    search.focus()
    assert many_cases.evaluate(_SEARCH, "nothing has these") == []
    assert many_cases.evaluate(_SEARCH, "") == names[:AT_ONCE]
    many_cases.mouse.wheel(0, 2000)
    many_cases.wait_for_function(_HAS_ROWS, arg=MANY)
    assert shown(many_cases) == names


def test_print_has_all_rows_while_a_search_holds_some_back(many_cases):
    many_cases.get_by_role("searchbox").focus()
    many_cases.wait_for_function(_HAS_ROWS, arg=AT_ONCE)
    many_cases.evaluate("() => dispatchEvent(new Event('beforeprint'))")
    assert len(shown(many_cases)) == MANY
