"""What is new in a trend, as one message: plain JSON, and the formats of Slack, Teams and a GitHub
issue. Names of cases and devices are others' words: no format takes them for markup."""

import json
from dataclasses import asdict, dataclass, field
from typing import Any, TypedDict

from reports.console import printable

from .summary import fenced, plain

FORMAT, VERSION = "ridgeline-message", 1
LISTED = 20  # changes in words; the rest is counted
LONGEST = 300  # letters of a line
FORMATS = ("plain", "slack", "teams")


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
    confirm: str
    bisect: str


class Device(TypedDict):
    model: str
    device_uuid: str
    findings: list[Found]


class Trend(TypedDict):
    """What is used of `ridgeline trend --json`."""

    devices: list[Device]


@dataclass
class Item:
    """A new change. By its key the same one is known again."""

    key: str
    device: str
    kind: str
    night: str
    said: str
    worse: bool = False
    case: str = ""
    commits: str = ""
    confirm: str = ""
    bisect: str = ""

    def headline(self) -> str:
        of = self.case or "many cases"
        return cut(f"{self.night} {self.kind} on {self.device}: {of}: {self.said}")

    def lines(self) -> list[str]:
        rest = (self.commits, self.confirm and f"confirm: {self.confirm}", self.bisect)
        return [self.headline(), *(f"    {cut(line)}" for line in rest if line)]


@dataclass
class Links:
    """Where the report of the night can be read."""

    picture: str = ""
    report: str = ""

    def all(self) -> list[tuple[str, str]]:
        named = (("Picture of the nights", self.picture), ("Report", self.report))
        return [(name, address) for name, address in named if address]


@dataclass
class Message:
    night: str
    host: str
    items: list[Item]
    links: Links = field(default_factory=Links)

    def title(self) -> str:
        worse = sum(item.worse for item in self.items)
        changes = f"{len(self.items)} new change" + "s" * (len(self.items) != 1)
        return f"Ridgeline on {printable(self.host)}: {changes}, {worse} for the worse"

    def lines(self) -> list[str]:
        shown = [line for item in self.items[:LISTED] for line in item.lines()]
        more = len(self.items) - LISTED
        return shown + [f"and {more} more"] * (more > 0)


def cut(text: str) -> str:
    words = printable(" ".join(text.split()))
    return words if len(words) <= LONGEST else words[: LONGEST - 1] + "…"


def new_items(trend: Trend) -> list[Item]:
    """What is new, for the worse first; in the trend's own order."""
    items = [
        Item(
            key=key_of(device, found),
            device=device["model"],
            kind=found["kind"],
            night=found["night"],
            said=found["words"]["said"],
            worse=found["worse"],
            case=found.get("case", ""),
            commits=found["words"].get("commits", ""),
            confirm=found.get("confirm", ""),
            bisect=found.get("bisect", ""),
        )
        for device in trend["devices"]
        for found in device["findings"]
        if found["new"]
    ]
    return sorted(items, key=lambda item: not item.worse)


def key_of(device: Device, found: Found) -> str:
    """By the change's label where it has one; its night may move by one as nights are added."""
    own = found.get("label") or " ".join((found["kind"], found["night"], found.get("case", "")))
    return f"{device['model']} {device['device_uuid']} {own}"


def encoded(message: Message, form: str) -> bytes:
    documents = {"plain": plain_json, "slack": slack_json, "teams": teams_json}
    return json.dumps(documents[form](message)).encode(errors="replace")


def plain_json(message: Message) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "version": VERSION,
        "night": message.night,
        "host": message.host,
        "title": message.title(),
        "text": "\n".join(message.lines()),
        "changes": [asdict(item) for item in message.items[:LISTED]],
        "more": max(0, len(message.items) - LISTED),
        "picture": message.links.picture,
        "report": message.links.report,
    }


def slack_text(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def slack_json(message: Message) -> dict[str, Any]:
    """Others' words are of the type plain_text, which has no markup; a block holds 3000 letters."""

    def section(text: str) -> dict[str, Any]:
        return {"type": "section", "text": {"type": "plain_text", "text": text, "emoji": False}}

    blocks = [section(message.title())]
    blocks += [section(text) for text in pieces(message.lines(), 2900)]
    links = " · ".join(f"<{address}|{name}>" for name, address in message.links.all())
    if links:
        blocks.append({"type": "context", "elements": [{"type": "mrkdwn", "text": links}]})
    return {"text": slack_text(message.title()), "blocks": blocks}


def pieces(lines: list[str], most: int) -> list[str]:
    """The lines in texts of at most `most` letters each."""
    made: list[str] = []
    for line in lines:
        if made and len(made[-1]) + 1 + len(line) <= most:
            made[-1] += "\n" + line
        else:
            made.append(line[:most])
    return made


def teams_json(message: Message) -> dict[str, Any]:
    """An adaptive card. A RichTextBlock has no markup, which a TextBlock has."""

    def text(words: str, **how: object) -> dict[str, Any]:
        return {"type": "RichTextBlock", "inlines": [{"type": "TextRun", "text": words, **how}]}

    card = {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.4",
        "body": [
            text(message.title(), weight="Bolder"),
            *(text(line) for line in message.lines()),
        ],
        "actions": [
            {"type": "Action.OpenUrl", "title": name, "url": address}
            for name, address in message.links.all()
        ],
    }
    kind = "application/vnd.microsoft.card.adaptive"
    return {"type": "message", "attachments": [{"contentType": kind, "content": card}]}


def issue_text(message: Message) -> str:
    """Markdown. What stands between fences calls nobody and refers to nothing."""
    links = "".join(f"- [{name}](<{address}>)\n" for name, address in message.links.all())
    told = f"Night {plain(message.night)} on {plain(message.host)}.\n\n"
    return told + fenced("\n".join(message.lines())) + (f"\n{links}" if links else "")
