"""What a study measures next, and when it stops."""

import dataclasses

import pytest

from ci.studies.calibration.examples import PROFILE
from ci.studies.calibration.plan import (
    PARTS,
    POWER_SUITE,
    Cell,
    Done,
    describe,
    next_cell,
    setting_text,
)
from ci.studies.calibration.profiles import GPU_PROFILES, PROFILES, profiles_of


def measure(time_s, seconds=1.0, parts=PARTS):
    done = []
    while cell := next_cell(PROFILE, done, time_s, parts):
        done.append(Done(cell.key, seconds))
        assert len(done) < 1000
    return done


def count(done, part):
    return sum(each.key[0] == part for each in done)


def test_everything_is_measured_when_there_is_time():
    done = measure(1000)
    for cell in PROFILE.cells:
        assert sum(each.key == cell.key for each in done) == cell.gates


def test_parts_have_their_shares_when_there_is_not():
    done = measure(10.0)
    assert len(done) == 10
    assert count(done, "quiet") == 4  # all there are
    assert count(done, "power") >= 4
    assert count(done, "busy") >= 1


def test_cells_of_a_part_take_turns():
    power = [each.key for each in measure(1000) if each.key[0] == "power"]
    assert len(set(power[:3])) == 3


def test_an_earlier_turn_of_a_part_comes_first():
    cells = (
        Cell("power", 1, 0.03, 2, turn=1),
        Cell("power", 5, 0.03, 3),
        Cell("quiet", 0, 0.03, 9),
    )
    profile = dataclasses.replace(PROFILE, cells=cells)
    done = []
    while cell := next_cell(profile, done, 1000, ("quiet", "power")):
        done.append(Done(cell.key, 1.0))
    assert [each.key[1] for each in done if each.key[0] == "power"] == [5, 5, 5, 1, 1]
    assert done[1].key[0] != done[0].key[0]  # no turn is of a whole study


def test_what_is_planted_tells_settings_apart():
    cells = (Cell("tails", 0, 0.03, 2, "--slow-samples 0.05:2"), Cell("tails", 0, 0.03, 1))
    profile = dataclasses.replace(PROFILE, cells=cells, shares={"tails": 1})
    done = [Done(cells[0].key, 1.0)]
    assert next_cell(profile, done, 100, ("tails",)) == cells[1]
    done.append(Done(cells[1].key, 1.0))
    assert next_cell(profile, done, 100, ("tails",)) == cells[0]


@pytest.mark.parametrize(
    ("extra", "plant", "text"),
    [
        (2.5, "", "+2.5%"),
        (0, "", "nothing"),
        (0, "--slow-samples 0.05:10", "5% of samples x10"),
        (0, "--slow-processes 0.3:10", "30% of processes +10%"),
        (-1, "--slow-processes 0.3:-2.5", "-1%, 30% of processes -2.5%"),
    ],
)
def test_settings_are_said_in_words(extra, plant, text):
    assert setting_text(extra, plant) == text


def test_no_gate_is_begun_that_would_end_too_late():
    assert len(measure(3.5)) == 3
    assert measure(0.0) != []  # how long a gate takes is not known before the first
    assert sum(each.seconds for each in measure(0.0)) <= len(PARTS)


def test_it_goes_on_with_what_is_done():
    whole = measure(1000)
    for cut in range(len(whole)):
        assert next_cell(PROFILE, whole[:cut], 1000).key == whole[cut].key


def test_a_part_can_be_left_out():
    assert count(measure(1000, parts=("quiet", "power")), "busy") == 0


def test_power_is_that_of_a_large_suite_and_alarms_are_of_the_suite_at_hand():
    for profile in (*PROFILES.values(), *GPU_PROFILES.values()):
        for cell in profile.cells:
            suite = {"power": POWER_SUITE, "tails": profile.suspects}.get(
                cell.part, len(profile.cases)
            )
            cases = len(profile.suite(cell))
            assert profile.alpha(cell) / cases == pytest.approx(0.01 / suite)
            assert profile.alpha(cell) <= 0.2  # the most that a gate takes


def test_tails_are_of_cases_that_are_launched_alone():
    for profile in (*PROFILES.values(), *GPU_PROFILES.values()):
        has_tails = any(cell.part == "tails" for cell in profile.cells)
        assert has_tails == bool(profile.tail_cases) == ("suspects" in profile.settings())
        assert all(case.endswith(",launch=single") for case in profile.tail_cases)
        assert all("single" not in case for case in profile.cases)


def test_plans_are_said_and_profiles_are_whole():
    for profile in PROFILES.values():
        assert sum(profile.shares.values()) == pytest.approx(1)
        parts = {cell.part for cell in profile.cells}
        assert parts == set(profile.shares) >= {"quiet", "busy", "power"}
        text = describe(profile, profile.time_s, [], tuple(profile.shares))
        assert all(part in text for part in parts)
    done = [Done(("quiet", 0, 0.03, ""), 1.0)] * 3
    assert "3 measured before" in describe(PROFILE, 100, done, PROFILE.shares)
    full = PROFILES["full"]
    power = {cell.key[1:3]: cell for cell in full.cells if cell.part == "power"}
    promised = {(extra, 0.02) for extra in (1, 2, 2.25, 2.5, 2.75, 3, 5, 10, -3, -5)}
    assert promised | {(3, 0.03)} <= power.keys()
    assert {key[0] for key, cell in power.items() if cell.turn == 0} == {2.25, 2.5, 2.75, 3}
    assert 4 * power[2.5, 0.02].gates >= 50  # trials
    assert sum(cell.gates for cell in full.cells if cell.part == "quiet") >= 200
    assert {setting_text(0, cell.plant) for cell in full.cells if cell.part == "tails"} == {
        *("5% of samples x2", "10% of samples x2", "5% of samples x10", "10% of samples x10"),
        *("30% of processes +10%", "nothing"),
    }
    assert full.time_s <= 60 * 60


def test_false_alarms_and_power_are_of_gates_with_the_same_budget():
    for profile in (*PROFILES.values(), *GPU_PROFILES.values()):
        budgets = {profile.budget(cell) for cell in profile.cells if cell.part != "tails"}
        assert len(budgets) <= 1


def test_tails_may_have_a_budget_of_their_own():
    profile = dataclasses.replace(GPU_PROFILES["tails"], tail_budget_s=7)
    assert {profile.budget(cell) for cell in profile.cells} == {7}
    assert profile.settings()["tail_budget_s"] == 7
    assert "tail_budget_s" not in GPU_PROFILES["tails"].settings()


def test_the_cases_of_a_gate_take_turns_at_being_the_planted_one():
    ten = GPU_PROFILES["ten"]
    (planted,) = (cell for cell in ten.cells if cell.part == "one")
    assert (len(ten.cases), planted.extra, planted.delta, planted.gates) == (10, 0.5, 0.003, 20)
    assert {ten.planted_case(planted, seed) for seed in range(20)} == set(ten.cases)
    assert ten.planted_case(Cell("quiet", 0, 0.003, 1), 3) == ""
    assert (ten.budget_s, ten.time_s) == (30, 12 * 60)


def test_plans_of_a_gpu_are_whole_and_keep_nothing_busy():
    assert profiles_of("cuda") is GPU_PROFILES
    assert profiles_of("cpu") is PROFILES
    for profile in GPU_PROFILES.values():
        assert profile.device_kind == "cuda"
        assert profile.settings()["device_kind"] == "cuda"
        assert sum(profile.shares.values()) == pytest.approx(1)
        assert {cell.part for cell in profile.cells} == set(profile.shares)
        assert "busy" not in profile.shares
        assert "on cuda:1" in describe(
            dataclasses.replace(profile, device="cuda:1"), 60, [], tuple(profile.shares)
        )
    full = {cell.key[:3] for cell in GPU_PROFILES["full"].cells}
    assert {("power", extra, 0.005) for extra in (0.3, 0.5, 1, 2, -1, -2)} <= full
    assert {("quiet", 0, 0.005), ("quiet", 0, 0.01)} <= full
    assert GPU_PROFILES["full"].time_s <= 20 * 60
    assert GPU_PROFILES["short"].time_s <= 8 * 60


def test_every_extra_of_a_gpu_is_a_whole_number_of_units():
    """The chase has the fewest units a thread, 2000: less than a twentieth of a percent more cannot
    be counted out."""
    for profile in GPU_PROFILES.values():
        for cell in profile.cells:
            assert 2000 * cell.extra / 100 == pytest.approx(round(2000 * cell.extra / 100))
