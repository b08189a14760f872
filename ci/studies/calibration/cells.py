"""Cells of the summary's tables, and the table."""

import math

from ci.studies.calibration.plan import SUITE_ALPHA


def percent(value: float | None, digits: int = 1) -> str:
    if value is None or not math.isfinite(value):
        return "-"
    return f"{100 * value:.{digits}f}%"


def or_dash(form: str, value: float | None, more: float = 0) -> str:
    return "-" if value is None else form.format(value + more)


def rate(found: dict) -> str:
    """ "3 of 300 [0.2%, 2.9%]", or a dash where nothing was tried."""
    if not found.get("of"):
        return "-"
    return f"{found['count']} of {found['of']} [{percent(found['low'])}, {percent(found['high'])}]"


def table(head: str, rows: list[list[str]]) -> str:
    """`head`: as it stands in the table, without the outer bars."""
    lines = ["| " + text + " |" for text in (head, *map(" | ".join, rows))]
    lines.insert(1, "|" + "---|" * len(head.split(" | ")))
    return "\n".join(lines)


def delta_text(value: float) -> str:
    return f"{100 * value:g}%"


def level_text(alphas: list[float]) -> str:
    """Of a case, and the suites that it is that of."""
    suites = {f"{SUITE_ALPHA / alpha:.0f}" for alpha in alphas}
    return (
        f"alpha/N was {' and '.join(percent(alpha, 3) for alpha in alphas)} per case, as it is in "
        f"a suite of {' and '.join(sorted(suites, key=float))} cases at an alpha of "
        f"{percent(SUITE_ALPHA, 0)}"
    )
