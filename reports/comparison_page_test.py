from __future__ import annotations

from pathlib import Path

import pytest

from reports import (
    compared,
    comparison_page,
    comparison_words,
    load,
    load_test,
    page,
    render,
    synthetic,
    synthetic_comparison,
)
from reports.model_comparison import CAUSES, Comparison
from reports.page_test import HOSTILE, Page
from reports.section import Section

Json = synthetic.Json
case = synthetic_comparison.case


def parsed(document: Json) -> Comparison:
    return load.parse(synthetic.document() | {"comparisons": [document]}).comparisons[0]


def html_of(document: Json, figures: list[tuple[render.Picture, ...]] | None = None) -> str:
    section = Section("comparison", "compared", parsed(document), figures or [])
    template = page._environment().get_template("comparison.html.jinja")
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
    assert len(folded) == (0 if number <= comparison_page.OPEN_ROWS else 4), "a long table is folded, suite by suite"
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
    read = parsed(document)
    assert comparison_page.not_compared(read) == [
        ("B: crashed: killed by signal 11", ["gemm/naive/f32/n=2048", "gemm/naive/f32/n=4096"]),
        ("measured differently: graph cold -> loop hot", ["gemm/wmma/bf16/n=2048"]),
    ]
    assert comparison_page.one_sided(read, "b") == [("", ["gemm/cublaslt/fp8/n=512"])]


def test_differences_come_before_any_number() -> None:
    document = synthetic_comparison.comparison(6, differences=synthetic_comparison.DIFFERENCES)
    text = page_of(document).text
    first = text.index("takes")
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
    for text in ("2.00 us", "1.60 us", "0.800", "0.799 to 0.801", "0.500", "1.60", "50.0%", "31.2%", "dram.copy"):
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
    assert "(rooflines alone: 0.306, of 1 of them)" in comparison_words.mean(parsed(partly).suites[0])


@pytest.mark.parametrize(
    ("document", "conclusion"),
    [
        (of(), "Nothing could be compared."),
        (of(synthetic_comparison.failed("gemm/naive/f32/n=2")), "Nothing could be compared."),
        (of(gemm(1)), "1 case of 1 suite was compared."),
        (synthetic_comparison.odd(), "11 cases of 4 suites were compared."),
        (synthetic_comparison.counts(0), "Nothing could be compared."),
        (synthetic_comparison.counts(1), "0 of 1 case are equal in every count."),
        (synthetic_comparison.counts(3), "2 of 3 cases are equal in every count."),
        (synthetic_comparison.counts(6), "3 of 5 cases are equal in every count."),
        (
            synthetic_comparison.counts(0)
            | {"cases": [{"case": "a", "equal_counts": 3, "changed": []}], "compared": 1},
            "The case is",
        ),
    ],
)
def test_the_conclusion_says_how_much_was_compared(document: Json, conclusion: str) -> None:
    read = parsed(document)
    assert comparison_words.conclusion(read).startswith(conclusion)
    assert conclusion in page_of(document).text


@pytest.mark.parametrize(
    ("share_b", "words"),
    [
        (0.25, "takes 0.612 of the time of A"),
        (0.5 * 18.9 / 61.8, "takes as long as A"),
        (0.05, "takes 3.06 times as long as A"),
    ],
)
def test_the_ratio_is_said_the_right_way_round(share_b: float, words: str) -> None:
    read = parsed(of(gemm(1, 0.5, share_b)))
    assert f"gemm: B {words}" in comparison_words.sentences(read)[0]
    said = comparison_words.short(read)[0]
    assert said.startswith(f"synthetic-large-gpu {words.replace(' A', ' synthetic-small-gpu')} (")
    assert said.endswith(") over 1 case of gemm (rooflines alone: 0.306).")


@pytest.mark.parametrize(
    ("cases", "words"),
    [
        ([gemm(1)], "The hardware explains the case that has roofs on both sides to within 5%."),
        ([gemm(1), gemm(2)], "The hardware explains all the 2 cases that have roofs on both sides to within 5%."),
        (
            [gemm(1), gemm(2, 0.5, 0.1), gemm(3, 0.1, 0.5), gemm(4, 0.1, 0.5), gemm(5, 0.5, 0.3, disturbed=True)],
            "The hardware explains 1 of the 5 cases that have roofs on both sides to within 5%; the rest of the others "
            "is distance from the roof (3: A is farther for 2, B is farther for 1) or the environment (1).",
        ),
        (
            [gemm(1, 0.5, 0.4, processes=2)],
            "The hardware does not explain the case that has roofs on both sides to within 5%: the rest is unknown "
            "(1).",
        ),
        ([gemm(1, roofs="none")], "No roof of both sides says anything of these cases, so nothing is explained."),
    ],
)
def test_what_the_rooflines_explain_is_counted(cases: list[Json], words: str) -> None:
    assert comparison_words.explained(parsed(of(*cases)), with_sides=True) == words


def test_numbers_of_causes_add_up() -> None:
    read = parsed(synthetic_comparison.comparison(120))
    text = comparison_words.explained(read)
    for cause in CAUSES:
        assert str(sum(one.cause == cause for one in read.cases)) in text
    assert "120" in text


def test_the_first_screen_gets_three_sentences_at_most() -> None:
    several = comparison_words.short(parsed(synthetic_comparison.odd()))
    assert len(several) == 3
    assert several[0] == (
        "Geometric means of the time of synthetic-large-gpu over that of synthetic-small-gpu: 0.289 (no interval) for "
        "5 cases of attention (rooflines alone: 0.399), 1.17 (1.16 to 1.18) for 2 cases of gemm (rooflines alone: "
        "0.306) and 0.900 (0.891 to 0.909) for 1 case of collectives."
    )
    assert several[2] == (
        "Beside the hardware, builds, profiles and inputs differ; 3 cases could not be compared, 1 case is only in "
        "synthetic-small-gpu and 1 case is only in synthetic-large-gpu."
    )
    many = comparison_words.short(parsed(synthetic_comparison.comparison(60)))
    assert many[0].endswith("; 1 more suite.")
    nothing = comparison_words.short(parsed(of(differences=["A's run is interrupted: it may lack cases"])))
    assert nothing == [
        "Of synthetic-small-gpu and synthetic-large-gpu nothing could be compared.",
        "A's run is interrupted: it may lack cases.",
    ]
    roofs = comparison_words.short(parsed(of(synthetic_comparison.measuring("fma.f32", 2e6, 1e6))))
    assert roofs[0] == "1 case of synthetic-small-gpu and synthetic-large-gpu was compared, and no suite has a mean."


def test_runs_of_one_model_are_told_apart() -> None:
    document = of(gemm(1))
    document["b"] |= {"model": "synthetic-small-gpu"}
    read = parsed(document)
    said = comparison_words.short(read)[0]
    assert said.startswith("run 20261119T090000Z-bbbbbb takes 0.306 of the time of run 20261118T090000Z-aaaaaa (")
    assert comparison_words.title(read) == "Two runs of synthetic-small-gpu"
    assert compared.sides(read) == ("A", "B")


def test_changed_counts_are_exact() -> None:
    document = synthetic_comparison.counts(7)
    huge = {"metric": "bytes", "unit": "B", "a": 2.0**53 - 1, "b": 2.0**53 - 2, "ratio": 1.0}
    document["cases"][0]["changed"].append(synthetic_comparison.worded(huge))
    shown = page_of(document).text
    assert "6 counts differ, and 126 are equal. 1 case had other inputs" in shown
    assert "A: unsupported: needs sm_90" in shown
    assert "9007199254740991" in shown
    assert "Geometric means" not in shown


def test_many_changed_counts_are_folded_and_not_cut() -> None:
    shown = page_of(synthetic_comparison.counts(300))
    assert "coalescing/strided/f32/stride=298" in shown.text
    assert [attributes for attributes in shown.all("details") if "open" not in attributes]


def hostile() -> Json:
    name = HOSTILE.replace("/", "|")
    cases = [case(f"{name}/{name}/f32/n={n}", 1e9, 1e9, 0.5, 0.2) | {"because": HOSTILE} for n in range(3)]
    for one in cases:
        one["a"] |= {"roof": HOSTILE, "reason": HOSTILE, "outcome": "unstable"}
        one |= {"dtype": HOSTILE, "roofs_ratio": 0.5, "rest": 2.0, "cause": "distance", "roofs": HOSTILE}
    cases.append(synthetic_comparison.failed(f"{name}/b/f32/d", HOSTILE))
    made = of(*cases, differences=[HOSTILE], one_sided=[{"case": HOSTILE, "in": "a", "why": HOSTILE}])
    for side in ("a", "b"):
        made[side] = dict.fromkeys(made[side], f"{HOSTILE}{side}")
    words = {"a": HOSTILE, "b": HOSTILE}
    made["roofs"] = [{"roof": HOSTILE, "source": HOSTILE, "unit": HOSTILE, "a": 1.0, "b": 2.0, "words": words}]
    return made


def hostile_counts() -> Json:
    metric = {"metric": HOSTILE, "unit": HOSTILE, "a": 1.0, "b": 2.0, "words": {"a": HOSTILE}}
    cases = [
        {"case": HOSTILE, "equal_counts": 1, "changed": [metric]},
        {"case": HOSTILE, "not_compared": HOSTILE},
    ]
    return synthetic_comparison.counts(0) | {"cases": cases, "compared": 1}


@pytest.mark.parametrize("document", [hostile(), hostile_counts()], ids=["times", "counts"])
def test_hostile_names_are_text_and_nothing_else(document: Json, tmp_path: Path) -> None:
    figures = render.paged_pictures("comparison", parsed(document), HOSTILE, tmp_path)
    shown = Page(html_of(document, figures))
    assert not shown.all("script")
    assert not [key for _, attributes in shown.elements for key in attributes if key.startswith("on")]
    assert all((image["src"] or "").startswith("data:image/svg+xml;base64,") for image in shown.all("img"))
    assert len(shown.all("img")) == sum(map(len, figures))
    assert "<script>alert(1)</script>" in shown.text
    assert "49" not in shown.text.replace("0.49", ""), "no template is run"
    assert all(len(said) < 1500 for said in comparison_words.short(parsed(document)))


def test_a_command_is_quoted() -> None:
    document = of(gemm(1))
    document["a"] |= {"id": "x; rm -rf ~"}
    assert "ridgeline compare 'x; rm -rf ~' 20261119T090000Z-bbbbbb" in page_of(document).text
