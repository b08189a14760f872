"""What a message says, and that no name of others is markup in any format."""

import json

import pytest

from ci.night.message import FORMATS, LISTED, Item, Links, Message, encoded, issue_text, pieces

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
