"""Tells people what is new, once: by a webhook, and as an issue on GitHub. Nothing that goes wrong
here changes what the night ends with; all of it is said."""

import datetime
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from reports.console import printable

from . import message, news, program, steps, webhook
from .context import Context, Runs
from .document import Odd
from .exit_code import UNDECIDED
from .message import SILENT, Item, Links, Message
from .news import Rows, Trend
from .outbox import TRIES, Entry, Outbox
from .record import DONE, now
from .webhook import FAILED, SENT, UNKNOWN, NoAddress

ISSUE_S = 120.0  # for gh
Send = Callable[[Context, Message], tuple[str, str]]


class Telling:
    """What a night does for it: before its first step it sends what earlier nights could not, right
    behind the trend it remembers what is new, and at its end it sends that. So a night that is
    killed at any moment loses nothing: what it told and did not send is found by the next one. What
    was sent, and what was not and why, is in the night's notes and the log."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.places = wanted(context)
        self.outbox: Outbox | None = None
        if self.places:
            self._do(self._open)

    def _do(self, work: Callable[[], None]) -> None:
        try:
            work()
        except (OSError, Odd) as error:
            why = error.strerror if isinstance(error, OSError) else str(error)
            note(self.context, f"nobody was told what is new: {why}")
        except Exception as error:  # whose words may hold the webhook's address
            note(self.context, f"nobody was told what is new: an unexpected {type(error).__name__}")

    def _open(self) -> None:
        outbox = Outbox(self.context.night.folder.parent)
        if outbox.said:
            note(self.context, f"{outbox.said}; what is new may be told again")
        self.outbox = outbox

    def expect(self) -> None:
        """Before the trend, which tells what is new once: from which night on people are told of
        this device and profile."""
        if not self.outbox:
            return
        for run in self.context.night.all_runs():
            where = news.where_of_run(run)
            if where not in self.outbox.asked:
                self.outbox.asked[where] = day_before(run["started"])
                self._do(self.outbox.save)

    def gather(self) -> None:
        """Behind the trend: what is new to people is on the disk."""
        if self.outbox and not self.context.interrupted:
            self._do(self._gather)

    def _gather(self) -> None:
        step = self.context.night.step("trend")
        if not step or not step.command or step.exit_code == UNDECIDED:
            return  # it was left out, or no night is stored
        # What it found is not remembered as told where it could not end.
        remembered = step.state == DONE
        nights = ("--new-nights", str(TRIES)) if remembered else ()
        own = steps.of_run(self.context.night.run)
        trend = self.context.ask(Trend, "trend", *own, *nights)
        if trend is None:
            failed = "ridgeline trend --json failed, as the log has it"
            note(self.context, f"what is new is not known: {failed}; the next night asks again")
            return
        rows = self._rows()
        self.outbox.add(news.new_changes(trend, self.outbox.asked, rows), self._places)
        if remembered:
            for device in trend["devices"]:
                self.outbox.asked[news.where_of(device)] = device.get("last", "")
                self.outbox.settle(news.where_of(device))
        known = self._ask(Runs, "runs") or {"runs": []}
        runs = [run for run in known["runs"] if run["started"] <= now()]  # none of the future
        everything = (self._ask(Trend, "trend") or {"devices": []}) if own else trend
        self.outbox.add(news.silent(everything, runs), self._places)
        self._find_over(rows, runs)
        self.outbox.save()

    def _ask(self, kind: Any, *arguments: str) -> Any:
        """For what is worth knowing, and costs no message where it cannot be known."""
        try:
            return self.context.ask(kind, *arguments)
        except Odd as error:
            self.context.log.write(str(error))
            return None

    def _rows(self) -> Rows:
        told = self._ask(news.ToldRows, "trend", "told") or {"told": []}
        return {(row["model"], row["label"]): row for row in told["told"]}

    def _places(self, item: Item) -> list[str]:
        """Issues are work: there is none of what is not for the worse."""
        return [place for place in self.places if place != "issue" or item.worse]

    def _find_over(self, rows: Rows, runs: list[Any]) -> None:
        """Who was told of a change is told that it is over."""
        for entry in list(self.outbox.entries):
            to = [place for place in self.places if place != "issue" and entry.was_told(place)]
            if entry.over or not to:
                continue
            if entry.item.kind == SILENT:
                found = news.speaks_again(entry.item, entry.where, runs)
            else:
                found = news.over(entry.item, entry.marks, rows)
            if found:
                entry.over = True
                self.outbox.send(found, to)

    def send(self) -> None:
        """What no earlier message of this night has tried to tell."""
        if self.outbox:
            self._do(self._send)

    def _send(self) -> None:
        night = self.context.night.id
        for place, send in self.places.items():
            if lost := self.outbox.cut_off(place):
                note(
                    self.context,
                    f"{place}: a night was killed while it told {counted(lost)}, "
                    "which may have arrived and is not sent again",
                )
                self.outbox.save()
            entries = self.outbox.waiting(place, night)
            if not entries:
                continue
            if self.context.interrupted:
                then = "the night was interrupted; the next night tells it"
                note(self.context, f"{place}: {counted(entries)} not told yet: {then}")
                continue
            self.context.log.stage("tell")
            self.outbox.begin(place, entries, night)
            what, why = send(self.context, message_of(self.context, entries))
            again = self.outbox.end(place, entries, what)
            note(self.context, in_words(place, entries, what, why, again))


def day_before(started: str) -> str:
    """The last day that is of an earlier night for sure: a night that crosses midnight may have the
    date of either day."""
    try:
        day = datetime.date.fromisoformat(started[:10])
    except ValueError:
        return ""
    return (day - datetime.timedelta(days=2)).isoformat()


def wanted(context: Context) -> dict[str, Send]:
    options = context.night.options
    places: dict[str, Send] = {}
    if options.get("webhook"):
        places["webhook"] = by_webhook
    if options.get("issue"):
        places["issue"] = as_issue
    return places


def in_words(place: str, entries: list[Entry], what: str, why: str, again: bool) -> str:
    if what == SENT:
        return f"{place}: told {counted(entries)}"
    if what == UNKNOWN:
        return f"{place}: {counted(entries)} may not have arrived ({why}); not sent again"
    then = "the next night tries again" if again else "it is given up"
    return f"{place}: {counted(entries)} could not be told ({why}); {then}"


def counted(entries: list[Entry]) -> str:
    return message.counted([entry.item for entry in entries])


def note(context: Context, words: str) -> None:
    words = printable(words)
    if words in context.night.notes:
        return
    context.night.notes.append(words)
    context.log.say(f"   {words}")


def message_of(context: Context, entries: list[Entry]) -> Message:
    items = [entry.item for entry in entries]
    return Message(context.night.id, context.night.host, items, links(context, items[0].device))


def links(context: Context, model: str) -> Links:
    """Below the address under which the folder of reports is published."""
    site = context.night.options.get("site", "")
    if not site:
        return Links()
    base = site if site.endswith("/") else site + "/"
    report = Path(context.results) / "report"
    model = re.sub(r"[^a-z0-9]+", "-", model.lower())
    known = sorted(report.glob("figures/*nights.png"))
    own = [one for one in known if one.name == "nights.png" or one.name.startswith(model + "-")]
    picture = f"{base}figures/{own[0].name}" if own else ""
    return Links(picture, f"{base}index.html" if (report / "index.html").exists() else "")


def by_webhook(context: Context, told: Message) -> tuple[str, str]:
    options = context.night.options
    try:
        path = options.get("webhook_file", "")
        address = webhook.read_address(path) if path else context.webhook
        if not address:
            raise NoAddress(f"neither {webhook.ADDRESS} nor --webhook-file has an address")
        body = message.encoded(told, options["webhook"])
        return webhook.post(webhook.checked(address), body, lambda: bool(context.interrupted))
    except NoAddress as error:
        return FAILED, str(error)


def as_issue(context: Context, told: Message) -> tuple[str, str]:
    gh = shutil.which("gh")
    if not gh:
        return FAILED, "gh is not installed"
    command = [gh, "issue", "create", *program.option("--title", told.title()), "--body-file", "-"]
    repository = context.night.options["issue"]
    command += program.option("--repo", repository) if repository != "here" else []
    try:
        done = program.answer(command, ISSUE_S, input=message.issue_text(told))
    except OSError as error:
        return FAILED, f"gh cannot be started: {error.strerror}"
    except (program.TooMuch, subprocess.TimeoutExpired):
        return UNKNOWN, "gh did not end as it should"
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or [""])[-1]
        return FAILED, f"gh ended with {done.returncode}: {printable(last)[:200]}"
    return SENT, ""
