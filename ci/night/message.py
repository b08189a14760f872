"""What is new in a trend, as one message: plain JSON, and the formats of Slack, Teams and a GitHub
issue. Names of cases and devices are others' words: no format takes them for markup."""

import json
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from reports.console import printable

from .summary import fenced, plain

FORMAT, VERSION = "ridgeline-message", 1
LISTED = 20  # changes in words; the rest is counted
LONGEST = 300  # letters of a line
FORMATS = ("plain", "slack", "teams")
LARGEST = {"teams": 25_000}  # bytes of a message; Teams takes 28 KB
OVER, SILENT = "over", "silent"  # kinds beside those of a trend: nothing that is new


@dataclass
class Item:
    """A change, that it is over, or a device that is silent."""

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
        of = f"{self.case}: " if self.case else ""
        return cut(f"{self.night} {self.kind} on {self.device}: {of}{self.said}")

    def lines(self) -> list[str]:
        rest = [cut(self.commits), command("confirm", self.confirm), command("bisect", self.bisect)]
        return [self.headline(), *(f"    {line}" for line in rest if line)]


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
    listed: int = LISTED  # changes in words; the rest is counted

    def title(self) -> str:
        worse = f", {sum(item.worse for item in self.items)} for the worse"
        return f"Ridgeline on {printable(self.host)}: {counted(self.items, worse)}"

    def more(self) -> int:
        return max(0, len(self.items) - self.listed)

    def lines(self) -> list[str]:
        shown = [line for item in self.items[: self.listed] for line in item.lines()]
        return shown + [f"and {self.more()} more"] * (self.more() > 0)


def counted(items: list[Item], worse: str = "") -> str:
    """How many of what; `worse` follows the changes."""
    kinds = [item.kind for item in items]
    over, silent = kinds.count(OVER), kinds.count(SILENT)
    changes = len(kinds) - over - silent
    words = [f"{changes} new change{'s' * (changes != 1)}{worse}"] * (changes > 0)
    words += [f"{over} over"] * (over > 0)
    words += [f"{silent} device{'s' * (silent != 1)} silent"] * (silent > 0)
    return "; ".join(words)


def command(name: str, text: str) -> str:
    """A command is copied into a shell: it stands there whole, or not at all."""
    if not text or cut(text) == text:
        return f"{name}: {text}" if text else ""
    return f"{name}: by a command that does not fit here; ridgeline trend shows it"


def cut(text: str) -> str:
    words = printable(" ".join(text.split()))
    return words if len(words) <= LONGEST else words[: LONGEST - 1] + "…"


def encoded(message: Message, form: str) -> bytes:
    """As many changes as the other side takes."""
    documents = {"plain": plain_json, "slack": slack_json, "teams": teams_json}
    for listed in range(message.listed, -1, -1):
        shown = replace(message, listed=listed)
        body = json.dumps(documents[form](shown)).encode(errors="replace")
        if len(body) <= LARGEST.get(form, len(body)):
            break
    return body


def plain_json(message: Message) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "version": VERSION,
        "night": message.night,
        "host": message.host,
        "title": message.title(),
        "text": "\n".join(message.lines()),
        "changes": [asdict(item) for item in message.items[: message.listed]],
        "more": message.more(),
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
