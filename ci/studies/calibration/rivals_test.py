"""Rules of other tools, against values that SciPy 1.17.1 gave (2026-11) and cases worked out by
hand."""

import math

import pytest

from ci.studies.calibration.rivals import REPETITIONS, RULES, equal_rate_threshold, repetitions
from ci.studies.calibration.shares import rate

BY_KEY = {rule.key: rule for rule in RULES}


@pytest.mark.parametrize(
    # scipy.stats.mannwhitneyu(first, second, alternative="two-sided")
    ("first", "second", "u", "p"),
    [
        ([10.1, 10.2, 10.3, 10.4, 10.5], [10.25, 10.6, 10.7, 10.8, 10.9], 3.0, 0.05555555555555555),
        (range(1, 11), [x + 2.5 for x in range(1, 11)], 28.0, 0.10410988966022681),
        ([1, 2, 2, 3, 3, 3, 4, 5, 5, 6], [2, 3, 3, 4, 4, 5, 6, 6, 7, 8], 29.0, 0.11616808449628031),
        (range(1, 11), range(11, 21), 0.0, 0.00018267179110955002),
        ([1, 1, 1], [1, 1, 1], 4.5, 1.0),
        ([1, 2, 3], [4, 5], 0.0, 0.2),
        (
            [5, 1, 4, 2, 3, 9, 7, 8.5],
            [6, 10, 12, 11, 8, 13, 14, 15, 16, 0.5, 20],
            13.0,
            0.009102696409197957,
        ),
        ([10] * 3 + [11] * 6, [10] * 2 + [11] * 7, 36.0, 0.649407708557344),
        ([2.0, 1.0], [1.0, 2.0], 2.0, 1.0),
    ],
)
def test_the_u_test_is_two_sided_and_exact_for_few_values_without_ties(first, second, u, p):
    first, second = ([[float(x)] for x in values] for values in (first, second))
    found = BY_KEY["u-processes"].judge(second, first)
    assert 10**-found.strength == pytest.approx(p, rel=1e-12)
    assert found.slower == (u > len(first) * len(second) / 2)
    mirrored = BY_KEY["u-processes"].judge(first, second)
    assert mirrored.strength == pytest.approx(found.strength, rel=1e-12)
    assert mirrored.slower == (u < len(first) * len(second) / 2)


def test_a_u_test_wants_two_values_of_each_side():
    found = BY_KEY["u-processes"].judge([[1.0]], [[2.0], [3.0], [4.0]])
    assert (found.slower, found.strength) == (False, 0.0)


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),  # scipy.stats.beta.ppf
    [
        (0, 300, 0.0, 0.01222097469429355),
        (3, 300, 0.0020670072350923163, 0.028944511255692605),
        (5, 20, 0.08657146910143461, 0.49104587170795744),
        (20, 20, 0.8315665290169146, 1.0),
        (1, 1, 0.025, 1.0),
        (0, 1, 0.0, 0.975),
    ],
)
def test_intervals_of_proportions_are_clopper_and_pearsons(successes, trials, low, high):
    found = rate(successes, trials)
    assert (found["low"], found["high"]) == (
        pytest.approx(low, abs=1e-9),
        pytest.approx(high, abs=1e-9),
    )


def test_what_is_no_proportion_has_no_rate():
    assert rate(0, 0) == {"count": 0, "of": 0}
    for successes, trials in ((-1, 3), (4, 3)):
        with pytest.raises(ValueError, match="must"):
            rate(successes, trials)


def test_repetitions_are_means_of_successive_parts():
    assert repetitions([1.0, 2.0, 3.0]) == [1.0, 2.0, 3.0]
    parts = repetitions([float(i) for i in range(2 * REPETITIONS)])
    assert parts == [2 * i + 0.5 for i in range(REPETITIONS)]
    assert len(repetitions([1.0] * 17)) == REPETITIONS


def alarm(key, baseline, candidate):
    found = BY_KEY[key].judge(baseline, candidate)
    if not found.strength > BY_KEY[key].threshold:
        return "same"
    return "slow" if found.slower else "fast"


def shifted(factor, wiggle=0.01, processes=4, samples=20):
    return [
        [factor * (100 + wiggle * ((7 * i + 3 * p) % samples)) for i in range(samples)]
        for p in range(processes)
    ]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.key)
def test_every_rule_sees_a_clear_change_and_its_direction(rule):
    assert alarm(rule.key, shifted(1), shifted(1.1)) == "slow"
    assert alarm(rule.key, shifted(1.1), shifted(1)) == "fast"
    assert alarm(rule.key, shifted(1), shifted(1)) == "same"


def test_legacy_compares_the_change_of_means_with_the_smaller_noise():
    quiet = [
        [99.0, 100.0, 101.0, 99.0, 100.0, 101.0]
    ]  # mean 100, standard deviation sqrt(4/5), noise 0.894%
    noisy = [[90.0, 100.0, 110.0, 90.0, 100.0, 110.0]]
    found = BY_KEY["legacy-process"].judge(noisy, [[1.02 * x for x in quiet[0]]])
    assert found.strength == pytest.approx(0.02 / math.sqrt(0.8) * 100)
    assert alarm("legacy-process", quiet, [[1.008 * x for x in quiet[0]]]) == "same"
    assert alarm("legacy-process", quiet, [[1.010 * x for x in quiet[0]]]) == "slow"
    # Fewer than 5 samples have no noise, and constant ones a noise of 0: both are "????".
    assert alarm("legacy-process", [[1.0] * 4], [[2.0] * 4]) == "same"
    assert alarm("legacy-process", [[1.0] * 6], [[2.0] * 6]) == "same"


def test_robust_wants_half_a_percent_between_minimum_and_third_quartile():
    old = [[100.0, 101.0, 102.0, 103.0, 150.0]]  # [100, 103]: the slowest sample does not count

    def moved(lowest):
        return [[lowest, lowest + 1, lowest + 2, lowest + 3, lowest + 4]]

    assert alarm("robust-process", old, moved(103.5)) == "same"
    assert alarm("robust-process", old, moved(103.52)) == "slow"
    assert alarm("robust-process", moved(103.52), old) == "fast"
    assert BY_KEY["robust-process"].judge(old, moved(102)).strength == pytest.approx(-1 / 102)


def test_the_threshold_of_equal_rate_leaves_so_many_alarms():
    strongest = [0.1, 0.5, 0.3, 0.9, 0.5]
    for allowed in range(6):
        threshold = equal_rate_threshold(strongest, allowed)
        assert sum(x > threshold for x in strongest) <= allowed
    assert equal_rate_threshold(strongest, 0) == 0.9
    assert equal_rate_threshold(strongest, 5) == -math.inf
    with pytest.raises(ValueError, match="no suites"):
        equal_rate_threshold([], 0)
