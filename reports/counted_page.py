"""What the page shows of a counted run: figures by suite, listings, and tables of counts. No
times."""

from __future__ import annotations

from reports import listing
from reports.model import Case, Run
from reports.run_page import circumstances
from reports.section import Section


def section(one: Section) -> dict[str, object]:
    addresses = listing.links(one.listings)
    return vars(one) | {
        "lines": [
            (
                case,
                f"{listing.FOLDER}/{addresses[case.name]}" if case.name in addresses else "",
                counts(case),
            )
            for case in one.of.cases
        ],
        "folder": listing.FOLDER,
        "every_metric": every_metric(one.of),
        **circumstances(one.of),
    }


_COUNTS = (
    "global_load_sectors_per_request",
    "global_store_sectors_per_request",
    "shared_wavefronts_per_request",
    "lanes_per_request",
    "global_useful_bytes",
    "global_moved_bytes",
)


def counts(case: Case) -> tuple[str, ...]:
    """Sectors a load and a store, wavefronts and lanes a request; useful, moved and DRAM bytes.
    Empty where a case has no such request."""
    texts = {one.name: one.text for one in case.metrics}
    return (*(texts.get(name, "") for name in _COUNTS), case.words.get("dram", ""))


def every_metric(run: Run) -> tuple[list[str], list[tuple[str, list[str]]]]:
    """Names of all metrics, and of each counted case its texts; empty ones where a case has none of
    that name."""
    cases = [
        (case.name, {one.name: one for one in case.metrics}) for case in run.cases if case.counted
    ]
    found = {name: metric for _, metrics in cases for name, metric in metrics.items()}
    arrow = {"lower": " ↓", "higher": " ↑", "none": ""}
    names = [name + arrow[metric.direction] for name, metric in found.items()]
    return names, [
        (case, [own[name].text if name in own else "" for name in found]) for case, own in cases
    ]
