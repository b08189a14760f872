"""Invented nights for tests, never measured: one of each thing that a trend can tell, with values
that show it."""

from __future__ import annotations

import copy
import datetime
import json
import math
import random
import statistics
import sys
from pathlib import Path

from reports import synthetic
from reports.stretches import stretches_of
from reports.synthetic import Json

LAST = datetime.date(2026, 11, 20)
OLD, NEW = "aaaa0000aaaa", "bbbb1111bbbb"  # hashes of comparable environments
COMMITS = ("61c0ffee" * 5, "62c0ffee" * 5)
COMMAND = "ridgeline trend --device GPU-synthetic --profile nightly"
_SUITES = (
    "copy/wide",
    "copy/strided",
    "gemm/shared_tiled",
    "gemm/tensor_mma",
    "fusion/softmax_online",
    "gather/random",
)


class Nights:
    """Nights of invented times: what is asked of a case is in its values, and what is told of it is
    read from these."""

    def __init__(
        self, nights: int, *, start: int | None = None, noise: float = 0.002, seed: int = 1
    ) -> None:
        """`start`: the night on which another comparable environment begins."""
        self.draw = random.Random(seed)
        self.noise = noise
        self.start = start
        away = 9 if nights > 40 else 0  # the machine was away for so many days
        days = [back + (away if back > nights // 2 else 0) for back in range(nights)]
        self.dates = [(LAST - datetime.timedelta(days=back)).isoformat() for back in reversed(days)]
        self.series: list[Json] = []
        self.found: dict[str, list[Json]] = {
            "changes": [],
            "fleet_events": [],
            "drifts": [],
            "stopped": [],
        }

    def add(
        self,
        case: str,
        base: float,
        steps: dict[int, float] | None = None,
        *,
        drift: float = 0.0,
        until: int = 0,
    ) -> list[float]:
        """A case with `steps`, logs of ratios by their night; `drift` is a log of a ratio over all
        nights. Every 13th night is missing, and the last `until`."""
        count = len(self.dates)
        phase = self.draw.randrange(13)
        values = [
            base
            * math.exp(
                sum(size for night, size in (steps or {}).items() if at >= night)
                + drift * at / max(1, count - 1)
                + self.draw.gauss(0, self.noise)
                + (0.012 if self.start is not None and at >= self.start else 0.0)
            )
            for at in range(count)
        ]
        kept = [at for at in range(count - until) if at % 13 != phase or at in (0, count - 1)]
        cut = count if self.start is None else self.start
        for environment, some in (
            (OLD, [at for at in kept if at < cut]),
            (NEW, [at for at in kept if at >= cut]),
        ):
            if some:
                self.series.append(
                    {
                        "case": case,
                        "environment": environment,
                        "nights": some,
                        "median_ns": [values[at] for at in some],
                    }
                )
        return values

    def change(
        self,
        case: str,
        night: int,
        *,
        begin: int = 0,
        end: int = 0,
        loose: int = 0,
        kind: str = "",
        **more: object,
    ) -> Json:
        """What is told of the step of `case` on a night, in the environment of that night: from the
        level that begins on the night `begin` to the one that lasts until before `end` (0: to the
        last)."""
        (one,) = [
            one
            for one in self.series
            if one["case"] == case
            and one["environment"] == (NEW if self.start and night >= self.start else OLD)
        ]
        pairs = [
            (at, value)
            for at, value in zip(one["nights"], one["median_ns"], strict=True)
            if begin <= at < (end or len(self.dates))
        ]
        before = statistics.median(value for at, value in pairs if at < night)
        after = statistics.median(value for at, value in pairs if at >= night)
        error = 2 * self.noise * math.sqrt(sum(1 / sum(side) for side in self._sides(pairs, night)))
        made: Json = {
            "case": case,
            "kind": kind or ("regression" if after > before else "improvement"),
        }
        made |= {"night": self.dates[night], "earliest": self.dates[max(0, night - loose)]}
        made |= {
            "latest": self.dates[min(len(self.dates) - 1, night + loose)],
            "before": before,
            "after": after,
        }
        made |= {"unit": "ns", "mode": False, "new": False, "ratio": after / before}
        made |= {
            "ratio_low": after / before * math.exp(-error),
            "ratio_high": after / before * math.exp(error),
        }
        made |= {
            "changes": changes(),
            "confirm": f"ridgeline gate --device cuda:0 --baseline-ref 61c0ffee {case}",
        }
        return made | more

    @staticmethod
    def _sides(pairs: list[tuple[int, float]], night: int) -> tuple[list[bool], list[bool]]:
        return [at < night for at, _ in pairs], [at >= night for at, _ in pairs]

    def trend(self, **more: object) -> Json:
        cases = len({one["case"] for one in self.series})
        made: Json = {
            "model": "synthetic-gpu",
            "device": "cuda:0",
            "device_uuid": "GPU-synthetic",
            "profile": "nightly",
        }
        made |= {
            "nights": len(self.dates),
            "first": self.dates[0],
            "last": self.dates[-1],
            "cases": cases,
        }
        made |= {"least_step": 0.01, "limits": [], "environments": []}
        if self.start is not None:
            facts = ["power_limit_w 250 -> 300"]
            made["environments"] = [
                {
                    "night": self.dates[self.start],
                    "changed": facts,
                    "cases": cases,
                    "ratio": math.exp(0.012),
                }
            ]
        return (
            made
            | self.found
            | {"new_nights": 1, "command": COMMAND, "dates": self.dates, "series": self.series}
            | more
        )


def changes(*facts: str, code: bool = True) -> Json:
    """What else changed on a night: `facts`, and the commit."""
    old, new = COMMITS if code else (COMMITS[0], COMMITS[0])
    made: Json = {"environment": list(facts), "before_run": "20261001T010000Z-aaaaaa"}
    made |= {"after_run": "20261002T010000Z-bbbbbb"}
    return made | {
        "before_commit": old,
        "after_commit": new,
        "before_dirty": False,
        "after_dirty": False,
    }


def name(index: int) -> str:
    return f"{_SUITES[index % len(_SUITES)]}/f32/n={64 * (index // len(_SUITES) + 1)}"


def quiet(cases: int = 8, nights: int = 90, **more: object) -> Json:
    """Nights in which nothing changed."""
    made = Nights(nights)
    for index in range(cases):
        made.add(name(index), 900.0 * (index + 1))
    return made.trend(**more)


def trend(cases: int = 24, nights: int = 90, *, seed: int = 1) -> Json:
    """One of each thing to find, as far as there are cases; from 24 on some of them change
    together."""
    made = Nights(nights, start=nights // 4, seed=seed)
    late, fleet = nights - nights // 8, nights - nights // 3
    told = min(cases, 8)
    together = range(told, told + min(40, (cases - told) * 2 // 3)) if cases >= 24 else range(0)
    found = made.found
    for index in range(cases):
        case, base = name(index), 900.0 * 1.4 ** (index % 30)
        if index in together:
            made.add(case, base, {fleet: 0.031 + 0.0004 * (index % 9)})
        elif index == 0:
            made.add(case, base, {late: 0.06})
            found["changes"].append(made.change(case, late, new=True))
        elif index == 1:
            made.add(case, base, {late: -0.08})
            found["changes"].append(made.change(case, late, loose=1))
        elif index == 2:
            made.add(case, base, {nights - 3: 0.03})
            found["changes"].append(made.change(case, nights - 3, loose=2, mode=True))
        elif index == 3:
            made.add(case, base, {fleet: 0.02})
            facts = changes("compiler gcc 14.2 -> gcc 15.1", "driver 580.1 -> 580.2")
            more = {"kind": "environment", "changes": facts}
            found["changes"].append(made.change(case, fleet, **more))
        elif index == 4:
            values = made.add(case, base, drift=0.05)
            begin = made.start or 0
            ratio = values[-1] / values[begin]
            found["drifts"].append(
                {"case": case, "from": made.dates[begin], "ratio": ratio, "ratio_low": ratio * 0.99}
                | {"ratio_high": ratio * 1.01, "new": False, "changes": changes()}
            )
        elif index == 5:
            made.add(case, base, until=6)
            last = made.dates[made.series[-1]["nights"][-1]]
            found["stopped"].append(
                {"case": case, "last": last, "outcome": "crashed", "new": False}
            )
        elif index == 6:
            made.add(case, base, {fleet - 6: 0.024})
            found["changes"].append(made.change(case, fleet - 6, loose=3))
        else:
            made.add(case, base)
    if together:
        facts = changes("driver 580.1 -> 580.2", "kernel 6.12.1 -> 6.12.9", code=False)
        more = {"kind": "environment", "changes": facts, "confirm": ""}
        members = [made.change(name(index), fleet, **more) for index in together]
        ratio = statistics.median(one["ratio"] for one in members)
        found["fleet_events"].append(
            {
                "kind": "environment",
                "night": made.dates[fleet],
                "slower": len(members),
                "faster": 0,
                "ratio": ratio,
            }
            | {"new": False, "changes": facts, "members": members}
        )
    return made.trend(
        limits=["left out: 16 measurements (14 unstable, 2 crashed), 3 runs of a gate"]
    )


def counted(cases: int = 4, nights: int = 30) -> Json:
    """Counts of an emulated device: exact, and one of them grew on a night."""
    made = Nights(nights, noise=0.0)
    night = max(1, nights - 1)
    for index in range(cases):
        before, after = (0, 32) if index == 1 else (1024 * (index + 1), 1536 * (index + 1))
        metric = "atomics" if index == 1 else "sectors"
        places = list(range(nights))
        values = [after if at >= night else before for at in places]
        made.series.append(
            {"case": name(index), "metric": metric, "unit": "1", "nights": places, "values": values}
        )
        made.found["changes"].append(
            {
                "case": name(index),
                "kind": "regression",
                "night": made.dates[night],
                "earliest": made.dates[night],
            }
            | {
                "latest": made.dates[night],
                "before": before,
                "after": after,
                "unit": "1",
                "metric": metric,
            }
            | {
                "other_metrics": 2 * (index == 0),
                "mode": False,
                "new": True,
                "changes": changes(),
                "confirm": "x",
            }
        )
    return made.trend(model="synthetic-emulated", device="emulated:0", least_step=0.02)


def odd() -> Json:
    """What is rare: long names, several changes of one case, far outliers, two environments in
    turn, a case without shown nights, a change of one night, changes that nothing explains."""
    made = Nights(60, noise=0.003)
    long = f"attention/{'flash_' * 12}mma/bf16/batch=1,heads=16,seq=1024,dim=64,mask=causal"
    made.add(long, 4.2e6, {20: 0.03, 40: 0.05})
    whole = next(one for one in made.series if one["case"] == long)
    whole["median_ns"][5] *= 9
    last = made.change(long, 40, begin=20, new=True, changes=changes(code=False), confirm="")
    made.found["changes"] = [made.change(long, 20, end=40, loose=4), last]
    made.add("turns/between/f32/n=1", 50.0)
    turns = made.series.pop()
    for hash_, places in (
        (OLD, [at for at in range(60) if at // 15 % 2 == 0]),
        (NEW, range(15, 30)),
    ):
        made.series.append(
            turns
            | {"environment": hash_, "nights": list(places), "median_ns": [50.0] * len(places)}
        )
    made.found["stopped"] = [
        {"case": "turns/between/f32/n=1", "last": made.dates[50], "new": True},
        {"case": "no/nights/f32/n=1", "last": made.dates[1], "outcome": "timeout", "new": False},
    ]
    made.found["drifts"] = [
        {
            "case": "$no$/nights\n/f32/n=2",
            "from": made.dates[0],
            "ratio": 0.9,
            "ratio_low": 0.8,
            "ratio_high": 0.95,
        }
        | {
            "new": False,
            "changes": changes("driver " + "580.1-with-a-long-suffix" * 9 + " -> 580.2"),
        }
    ]
    facts = [f"fact_{number} old -> new" for number in range(9)]
    environments = [
        {"night": made.dates[at], "changed": facts, "cases": 0}
        for at in (15, 16, 30, 31, 45, 46, 47, 48, 49, 50)
    ]
    return made.trend(environments=environments, model="synthetic-odd")


def many(worth: int = 60, cases: int = 300, nights: int = 90) -> Json:
    """So many cases with a change of their own that no figure holds all, among others."""
    made = Nights(nights)
    for index in range(cases):
        step = nights // 3 + index * 7 % (nights // 3)
        grows = 0.02 + 0.001 * index if index % 3 else -0.02 - 0.001 * index
        made.add(name(index), 900.0 * (index % 40 + 1), {step: grows} if index < worth else {})
        if index < worth:
            made.found["changes"].append(made.change(name(index), step, new=index % 20 == 0))
    return made.trend()


def document(*trends: Json) -> Json:
    return synthetic.document() | {"trends": [_judged(copy.deepcopy(one)) for one in trends]}


def _judged(trend: Json) -> Json:
    """With its findings as `ridgeline` would tell them, in words that are made more simply."""
    lists = {key: trend.pop(key) for key in ("changes", "fleet_events", "drifts", "stopped")}
    for one in trend["series"]:
        one["stretches"] = stretches_of(one.pop("nights"))
    found = [_change(one) for one in lists["changes"]]
    for event in lists["fleet_events"]:
        members = sorted(map(_change, event["members"]), key=_size, reverse=True)
        mode = all(member["mode"] for member in members)
        fails = event["kind"] != "environment" and any(member["fails"] for member in members)
        said = f"{len(members)} cases changed within 2 days"
        worse = not mode and event["kind"] == "regression"
        found.append(
            {"mode": mode, "fails": fails, "worse": worse}
            | event
            | {"members": members, "words": {"said": said, "levels": said}}
        )
    for drift in lists["drifts"]:
        worse = drift["ratio"] > 1
        fails = drift["new"] and worse and not drift["changes"]["environment"]
        made = {
            "kind": "drift",
            "night": drift["from"],
            "until": trend["dates"][-1],
            "mode": False,
            "fails": fails,
            "worse": worse,
        } | drift
        found.append(made | {"words": _words(made, "since then, little by little")})
    for stop in lists["stopped"]:
        made = {
            "kind": "stopped",
            "night": stop["last"],
            "mode": False,
            "fails": stop["new"],
            "worse": True,
        } | stop
        found.append(
            made | {"words": _words(made, f"its last night; {stop.get('outcome', 'not measured')}")}
        )
    for one in (*found, *(member for event in found for member in event.get("members", []))):
        unsure = "mode, " if one["mode"] else ""
        one["words"]["kind"] = f"{unsure}{one['kind']}{', new' if one['new'] else ''}"
    found.sort(key=lambda one: (not one["fails"], not one["worse"], one["mode"], -_size(one)))
    for start in trend["environments"]:
        start.setdefault("words", f"another comparable environment: {start['cases']} cases")
    doubtful = bool(trend["environments"]) or any(one["worse"] for one in found)
    told = {"fails": any(one["fails"] for one in found), "doubtful": doubtful, "findings": found}
    return {"conclusion": f"the last nights: {len(found) or 'nothing'} changed"} | told | trend


def _change(made: Json) -> Json:
    worse = not made["mode"] and made["kind"] == "regression"
    unit = made.get("metric") or made["unit"]
    words = _words(made, f"{made['before']:.6g} -> {made['after']:.6g} {unit}")
    if cause := made.get("cause"):
        words["cause"] = f"{cause}: the commit changed"
    return {"fails": worse and made["new"], "worse": worse} | made | {"words": words}


def _words(made: Json, levels: str) -> Json:
    if "ratio" not in made:
        return {"said": levels, "levels": levels}
    change, low, high = (
        f"{100 * (made[key] - 1):+.3g}%" for key in ("ratio", "ratio_low", "ratio_high")
    )
    interval = f"{low} to {high}"
    return {
        "said": (f"{change} ({interval})  {levels}"),
        "change": change,
        "interval": interval,
        "levels": levels,
    }


def _size(one: Json) -> float:
    return abs(math.log(one.get("ratio", 1)))


if __name__ == "__main__":
    number, file = sys.argv[1:]
    Path(file).write_text(json.dumps(document(trend(int(number)))), encoding="utf-8")
