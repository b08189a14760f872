"""Hardware counters of a kernel beside what the emulated device counted for it: which of them mean
the same."""

import csv
import io
from dataclasses import dataclass
from typing import Any

# How much of each counter there was, emulated or measured; None where a profile does not have it.
Counts = dict[str, float | None]

# What Nsight Compute calls them; what begins with a minus is taken away.
COUNTERS = {
    "global load requests": ["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"],
    "global load sectors": ["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"],
    "global store requests": ["l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"],
    "global store sectors": ["l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"],
    "shared load wavefronts": ["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"],
    "shared store wavefronts": ["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"],
    # The pipe of tensor cores also does packed multiply-adds, with which nvcc makes constants.
    "tensor instructions": [
        "sm__inst_executed_pipe_tensor_op_hmma.sum",
        "-sm__inst_executed_pipe_tensor_op_hmma_type_hfma2.sum",
    ],
    "DRAM bytes read": ["dram__bytes_read.sum"],
    "DRAM bytes written": ["dram__bytes_write.sum"],
}
METRICS = [counter.removeprefix("-") for counters in COUNTERS.values() for counter in counters]
# The model of DRAM says what a launch must move; a counter says what one launch on a busy cache
# moved.
EXACT = [name for name in COUNTERS if not name.startswith("DRAM")]

# What the emulated device says of them: fields of sites by their access, and metrics.
COUNTED = {
    "global load": {"global load requests": "requests", "global load sectors": "sectors"},
    "global async copy": {"global load requests": "requests", "global load sectors": "sectors"},
    "global store": {"global store requests": "requests", "global store sectors": "sectors"},
    "shared load": {"shared load wavefronts": "wavefronts"},
    "shared store": {"shared store wavefronts": "wavefronts"},
    "tensor": {"tensor instructions": "requests"},
}
MODELLED = {"dram_read_bytes": "DRAM bytes read", "dram_written_bytes": "DRAM bytes written"}

# A field of a problem that only says how much of it there is.
SIZES = {"elements", "rows", "cols", "m", "n", "k", "batch", "heads", "seq", "dim"}


class Unreadable(Exception):
    pass


def emulated(metrics: list[dict[str, Any]], sites: list[dict[str, Any]]) -> Counts:
    """What a counted measurement of the worker protocol says of each counter. A bulk copy has
    requests of its own unit, which the counters of loads and stores leave out; and of what cp.async
    stores to shared memory, the hardware counts nothing."""
    found: dict[str, Any] = dict.fromkeys(EXACT, 0.0) | dict.fromkeys(
        ("DRAM bytes read", "DRAM bytes written")
    )
    for site in sites:
        for name, field in COUNTED.get(site["access"], {}).items():
            found[name] += site[field]
    for metric in metrics:
        if metric["name"] in MODELLED:
            found[MODELLED[metric["name"]]] = metric["value"]
    return found


def measured(table: str, case: str) -> Counts:
    """The sum of what `ncu --nvtx --csv --page raw --print-units base` wrote over the kernels in
    the range of that name: those behind it fill buffers and compare outputs."""
    lines = [line for line in table.splitlines() if line.startswith('"')]
    rows = [
        row
        for row in csv.DictReader(io.StringIO("\n".join(lines)))
        if any(
            case in (value or "")
            for column, value in row.items()
            if "NVTX" in column or "Push/Pop" in column
        )
    ]
    if not rows:
        raise Unreadable("Nsight Compute saw no kernel of the case")
    return {name: total(rows, counters) for name, counters in COUNTERS.items()}


def total(rows: list[dict[str, str]], counters: list[str]) -> float | None:
    found = 0.0
    for counter in counters:
        column = counter.removeprefix("-")
        if column not in rows[0]:
            return None  # the profile was taken without it
        values = [row[column] for row in rows]
        try:
            found += sum(float(str(value).replace(",", "")) for value in values) * (
                -1 if column != counter else 1
            )
        except ValueError as error:
            raise Unreadable(f"Nsight Compute has no {column}: {values}") from error
    return found


@dataclass(frozen=True)
class Case:
    name: str
    kind: tuple[str, ...]  # suite, variant, dtype and the first field that is no size
    size: float

    @staticmethod
    def of(listed: dict[str, Any]) -> "Case":
        choice = next(
            (f"{field}={value}" for field, value in listed["problem"] if field not in SIZES), ""
        )
        return Case(
            listed["name"],
            (listed["suite"], listed["variant"], listed["dtype"], choice),
            listed.get("bytes") or 0,
        )


def smallest(cases: list[Case]) -> list[Case]:
    """One case of each kind: counts of larger ones only have larger numbers."""
    kept: dict[tuple[str, ...], Case] = {}
    for case in cases:
        if case.kind not in kept or case.size < kept[case.kind].size:
            kept[case.kind] = case
    return list(kept.values())


def number(value: float) -> str:
    return f"{value:.0f}"


def cell(counted: float, seen: float | None) -> str:
    """Equal numbers once, others as emulated → measured."""
    if seen is None:
        return f"{number(counted)} (not read)"
    if counted == seen == 0:
        return "-"
    return number(counted) if counted == seen else f"**{number(counted)} → {number(seen)}**"


def table(rows: list[tuple[str, Counts, Counts]]) -> str:
    """A Markdown table, a case a row; the DRAM model stands beside its counters without being
    judged."""
    head = ["case", *EXACT, "DRAM read, MB", "DRAM written, MB"]
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for name, counted, seen in rows:
        cells = [cell(counted[counter], seen[counter]) for counter in EXACT]
        for counter in ("DRAM bytes read", "DRAM bytes written"):
            cells.append(
                " → ".join(
                    "?" if of[counter] is None else f"{of[counter] / 1e6:.2f}"
                    for of in (counted, seen)
                )
            )
        lines.append(f"| `{name}` | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def equal(rows: list[tuple[str, Counts, Counts]]) -> tuple[int, int]:
    """How many of the counters that have anything to count agree, and how many there are."""
    pairs = [(counted[name], seen[name]) for _, counted, seen in rows for name in EXACT]
    pairs = [pair for pair in pairs if pair != (0, 0) and pair[1] is not None]
    return sum(counted == seen for counted, seen in pairs), len(pairs)
