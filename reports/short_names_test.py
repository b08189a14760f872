from __future__ import annotations

import pytest

from reports import short_names

LONG = "attention/flash_wgmma/bf16/batch=1,heads=16,seq={seq},dim=128,mask={mask}"


@pytest.mark.parametrize("limit", [12, 20, 33, 34, 46, 60, 71])
def test_no_word_and_no_number_is_cut(limit: int) -> None:
    name = LONG.format(seq=16384, mask="causal")
    shown = short_names.whole_words(name, limit)
    assert len(shown) <= limit
    head, tail = shown.split("…")
    assert name.startswith(head) and name.endswith(tail)
    assert head == "" or head[-1] in "/,"
    assert tail == "" or name[: -len(tail)][-1] in "/,"
    assert head or tail


def test_what_fits_is_whole_and_a_word_too_long_is_cut() -> None:
    name = LONG.format(seq=64, mask="full")
    assert short_names.whole_words(name, len(name)) == name
    assert short_names.whole_words("W" * 50, 9) == "WWWW…WWWW"
    assert short_names.whole_words("a\x07b/c", 9) == "a\N{REPLACEMENT CHARACTER}b/c"


def test_a_sentence_is_cut_at_its_end_between_words() -> None:
    sentence = "candidate in round 1: it remembers outputs: on inputs"
    assert short_names.beginning(sentence, 60) == sentence
    assert short_names.beginning(sentence, 40) == "candidate in round 1: it remembers …"
    assert short_names.beginning("W" * 50, 9) == "WWWW…WWWW"
    assert short_names.beginning("a\x07b", 9) == "a\N{REPLACEMENT CHARACTER}b"


def test_rows_leave_out_what_all_of_a_suite_have_and_stay_apart() -> None:
    names = [LONG.format(seq=2**n, mask=mask) for n in range(7, 15) for mask in ("full", "causal")]
    shown = short_names.of_rows([*names, "gemm/naive/f32/m=64,n=64,k=64"], 48)
    assert shown[0] == "attention/flash_wgmma/bf16/seq=128,mask=full,…"
    assert shown[-1] == "gemm/naive/f32/m=64,n=64,k=64"
    assert len(set(shown)) == len(shown)
    assert all(len(one) <= 48 for one in shown)
    alone = short_names.of_rows(names[:1], 48)
    assert alone == ["attention/flash_wgmma/…seq=128,dim=128,mask=full"]
    counts = short_names.of_rows([f"{name} dram_bytes" for name in names[::2]], 60)
    assert counts[0] == "attention/flash_wgmma/bf16/seq=128,mask=full dram_bytes,…"


def test_a_problem_has_lines_of_its_own() -> None:
    name = LONG.format(seq=2048, mask="causal")
    assert short_names.lines(name, 34) == [
        "attention/flash_wgmma/bf16/",
        "batch=1,heads=16,seq=2048,dim=128,",
        "mask=causal",
    ]
    assert short_names.lines(name, 58) == [
        "attention/flash_wgmma/bf16/",
        "batch=1,heads=16,seq=2048,dim=128,mask=causal",
    ]
    assert short_names.lines("a/b/f32/n=1", 34) == ["a/b/f32/n=1"]


@pytest.mark.parametrize(
    ("a", "b", "shown"),
    [
        ("HEAD", "main", ("HEAD", "main")),
        (
            "/home/me/new/bin/worker",
            "/home/me/old/bin/worker",
            ("new/bin/worker", "old/bin/worker"),
        ),
        (
            "/home/me/new/build/release/bin/ridgeline-suites",
            "/home/me/old/build/release/bin/ridgeline-suites",
            ("new/…bin/ridgeline-suites", "old/…bin/ridgeline-suites"),
        ),
        ("/opt/bin/one", "/opt/bin/two", ("one", "two")),
        ("/opt/bin/one", "/opt/bin/one", ("one", "one")),
        ("/home/me/here/bin/worker", "main", ("…/bin/worker", "main")),
        ("/opt/a", "/opt/a/b", ("/opt/a", "b")),
    ],
)
def test_sides_are_called_by_what_tells_them_apart(a: str, b: str, shown: tuple[str, str]) -> None:
    assert short_names.apart(a, b, 26) == shown


@pytest.mark.parametrize("place", [0, 3, 30, 99, 199])
def test_a_difference_is_seen_wherever_it_is(place: int) -> None:
    a, b = ("W" * place + letter + "W" * (200 - place) for letter in "xy")
    first, second = short_names.apart(a, b, 26)
    assert "x" in first and "y" in second
    assert max(len(first), len(second)) <= 26
