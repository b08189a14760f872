"""What people are to be told: what is new in a trend, what of it is over, and which devices are
silent. Each is told once, by its marks."""

from dataclasses import dataclass
from typing import Any, TypedDict

from .message import OVER, SILENT, Item
from .record import Run

LONG_SILENT = 30  # days, after which nobody is told of it any more
FEW_NIGHTS = 5  # of a device that has not measured more, nobody expects another night


class _Words(TypedDict):
    kind: str
    said: str


class Words(_Words, total=False):
    commits: str


class _Found(TypedDict):
    kind: str
    night: str
    new: bool
    worse: bool
    words: Words


class Found(_Found, total=False):
    case: str
    label: str
    ratio: float | None
    fails: bool
    told_night: str  # of what the store remembers as told: the newest night when it was new
    members: list["Found"]
    continued_by: dict[str, Any]
    confirm: str
    bisect: str


class _Device(TypedDict):
    model: str
    device_uuid: str
    findings: list[Found]


class Device(_Device, total=False):
    pool: str
    profile: str
    nights: int
    last: str
    silent_days: int


class Trend(TypedDict):
    """What is used of `ridgeline trend --json`."""

    devices: list[Device]


class ToldRow(TypedDict):
    model: str
    label: str
    failed: bool  # it made a night fail
    state: str
    state_at: str
    why: str
    said_by: str


class ToldRows(TypedDict):
    """What is used of `ridgeline trend told --json`."""

    told: list[ToldRow]


Rows = dict[tuple[str, str], ToldRow]  # by model and label


@dataclass
class Mark:
    """What is told once: a change of a case, or that a device is silent. The store's word for it
    where the store remembers it, else what and when it is."""

    case: str
    kind: str
    night: str
    told: str = ""  # label, the night that told it, and as what; empty: the store does not know it

    def label(self) -> str:
        return self.told.split(" ")[0]


@dataclass
class New:
    item: Item
    where: str  # whose nights
    marks: list[Mark]  # of many cases each


def place(model: str, device: str, profile: str) -> str:
    return f"{model} {device} {profile}"


def where_of(device: Device) -> str:
    """As `where_of_run` says it of a run of these nights."""
    own = device.get("pool") or device["device_uuid"]
    return place(device["model"], own, device.get("profile", ""))


def where_of_run(run: Run) -> str:
    return place(run["model"], pool_of(run) or run["device_uuid"], run.get("profile", ""))


def pool_of(run: Run) -> str:
    """As is_pool of harness/analysis/nightly_series.hpp has it."""
    label = run["label"]
    return label if label == "pool" or label.startswith("pool:") else ""


def new_changes(trend: Trend, asked: dict[str, str], rows: Rows) -> list[New]:
    """What is new, for the worse first; in the trend's own order. `asked`: by device and profile,
    the last night of which people were told. What an earlier night has told, and nobody was told of
    because that night was killed, is new to them."""
    found = [
        new_change(device, one, parts, rows)
        for device in trend["devices"]
        for one in device["findings"]
        if one["new"] and (parts := untold(device, one, asked.get(where_of(device))))
    ]
    return sorted(found, key=lambda one: not one.item.worse)


def untold(device: Device, found: Found, asked: str | None) -> list[Found]:
    """Of many cases those that are new: others may have been told before, one by one."""
    parts = [one for one in found.get("members", []) if one["new"]] or [found]

    def is_untold(one: Found) -> bool:
        night = one.get("told_night", "")
        return not night or night >= device.get("last", "") or (asked is not None and night > asked)

    return [one for one in parts if is_untold(one)]


def new_change(device: Device, found: Found, parts: list[Found], rows: Rows) -> New:
    kind = "renamed" if "continued_by" in found else found["kind"]
    where = where_of(device)
    own = found.get("label") or f"{kind} {found['night']} {found.get('case', '')}"
    item = Item(
        key=f"{where} {own} {found.get('told_night', '')}".rstrip(),
        device=device["model"],
        kind=kind,
        night=found["night"],
        said=found["words"]["said"],
        worse=is_worse(device, found, parts, rows),
        case=found.get("case", ""),
        commits=found["words"].get("commits", ""),
        confirm=found.get("confirm", ""),
        bisect=found.get("bisect", ""),
    )
    return New(item, where, [mark_of(one) for one in parts])


def mark_of(found: Found) -> Mark:
    told = found.get("told_night", "")
    told = f"{found.get('label', '')} {told} {found['kind']}" if told else ""
    return Mark(found.get("case", ""), found["kind"], found["night"], told)


def is_worse(device: Device, found: Found, parts: list[Found], rows: Rows) -> bool:
    """Whether it made a night fail; where the store does not say so, whether it does now."""
    known = [rows.get((device["model"], one.get("label", ""))) for one in parts]
    if all(known) and all(one.get("told_night") for one in parts):
        return any(one["failed"] for one in known)
    return found["worse"] and (bool(found.get("told_night")) or found.get("fails", True))


def over(item: Item, marks: list[Mark], rows: Rows) -> Item | None:
    """That all of a change is over, as the store remembers it; nothing while it is not."""
    known = [rows.get((item.device, mark.label())) for mark in marks if mark.told]
    if not marks or len(known) < len(marks):
        return None
    if not all(row and row["state"] == "resolved" for row in known):
        return None
    last = max(known, key=lambda row: row["state_at"])
    by = f", says {last['said_by']}" if last["said_by"] not in ("", "trend") else ""
    return Item(
        key=f"{item.key} {OVER}",
        device=item.device,
        kind=OVER,
        night=last["state_at"][:10],
        said=f"the {item.kind} of {item.night}: {last['why']}{by}",
        case=item.case,
    )


def silent(trend: Trend, runs: list[Run]) -> list[New]:
    """Devices that had nights and have none for days, with any profile. A device that has been
    silent for long has been told of, or was given up."""
    found = []
    for device in trend["devices"]:
        days, last = device.get("silent_days", 0), device.get("last", "")
        if not 0 < days <= LONG_SILENT or device.get("nights", 0) < FEW_NIGHTS:
            continue
        where = silent_where(device["model"], device.get("pool") or device["device_uuid"])
        if last_days(runs).get(where, "") > last:
            continue
        item = Item(
            key=f"{where} {last}",
            device=where.removesuffix(f" {SILENT}"),
            kind=SILENT,
            night=last,
            said=f"no night since {last}, {days} days ago",
        )
        found.append(New(item, where, [Mark("", SILENT, last, f"{SILENT} {last}")]))
    return found


def silent_where(model: str, device: str) -> str:
    return f"{model} {device} {SILENT}"


def last_days(runs: list[Run]) -> dict[str, str]:
    """Of each device the day of its latest run."""
    days: dict[str, str] = {}
    for run in runs:
        where = silent_where(run["model"], pool_of(run) or run["device_uuid"])
        days[where] = max(days.get(where, ""), run["started"][:10])
    return days


def speaks_again(item: Item, where: str, runs: list[Run]) -> Item | None:
    """That a device which was silent has measured again; nothing while it has not."""
    last = last_days(runs).get(where, "")
    if last <= item.night:
        return None
    said = f"the silence since {item.night}: it has measured again"
    return Item(key=f"{item.key} {OVER}", device=item.device, kind=OVER, night=last, said=said)
