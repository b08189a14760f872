from __future__ import annotations

from pathlib import Path

import pytest

from reports import (
    compared,
    comparison_page,
    first_screen,
    load,
    load_test,
    page,
    render,
    synthetic,
    synthetic_comparison,
)
from reports.model_comparison import Comparison
from reports.page_test import HOSTILE, Page
from reports.section import Section

Json = synthetic.Json
case = synthetic_comparison.case


def parsed(document: Json) -> Comparison:
    return load.parse(synthetic.document() | {"comparisons": [document]}).comparisons[0]


def html_of(document: Json, figures: list[tuple[render.Picture, ...]] | None = None) -> str:
    section = Section("comparison", "compared", parsed(document), figures or [])
    template = page.environment().get_template("comparison.html.jinja")
    return template.render(one=comparison_page.section(section))


def page_of(document: Json) -> Page:
    return Page(html_of(document))


def gemm(n: int, share_a: float = 0.5, share_b: float = 0.5, **more: object) -> Json:
    return case(f"gemm/naive/f32/n={n}", 2.7e8, 3e6, share_a, share_b, **more)


def of(*cases: Json, **more: object) -> Json:
    return synthetic_comparison.times(cases, **more)


@pytest.mark.parametrize("number", [1, 40, 130])
def test_every_case_stands_in_the_tables(number: int) -> None:
    document = synthetic_comparison.comparison(number)
    shown = page_of(document)
    for one in document["cases"]:
        assert one["case"] in shown.text
    folded = [attributes for attributes in shown.all("details") if "open" not in attributes]
    assert len(folded) == (0 if number <= comparison_page.OPEN_ROWS else 4), (
        "a long table is folded, suite by suite"
    )
    assert len(shown.all("section")) == 1
    assert shown.all("section")[0]["id"] == "compared"


def test_what_was_not_compared_is_listed_with_its_reason() -> None:
    document = synthetic_comparison.odd()
    shown = page_of(document).text
    for one in document["cases"]:
        assert one["case"] in shown
        assert one.get("not_compared", "") in shown
    for one in document["one_sided"]:
        assert one["case"] in shown
        assert one.get("why", "") in shown
    assert "In A's run alone" in shown
    assert "In B's run alone" in shown
    groups = shown[shown.index("Not compared") :]
    assert groups.index("B: crashed: killed by signal 11") < groups.index(
        "measured differently: graph cold -> loop hot"
    )
    assert "2 cases" in groups


def test_differences_come_before_any_number() -> None:
    document = synthetic_comparison.comparison(6, differences=synthetic_comparison.DIFFERENCES)
    text = page_of(document).text
    first = text.index("6 cases compared")
    for said in synthetic_comparison.DIFFERENCES:
        assert text.index(said) < first
    assert any(box.get("class") == "box doubt" for box in page_of(document).all("div"))
    plain = page_of(synthetic_comparison.comparison(6))
    assert "this differs" not in plain.text
    assert not any(box.get("class") == "box doubt" for box in plain.all("div"))


def test_many_differences_are_folded_and_not_cut() -> None:
    differences = [f"setting: number {n}: on -> off" for n in range(30)]
    shown = page_of(synthetic_comparison.comparison(1, differences=differences))
    assert all(said in shown.text for said in differences)
    assert "22 more" in shown.text


def test_it_is_no_verdict_and_says_who_gives_one() -> None:
    text = page_of(synthetic_comparison.comparison(6)).text
    assert "ridgeline gate" in text
    assert "docs/how-to-compare.md" in text
    assert "ridgeline compare 20261118T090000Z-aaaaaa 20261119T090000Z-bbbbbb" in text
    assert 'class="good"' not in html_of(synthetic_comparison.odd())


def test_a_row_has_the_words_of_compare() -> None:
    """Those of the documented example, which C++ has written."""
    shown = page_of(load_test.block("Example of a comparison")).text
    for text in (
        "2.00 us",
        "1.60 us",
        "0.800",
        "0.799 to 0.801",
        "0.500",
        "1.60",
        "50.0%",
        "31.2%",
        "dram.copy",
    ):
        assert text in shown
    for text in ("distance: B is farther from its roof", "1.00 TB/s", "2.00 TB/s", "3, 3"):
        assert text in shown


def test_what_has_no_word_says_why() -> None:
    shown = " ".join(page_of(synthetic_comparison.odd()).text.split())
    for text in (
        "per unit of work: B did 1.50 of A's",
        "no interval",
        "measures a roof itself",
        "no roof of both sides",
    ):
        assert text in shown
    assert "of datasheets" in page_of(synthetic_comparison.comparison(1, roofs="datasheet")).text
    partly = of(gemm(1), gemm(2, roofs="none"))
    assert "of 1 case" in page_of(partly).text


def test_the_conclusions_are_said_as_they_are() -> None:
    """Those of the documented example, which C++ has written."""
    text = page_of(load_test.block("Example of a comparison")).text
    for said in (
        "1 case of 1 suite compared.",
        "Geometric means of B over A: 0.800 (0.799 to 0.801; roofs alone 0.500) over 1 case of "
        "gemm.",
        "The hardware explains 0 of 1 case with roofs on both sides, to within 5%; the rest of "
        "the others: distance (1).",
        "1 case only in A.",
    ):
        assert said in text


def beside(document: Json) -> list[str]:
    return [
        line.text
        for line in first_screen.beside(Section("comparison", "compared", parsed(document)))
    ]


def test_the_first_screen_says_what_a_and_b_are() -> None:
    assert beside(of(gemm(1))) == [
        "A is synthetic-small-gpu, B is synthetic-large-gpu: 1 cases compared",
        "nothing is explained",
    ]


def test_runs_of_one_model_are_told_apart() -> None:
    document = of(gemm(1))
    document["b"] |= {"model": "synthetic-small-gpu"}
    read = parsed(document)
    assert beside(document)[0].startswith(
        "A is run 20261118T090000Z-aaaaaa, B is run 20261119T090000Z-bbbbbb: "
    )
    assert compared.title(read) == "Two runs of synthetic-small-gpu"
    assert compared.sides(read) == (f"run {read.a.id}", f"run {read.b.id}")


def test_changed_counts_are_exact() -> None:
    document = synthetic_comparison.counts(7)
    huge = {"metric": "bytes", "unit": "B", "a": 2.0**53 - 1, "b": 2.0**53 - 2, "ratio": 1.0}
    document["counted"][0]["changed"].append(synthetic_comparison.worded(huge))
    shown = page_of(document).text
    assert "A: unsupported: needs sm_90" in shown
    assert "9007199254740991" in shown
    assert "Geometric means" not in shown


def test_many_changed_counts_are_folded_and_not_cut() -> None:
    shown = page_of(synthetic_comparison.counts(300))
    assert "coalescing/strided/f32/stride=298" in shown.text
    assert [attributes for attributes in shown.all("details") if "open" not in attributes]


def hostile() -> Json:
    name = HOSTILE.replace("/", "|")
    cases = [
        case(f"{name}/{name}/f32/n={n}", 1e9, 1e9, 0.5, 0.2) | {"because": HOSTILE}
        for n in range(3)
    ]
    for one in cases:
        one["a"] |= {"roof": HOSTILE, "reason": HOSTILE, "outcome": "unstable"}
        one |= {
            "dtype": HOSTILE,
            "roofs_ratio": 0.5,
            "rest": 2.0,
            "cause": "distance",
            "roofs": HOSTILE,
        }
    cases.append(synthetic_comparison.failed(f"{name}/b/f32/d", HOSTILE))
    made = of(
        *cases, differences=[HOSTILE], one_sided=[{"case": HOSTILE, "in": "a", "why": HOSTILE}]
    )
    for side in ("a", "b"):
        made[side] = dict.fromkeys(made[side], f"{HOSTILE}{side}")
    words = {"a": HOSTILE, "b": HOSTILE}
    made["roofs"] = [
        {"roof": HOSTILE, "source": HOSTILE, "unit": HOSTILE, "a": 1.0, "b": 2.0, "words": words}
    ]
    return made


def hostile_counts() -> Json:
    metric = {"metric": HOSTILE, "unit": HOSTILE, "a": 1.0, "b": 2.0, "words": {"a": HOSTILE}}
    cases = [
        {"case": HOSTILE, "equal_counts": 1, "changed": [metric]},
        {"case": HOSTILE, "not_compared": HOSTILE},
    ]
    return synthetic_comparison.counts(0) | {"counted": cases}


@pytest.mark.parametrize("document", [hostile(), hostile_counts()], ids=["times", "counts"])
def test_hostile_names_are_text_and_nothing_else(document: Json, tmp_path: Path) -> None:
    figures = render.paged_pictures("comparison", parsed(document), HOSTILE, render.Files(tmp_path))
    shown = Page(html_of(document, figures))
    shown.expect_still()
    assert len(shown.all("img")) == sum(map(len, figures))
    assert "<script>alert(1)</script>" in shown.text
    assert "49" not in shown.text.replace("0.49", ""), "no template is run"


def test_a_command_is_quoted() -> None:
    document = of(gemm(1))
    document["a"] |= {"id": "x; rm -rf ~"}
    assert "ridgeline compare 'x; rm -rf ~' 20261119T090000Z-bbbbbb" in page_of(document).text
