"""The page of a run that counts: figures by suite, listings, tables, and no times."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from matplotlib.figure import Figure

from reports import counted_page, figures, listing, load, render, synthetic, synthetic_counts, write
from reports.model import Run
from reports.page_test import HOSTILE, Page, pages_of, run_page, written

Json = synthetic.Json
COUNTED = "run-synthetic-emulated.html"


def parsed(made: Json) -> Run:
    return load.parse(synthetic.document(made)).runs[0]


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[Page, str, Path]:
    """The page of a run that counts, beside one with times, its text, and the folder of both."""
    folder = tmp_path_factory.mktemp("both")
    times = synthetic.run(
        "synthetic-times", "cpu", [synthetic.case("sums/tree/f32/n=64", 5e4, bytes=256.0)]
    )
    write.write(load.parse(synthetic.document(synthetic_counts.run(), times)), folder)
    text = (folder / COUNTED).read_text(encoding="utf-8")
    return Page(text), text, folder


def test_runs_that_count_stand_behind_those_with_times(both: tuple[Page, str, Path]) -> None:
    page, _, folder = both
    pages = pages_of(folder)
    contents = [link for link in pages["index.html"].links if link.startswith("run-")]
    assert contents[-2:] == ["run-synthetic-times.html", COUNTED]
    assert "9 counted, 1 unsupported" in page.text
    assert "Annotated sources" in page.text
    assert "Annotated sources" not in pages["run-synthetic-times.html"].text


def test_no_time_stands_on_the_page_of_a_run_that_counts(both: tuple[Page, str, Path]) -> None:
    words = both[0].text
    for word in (
        "Median",
        "interval",
        "Rate",
        "roof",
        "Ceilings",
        "Spread",
        "wall time",
        "Whiskers",
    ):
        assert word not in words, word
    assert not re.search(r"\d (ns|us|ms|s)\b|/s\b", words)
    assert "Median" in pages_of(both[2])["run-synthetic-times.html"].text


def test_every_case_has_its_counts_and_a_link_to_its_listing(both: tuple[Page, str, Path]) -> None:
    page, _, folder = both
    assert all(case["name"] in page.text for case in synthetic_counts.run()["cases"])
    assert "wgmma.mma_async" in page.text
    links = [link for link in page.links if "listings/" in link]
    assert len(links) == 9 + 6, "each counted case, and each file"
    for link in links:
        file, _, anchor = link.partition("#")
        listed = (folder / file).read_text(encoding="utf-8")
        assert not anchor or f'id="{anchor}"' in listed


def test_counts_are_told_case_by_case() -> None:
    run = parsed(synthetic_counts.run())
    tiled = next(case for case in run.cases if case.name == "turning/tiled/f32/rows=512,cols=512")
    assert counted_page.counts(tiled) == (
        "4",
        "4",
        "16.5",
        "32",
        "2.09715e+06",
        "2.09715e+06",
        "2.09715e+06 B",
    )
    names, rows = counted_page.every_metric(run)
    assert "global_load_sectors ↓" in names
    assert "lanes_per_request ↑" in names
    texts = dict(rows)["stepping/step/f32/stride=8,elements=65536"]
    assert texts[names.index("global_load_sectors ↓")] == "65536", "as it is said"
    assert len(rows) == 9


def test_figures_are_files_by_suite_and_go_when_they_are_no_longer_drawn(
    both: tuple[Page, str, Path],
) -> None:
    page, _, folder = both
    names = {file.name for file in (folder / "figures").glob("*counts_*")}
    assert names == {
        f"synthetic-emulated-counts_{kind}-{suite}.{format_}"
        for format_ in render.FORMATS
        for suite in ("product", "stepping", "turning")
        for kind in ("sectors", "wavefronts", "bytes")
        if (kind, suite) != ("wavefronts", "stepping")
    }
    assert all(len(image["alt"] or "") > 40 for image in page.all("img"))


def test_a_suite_whose_own_figure_draws_counts_begins_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def draw(run: Run, figure: Figure) -> bool:
        figure.subplots()
        return run.counted

    own = [
        figures.Kind(name, "Own", "", 0, "run", draw, lambda _: [])
        for name in ("turning", "roofline")
    ]
    others = figures.kinds("suite")
    monkeypatch.setattr(figures, "kinds", lambda of: own if of == "run" else others)
    drawn = dict(render.count_pictures(parsed(synthetic_counts.run()), render.Files(tmp_path)))
    assert [picture.name for picture in drawn["turning"]][:2] == [
        "turning",
        "counts_sectors-turning",
    ]
    assert not [
        picture for pictures in drawn.values() for picture in pictures if picture.name == "roofline"
    ]


def test_what_an_earlier_report_wrote_is_removed(tmp_path: Path) -> None:
    write.write(load.parse(synthetic.document(synthetic_counts.run())), tmp_path)
    assert list((tmp_path / "listings").iterdir())
    (tmp_path / "listings" / "notes.html").write_text("not ours")
    write.write(
        load.parse(synthetic.document(synthetic.run("synthetic-none", "cpu", []))), tmp_path
    )
    assert [file.name for file in (tmp_path / "listings").iterdir()] == ["notes.html"]
    assert not list((tmp_path / "figures").iterdir())


def test_a_run_in_which_nothing_was_counted_has_a_page(tmp_path: Path) -> None:
    failed = synthetic.case(
        "a/b/f32/n=1", outcome="wrong_result", reason="race (read after write): held[3]"
    )
    text = run_page(tmp_path, synthetic.run("synthetic-x", "emulated", [failed])).text
    assert "1 wrong_result" in text
    assert "race (read after write): held[3]" in text
    assert "No figure is drawn" in text


def hostile() -> Json:
    """Every text that comes from a worker is an attack."""
    name = HOSTILE.replace("/", "|")
    site = synthetic_counts.site(HOSTILE, f"../{HOSTILE}", 2, "global load", 8, sectors=32)
    odd = synthetic_counts.site(HOSTILE, "", 0, HOSTILE, 8) | {"line": 0}
    made = synthetic.run(
        HOSTILE,
        "emulated",
        [synthetic_counts.counted(f"{name}/{name}/f32/n={at}", [site, odd], [0]) for at in (1, 2)],
    )
    made["sources"] = [
        {
            "file": f"../{HOSTILE}",
            "text": f"{HOSTILE}\r\n{HOSTILE}\n</code></table><script>{HOSTILE}",
        }
    ]
    made["id"] = HOSTILE
    return made


def test_a_hostile_source_is_text_and_nothing_else(tmp_path: Path) -> None:
    pages = written(tmp_path, synthetic.document(hostile(), hostile()))
    assert len(pages) == 7
    for page in pages.values():
        page.expect_text_only()
    assert {file.parent for file in tmp_path.rglob("*.html")} == {tmp_path, tmp_path / "listings"}


def test_listings_need_nothing_but_each_other(both: tuple[Page, str, Path]) -> None:
    files = sorted((both[2] / "listings").iterdir())
    assert len(files) == 6
    for file in files:
        page = Page(file.read_text(encoding="utf-8"))
        links = [
            value or ""
            for _, found in page.elements
            for key, value in found.items()
            if key in ("src", "href")
        ]
        assert all(
            link.startswith("#") or (file.parent / link.partition("#")[0]).exists()
            for link in links
        ), file
        chosen = [one for one in page.all("section") if "chosen" in (one["class"] or "")]
        assert len(chosen) == 1
        assert chosen[0] == page.all("section")[-1], (
            "the style shows it unless one before it is the target"
        )


def test_a_page_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "MOST_CASES", 3)
    run = parsed(synthetic_counts.run())
    (step,) = [page for page in listing.pages(run, "") if page.file == "kernels/step/step.cu"]
    assert (len(step.listings), step.more_cases) == (3, 2)
    write.write(load.parse(synthetic.document(synthetic_counts.run())), tmp_path)
    (file,) = (tmp_path / "listings").glob("*step.cu.html")
    assert "2 more cases are left out" in file.read_text(encoding="utf-8")
