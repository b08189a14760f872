"""What compute-sanitizer says of one execution of a case, and what it is known to report where
nothing is wrong."""

import re
from dataclasses import dataclass
from typing import Any

TOOLS = ("memcheck", "racecheck", "initcheck")
OPTIONS = {"racecheck": ("--racecheck-report", "analysis")}

# What compute-sanitizer (CUDA 13.0) finds where nothing of ours is wrong: tool and suite/variant,
# with the reason. The emulated device follows bulk copies, and finds the races that there are.
BULK = (
    "filled by bulk or tensor copies, which racecheck does not follow through the mbarrier that "
    "they complete on"
)
CUDNN = "in kernels of cuDNN"
EXPLAINED = {
    ("racecheck", "attention/flash_reference_maximum"): BULK,
    ("racecheck", "attention/flash_wgmma"): BULK,
    ("racecheck", "attention/cudnn"): CUDNN,
    ("racecheck", "attention_backward/cudnn"): CUDNN,
    ("initcheck", "attention/standard_cublaslt"): "reads of scores that a kernel of cuBLASLt has "
    "written, which initcheck does not see; the results are right",
}


class Unreadable(Exception):
    pass


@dataclass(frozen=True)
class Case:
    name: str
    variant: str  # suite/variant
    size: float

    @staticmethod
    def of(listed: dict[str, Any]) -> "Case":
        return Case(
            str(listed["name"]),
            f"{listed['suite']}/{listed['variant']}",
            listed.get("bytes") or 0,
        )


def one_of_each(cases: list[Case]) -> list[Case]:
    """The smallest case of each variant, of equal ones the first."""
    kept: dict[str, Case] = {}
    for case in cases:
        if case.variant not in kept or case.size < kept[case.variant].size:
            kept[case.variant] = case
    return list(kept.values())


@dataclass(frozen=True)
class Found:
    errors: int
    first: str = ""  # what the tool calls the first one


SUMMARY = re.compile(
    r"^=+ (?:ERROR SUMMARY: (\d+) errors?|RACECHECK SUMMARY: (\d+) hazards? displayed.*)$",
    re.MULTILINE,
)
# The first line of what is found; those below it are indented.
HEADLINE = re.compile(r"^=+ (?!COMPUTE-SANITIZER|[A-Z]+ SUMMARY|Target application)(\S.*)$", re.M)


def found(said: str) -> Found:
    """Of all that compute-sanitizer printed. Raises Unreadable where it did not end as it does."""
    summaries = list(SUMMARY.finditer(said))
    if not summaries:
        last = said.strip().splitlines()[-1:] or ["nothing"]
        raise Unreadable(f"compute-sanitizer said no summary, but {last[0].strip()}")
    errors = sum(int(each[1] or each[2]) for each in summaries)
    first = HEADLINE.search(said)
    return Found(errors, first[1].strip() if first and errors else "")


def cell(tool: str, case: Case, result: "Found | str") -> str:
    """A number of errors, or why there is none."""
    if isinstance(result, str):
        return result
    if result.errors and (tool, case.variant) in EXPLAINED:
        return f"{result.errors} explained"
    return f"**{result.errors}**" if result.errors else "0"


Results = dict[tuple[str, str], "Found | str"]  # by tool and case; a text says why there is none


def table(tools: list[str], cases: list[Case], results: Results) -> str:
    """In Markdown: a case a row, a tool a column, and below what was found first."""
    lines = ["| case | " + " | ".join(tools) + " |", "|---|" + "---:|" * len(tools)]
    told, explained = [], {}
    for case in cases:
        cells = []
        for tool in tools:
            result = results[tool, case.name]
            cells.append(cell(tool, case, result))
            if isinstance(result, str) or not result.errors:
                continue
            if reason := EXPLAINED.get((tool, case.variant)):
                explained.setdefault(f"{tool}: {reason}", []).append(f"`{case.variant}`")
            else:
                told.append(f"- {tool} of `{case.name}`: {result.first}")
        lines.append(f"| `{case.name}` | " + " | ".join(cells) + " |")
    for reason, variants in explained.items():
        told.append(f"- Explained, {reason} ({', '.join(variants)}).")
    return "\n".join([*lines, "", *told]).rstrip() + "\n"


def mistakes(cases: list[Case], results: Results) -> int:
    """How many checks found what is not explained."""
    by_name = {case.name: case for case in cases}
    return sum(
        not isinstance(result, str)
        and result.errors > 0
        and (tool, by_name[name].variant) not in EXPLAINED
        for (tool, name), result in results.items()
    )
