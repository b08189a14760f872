"""What a study measures next, and when it stops."""

import dataclasses

import pytest

from ci.studies.calibration.examples import PROFILE
from ci.studies.calibration.plan import (
    GPU_PROFILES,
    PARTS,
    POWER_SUITE,
    PROFILES,
    Done,
    describe,
    next_cell,
    profiles_of,
)


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
            suite = POWER_SUITE if cell.part == "power" else len(profile.cases)
            assert profile.alpha(cell) / len(profile.cases) == pytest.approx(0.01 / suite)


def test_plans_are_said_and_profiles_are_whole():
    for profile in PROFILES.values():
        assert abs(sum(profile.shares.values()) - 1) < 1e-9
        assert {cell.part for cell in profile.cells} == set(profile.shares) == set(PARTS)
        text = describe(profile, profile.time_s, [])
        assert all(part in text for part in PARTS)
    assert "3 measured before" in describe(PROFILE, 100, [Done(("quiet", 0, 0.03), 1.0)] * 3)
    full = {cell.key for cell in PROFILES["full"].cells if cell.gates >= 8}
    assert {("power", extra, 0.02) for extra in (1, 2, 3, 5, 10, -5)} | {("power", 3, 0.03)} <= full
    quiet = [cell for cell in PROFILES["full"].cells if cell.part == "quiet"]
    assert sum(cell.gates for cell in quiet) >= 300
    assert PROFILES["full"].time_s <= 65 * 60


def test_gates_with_extra_work_may_have_a_budget_of_their_own():
    full, smoke = PROFILES["full"], PROFILES["smoke"]
    budgets = {(cell.part, full.budget(cell)) for cell in full.cells}
    assert budgets == {("quiet", 20), ("busy", 20), ("power", 40)}
    assert full.settings()["power_budget_s"] == 40
    assert "power_budget_s" not in smoke.settings()
    assert {smoke.budget(cell) for cell in smoke.cells} == {smoke.budget_s}


def test_plans_of_a_gpu_are_whole_and_keep_nothing_busy():
    assert profiles_of("cuda") is GPU_PROFILES
    assert profiles_of("cpu") is PROFILES
    for profile in GPU_PROFILES.values():
        assert profile.device_kind == "cuda"
        assert profile.settings()["device_kind"] == "cuda"
        assert abs(sum(profile.shares.values()) - 1) < 1e-9
        assert {cell.part for cell in profile.cells} == set(profile.shares) == {"quiet", "power"}
        assert "on cuda:1" in describe(
            dataclasses.replace(profile, device="cuda:1"), 60, [], tuple(profile.shares)
        )
    full = {cell.key for cell in GPU_PROFILES["full"].cells}
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
