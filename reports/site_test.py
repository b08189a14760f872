"""All pages of a report together: what leads where, and what they may load."""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path, PurePosixPath
from posixpath import normpath

import pytest

from reports import (
    case_index,
    page,
    script,
    synthetic,
    synthetic_claims,
    synthetic_comparison,
    synthetic_counts,
    synthetic_gate,
    synthetic_history,
    synthetic_trend,
    write,
)
from reports.page_test import Page, pages_of, quickly_written

CASES = 43


def whole() -> synthetic.Json:
    """A document with some of everything."""
    document = synthetic_history.document(CASES, 35)
    document["runs"].append(synthetic.document(synthetic_counts.run())["runs"][0])
    names = [one["name"] for one in document["histories"][0]["cases"]]
    gate = synthetic_gate.of([synthetic_gate.verdict(names[1], "regression", 0.08, 12)])
    trend = synthetic_trend.document(synthetic_trend.trend(12, 30))["trends"]
    run = document["runs"][0]
    claims = synthetic_claims.device(run["device"], [names[0], names[41], "gone"], [run["id"]])
    more = {"gates": [gate, synthetic_gate.gate(3)], "trends": trend, "claims": [claims]}
    return document | more | {"comparisons": [synthetic_comparison.comparison(6)]}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Page], Path]:
    folder = tmp_path_factory.mktemp("site")
    return quickly_written(folder, whole()), folder


def test_each_thing_has_a_page(site: tuple[dict[str, Page], Path]) -> None:
    names = {name for name in site[0] if not name.startswith("listings/")}
    assert names == {
        "index.html",
        "cases.html",
        "claims.html",
        "cases/01.html",
        "cases/02.html",
        "run-synthetic-h200.html",
        "run-synthetic-emulated.html",
        "device-01.html",
        "gate-synthetic-cpu-2c.html",
        "gate-synthetic-cpu-2c-2.html",
        "nights-synthetic-gpu.html",
        "comparison-synthetic-small-gpu_and_synthetic-large-gpu.html",
    }
    assert len(site[0]) > len(names)


def test_every_link_leads_to_a_place_that_is_there(site: tuple[dict[str, Page], Path]) -> None:
    pages, folder = site
    for name, shown in pages.items():
        assert len(shown.ids) == len(set(shown.ids)), name
        for link in shown.links:
            if link.startswith("https://"):
                assert link.startswith(synthetic_history.COMMITS)
                continue
            file, _, anchor = link.partition("#")
            to = normpath(PurePosixPath(name).parent / file) if file else name
            assert (folder / to).is_file(), (name, link)
            setting = "=" in anchor  # of the script
            assert not anchor or setting or anchor in pages[to].ids, (name, link)


def test_all_pages_can_be_reached_from_each(site: tuple[dict[str, Page], Path]) -> None:
    pages, _ = site
    for name, shown in pages.items():
        root = "../" * name.count("/")
        own = {one for one in pages if "/" not in one}
        assert {root + one for one in own} <= set(shown.links), name
        current = [one["href"] for one in shown.all("a") if "aria-current" in one]
        assert current == ([name] if name in own else []), name


def test_only_the_script_and_the_style_sheet_of_all_pages_act(
    site: tuple[dict[str, Page], Path],
) -> None:
    def hashed(text: str) -> str:
        return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()

    for name, shown in site[0].items():
        shown.expect_still()
        (policy,) = (
            one["content"] or ""
            for one in shown.all("meta")
            if one.get("http-equiv") == "Content-Security-Policy"
        )
        (sheet,) = shown.inside["style"]
        blocks = zip(shown.all("script"), shown.inside["script"], strict=True)
        run = [text for attributes, text in blocks if "type" not in attributes]
        assert len(run) == 1, "expect_still() says which"
        allowed = f"'sha256-{hashed(run[0])}'"
        assert policy == (
            f"default-src 'none'; script-src {allowed}; style-src 'sha256-{hashed(sheet)}'; "
            "img-src 'self' data:; base-uri 'none'; form-action 'none'"
        ), name


def test_the_script_ends_where_it_should() -> None:
    assert not re.search(r"</script|<!--", script.text(), re.IGNORECASE)
    assert "</style" not in page.style()


def test_a_report_knows_its_own_pages(site: tuple[dict[str, Page], Path]) -> None:
    pages, folder = site
    assert all(write.is_page(folder / name) for name in pages)


def test_nothing_is_lost_without_the_script(site: tuple[dict[str, Page], Path]) -> None:
    pages, _ = site
    names = [one["name"] for one in whole()["histories"][0]["cases"]]
    links = [one for one in pages["cases.html"].all("a") if "data-case" in one]
    assert sorted(one["data-case"] or "" for one in links) == sorted(names)
    for one in (pages["cases/01.html"], pages["cases/02.html"]):
        charts = [chart["id"] for chart in one.all("div") if "data-chart" in chart]
        assert charts
        tables = len(one.all("table"))
        assert tables >= len(charts), "a table for each chart"


def test_each_chart_has_its_data(site: tuple[dict[str, Page], Path]) -> None:
    for shown in site[0].values():
        charts = [one["id"] or "" for one in shown.all("div") if "data-chart" in one]
        blocks = [one["data-for"] or "" for one in shown.all("script") if "data-for" in one]
        assert set(charts) <= set(blocks)
        drawn = [shown.data(id) for id in charts]
        shared = {one[key] for one in drawn for key in ("runs", "calendar") if key in one}
        assert set(blocks) == set(charts) | shared


def test_a_later_report_of_fewer_cases_leaves_no_page_of_the_earlier(
    tmp_path: Path,
) -> None:
    quickly_written(tmp_path, synthetic_history.document(CASES, 3))
    assert (tmp_path / "cases" / "02.html").is_file()
    left = quickly_written(tmp_path, synthetic_history.document(2, 3))
    pages = {"index.html", "cases.html", "cases/01.html", "device-01.html"}
    assert set(left) == {*pages, "run-synthetic-h200.html"}
    none = quickly_written(tmp_path, synthetic.document(synthetic.run("synthetic-x", "cpu", [])))
    assert set(none) == {"index.html", "run-synthetic-x.html"}


def test_pages_that_are_made_in_processes_are_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = synthetic_history.document(case_index.MOST_CASES + 1, 3)
    quickly_written(tmp_path / "one", document)
    monkeypatch.setattr(write, "_MANY", 1)
    quickly_written(tmp_path / "many", document)

    def texts(folder: Path) -> dict[str, str]:
        return {name: (folder / name).read_text(encoding="utf-8") for name in pages_of(folder)}

    assert texts(tmp_path / "one") == texts(tmp_path / "many")


def test_a_page_that_cannot_be_made_leaves_no_overview_and_nothing_half(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = synthetic_history.document(2, 3)
    quickly_written(tmp_path, document)

    def text(_: page.Site, number: int, __: object) -> str:
        (tmp_path / f"cases/{number:02}.html.part").write_text("half")
        raise OSError("disk full")

    monkeypatch.setattr(page.Site, "_case_page", text)
    with pytest.raises(OSError, match="disk full"):
        quickly_written(tmp_path, document)
    assert not list(tmp_path.rglob("*.html"))
    assert not list(tmp_path.rglob("*.part"))
