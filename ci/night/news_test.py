"""What is new to people, over nights whose trend says what it is told to."""

import json

import pytest

from ci.night.tell_test import Nights, found, row
from ci.night.webhook_test import Server


@pytest.fixture
def nights(lab):
    return Nights(lab)


def test_a_change_that_fails_a_night_again_is_told_again(nights):
    name = "copy/wide/f32/n=64"
    with Server() as server:
        for change, last, messages in (
            (found(name, kind="environment", worse=False), "2026-11-20", 1),
            (found(name, kind="environment", worse=False), "2026-11-21", 1),
            (found(name, told_night="2026-11-23"), "2026-11-23", 2),
            (found(name, told_night="2026-11-23"), "2026-11-23", 2),
            (found(name, told_night="2026-11-23"), "2026-11-24", 2),
            (found(name, told_night="2026-11-25"), "2026-11-25", 3),
        ):
            nights.says(change, last=last)
            nights.night("--webhook", "plain", address=server.address())
            assert len(server.requests) == messages, (change, last)


def test_of_many_cases_what_was_told_one_by_one_is_not_told_again(nights):
    nine = [found(f"copy/wide/f32/n={number}") for number in range(9)]
    tenth = found("copy/wide/f32/n=9", told_night="2026-11-21")

    def together(*members):
        event = found("", label=nine[0]["label"], members=list(members))
        del event["case"]
        return event

    with Server() as server:

        def night(*findings, last):
            nights.says(*findings, last=last)
            nights.night("--webhook", "plain", address=server.address())
            return len(server.requests)

        assert night(*nine, last="2026-11-20") == 1
        assert night(together(*nine), last="2026-11-20") == 1, "started again"
        assert night(together(*nine, tenth), last="2026-11-21") == 2, "which fails the night"
        assert night(together(*nine, tenth), last="2026-11-22") == 2


def test_who_was_told_is_told_once_that_it_is_over(nights):
    change = found("copy/wide/f32/n=64")
    with Server() as server:

        def night(state, **fields):
            nights.says(told=[row(change, state=state, **fields)], last="2026-11-22")
            nights.night("--webhook", "plain", address=server.address())
            return len(server.requests)

        assert night("resolved", why="undone on 2026-11-21") == 0, "nobody was told of it"
        nights.says(change, told=[row(change)], last="2026-11-20")
        nights.night("--webhook", "plain", address=server.address())
        for state in ("told", "acknowledged", "expected"):
            assert night(state) == 1
        assert night("resolved", why="reverted", said_by="ops") == 2
        assert night("told") == 2
        assert night("resolved", why="reverted again") == 2
        told = json.loads(server.requests[1]["body"])
    assert told["title"].endswith(": 1 over")
    assert (
        "over on nvidia-h100: copy/wide/f32/n=64: the regression of 2026-11-20: reverted, says ops"
        in told["text"]
    )
