from __future__ import annotations

from reports import headline, load, synthetic
from reports.model import Run

Json = synthetic.Json


def run_of(cases: list[Json], **changes: object) -> Run:
    made = synthetic.run("synthetic-x", "cpu", cases) | changes
    return load.parse(synthetic.document(made)).runs[0]


def gemm(variant: str, n: int, median_ns: float | None, **more: object) -> Json:
    name = f"gemm/{variant}/f32/m={n},n={n},k={n}"
    return synthetic.case(name, median_ns, flops=2.0 * n**3, bytes=12.0 * n * n, **more)  # type: ignore[arg-type]


def test_the_fastest_own_case_is_compared_with_naive_and_vendor() -> None:
    (line,) = headline.headlines(
        run_of(
            [gemm("naive", 64, 800), gemm("tiled", 64, 100, share=0.5), gemm("openblas", 64, 80)]
        )
    )
    assert (line.suite, line.case.variant) == ("gemm", "tiled")
    assert line.over_naive == headline.Factor(8.0, "")
    assert line.over_vendor == headline.Factor(0.8, "")


def test_the_table_has_a_line_a_suite_with_aligned_columns() -> None:
    run = run_of(
        [gemm("naive", 64, 800), gemm("tiled", 64, 100, share=0.5), gemm("openblas", 64, 80)]
    )
    assert headline.table(run).splitlines() == [
        "suite  best case                         rate  of roof  over naive  over vendor",
        "gemm   tiled/f32/m=64,n=64,k=64  5.24 TFLOP/s    50.0%       8.00×       0.800×",
    ]
    assert headline.table(run_of([])) == ""


def test_a_factor_names_the_problem_when_it_is_another_one() -> None:
    cases = [
        gemm("naive", 64, 800),
        gemm("naive", 128, 8000),
        gemm("tiled", 64, 200),
        gemm("tiled", 128, 1000),
    ]
    cases += [gemm("tiled", 256, 4000)]
    (line,) = headline.headlines(run_of(cases))
    assert line.case.field("n") == 256
    assert line.over_naive == headline.Factor(8.0, "m=128, n=128, k=128")
    assert line.over_vendor is None


def test_what_was_not_steady_or_beats_its_roof_is_no_headline() -> None:
    cases = [
        gemm("naive", 64, 800),
        gemm("tiled", 64, 100, outcome="unstable"),
        gemm("odd", 64, 1, share=3.0),
    ]
    cases += [gemm("wrong", 64, None, outcome="wrong_result")]
    (line,) = headline.headlines(run_of(cases))
    assert line.case.variant == "naive"
    assert line.over_naive is None


def test_a_suite_of_vendor_libraries_has_a_headline() -> None:
    rates = [("busbw", 5e9, "B/s", "higher")]
    cases = [
        synthetic.case("collectives/mpi/f32/op=broadcast,ranks=2,bytes=64", 100, metrics=rates)
    ]
    (line,) = headline.headlines(run_of(cases))
    assert (line.case.variant, line.over_vendor) == ("mpi", None)


def test_a_run_without_a_good_case_has_no_headline() -> None:
    assert headline.headlines(run_of([gemm("naive", 64, None, outcome="crashed")])) == []
    assert headline.headlines(run_of([])) == []


def test_what_computes_comes_before_what_moves() -> None:
    cases = [gemm("tiled", 64, 100, share=0.5)]
    cases += [synthetic.case("gemm/tiled/f32/m=1,n=64,k=64", 1e-3, flops=8192.0, bytes=16384.0)]
    (line,) = headline.headlines(run_of(cases))
    assert line.case.field("m") == 64


def test_a_reader_is_warned() -> None:
    good = run_of([gemm("naive", 64, 800)], roofs=[synthetic.roof("dram.read", 1e10)])
    assert headline.warnings(good) == []
    build = synthetic.run("synthetic-x", "cpu", [])["builds"][0]
    doubtful = run_of(
        [gemm("naive", 64, 800, processes=2)],
        builds=[build | {"dirty": True}, build | {"code_hash": "x"}],
    )
    said = " ".join(headline.warnings(doubtful))
    for words in ("uncommitted", "rebuilt", "No ceiling", "1 of 1"):
        assert words in said
