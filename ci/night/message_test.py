"""What a message says, and that no name of others is markup in any format."""

import json

import pytest

from ci.night.message import (
    FORMATS,
    LISTED,
    OVER,
    SILENT,
    Item,
    Links,
    Message,
    encoded,
    issue_text,
    pieces,
)

HOSTILE = "<!channel> <https://evil|x> [x](https://evil) @here *b* `c` #1 \x1b[31m\n::error::"
LINKS = Links("https://site/figures/nights.png", "https://site/index.html")


def item(number, **fields):
    rest = {"kind": "regression", "night": "2026-11-20", "said": "+6.0%", "worse": True}
    return Item(
        **{"key": str(number), "device": "nvidia-h100", "case": f"case/{number}"} | rest | fields
    )


def texts(node, kind=None):
    """Of a format's document: what is shown, with the type of what shows it."""
    if isinstance(node, dict):
        kind = node.get("type", kind)
        found = [(kind, node["text"])] if isinstance(node.get("text"), str) else []
        return found + [one for value in node.values() for one in texts(value, kind)]
    return [one for value in node for one in texts(value, kind)] if isinstance(node, list) else []


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_tells_title_changes_and_links(form):
    told = Message("night-1", "host", [item(1), item(2, worse=False, kind="improvement")], LINKS)
    text = encoded(told, form).decode()
    json.loads(text)
    for words in (
        "2 new changes, 1 for the worse",
        "case/1",
        "case/2",
        "+6.0%",
        *vars(LINKS).values(),
    ):
        assert words in text


def test_slack_takes_no_name_for_markup():
    document = json.loads(encoded(Message("n", HOSTILE, [item(1, case=HOSTILE)], LINKS), "slack"))
    for kind, text in texts(document["blocks"]):
        assert kind == "plain_text" or "evil" not in text
    assert "<" not in document["text"], "the notification, which has markup"


def test_teams_takes_no_name_for_markup():
    document = json.loads(encoded(Message("n", HOSTILE, [item(1, case=HOSTILE)], LINKS), "teams"))
    (attachment,) = document["attachments"]
    assert {kind for kind, _ in texts(attachment["content"]["body"])} == {"TextRun"}
    assert [one["url"] for one in attachment["content"]["actions"]] == list(vars(LINKS).values())


def test_an_issue_takes_no_name_for_markup():
    text = issue_text(Message("n", HOSTILE, [item(1, case=HOSTILE + "```")], LINKS))
    outside = [part for number, part in enumerate(text.split("````")) if number % 2 == 0]
    assert "evil" not in "".join(outside[1:])
    for sign in ("<!channel>", "[x](", "`c`", "*b*"):
        assert sign not in outside[0]


@pytest.mark.parametrize("form", FORMATS)
def test_nothing_steers_a_terminal(form):
    text = encoded(Message("n", "h", [item(1, case=HOSTILE, said=HOSTILE)]), form).decode()
    told = [text for _, text in texts(json.loads(text))] + [json.loads(text).get("text", "")]
    assert not any("\x1b" in one for one in told)


def test_what_is_too_much_is_counted():
    told = Message("n", "h", [item(number, said="x" * 5000) for number in range(LISTED + 7)])
    document = json.loads(encoded(told, "plain"))
    assert (len(document["changes"]), document["more"]) == (LISTED, 7)
    assert document["text"].endswith("\nand 7 more")
    for _, text in texts(json.loads(encoded(told, "slack"))["blocks"]):
        assert len(text) <= 3000, "as Slack has it"
    assert pieces(["a" * 5, "b" * 3, "c" * 20], 9) == ["aaaaa\nbbb", "c" * 9]


@pytest.mark.parametrize("letter", ["x", "é", "𝛼"])
def test_teams_takes_the_longest_message(letter):
    """An incoming webhook takes 28 KB."""
    long = letter * 290
    items = [item(n, said=long, commits=long, confirm=long, bisect=long) for n in range(LISTED + 3)]
    body = encoded(Message("n", "h", items, LINKS), "teams")
    assert len(body) <= 28_000
    shown = [text for _, text in texts(json.loads(body))]
    told = sum(text.startswith("2026-11-20 regression") for text in shown)
    assert 0 < told < LISTED
    assert f"and {LISTED + 3 - told} more" in shown
    few = encoded(Message("n", "h", items[:1], LINKS), "teams")
    assert (
        "more" not in json.loads(few)["attachments"][0]["content"]["body"][-1]["inlines"][0]["text"]
    )


@pytest.mark.parametrize(
    "command",
    ["ridgeline gate " + "x" * 400, "ridgeline gate 'a  b'", "ridgeline gate 'a\nb'", "a\x1bb"],
)
@pytest.mark.parametrize("form", FORMATS)
def test_a_command_is_whole_or_left_out(form, command):
    told = Message("n", "h", [item(1, confirm=command, bisect="ridgeline bisect c --good a")])
    shown = "\n".join(text for _, text in texts(json.loads(encoded(told, form)))) + json.loads(
        encoded(told, form)
    ).get("text", "")
    assert "confirm: by a command that does not fit here; ridgeline trend shows it" in shown
    assert command[:40] not in shown
    assert "    bisect: ridgeline bisect c --good a" in shown


def test_what_is_over_and_what_is_silent_is_no_new_change():
    items = [item(1), item(2, kind=OVER, worse=False), item(3, kind=SILENT, case="", worse=False)]
    told = Message("n", "h", items)
    assert told.title().endswith(": 1 new change, 1 for the worse; 1 over; 1 device silent")
    assert told.lines()[-1] == "2026-11-20 silent on nvidia-h100: +6.0%"
    assert Message("n", "h", items[1:2]).title().endswith(": 1 over")
