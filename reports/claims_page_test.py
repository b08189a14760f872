from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reports import claims_page, load, synthetic, synthetic_claims
from reports.load_test import example, expect_refused
from reports.page_test import HOSTILE, Page, quickly_written, small
from reports.synthetic import Json


def pages_of(folder: Path, claims: list[Json]) -> dict[str, Page]:
    return quickly_written(folder, synthetic.document(small()) | {"claims": claims})


def of_small(*cases: str) -> Json:
    run = small()
    return synthetic_claims.device(run["device"], cases, [run["id"], "20260101T000000Z-gone"])


def test_the_documented_claims_are_read() -> None:
    (of,) = load.parse(example()).claims
    assert of.device.model == "synthetic-gpu"
    assert of.counts_text.startswith("2 claims: 1 hold")
    tiles, best = of.claims
    assert (tiles.title, tiles.verdict, tiles.words) == ("Tiles | product", "holds", "holds")
    (check,) = tiles.checks
    assert (check.when, check.verdict, len(check.cases)) == ("", "holds", 2)
    assert check.words.border == "about 2, within 10%"
    assert check.words.measured.startswith("2.00 (")
    assert best.words == "holds only when the other is naive"
    assert [one.verdict for one in best.checks] == ["holds", "does_not_hold"]


def test_each_claim_is_told_with_its_conditions_number_verdict_and_command(tmp_path: Path) -> None:
    claims = of_small("a/b/f32/n=1", "a/c/f32/n=1", "a/d/f32/n=1")
    text = pages_of(tmp_path, [claims])["claims.html"].text
    assert claims["counts_text"] in text
    for claim in claims["claims"]:
        for said in (claim["title"], claim["says"], claim["conditions"], claim["words"]):
            assert said in text
        for check in claim["checks"]:
            for said in (check.get("command", ""), check.get("when", ""), *check["words"].values()):
                assert said in text
            assert all(case in text for case in check.get("cases", ()))
    for run in claims["runs"]:
        assert run in text


def test_cases_and_runs_lead_to_their_pages_where_they_have_one(tmp_path: Path) -> None:
    case = small()["cases"][0]["name"]
    pages = pages_of(tmp_path, [of_small(case, "gone/case/f32/n=1")])
    own = [link for link in pages["claims.html"].links if link.startswith(("cases/", "run-"))]
    assert set(own) == {"run-synthetic-small.html"}, "the document has no histories"
    assert pages["index.html"].links.count("claims.html") == 2, "navigation, and what is here"
    assert "claims.html" in pages["run-synthetic-small.html"].links


def test_devices_stand_apart(tmp_path: Path) -> None:
    other = of_small("a/b/f32/n=1")
    other["device"] = other["device"] | {"model": "synthetic-other", "name": "Other device"}
    page = pages_of(tmp_path, [of_small("a/b/f32/n=1"), other])["claims.html"]
    assert {"d1", "d2", "d1-c1", "d2-c6"} < set(page.ids)
    assert {"#d1", "#d2"} < set(page.links)
    assert len(page.all("table")) == 2
    assert "Other device" in page.text and "synthetic-other" in page.text


def test_without_claims_there_is_no_page(tmp_path: Path) -> None:
    assert "claims.html" in pages_of(tmp_path, [of_small("a/b/f32/n=1")])
    left = pages_of(tmp_path, [])
    assert set(left) == {"index.html", "run-synthetic-small.html"}, "that of the earlier is gone"
    assert "claims.html" not in left["index.html"].links


def test_hostile_text_is_text_and_nothing_else(tmp_path: Path) -> None:
    case = {"cases": [HOSTILE], "command": HOSTILE, "when": HOSTILE}
    words = {"verdict": HOSTILE, "measured": HOSTILE, "border": HOSTILE}
    check = synthetic_claims.check(0, []) | case | {"words": words}
    claim = synthetic_claims.claim(HOSTILE, "holds", HOSTILE, check, check)
    claim |= {"says": HOSTILE, "conditions": HOSTILE}
    device = small()["device"] | {"name": HOSTILE, "model": HOSTILE + "2"}
    claims = {"device": device, "counts_text": HOSTILE, "claims": [claim], "runs": [HOSTILE]}
    pages = pages_of(tmp_path, [claims, claims])
    for name in ("claims.html", "index.html"):
        pages[name].expect_text_only()
    shown = pages["claims.html"].text.count("<script>alert(1)</script>")
    # Beside the contents, of each device: its name, model, counts and run; of its claim the title,
    # sentence, conditions and words; of each check all six.
    assert shown == 2 * (2 + 4 + 4 + 2 * 6)


@pytest.mark.parametrize(
    ("verdict", "colour"),
    [
        ("holds", "good"),
        ("does_not_hold", "bad"),
        ("holds_only_when", "note"),
        ("holds_where_told", "note"),
        ("cannot_be_told", "note"),
        ("not_measured", "soft"),
    ],
)
def test_only_what_is_known_is_green_or_red(verdict: str, colour: str) -> None:
    assert claims_page.colour(verdict) == colour


def _claim(document: Json) -> Json:
    return document["claims"][0]["claims"][0]


WRONG: list[tuple[Callable[[Json], Any], str]] = [
    (lambda d: d.update(claims={}), "Expected `array`, got `object` - at `$.claims`"),
    (
        lambda d: d["claims"][0].pop("device"),
        "Object missing required field `device` - at `$.claims[0]`",
    ),
    (
        lambda d: _claim(d).update(verdict="true"),
        "Invalid enum value 'true' - at `$.claims[0].claims[0].verdict`",
    ),
    (
        lambda d: _claim(d).update(checks=[]),
        "Expected `array` of length >= 1 - at `$.claims[0].claims[0].checks`",
    ),
    (
        lambda d: _claim(d)["checks"][0].update(cases=[1]),
        "Expected `str`, got `int` - at `$.claims[0].claims[0].checks[0].cases[0]`",
    ),
]


@pytest.mark.parametrize(
    ("break_it", "message"), WRONG, ids=[f"{at}-{text}" for at, (_, text) in enumerate(WRONG)]
)
def test_what_is_wrong_is_named_with_its_place(
    break_it: Callable[[Json], Any], message: str
) -> None:
    expect_refused(example(), break_it, message)
