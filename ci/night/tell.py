"""Tells people what is new, once: by a webhook, and as an issue on GitHub. Nothing that goes wrong
here changes what the night ends with; all of it is said."""

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from reports.console import printable

from . import message, program, webhook
from .context import Context
from .document import Odd
from .message import Item, Links, Message
from .outbox import Outbox
from .webhook import FAILED, SENT, UNKNOWN, NoAddress

ISSUE_S = 120.0  # for gh
Send = Callable[[Context, Message], tuple[str, str]]


def tell(context: Context) -> None:
    """What was sent, and what was not and why, is in the night's notes and the log."""
    places = wanted(context)
    if not places:
        return
    context.log.stage("tell")
    try:
        tell_all(context, places)
    except (OSError, Odd) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        note(context, f"nobody was told what is new: {why}")
    except Exception as error:  # whose words may hold the webhook's address
        note(context, f"nobody was told what is new: an unexpected {type(error).__name__}")


def wanted(context: Context) -> dict[str, Send]:
    options = context.night.options
    places: dict[str, Send] = {}
    if options.get("webhook"):
        places["webhook"] = by_webhook
    if options.get("issue"):
        places["issue"] = as_issue
    return places


def tell_all(context: Context, places: dict[str, Send]) -> None:
    outbox = Outbox(context.night.folder.parent)
    if outbox.said:
        note(context, f"{outbox.said}; what is new may be told again")
    outbox.add(new_items(context), list(places))
    for place, send in places.items():
        if lost := outbox.cut_off(place):
            note(
                context,
                f"{place}: a night was killed while it told {counted(lost)}, "
                "which may have arrived and is not sent again",
            )
        if items := outbox.waiting(place):
            outbox.begin(place, items)
            what, why = send(context, message_of(context, items))
            again = outbox.end(place, items, what)
            note(context, in_words(place, len(items), what, why, again))
    outbox.save()


def new_items(context: Context) -> list[Item]:
    step = context.night.step("trend")
    if not step or not step.command or context.interrupted:
        return []  # the trend was left out
    words = ["trend"]
    if context.night.run:
        words += program.option("--device", context.night.run["device_uuid"])
    found = context.ask(message.Trend, *words)
    if found is None:
        note(context, "what is new is not known: ridgeline trend --json failed, as the log has it")
        return []
    return message.new_items(found)


def in_words(place: str, count: int, what: str, why: str, again: bool) -> str:
    if what == SENT:
        return f"{place}: told {counted(count)}"
    if what == UNKNOWN:
        return f"{place}: {counted(count)} may not have arrived ({why}); not sent again"
    then = "the next night tries again" if again else "it is given up"
    return f"{place}: {counted(count)} could not be told ({why}); {then}"


def counted(count: int) -> str:
    return f"{count} new change" + "s" * (count != 1)


def note(context: Context, words: str) -> None:
    words = printable(words)
    context.night.notes.append(words)
    context.log.say(f"   {words}")


def message_of(context: Context, items: list[Item]) -> Message:
    return Message(context.night.id, context.night.host, items, links(context))


def links(context: Context) -> Links:
    """Below the address under which the folder of reports is published."""
    site = context.night.options.get("site", "")
    if not site:
        return Links()
    base = site if site.endswith("/") else site + "/"
    report = Path(context.results) / "report"
    model = re.sub(r"[^a-z0-9]+", "-", str(context.night.run.get("model", "")).lower())
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
