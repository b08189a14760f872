"""Parts of the package by themselves."""

from types import SimpleNamespace

import numpy as np
import pytest
from ridgeline import (
    cases,
    comparison,
    cpu_facts,
    experiment,
    inputs,
    judging,
    order,
    outputs,
    recall,
    spread,
)
from ridgeline.buffer_sets import sets_for
from ridgeline.cpu_timing import OnCpu
from ridgeline.dtypes import TOLERANCE, name_of, to_bf16
from ridgeline.failures import CaseFailed, Refused
from ridgeline.libraries import Array
from ridgeline.plain_arrays import with_plain_arrays
from ridgeline.telemetry import Sensors


def error_of(got, want, dtype="f32", tolerance=None):
    return comparison.compare([got], [np.asarray(want)], dtype, tolerance)


def test_a_comparison_finds_what_differs():
    want = np.linspace(-1, 1, 1001)
    right = want.astype(np.float32)
    assert error_of(right, want).right
    for place, value in [(0, np.nan), (500, np.inf), (1000, right[-1] + 1e-3)]:
        wrong = right.copy()
        wrong[place] = value
        found = error_of(wrong, want)
        assert not found.right, value
        assert f"element {place} is" in found.where
    assert not error_of(np.zeros(1001, np.float32), want).right
    assert not error_of(np.full(1001, np.nan, np.float32), want).right


def test_what_is_expected_may_be_infinite():
    want = np.array([np.inf, -np.inf, 0.0])
    assert comparison.expected_arrays(want)
    assert error_of(want.astype(np.float32), want).right
    assert not error_of(np.float32([-np.inf, -np.inf, 0]), want).right
    assert not error_of(np.float32([np.nan, -np.inf, 0]), want).right


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_nan_is_never_right(dtype):
    want = np.array([[1, np.nan], [2, np.inf]], dtype)
    with pytest.raises(CaseFailed, match="the expectation has NaN"):
        comparison.expected_arrays([np.ones(3), want])
    assert not error_of(want, want.astype(np.float64)).right


def test_the_worst_of_many_blocks_is_found():
    size = 5 * comparison.BLOCK // 2
    want = np.random.default_rng(1).uniform(-1, 1, size) * np.linspace(0.1, 4, size)
    got = want.astype(np.float32)
    assert error_of(got, want).right
    rms = np.sqrt(np.mean(want**2))
    for place in (0, comparison.BLOCK - 1, comparison.BLOCK, want.size - 1):
        one = got.copy()
        one[place] += 2
        one[want.size // 2] += 0.125
        found = error_of(one, want)
        assert f"element {place} is" in found.where
        assert found.error == pytest.approx(2 / (abs(want[place]) + rms), rel=1e-5)
        one[want.size // 3] = np.nan
        assert np.isnan(error_of(one, want).error)


def test_no_expected_value_is_so_large_that_anything_fits():
    want = np.array([1.0, 2.0, 3.0])
    for scale in (1e-200, 1.0, 1e200):
        assert error_of(want * scale, want * scale, "f64").right
        assert not error_of(want[::-1] * scale, want * scale, "f64").right, scale


def test_integers_are_equal_or_wrong():
    want = np.arange(10)
    assert error_of(np.arange(10, dtype=np.int32), want).error == 0
    found = error_of(np.arange(1, 11, dtype=np.int32), want)
    assert found.error == float("inf")
    assert "10 elements differ: element 0 is 1 and should be 0" in found.where


@pytest.mark.parametrize("dtype", ["c64", "c128"])
def test_memory_for_complex_outputs_holds_no_numbers_in_either_part(dtype):
    with inputs.making(7, "cpu", 0):
        memory = inputs.empty((2, 3), dtype)
        with pytest.raises(Refused, match="there is no type 'c32'"):
            inputs.empty(3, "c32")
    assert memory.shape == (2, 3) and name_of(memory.dtype) == dtype
    assert np.isnan(memory.real).all() and np.isnan(memory.imag).all()


@pytest.mark.parametrize(("kind", "off"), [(np.complex64, 1e-3), (np.complex128, 1e-8)])
def test_complex_numbers_are_compared_by_their_parts(kind, off):
    right = np.array([[1 + 2j, 3 - 4j]], kind)
    want = comparison.expected_arrays(right)
    assert comparison.compare([right], want, "f32", None).right
    for wrong_part, said in ((off, "the real part of element 1"), (1j * off, "the imaginary part")):
        found = comparison.compare([right + np.array([[0, wrong_part]], kind)], want, "", None)
        assert not found.right and found.where.startswith(said)
    with pytest.raises(CaseFailed, match="the output is c64, and the case is f64"):
        comparison.check_types([right.astype(np.complex64)], "f64")
    with pytest.raises(
        CaseFailed, match="the output holds float64, and the expectation complex128"
    ):
        comparison.compare([right.real.astype(np.float64)], want, "f64", None)
    with pytest.raises(CaseFailed, match="has NaN"):
        comparison.expected_arrays(np.array([complex(0, float("nan"))], kind))


def test_shapes_and_numbers_of_outputs_are_compared():
    with pytest.raises(CaseFailed, match=r"shape \(3,\), and the expected one \(4,\)"):
        error_of(np.zeros(3, np.float32), np.zeros(4))
    with pytest.raises(CaseFailed, match="returned 2 arrays, and 1 are expected"):
        comparison.compare([np.zeros(3)] * 2, [np.zeros(3)], "f64", None)
    assert error_of(np.zeros(0, np.float32), np.zeros(0)).right


@pytest.mark.parametrize(("dtype", "bits"), [("f32", 10), ("f32", 7), ("f64", 23), ("f16", 3)])
def test_a_tolerance_is_below_the_next_coarser_type(dtype, bits):
    want = np.random.default_rng(1).uniform(-1, 1, 10_000)
    scale = 2.0 ** (bits + 1 - np.floor(np.log2(np.abs(want))) - 1)
    coarse = np.round(want * scale) / scale
    assert not error_of(coarse, want, dtype).error <= TOLERANCE[dtype]


def test_bf16_rounds_to_even():
    assert to_bf16(np.float32([1.00390625, 1.01171875, -1.0039064])).tolist() == [
        1.0,
        1.015625,
        -1.0078125,
    ]


def test_outputs_are_arrays_that_hold_their_values():
    assert len(outputs.arrays((np.zeros(3), [np.ones(2)], {"a": 1.5}))) == 3
    for lazy in (object(), iter([]), "text", np.zeros(2).view(np.matrix)):
        with pytest.raises(CaseFailed, match="only when it is looked at"):
            outputs.arrays(lazy)
    for kind in (object, "datetime64[s]", "U3"):
        with pytest.raises(CaseFailed, match="cannot be compared as numbers"):
            outputs.arrays(np.zeros(2, kind))
    with pytest.raises(CaseFailed, match="returned nothing"):
        outputs.arrays(None)
    with pytest.raises(CaseFailed, match="one of its inputs"):
        both = np.zeros(4)
        outputs.check_own_memory([both[1:]], [both])


def made(shape=1000, dtype="f32", kind=inputs.uniform, **options):
    with inputs.making(7, "cpu", 0) as maker:
        array = kind(shape, dtype, **options)
    return maker.inputs[0], array


def test_an_input_follows_from_its_seed_and_changes_under_its_holder():
    one, array = made()
    again, other = made()
    assert np.array_equal(array, other)
    assert array.dtype == np.float32 and array.min() < -0.9 and array.max() > 0.9
    assert np.array_equal(array.numpy(), np.asarray(array, np.float64))
    before = array.copy()
    one.change_some()
    assert 1 <= np.count_nonzero(array != before) <= 8
    assert one.intact()
    one.swap_as_filled()
    assert np.array_equal(one.values(), np.asarray(before, np.float64))
    one.swap_as_filled()
    one.refill()
    assert np.count_nonzero(array != before) > 900
    assert one.intact()
    array[3] = 5
    assert not one.intact()
    assert again.intact()


def test_values_are_in_memory_that_nobody_holds():
    with inputs.making(7, "cpu", 0):
        x = inputs.uniform(64)
    held = x.numpy()
    part = x.numpy()[1:]  # a view holds it, too
    was, part_was = held.copy(), part.copy()
    for _ in range(10):
        x.numpy()[:] = 5
    assert np.array_equal(held, was)
    assert np.array_equal(part, part_was)
    assert np.array_equal(x.numpy(), was)
    again = {x.numpy().ctypes.data for _ in range(10)}
    assert len(again) == 1


@pytest.mark.parametrize("remembers", [False, True])
def test_results_that_are_remembered_are_found_in_a_row(remembers):
    """A kernel that takes 100 us, or copies what it computed of the same inputs in 10 us."""
    now = {"ns": 0.0, "inputs": 0, "seen": -1}

    def change():
        now["inputs"] += 1

    def launch():
        now["ns"] += 10e3 if remembers and now["seen"] == now["inputs"] else 100e3
        now["seen"] = now["inputs"]

    def row(calls):
        began = now["ns"]
        for call in calls:
            call()
        return now["ns"] - began

    of = SimpleNamespace(changing=lambda: [change], launch=launch)
    if remembers:
        with pytest.raises(CaseFailed, match="results are remembered"):
            recall.check_rows(row, of)
    else:
        recall.check_rows(row, of)


@pytest.mark.parametrize(
    ("slow_rounds", "remembers"),
    [
        ([1, 1, 1, 1, 1, 1], True),
        ([1, 0, 1, 1, 1, 1], True),
        ([0, 1, 1, 1, 1, 1], False),
        ([1, 1, 1, 0, 1, 0], False),
        ([1, 1, 1, 0, 0, 1], False),
    ],
)
def test_neither_a_slow_round_nor_a_calm_one_decides(slow_rounds, remembers):
    rows = 0

    def row(calls):
        nonlocal rows
        of_round, is_fresh = rows // (2 * recall.FEWEST), rows % 2 == 0
        rows += 1
        return 1e6 * recall.IN_A_ROW * (5 if is_fresh and slow_rounds[of_round] else 1)

    of = SimpleNamespace(changing=lambda: [lambda: None], launch=lambda: None)
    if remembers:
        with pytest.raises(CaseFailed, match="results are remembered"):
            recall.check_rows(row, of)
    else:
        recall.check_rows(row, of)


@pytest.mark.parametrize(
    ("late", "looks", "goes_on"),
    [
        # Two of fourteen were the most that six busy loops beside two cores made of an honest one.
        *[(0, 34, False), (2, 14, False), (3, 3, False), (8, 14, False), (17, 34, False)],
        # Left for later but for one execution of twelve, up to nine looks of 34 are in time.
        *[(4, 4, True), (5, 6, False), (6, 7, True), (25, 34, True), (34, 34, True)],
    ],
)
def test_work_goes_on_where_most_looks_come_late(late, looks, goes_on):
    assert judging.goes_on(late, looks) is goes_on


def test_what_is_timed_holds_arrays_of_numpy_itself():
    def prepare():
        x, out, kept = (np.arange(3.0).view(Array) for _ in range(3))

        def step(by):
            nonlocal kept
            kept = kept + by
            return np.add(x, 1, out=out)

        def launch(*, taken=x, again=True):
            return [x, out, step(1), taken, kept, *(launch(again=False) if again else [])]

        return launch, (x, out)

    launch, arrays = prepare()
    held = with_plain_arrays(launch, prepare)()
    assert [type(each) for each in held[:5]] == [np.ndarray] * 4 + [Array]
    assert held[4].tolist() == [1, 2, 3], "a variable that is assigned anew is one for all"
    assert np.shares_memory(held[0], arrays[0]) and np.shares_memory(held[2], arrays[1])
    assert type(arrays[0]) is Array and np.array_equal(arrays[0].numpy(), [0, 1, 2])


def test_variables_that_functions_share_stay_shared():
    def state(a, b):  # not of the function that prepares
        def swap():
            nonlocal a, b
            a, b = b, a

        def launch():
            swap()
            return a

        return launch

    def prepare(a, b):
        held = {id(a): 7}
        return state(a, b), lambda: (a is b, held.get(id(a)))

    one, other = (np.full(1, each).view(Array) for each in (0.0, 1.0))
    launch, compare = prepare(one, other)
    in_turn = with_plain_arrays(launch, prepare)
    assert [in_turn()[0] for _ in range(3)] == [1, 0, 1]
    same, _ = with_plain_arrays(prepare(one, one)[1], prepare)()
    assert same, "an array that is held twice is one"
    assert with_plain_arrays(compare, prepare)() == (False, None)  # id() is another one, as told


@pytest.mark.parametrize("call", [len, SimpleNamespace, lambda: 1, np.add])
def test_what_holds_no_array_is_itself(call):
    assert with_plain_arrays(call) is call


def test_a_fixed_input_stays():
    one, array = made(fixed=True)
    before = array.copy()
    one.change_some()
    one.refill()
    assert np.array_equal(array, before)


@pytest.mark.parametrize("dtype", ["f64", "f16", "i64", "i32", "i16", "i8", "u8", "bool"])
def test_inputs_of_every_type_are_made_and_changed(dtype):
    one, array = made(dtype=dtype)
    assert len(np.unique(array)) > 1
    one.change_some()
    assert one.intact()
    one.refill()
    assert one.intact()


def test_a_layout_moves_inputs():
    addresses = set()
    for offset in (0, 256, 65536):
        with inputs.making(7, "cpu", offset) as maker:
            inputs.uniform(1 << 20)
        addresses.add(maker.inputs[0].array.ctypes.data % 64)
    assert addresses == {0}


def test_inputs_are_made_while_preparing_alone():
    with pytest.raises(Refused, match="below @rl.case"):
        inputs.uniform(3)


def test_half_widths_are_those_of_coins():
    assert spread.outside_each_side(5) == 0
    assert spread.outside_each_side(6) == 1
    assert spread.outside_each_side(17) == 5
    assert spread.outside_each_side(20) == 6
    assert spread.outside_each_side(200) == 86
    assert abs(spread.outside_each_side(201) - 86) <= 1
    assert spread.median([3, 1, 2, 4]) == 2.5
    assert spread.relative_half_width([1.0] * 5) is None
    assert spread.relative_half_width([1.0, 2, 3, 4, 5, 6]) == pytest.approx(2.5 / 3.5)


@pytest.mark.parametrize("hot", [False, True])
def test_an_order_is_fair(hot):
    for wanted in (1, 2, 3, 5, 6, 7, 100):
        one = order.Order(6, hot, False, False)
        one.set_executions(wanted)
        assert one.executions >= wanted
        taken = [one.take() for _ in range(12)]
        assert all(len(each) == one.executions for each in taken)
        counts = np.bincount(np.concatenate(taken), minlength=6)
        assert len(set(counts)) == 1, "each set equally often"
        if hot:
            assert all(len(set(each)) == 1 for each in taken)
        else:
            flat = np.concatenate(taken)
            assert all(len(set(flat[i : i + 6])) == 6 for i in range(len(flat) - 5))
    one = order.Order(6, False, False, True)
    one.set_executions(100)
    assert one.executions == 6 and one.at_most()


def test_sets_are_twice_the_cache():
    assert [sets_for(100, size) for size in (400, 100, 99, 60, 50, 30, 20)] == [
        *(2, 2, 3, 4, 4, 8, 12)
    ]
    assert [sets_for(50_000, size) for size in (100, 97)] == [1024, 64], "then caches are evicted"


def test_cases_are_named_by_the_function_and_its_shapes(monkeypatch):
    monkeypatch.setattr(cases, "_cases", {})

    @cases.case(
        shapes={"m": [1, 2], "n": [3]}, dtypes=["f32", "f16"], bytes=lambda m, n, **_: m * n
    )
    def scale(m, n, dtype, device):
        """twice as much"""

    assert [each.name for each in cases.all_cases()][:2] == [
        "scale/scale/f32/m=1,n=3",
        "scale/scale/f32/m=2,n=3",
    ]
    listed = cases.all_cases()[1].listed("cpu")
    assert listed["bytes"] == 6 and listed["idea"] == "twice as much"
    assert listed["problem"] == [["m", "2"], ["n", "3"]]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"shapes": {"n": ["a b"]}}, "no word"),
        ({"shapes": {"m": [1]}}, "must take m, dtype, device"),
        ({"shapes": []}, "shapes is empty"),
        ({"shapes": 3}, r'shapes are a dict of lists, as {"n": \[1024, 4096\]}, or .*; not 3'),
        ({"shapes": None}, "shapes are a dict of lists"),
        ({"shapes": [1024]}, r"or a list of dicts; not \[1024\]"),
        ({"shapes": {"n": [1]}, "dtypes": 32}, "dtypes is a word, or a list of words; not 32"),
        ({"shapes": {"n": [1]}, "dtypes": [np.float32]}, "dtypes is a word"),
        ({"shapes": {"n": [1]}, "devices": None}, "devices is a word"),
        ({"shapes": {"n": [1]}, "requires": 1}, "requires is a word"),
        ({"shapes": {"n": [1]}, "dtypes": []}, "dtypes is empty"),
        ({"shapes": {"n": [1]}, "devices": ()}, "devices is empty"),
        ({"shapes": {"n": [1]}, "cache": "warm"}, "cache is cold or hot"),
        ({"shapes": {"n": [1]}, "bytes": -1}, "bytes of"),
        ({"shapes": {"n": [1]}, "flops": lambda n, **_: n / 0}, "ZeroDivisionError"),
        ({"shapes": {"n": [1, 1]}}, "is there already"),
        ({"shapes": {"n": [1]}, "devices": "gpu"}, "no kind of device 'gpu'"),
    ],
)
def test_a_case_that_cannot_be_says_why(monkeypatch, options, says):
    monkeypatch.setattr(cases, "_cases", {})
    with pytest.raises(Refused, match=says) as refused:

        @cases.case(**options)
        def scale(n, dtype, device):
            pass

    assert "units_test.py:" in str(refused.value)


@pytest.mark.parametrize(
    ("processor_ns", "wall_ns", "least", "most"),
    [(1e12, 1e12, 35, 45), (0, 1e12, 5, 20), (1e12, 0, 5, 20)],
)
def test_a_process_compares_many_outputs_where_that_is_cheap(
    monkeypatch, processor_ns, wall_ns, least, most
):
    monkeypatch.setattr(cases, "_cases", {})
    monkeypatch.setattr(experiment, "LOOKS_NS", processor_ns)
    monkeypatch.setattr(experiment, "LOOKS_WALL_NS", wall_ns)

    @cases.case(shapes={"n": [1000]}, cache="hot")
    def scale(n, dtype, device):
        x = inputs.uniform(n, dtype, device)
        return lambda: x * 2, comparison.expect(lambda: x.numpy() * 2)

    plan = experiment.Plan(cases.all_cases()[0], "cpu", 1, True, False, 1e6, 1e5)
    one = experiment.Experiment(plan, OnCpu(0, False), Sensors(lambda: {}), 0)
    one.prepare()
    one.sample(0.0, 2, 4, 1e9)
    one.finish()
    assert least <= one.judge.compared <= most


def test_slugs_are_those_of_the_harness():
    assert cpu_facts.slug("AMD EPYC 9B14 (2.60GHz)") == "amd-epyc-9b14-2-60ghz"
    assert cpu_facts.slug("C++ ") == "cplusplus"
