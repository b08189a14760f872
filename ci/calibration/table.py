"""The summary as Markdown, and its place in a document."""

import math
from pathlib import Path

from ci.calibration.plan import duration_text

BEGIN, END = "<!-- calibration begin -->", "<!-- calibration end -->"


class PublishError(Exception):
    """The document has no place for the table."""


def percent(value: float | None, digits: int = 1) -> str:
    if value is None or not math.isfinite(value):
        return "-"
    return f"{100 * value:.{digits}f}%"


def rate(found: dict) -> str:
    """ "3 of 300 [0.2%, 2.9%]", or a dash where nothing was tried."""
    if not found.get("of"):
        return "-"
    return f"{found['count']} of {found['of']} [{percent(found['low'])}, {percent(found['high'])}]"


def table(head: list[str], rows: list[list[str]]) -> str:
    lines = ["| " + " | ".join(cells) + " |" for cells in (head, *rows)]
    lines.insert(1, "|" + "---|" * len(head))
    return "\n".join(lines)


def _extra(key: str) -> str:
    return f"{float(key):+g}%"


def _by_extra(shares: dict[str, dict]) -> list[str]:
    return sorted(shares, key=float)


def _aa(summary: dict) -> str:
    rows = [
        [
            "nothing else running" if row["part"] == "quiet" else "another core busy",
            " and ".join(percent(delta, 0) for delta in row["deltas"]),
            rate(row["suites_with_alarm"]),
            rate(row["cases_with_alarm"]),
            rate(row["slow_side"]),
            percent(row["pass"].get("share")),
            percent(row["undecided"].get("share")),
            str(sum(row["not_measured"].values())),
            "-" if row["mean_pairs"] is None else f"{row['mean_pairs']:.1f}, {row['most_pairs']}",
        ]
        for row in summary["aa"]
    ]
    return table(
        [
            *("machine", "delta", "suites with an alarm", "cases with an alarm", "slow-side alarms", "pass"),
            *("undecided", "not measured", "rounds: mean, most"),
        ],
        rows,
    )


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
                    percent(found["pass"].get("share"), 0),
                    percent(found["undecided"].get("share"), 0),
                    str(found["wrong_direction"]["count"]),
                    "-" if found["median_ratio"] is None else f"{100 * (found['median_ratio'] - 1):+.2f}%",
                    "-" if found["mean_pairs"] is None else f"{found['mean_pairs']:.1f}",
                ]
            )
    head = ["extra work", "kernels", "found", "pass", "undecided", "wrong direction", "median estimate", "mean rounds"]
    return table(head, rows)


def _counted(by_delta: dict) -> str:
    trials = [row["work_was_done"] for row in by_delta["power"].values()]
    right, of = sum(trial["count"] for trial in trials), sum(trial["of"] for trial in trials)
    return f"The kernels counted it to within 0.01% in {right} of {of} trials."


def _smallest(found: dict, kinds: list[str]) -> list[str]:
    return ["none" if found["smallest"].get(kind) is None else f"{found['smallest'][kind]:g}%" for kind in kinds]


def _rivals(by_delta: dict) -> str:
    kinds = [*sorted(kind for kind in by_delta["ours"]["smallest"] if kind != "all"), "all"]
    mine = by_delta["ours"]
    rows = [
        ["**this gate**", rate(mine["slow_side"]), rate(mine["suites_with_alarm"]), *_smallest(mine, kinds)]
        + ["as it is", *_smallest(mine, kinds)]
    ]
    for rival in by_delta["rivals"]:
        shipped, equal = rival["as_shipped"], rival.get("at_our_rate")
        rows.append(
            [rival["name"], rate(shipped["slow_side"]), rate(shipped["suites_with_alarm"]), *_smallest(shipped, kinds)]
            + (["-"] * (len(kinds) + 1) if equal is None else [_threshold(rival, equal), *_smallest(equal, kinds)])
        )
    return table(
        ["rule", "A/A: slow-side alarms", "A/A: suites with an alarm", *(f"{kind}" for kind in kinds)]
        + ["threshold at equal rate", *(f"{kind}, equal rate" for kind in kinds)],
        rows,
    )


def _threshold(rival: dict, equal: dict) -> str:
    value = equal["threshold"]
    if value is None or not math.isfinite(value):
        return "-"
    if rival["rule"].startswith("u-"):
        return f"p < {10**-value:.2g}"
    if rival["rule"].startswith("legacy"):
        return f"{value:.2f} x noise"
    return f"gap {100 * value:.2f}%"


def _found_side_by_side(by_delta: dict) -> str:
    extras = _by_extra(by_delta["ours"]["found"])

    def shares(found: dict) -> list[str]:
        return [percent(found["found"][key].get("share"), 0) for key in extras]

    rows = [["**this gate**", *shares(by_delta["ours"])]]
    for rival in by_delta["rivals"]:
        rows.append([rival["name"] + ", as shipped", *shares(rival["as_shipped"])])
        if "at_our_rate" in rival:
            rows.append([rival["name"] + ", equal rate", *shares(rival["at_our_rate"])])
    return table(["rule", *(_extra(key) for key in extras)], rows)


def better_rivals(by_delta: dict) -> list[str]:
    """Where a rival at an equal measured alarm rate has found a smaller slow-down, or one that this gate has not."""
    lost = []
    for rival in by_delta["rivals"]:
        equal = rival.get("at_our_rate")
        for kind, mine in by_delta["ours"]["smallest"].items():
            theirs = equal["smallest"].get(kind) if equal else None
            if theirs is not None and (mine is None or theirs < mine):
                mine_text = "none" if mine is None else f"{mine:g}%"
                lost.append(f"{rival['name']} on {kind}: {theirs:g}% against {mine_text}")
    return lost


def _coverage(coverage: dict) -> str:
    rows = [
        [kind, rate(found["work"]), rate(found["time"])]
        for kind, found in [*coverage["by_kind"].items(), ("all", coverage["all"])]
    ]
    return table(["kernels", "holds the work that was done", "holds the median of all pairs"], rows)


def _overhead(shares: dict) -> str:
    names = {
        "timed": "sampling",
        "warmup": "warming up",
        "prepare": "preparing",
        "verify": "verifying",
        "rest": "starting processes, talking to them, keeping results",
    }
    rows = [[text, percent(shares[name])] for name, text in names.items()]
    return table(
        ["of a gate's wall time", "share"],
        [*rows, ["all but sampling and warming up", percent(shares["not_sampling_or_warming_up"])]],
    )


def _machine(study: dict) -> str:
    machine, build = study["machine"], study.get("build", {})
    facts = [
        machine.get("cpu", "a CPU that does not say its model"),
        f"{machine.get('cores', '?')} cores" + (" of a virtual machine" if machine.get("virtual") else ""),
        *([f"last-level cache {machine['last_level_cache']}"] if "last_level_cache" in machine else []),
        *([f"{machine['memory_gib']} GiB"] if "memory_gib" in machine else []),
        f"load {study.get('load', '?')} at the start",
        f"built by {build.get('compiler', '?')}",
        f"commit {str(build.get('commit', '?'))[:12]}" + (" with local changes" if build.get("dirty") else ""),
    ]
    return ", ".join(str(fact) for fact in facts)


def markdown(summary: dict) -> str:
    """Tables with what is needed to read them; ends with a newline."""
    study = summary["study"]
    settings = study["settings"]
    parts = [
        f"Profile `{settings['profile']}`, {summary['gates']} gates in {duration_text(summary['wall_s'])}, begun "
        f"{study.get('started', '?')}, on: {_machine(study)}. A suite is: "
        + ", ".join(f"`{case}`" for case in settings["cases"])
        + ". Brackets hold 95% limits (Clopper and Pearson).",
        "**A/A: the same code on both sides.** Every alarm is a false one.",
        _aa(summary),
    ]
    for by_delta in summary["by_delta"]:
        delta = percent(by_delta["delta"], 0)
        lost = better_rivals(by_delta)
        parts += [
            f"**Extra work in the candidate, delta {delta}.** {_counted(by_delta)} Found: a regression, or for less "
            "work an improvement.",
            _power(by_delta),
            f"**Other tools' rules on the samples of the same gates, delta {delta}.** The smallest extra work that was "
            "found in at least 80% of trials, as were all larger ones: as shipped, and with the threshold at which the "
            "A/A suites have no more alarms than this gate's. Rules of one process use the first round alone.",
            _rivals(by_delta),
            "Share found, by extra work:",
            _found_side_by_side(by_delta),
            (
                "At an equal measured alarm rate these have found less extra work than this gate: "
                + "; ".join(lost)
                + "."
                if lost
                else "At an equal measured alarm rate no other rule has found less extra work than this gate."
            ),
        ]
    parts += [
        "**Coverage of the 95% interval**, at whatever look a gate has stopped. Time need not follow work exactly "
        "where memory bounds it; the median of all pairs of a case with the same extra work is what was measured.",
        _coverage(summary["coverage"]),
        "**Where the time went.**",
        _overhead(summary["overhead"]) if summary["overhead"] else "-",
        "All figures are of a CPU. Those of GPUs are unverified until they are measured on one.",
    ]
    if summary["lines_left_out"]:
        parts.append(f"Left out: {summary['lines_left_out']} lines of the study's file that could not be understood.")
    return "\n\n".join(parts) + "\n"


def publish(document: Path, text: str) -> None:
    """Puts the text between the document's markers. Raises PublishError unless there is one pair of them."""
    try:
        old = document.read_text(encoding="utf-8")
    except OSError as error:
        raise PublishError(f"{document} cannot be read: {error.strerror}") from error
    if old.count(BEGIN) != 1 or old.count(END) != 1 or old.index(BEGIN) > old.index(END):
        raise PublishError(f"{document} needs one line {BEGIN} and, after it, one line {END}")
    if BEGIN in text or END in text:
        raise PublishError("the text holds a marker itself")
    before, rest = old.split(BEGIN)
    after = rest.split(END)[1]
    try:
        document.write_text(f"{before}{BEGIN}\n\n{text}\n{END}{after}", encoding="utf-8")
    except OSError as error:
        raise PublishError(f"{document} cannot be written: {error.strerror}") from error
