"""The tables of gates whose candidate has a tail, or extra work in one case."""

from collections.abc import Iterator

from ci.studies.calibration.cells import delta_text, level_text, or_dash, percent, rate, table
from ci.studies.calibration.plan import SUITE_ALPHA, setting_text


def _tails(rows: list[dict]) -> str:
    told = [
        [
            setting_text(0, row["plant"]),
            *(rate(row[name]) for name in ("found", "within_40", "tails")),
            *(percent(row[name].get("share"), 0) for name in ("pass", "undecided")),
            or_dash("{:.1f}", row["mean_rounds"]),
            *(percent(row[name], 1) for name in ("slow_executions", "slow_processes")),
            ", ".join(
                f"{kind} {percent(found['found'].get('share'), 0)}"
                for kind, found in row["by_kind"].items()
            ),
        ]
        for row in rows
    ]
    return table(
        "planted | found | within 40 rounds | as a tail | pass | undecided | mean rounds | slow "
        "executions, counted | slow processes, counted | found, by kernel",
        told,
    )


def _one_of(suspects: int) -> str:
    return "the only one" if suspects == 1 else f"one of {suspects}"


def _about_tails(rows: list[dict], suspects: int) -> str:
    samples = sorted(row["samples"] for row in rows if row["samples"] is not None)
    between = " to ".join(f"{count:g}" for count in sorted({*samples[:1], *samples[-1:]})) or "no"
    false = [row["suites_with_alarm"] for row in rows if not row["plant"]]
    return " ".join(
        [
            "Every case has what is planted, so that it is a suspect, or nearly so: where one of "
            "them is none, the others have its share, too. It has `launch=single`, so that a "
            f"sample is one launch; a process has {between} samples (medians).",
            f"Alpha was such that a suspect has the levels of {_one_of(suspects)} in a suite at "
            f"an alpha of {percent(SUITE_ALPHA, 0)}.",
            "Medians were judged at the same alpha, which is more than they have in a large suite: "
            "the column of tails is without what they found.",
            "Found: a tail or a regression; a case that its gate left out was not found.",
            *(f"With nothing planted, {rate(of)} suites had an alarm." for of in false),
        ]
    )


def _one(rows: list[dict]) -> str:
    told = [
        [
            f"{row['extra']:+g}%",
            rate(row["found"]),
            *(percent(row[name].get("share"), 0) for name in ("pass", "undecided")),
            or_dash("{:.1f}", row["mean_rounds"]),
            rate(row["others_with_alarm"]),
            percent(row["others_pass"].get("share")),
            f"{row['mean_wall_s']:.1f} s",
            ", ".join(f"{kind} {rate(found['found'])}" for kind, found in row["by_kind"].items()),
        ]
        for row in rows
    ]
    return table(
        "extra work | gates in which it was found | pass | undecided | mean rounds of that case | "
        "other cases with an alarm | other cases that pass | wall time | found, by kernel",
        told,
    )


def _of_each_delta(rows: list[dict]) -> Iterator[tuple[str, list[dict]]]:
    for delta in sorted({row["delta"] for row in rows}):
        yield delta_text(delta), [row for row in rows if row["delta"] == delta]


def parts(summary: dict) -> list[str]:
    """The tables with what is needed to read them; none where there were no such gates."""
    settings = summary["study"]["settings"]
    parts = []
    for delta, rows in _of_each_delta(summary["one"]):
        parts += [
            f"**Extra work in one case, delta {delta}.** One of the {len(settings['cases'])} cases "
            f"does it, another one from gate to gate, with a budget of "
            f"{or_dash('{:g}', settings.get('budget_s'))} s. {level_text(rows[0]['case_alphas'])}.",
            _one(rows),
        ]
    for delta, rows in _of_each_delta(summary["tails"]):
        parts += [
            f"**Slow samples and slow processes, delta {delta}.** "
            f"{_about_tails(rows, settings.get('suspects', 1))}",
            _tails(rows),
        ]
    return parts
