"""Ladders are put together from what each rung says of the next."""

from __future__ import annotations

from collections.abc import Sequence

from reports import climbs, load, synthetic, synthetic_counters

Json = synthetic.Json
NAMES = [f"gemm/{variant}/f32/n=1" for variant in ("a", "b", "c", "d", "e")]


def run_of(ladder: Sequence[str], *, without: Sequence[str] = (), reference: str = "") -> Json:
    """Each rung twice as fast as the one before."""
    cases = [
        synthetic.case(name, 1e6 / 2**at, flops=1e9, bytes=1e6)
        for at, name in enumerate(NAMES)
        if name not in without
    ]
    made = synthetic.run("synthetic-x", "cuda", reversed(cases))
    return synthetic_counters.with_ladder(made, "GEMM", ladder, reference)


def paths(made: Json) -> list[list[str]]:
    (climb,) = climbs.of(load.parse(synthetic.document(made)).runs[0])
    return [[case.variant for case in path] for path in climb.paths]


def test_rungs_are_in_order_whatever_the_order_of_cases() -> None:
    made = run_of(NAMES[:4], reference=NAMES[4])
    assert paths(made) == [["a", "b", "c", "d"]]
    (climb,) = climbs.of(load.parse(synthetic.document(made)).runs[0])
    assert (climb.title, climb.gain) == ("GEMM", 8.0)
    assert climb.reference is not None
    assert climb.reference.name == NAMES[4]


def test_a_rung_without_a_time_breaks_the_path() -> None:
    assert paths(run_of(NAMES, without=[NAMES[2]])) == [["a", "b"], ["d", "e"]]
    assert paths(run_of(NAMES, without=[NAMES[0]])) == [["b", "c", "d", "e"]]
    assert paths(run_of(NAMES, without=[NAMES[4]])) == [["a", "b", "c", "d"]]
    assert paths(run_of(NAMES, without=[NAMES[1], NAMES[3]])) == [["a"], ["c"], ["e"]]


def test_a_reference_without_a_time_is_none() -> None:
    made = run_of(NAMES[:3], reference="gemm/vendor/f32/n=1")
    (climb,) = climbs.of(load.parse(synthetic.document(made)).runs[0])
    assert climb.reference is None


def test_a_ladder_that_goes_round_ends() -> None:
    made = run_of(NAMES[:3])
    last = next(case for case in made["cases"] if case["name"] == NAMES[2])
    last["explanation"]["ladders"] = [{"ladder": "GEMM", "next": NAMES[1]}]
    assert paths(made) == [["a", "b", "c"]]
    last["explanation"]["ladders"] = [{"ladder": "GEMM", "next": NAMES[0]}]
    assert climbs.of(load.parse(synthetic.document(made)).runs[0]) == []


def test_suites_and_types_take_turns() -> None:
    cases, ladders = [], []
    for suite, dtype, gain in (
        ("gemm", "f32", 100),
        ("gemm", "f32", 50),
        ("rows", "f32", 3),
        ("gemm", "bf16", 2),
    ):
        names = [f"{suite}/{rung}/{dtype}/n={gain}" for rung in ("first", "last")]
        cases += [
            synthetic.case(name, ns, flops=1e9, bytes=1e6)
            for name, ns in zip(names, (gain * 1e5, 1e5), strict=True)
        ]
        ladders.append((f"{suite} {dtype} {gain}", names))
    made = synthetic.run("synthetic-x", "cuda", cases)
    for title, names in ladders:
        synthetic_counters.with_ladder(made, title, names)
    found = climbs.of(load.parse(synthetic.document(made)).runs[0])
    some, rest = climbs.by_turns(found, 3)
    assert [climb.title for climb in some] == ["gemm f32 100", "rows f32 3", "gemm bf16 2"]
    assert [climb.title for climb in rest] == ["gemm f32 50"]


def test_rungs_of_one_variant_are_told_apart_by_what_differs() -> None:
    names = ["gemm/a/f32/m=1,n=8", "gemm/a/f32/m=2,n=8", "gemm/b/f32/m=1,n=8"]
    cases = [synthetic.case(name, 1e6, flops=1e9, bytes=1e6) for name in names]
    made = synthetic.run("synthetic-x", "cuda", cases)
    synthetic_counters.with_ladder(made, "GEMM", names)
    (climb,) = climbs.of(load.parse(synthetic.document(made)).runs[0])
    assert list(climbs.labels(climb).values()) == ["a m=1", "a m=2", "b"]
