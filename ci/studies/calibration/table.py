"""The summary as Markdown."""

import math

from ci.studies.calibration import planted_table
from ci.studies.calibration.cells import delta_text, level_text, or_dash, percent, rate, table
from ci.studies.calibration.plan import POWER_SUITE, duration_text


def views(by_delta: dict) -> dict[str, str]:
    return {
        "same_rounds": "equal rate, same rounds",
        "first_rounds": f"equal rate, first {by_delta['first_rounds']} rounds",
    }


def _extra(key: str) -> str:
    return f"{float(key):+g}%"


def _by_extra(shares: dict[str, dict]) -> list[str]:
    return sorted(shares, key=float)


def _aa(summary: dict) -> str:
    rows = [
        [
            "nothing else running" if row["part"] == "quiet" else "another core busy",
            " and ".join(map(delta_text, row["deltas"])),
            rate(row["suites_with_alarm"]),
            rate(row["cases_with_alarm"]),
            rate(row["slow_side"]),
            str(row["tails"]["count"]),
            percent(row["pass"].get("share")),
            percent(row["undecided"].get("share")),
            str(sum(row["not_measured"].values())),
            _mean_and_most(row),
        ]
        for row in summary["aa"]
    ]
    return table(
        "machine | delta | suites with an alarm | cases with an alarm | slow-side alarms | tails | "
        "pass | undecided | not measured | rounds: mean, most",
        rows,
    )


def _mean_and_most(row: dict) -> str:
    return "-" if row["mean_rounds"] is None else f"{row['mean_rounds']:.1f}, {row['most_rounds']}"


def _power(by_delta: dict) -> str:
    rows = []
    for key in _by_extra(by_delta["power"]):
        row = by_delta["power"][key]
        for kind, found in [*row["by_kind"].items(), ("all", row["all"])]:
            rows.append(
                [
                    _extra(key),
                    kind,
                    rate(found["found"]),
                    str(found["tails"]["count"]),
                    percent(found["pass"].get("share"), 0),
                    percent(found["undecided"].get("share"), 0),
                    str(found["wrong_direction"]["count"]),
                    or_dash("{:+.2%}", found["median_ratio"], -1),
                    or_dash("{:.1f}", found["mean_rounds"]),
                ]
            )
    return table(
        "extra work | kernels | found | as a tail | pass | undecided | wrong direction | median "
        "estimate | mean rounds",
        rows,
    )


def _counted(by_delta: dict) -> str:
    trials = [row["work_was_done"] for row in by_delta["power"].values()]
    right, of = sum(trial["count"] for trial in trials), sum(trial["of"] for trial in trials)
    return f"The kernels counted it to within 0.01% in {right} of {of} trials."


def _smallest(found: dict) -> str:
    """ "3% (compute 2%, memory none)"."""

    def words(kind: str) -> str:
        return "none" if found["smallest"].get(kind) is None else f"{found['smallest'][kind]:g}%"

    kinds = sorted(kind for kind in found["smallest"] if kind != "all")
    return words("all") + (
        f" ({', '.join(f'{kind} {words(kind)}' for kind in kinds)})" if kinds else ""
    )


def _rivals(by_delta: dict) -> str:
    mine = by_delta["ours"]
    rows = [
        ["**this gate**", rate(mine["slow_side"]), rate(mine["suites_with_alarm"]), "-"]
        + [_smallest(mine), "as it is", _smallest(mine), "-", "-"]
    ]
    for rival in by_delta["rivals"]:
        shipped, longer = rival["as_shipped"], rival["as_shipped_longest"]
        rows.append(
            [
                rival["name"],
                rate(shipped["slow_side"]),
                rate(shipped["suites_with_alarm"]),
                f"{rate(longer)} of {_rounds(longer['rounds'])}" if longer["of"] else "-",
                _smallest(shipped),
            ]
            + [cell for view in views(by_delta) for cell in _equal(rival, rival[view])]
        )
    head = (
        "rule | A/A: slow-side alarms | A/A: suites with an alarm | A/A: the same, joined suites | "
        "smallest found"
    )
    for words in views(by_delta).values():
        head += f" | threshold, {words} | smallest found, {words}"
    return table(head, rows)


def _rounds(count: int) -> str:
    return "1 round" if count == 1 else f"{count} rounds"


def _equal(rival: dict, equal: dict | None) -> list[str]:
    if equal is None:
        return ["-", "-"]
    found_on = f"{_rounds(equal['rounds'])}, on {equal['suites']} suites"
    return [f"{_threshold(rival, equal)} ({found_on})", _smallest(equal)]


def _threshold(rival: dict, equal: dict) -> str:
    value = equal["threshold"]
    if value is None or not math.isfinite(value):
        return "-"
    if rival["rule"].startswith("u-"):
        return f"p < {10**-value:.2g}"
    if rival["rule"].startswith("legacy"):
        return f"{value:.2f} x noise"
    return f"gap {100 * value:.2f}%"


def _found_by_extra(by_delta: dict) -> str:
    extras = _by_extra(by_delta["ours"]["found"])

    def shares(found: dict) -> list[str]:
        return [percent(found["found"][key].get("share"), 0) for key in extras]

    rows = [["**this gate**", *shares(by_delta["ours"])]]
    for rival in by_delta["rivals"]:
        rows.append([rival["name"] + ", as shipped", *shares(rival["as_shipped"])])
        rows += [
            [f"{rival['name']}, {words}", *shares(rival[view])]
            for view, words in views(by_delta).items()
            if rival[view]
        ]
    return table(" | ".join(["rule", *map(_extra, extras)]), rows)


def better_rivals(by_delta: dict) -> list[str]:
    """Where a rival at an equal measured alarm rate has found a smaller slow-down, or one that this
    gate has not."""
    lost = []
    for rival in by_delta["rivals"]:
        for view, words in views(by_delta).items():
            for kind, mine in by_delta["ours"]["smallest"].items():
                theirs = rival[view]["smallest"].get(kind) if rival[view] else None
                if theirs is not None and (mine is None or theirs < mine):
                    mine_text = "none" if mine is None else f"{mine:g}%"
                    lost.append(
                        f"{rival['name']} ({words}) on {kind}: {theirs:g}% against {mine_text}"
                    )
    return lost


def _losses(by_delta: dict) -> str:
    lost = better_rivals(by_delta)
    told = [
        "At an equal measured alarm rate these have found less extra work than this gate: "
        f"{'; '.join(lost)}."
        if lost
        else (
            "At an equal measured alarm rate no rule that could be compared has found less extra "
            "work than this gate."
        )
    ]
    for view, words in views(by_delta).items():
        if untuned := [rival["name"] for rival in by_delta["rivals"] if rival[view] is None]:
            told.append(f"Too few A/A rounds for a threshold at {words}: {'; '.join(untuned)}.")
    return " ".join(told)


def _aa_alphas(summary: dict) -> list[float]:
    return sorted({alpha for row in summary["aa"] for alpha in row["case_alphas"]})


def _coverage(coverage: dict) -> str:
    rows = [
        [kind, rate(found["work"]), rate(found["time"])]
        for kind, found in [*coverage["by_kind"].items(), ("all", coverage["all"])]
    ]
    return table("kernels | holds the work that was done | holds the median of all pairs", rows)


def _overhead(shares: dict) -> str:
    names = {
        "timed": "sampling",
        "warmup": "warming up",
        "prepare": "preparing",
        "verify": "verifying",
        "rest": "starting processes, talking to them, keeping results",
        "not_sampling_or_warming_up": "all but sampling and warming up",
    }
    rows = [[text, percent(shares[name])] for name, text in names.items()]
    return table("of a gate's wall time | share", rows)


def _told(machine: dict, forms: dict[str, str]) -> list[str]:
    """In words, those of the facts that are known of the machine."""
    return [form.format(machine[name]) for name, form in forms.items() if name in machine]


def _gpu(machine: dict) -> list[str]:
    """What times on a GPU depend on; nothing when there was none."""
    if "gpu" not in machine:
        return []
    forms = {
        "sms": "{} SMs",
        "gpu_memory_gib": "{} GiB",
        "gpu_power_limit_w": "at most {} W",
        "application_sm_clock_mhz": "SM clock set to {} MHz",
        "max_sm_clock_mhz": "at most {} MHz",
        "gpu_ecc": "ECC {}",
        "driver": "driver {}",
    }
    return [f"{machine['gpu']} ({', '.join(_told(machine, forms))})"]


def _devices(kind: str) -> str:
    here, others = ("a CPU", "GPUs") if kind == "cpu" else ("this one GPU", "others")
    on = "on one" if kind == "cpu" else "on them"
    return (
        f"All figures here are of {here}. Those of {others} are unverified until they are "
        f"measured {on}."
    )


def _machine(study: dict) -> str:
    machine, build = study["machine"], study.get("build", {})
    virtual = " of a virtual machine" if machine.get("virtual") else ""
    changed = " with local changes" if build.get("dirty") else ""
    facts = [
        *_gpu(machine),
        str(machine.get("cpu", "a CPU that does not say its model")),
        f"{machine.get('cores', '?')} cores{virtual}",
        *_told(machine, {"last_level_cache": "last-level cache {}", "memory_gib": "{} GiB"}),
        f"load {study.get('load', '?')} at the start",
        f"built by {build.get('compiler', '?')}",
        f"commit {str(build.get('commit', '?'))[:12]}{changed}",
    ]
    return ", ".join(facts)


def markdown(summary: dict) -> str:
    """Tables with what is needed to read them; ends with a newline."""
    study = summary["study"]
    settings = study["settings"]
    parts = [
        f"Profile `{settings['profile']}`, {summary['gates']} gates in "
        f"{duration_text(summary['wall_s'])}, begun {study.get('started', '?')}, on: "
        f"{_machine(study)}. A suite is: "
        + ", ".join(f"`{case}`" for case in settings["cases"])
        + ". Brackets hold 95% limits (Clopper and Pearson).",
    ]
    if summary["aa"]:
        parts += [
            "**A/A: the same code on both sides.** Every alarm is a false one. "
            f"{level_text(_aa_alphas(summary))}.",
            _aa(summary),
        ]
    for by_delta in summary["by_delta"]:
        delta = delta_text(by_delta["delta"])
        parts += [
            f"**Extra work in the candidate, delta {delta}.** "
            f"{level_text(by_delta['case_alphas'])}. {_counted(by_delta)} Found: a regression or a "
            "tail, or for less work an improvement; a case that its gate left out was not found.",
            _power(by_delta),
            f"**Other tools' rules on the samples of the same gates, delta {delta}.** The "
            "smallest extra work that was found in at least 80% of trials, as were all larger "
            "ones. *As shipped* and *same rounds*: on all rounds that this gate had when it "
            "ended that trial, so with its wall time; rules of one process use the first round "
            f"alone. *First {by_delta['first_rounds']} rounds*: on those alone, however many this "
            "gate had. *Equal rate*: with the threshold at which no larger share of A/A suites "
            "has an alarm than this gate's share. How often a rule that pools rounds alarms "
            "depends on how many it pools, so every number of rounds has a threshold of its own, "
            "found on A/A suites of just so many: the rounds of successive A/A gates, joined and "
            "cut anew. The threshold of the most rounds is shown, with the number of suites; "
            "where these are few, the true alarm rate may be well above this gate's. The suites "
            f"hold the study's {len(settings['cases'])} cases, while this gate had the levels of "
            f"{POWER_SUITE}: the other rules are favoured.",
            _rivals(by_delta),
            "Share found, by extra work:",
            _found_by_extra(by_delta),
            _losses(by_delta),
        ]
    parts += planted_table.parts(summary)
    if summary["coverage"]["by_kind"]:
        parts += [
            "**Coverage of the 95% interval**, at whatever look a gate has stopped. Time need not "
            "follow work exactly where memory bounds it; the median of all pairs of a case with "
            "the same extra work is what was measured.",
            _coverage(summary["coverage"]),
        ]
    parts += [
        "**Where the time went.**",
        _overhead(summary["overhead"]) if summary["overhead"] else "-",
        _devices(summary["device_kind"]),
    ]
    if summary["lines_left_out"]:
        parts.append(
            f"Left out: {summary['lines_left_out']} lines of the study's file that could not "
            "be understood."
        )
    return "\n\n".join(parts) + "\n"
