"""Thresholds of equal alarm rate belong to a number of rounds, and are found on A/A suites of just
so many."""

import pytest

from ci.studies.calibration.comparison import FIRST_ROUNDS, JoinedSuites, rival
from ci.studies.calibration.examples import CASES, gate
from ci.studies.calibration.rivals import Finding, Rule

PASSED = ("pass", "pass")
QUIET = [gate("quiet", 0, PASSED, seed=seed) for seed in range(6)]  # of 8 rounds each
# Its findings are the stronger, the more rounds it pools, like a p value under any small bias.
COUNTING = Rule(
    "counting", "synthetic-counting", 7.5, lambda old, new: Finding(True, float(len(old)))
)
FIRST = Rule("first", "synthetic-first", 7.5, COUNTING.judge, rounds=1)


def longer(extra, rounds):
    measured = gate("power", extra, ("regression", "regression"))
    for case in measured["cases"]:
        for side in ("baseline", "candidate"):
            case[side] = (case[side] * rounds)[:rounds]
    return measured


@pytest.mark.parametrize(("rounds", "suites"), [(1, 48), (5, 9), (8, 6), (20, 2), (48, 1), (49, 0)])
def test_suites_of_any_length_are_joined(rounds, suites):
    found = JoinedSuites(QUIET).findings(COUNTING, rounds)
    assert len(found) == suites
    assert all([finding.strength for finding in suite] == [rounds] * len(CASES) for suite in found)


def test_rounds_are_joined_in_order_and_each_is_used_once():
    seen = []
    looking = Rule(
        "looking",
        "synthetic-looking",
        0,
        lambda old, new: seen.append((old, new)) or Finding(True, 0),
    )
    JoinedSuites(QUIET).findings(looking, 12)
    assert [r for old, _ in seen[::2] for r in old] == [
        r for g in QUIET for r in g["cases"][0]["baseline"]
    ]
    assert [r for _, new in seen[1::2] for r in new] == [
        r for g in QUIET for r in g["cases"][1]["candidate"]
    ]


def test_a_case_that_lacks_rounds_makes_no_part_suites():
    crashed = gate("quiet", 0, ("pass", "crashed"))
    assert len(JoinedSuites([*QUIET, crashed]).findings(COUNTING, 8)) == 6
    assert JoinedSuites([]).findings(COUNTING, 8) == []


def test_strength_that_grows_with_rounds_finds_nothing_at_an_equal_rate():
    tried = {5.0: [longer(5.0, 20)], 2.0: [longer(2.0, 8)]}
    found = rival(COUNTING, QUIET, JoinedSuites(QUIET), tried, 0.0)
    # As shipped it always alarms; no count of rounds tells a change from none.
    assert (
        found["as_shipped"]["suites_with_alarm"]["share"]
        == found["as_shipped"]["found"]["5"]["share"]
        == 1
    )
    assert found["same_rounds"]["thresholds"] == {"8": 8.0, "20": 20.0}
    assert (
        found["same_rounds"]["found"]["5"]["share"]
        == found["same_rounds"]["found"]["2"]["share"]
        == 0
    )
    assert (found["same_rounds"]["rounds"], found["same_rounds"]["suites"]) == (20, 2)
    assert found["first_rounds"]["thresholds"] == {str(FIRST_ROUNDS): 8.0}
    assert found["first_rounds"]["found"]["5"]["share"] == 0
    assert (found["as_shipped_longest"]["rounds"], found["as_shipped_longest"]["count"]) == (20, 2)


def test_the_share_of_alarms_is_that_of_the_gate():
    strengths = iter(
        [0.1, 0.9, 0.2, 0.8, 0.3, 0.7, 0.4, 0.6, 0.5, 0.55, 0.1, 0.2]
    )  # of 6 suites of 2 cases
    varying = Rule(
        "varying", "synthetic-varying", 0, lambda old, new: Finding(True, next(strengths))
    )
    joined = JoinedSuites(QUIET)
    assert joined.strongest(varying, 8) == [0.9, 0.8, 0.7, 0.6, 0.55, 0.2]
    assert [joined.threshold(varying, 8, share) for share in (0, 0.16, 1 / 6, 0.5)] == [
        0.9,
        0.9,
        0.8,
        0.6,
    ]


def test_rules_of_one_process_have_thresholds_of_one_round():
    found = rival(FIRST, QUIET, JoinedSuites(QUIET), {5.0: [longer(5.0, 20)]}, 0.0)
    assert found["same_rounds"]["thresholds"] == {"1": 1.0}
    assert found["same_rounds"]["suites"] == 48


def test_without_enough_unchanged_rounds_there_is_no_threshold():
    found = rival(COUNTING, QUIET, JoinedSuites(QUIET), {5.0: [longer(5.0, 60)]}, 0.0)
    assert found["same_rounds"] is None
    assert found["first_rounds"] is not None
    assert found["as_shipped_longest"] == {"rounds": 60, "count": 0, "of": 0}
    assert (
        rival(COUNTING, [], JoinedSuites([]), {5.0: [longer(5.0, 8)]}, 0.0)["first_rounds"] is None
    )
