"""The table of sums says what runs say, of the newest run that has such cases."""

from ci import sums


def case(variant: str, dtype: str, k: int, error: float, **more: object) -> dict:
    name = f"gemm/{variant}/{dtype}/m=256,n=512,k={k},input=positive"
    return {"case": name, "error": error, "tolerance": 2 * error, **more}


CASES = [
    case("cublaslt", "f32", 256, 1.2e-6),
    case("cublaslt", "f32", 65536, 1e-5),
    case("fp8_fast", "e4m3_fast", 65536, 0.75),
    {"case": "gemm/cublaslt/f32/m=256,n=512,k=256", "error": 1.0, "tolerance": 1.0},
    {"case": "decode/split/f32/keys=256,input=positive", "error": 1.0, "tolerance": 1.0},
]


def test_a_row_per_variant_and_a_column_per_length():
    assert sums.table(CASES).splitlines() == [
        "| type | variant | K = 256 | K = 65536 | tolerated at K = 65536 |",
        "|---|---|---:|---:|---:|",
        "| e4m3_fast | `fp8_fast` |  | 7.5e-1 | 1.5e+00 |",
        "| f32 | `cublaslt` | 1.2e-6 | 1.0e-5 | 2.0e-5 |",
    ]


def test_without_such_cases_there_is_no_table():
    assert sums.table(CASES[3:]) == ""


def test_an_error_that_is_no_number_leaves_its_cell_empty():
    wrong = {key: value for key, value in CASES[1].items() if key != "error"}
    assert sums.table([CASES[0], wrong]).splitlines()[-1] == (
        "| f32 | `cublaslt` | 1.2e-6 |  | 2.0e-5 |"
    )


def test_the_newest_run_of_a_gpu_that_has_them_counts():
    def run(name: str, device: str) -> dict:
        return {"id": name, "device": device, "device_name": name.upper(), "started": "2026-11-24T"}

    runs = [run("none", "cuda:0"), run("cpu", "cpu"), run("new", "cuda:0"), run("old", "cuda:0")]
    asked = []

    def ask(*words: str) -> dict:
        if words[0] == "runs":
            return {"runs": runs}
        asked.append(words[1])
        return {"cases": CASES[3:] if words[1] == "none" else CASES}

    assert sums.newest(ask).startswith("NEW, 2026-11-24, run `new`.\n\n| type")
    assert asked == ["none", "new"]
    runs[:] = runs[:2]
    assert sums.newest(ask) == ""
