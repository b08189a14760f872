import pytest
from counters import (
    COUNTERS,
    METRICS,
    Case,
    Unreadable,
    cell,
    emulated,
    equal,
    measured,
    smallest,
    table,
)

RANGE = "thread Domain:Push/Pop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg"
HEAD = f'"ID","{RANGE}","' + '","'.join(METRICS) + '"\n'
UNITS = '"","",' + ",".join(['"request"'] * len(METRICS)) + "\n"


def row(*values: str, case: str = "copy/f32/n=1") -> str:
    return (
        f'"0","<default domain>:{case}:none:none",'
        + ",".join(f'"{value}"' for value in values)
        + "\n"
    )


def site(access: str, requests: int = 0, sectors: int = 0, wavefronts: int = 0) -> dict:
    return {"access": access, "requests": requests, "sectors": sectors, "wavefronts": wavefronts}


def test_counters_are_summed_over_kernels():
    text = (
        "==PROF== Connected\n"
        + HEAD
        + UNITS
        + row("1,024", *"234567391")
        + row("1", *"111111111")
        + row(*"9999999999", case="fill")
    )
    found = measured(text, "copy/f32/n=1")
    assert found["global load requests"] == 1025
    assert found["DRAM bytes written"] == 2
    assert found["tensor instructions"] == 4, "less packed multiply-adds"


def test_a_profile_without_kernels_or_counters_is_no_zero():
    with pytest.raises(Unreadable, match="no kernel"):
        measured(HEAD + UNITS, "copy")
    with pytest.raises(Unreadable, match="no kernel"):
        measured("==ERROR== no permission\n", "copy")
    with pytest.raises(Unreadable, match="n/a"):
        measured(HEAD + UNITS + row("n/a", *"234567391"), "copy")


def test_asynchronous_copies_load_and_what_they_store_is_not_in_the_counters():
    found = emulated(
        [{"name": "dram_read_bytes", "value": 4096}],
        [
            site("global load", 2, 8),
            site("global async copy", 3, 48),
            site("shared async copy", 3, 0, 12),
            site("shared load", 1, 0, 4),
            site("tensor", 5),
            site("bulk load", 1, 64),
        ],
    )
    assert (found["global load requests"], found["global load sectors"]) == (5, 56)
    assert (found["shared load wavefronts"], found["shared store wavefronts"]) == (4, 0)
    assert (found["tensor instructions"], found["DRAM bytes read"]) == (5, 4096)


def test_of_cases_that_differ_in_size_the_smallest_is_taken():
    def case(stride: int, elements: int) -> Case:
        problem = [["stride", str(stride)], ["elements", str(elements)]]
        listed = {"suite": "coalescing", "variant": "strided", "dtype": "f32", "problem": problem}
        return Case.of(
            listed | {"name": f"stride={stride},elements={elements}", "bytes": 8.0 * elements}
        )

    kept = smallest([case(1, 100), case(2, 100), case(1, 10), case(2, 1000)])
    assert [one.name for one in kept] == ["stride=1,elements=10", "stride=2,elements=100"]


def test_equal_numbers_stand_once_and_others_stand_out():
    assert [cell(4, 4), cell(4, 5), cell(0, 0), cell(0, 2)] == ["4", "**4 → 5**", "-", "**0 → 2**"]
    ours, theirs = dict.fromkeys(COUNTERS, 0.0), dict.fromkeys(COUNTERS, 0.0)
    ours["global load sectors"], theirs["global load sectors"] = 16, 18
    ours["tensor instructions"] = theirs["tensor instructions"] = 8
    assert equal([("a", ours, theirs)]) == (1, 2)
    assert "| `a` | - | **16 → 18** |" in table([("a", ours, theirs)])


def test_a_counter_that_a_profile_lacks_is_not_read_and_not_judged():
    older = [name for name in METRICS if "hfma2" not in name]
    head = f'"ID","{RANGE}","' + '","'.join(older) + '"\n'
    found = measured(
        head + row(*["units"] * len(older)).replace("copy/f32/n=1", "") + row(*"123456789"), "copy"
    )
    assert found["tensor instructions"] is None
    assert found["DRAM bytes read"] == 8
    ours = dict.fromkeys(COUNTERS, 0.0) | {"tensor instructions": 5.0}
    rows = [("a", ours, dict.fromkeys(COUNTERS, 0.0) | {"tensor instructions": None})]
    assert equal(rows) == (0, 0)
    assert "5 (not read)" in table(rows)


def test_a_model_that_is_absent_is_no_zero():
    ours = emulated([], [site("global load", 1, 4)])
    assert ours["DRAM bytes read"] is None
    assert "| ? → 0.00 | ? → 0.00 |" in table([("a", ours, dict.fromkeys(COUNTERS, 0.0))])
