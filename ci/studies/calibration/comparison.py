"""Other tools' rules on the samples of the same gates.

How often a rule that pools rounds raises a false alarm depends on how many rounds it pools, and A/A
gates end after fewer rounds than gates with a change do. So a threshold of equal alarm rate belongs
to a number of rounds: it is found on A/A suites of just so many, which are the rounds of successive
A/A gates joined and cut anew.
"""

import math

from ci.studies.calibration import rivals
from ci.studies.calibration.shares import found_shares, measured_of, rate, share_of

FIRST_ROUNDS = 8  # that screen for tails: no gate passes before


class JoinedSuites:
    """A/A suites of any number of rounds."""

    def __init__(self, quiet: list[dict]) -> None:
        self._strongest: dict[tuple[str, int], list[float]] = {}
        # By case: processes of the baseline, and of the candidate.
        self._rounds: dict[str, tuple[list, list]] = {}
        for case in measured_of(quiet):
            baseline, candidate = self._rounds.setdefault(case["case"], ([], []))
            baseline += case["baseline"]
            candidate += case["candidate"]

    def findings(self, rule: rivals.Rule, rounds: int) -> list[list[rivals.Finding]]:
        """What the rule finds in each case of each suite; only suites that have all rounds of all
        cases."""
        count = min((len(baseline) // rounds for baseline, _ in self._rounds.values()), default=0)
        return [
            [
                rule.judge(*(side[i * rounds : (i + 1) * rounds] for side in sides))
                for sides in self._rounds.values()
            ]
            for i in range(count)
        ]

    def strongest(self, rule: rivals.Rule, rounds: int) -> list[float]:
        """The strongest finding of each suite."""
        key = rule.key, rounds
        if key not in self._strongest:
            self._strongest[key] = [
                max(f.strength for f in suite) for suite in self.findings(rule, rounds)
            ]
        return self._strongest[key]

    def alarms(self, rule: rivals.Rule, rounds: int) -> dict:
        """Suites of so many rounds in which the rule, as shipped, has an alarm."""
        strongest = self.strongest(rule, rounds)
        return share_of(strongest, lambda strength: strength > rule.threshold)

    def threshold(self, rule: rivals.Rule, rounds: int, alarm_share: float) -> float | None:
        """At which no larger share of the suites has an alarm; None without suites."""
        strongest = self.strongest(rule, rounds)
        allowed = math.floor(len(strongest) * alarm_share + 1e-9)
        return rivals.equal_rate_threshold(strongest, allowed) if strongest else None


def _seen(rule: rivals.Rule, rounds: int, most: int | None = None) -> int:
    """Of so many rounds, those that the rule looks at."""
    return min(count for count in (rounds, rule.rounds, most) if count is not None)


def _trials(tried: dict[float, list[dict]]) -> dict[float, list[dict]]:
    return {
        extra: [case for case in measured_of(gates) if case["baseline"] and case["candidate"]]
        for extra, gates in tried.items()
    }


def _as_shipped(rule: rivals.Rule, quiet: list[dict], trials: dict[float, list[dict]]) -> dict:
    """On all rounds that each gate had."""

    def judge(case: dict) -> rivals.Finding:
        return rule.judge(case["baseline"], case["candidate"])

    def finds(case: dict, extra: float) -> bool:
        finding = judge(case)
        return finding.strength > rule.threshold and finding.slower == (extra > 0)

    in_suites = [
        [judge(c) for c in measured_of([gate]) if c["baseline"] and c["candidate"]]
        for gate in quiet
    ]
    flat = [finding for suite in in_suites for finding in suite]
    return {
        "suites_with_alarm": share_of(
            in_suites, lambda suite: any(f.strength > rule.threshold for f in suite)
        ),
        "slow_side": share_of(flat, lambda f: f.slower and f.strength > rule.threshold),
        **found_shares(trials, finds),
    }


def _equal_rate(
    rule: rivals.Rule,
    joined: JoinedSuites,
    trials: dict[float, list[dict]],
    alarm_share: float,
    most: int | None,
) -> dict | None:
    """On all rounds that each gate had, or the first `most`. None where a number of rounds has no
    A/A suite."""
    lengths = {
        _seen(rule, len(case["baseline"]), most) for cases in trials.values() for case in cases
    }
    thresholds = {rounds: joined.threshold(rule, rounds, alarm_share) for rounds in sorted(lengths)}
    if not thresholds or None in thresholds.values():
        return None

    def finds(case: dict, extra: float) -> bool:
        rounds = _seen(rule, len(case["baseline"]), most)
        finding = rule.judge(case["baseline"][:rounds], case["candidate"][:rounds])
        return finding.strength > thresholds[rounds] and finding.slower == (extra > 0)

    longest = max(thresholds)
    return {
        "thresholds": {str(rounds): threshold for rounds, threshold in thresholds.items()},
        "rounds": longest,
        "threshold": thresholds[longest],
        # that the threshold of the most rounds was found on
        "suites": len(joined.strongest(rule, longest)),
        **found_shares(trials, finds),
    }


def rival(
    rule: rivals.Rule,
    quiet: list[dict],
    joined: JoinedSuites,
    tried: dict[float, list[dict]],
    alarm_share: float,
) -> dict:
    """The rule on `quiet` A/A gates and on those of each amount of extra work: as shipped; and with
    thresholds at which no larger share of A/A suites has an alarm than ours had, on the rounds that
    each gate had when it decided, and on the first rounds alone."""
    trials = _trials(tried)
    longest = max(
        (_seen(rule, len(case["baseline"])) for cases in trials.values() for case in cases),
        default=0,
    )
    return {
        "rule": rule.key,
        "name": rule.name,
        "as_shipped": _as_shipped(rule, quiet, trials),
        "as_shipped_longest": {
            "rounds": longest,
            **(joined.alarms(rule, longest) if longest else rate(0, 0)),
        },
        "same_rounds": _equal_rate(rule, joined, trials, alarm_share, None),
        "first_rounds": _equal_rate(rule, joined, trials, alarm_share, FIRST_ROUNDS),
    }
