"""Nights that measure nothing, because others store what they tell: the real trend, its memory and
messages to a server, over results files that grow by a night at a time."""

import datetime
import json
import random

import pytest

from ci.night.nightly_test import Runner
from ci.night.webhook_test import Server
from ci.studies import nights_file

MODEL = "synthetic-nights"
WITHOUT = [
    word
    for step in ("preflight", "run", "gate", "report", "export")
    for word in ("--without", step)
]


class Stored(Runner):
    """`level` is how much slower a case is on a night, and `noise` of how much all are."""

    def __init__(self, lab, cases, level, noise=0.002, first=datetime.date(2026, 7, 1)):
        super().__init__(lab)
        self.level, self.noise, self.first = level, noise, first
        self.random = random.Random(1)
        self.file = nights_file.create(lab.results / f"{MODEL}.sqlite")
        self.cases = [nights_file.add_case(self.file, number) for number in range(cases)]
        self.stored = 0

    def name(self, number):
        return f"copy/wide/f32/n={64 * (number + 1)}"

    def day(self, night):
        return self.first + datetime.timedelta(days=night)

    def store(self, count=1):
        for night in range(self.stored, self.stored + count):
            run = nights_file.add_run(
                *(self.file, MODEL, f"{self.day(night)}T02:00:00Z", {"memory": "16"}, {}),
                **{"number": night, "commit_hash": f"{night:040}", "code_hash": f"{night:08}"},
            )
            process = nights_file.add(self.file, "process", replicate=0, **run)
            times = [
                (one, 1000 * self.level(number, night) * self.random.gauss(1, self.noise))
                for number, one in enumerate(self.cases)
            ]
            nights_file.add_times(self.file, process, times)
        self.file.commit()
        self.stored += count

    def tell(self, server):
        code, said, errors = self.night(
            *(*WITHOUT, "--webhook", "plain"),
            environment={"RIDGELINE_WEBHOOK_URL": server.address()},
        )
        assert code in (0, 1, 74), said + errors
        return code


def changes(server):
    return [one for each in server.requests for one in json.loads(each["body"])["changes"]]


def test_a_much_larger_change_that_joins_others_is_told(lab):
    """Nine are told one by one; the tenth makes an event of them, which has the label of one."""

    def level(number, night):
        if number < 9:
            return 1.3 if night >= 30 else 1
        return 3 if number == 9 and night >= 31 else 1

    nights = Stored(lab, 12, level)
    nights.store(30)
    with Server() as server:
        codes, messages = [], []
        for _ in range(6):
            codes.append(nights.tell(server))
            messages.append(len(server.requests))
            nights.store()
        told = json.loads(server.requests[-1]["body"])
    assert (codes, messages) == ([0, 0, 1, 1, 0, 0], [0, 0, 1, 2, 2, 2])
    assert told["title"].endswith(": 1 new change, 1 for the worse")
    assert "10 slower" in told["text"]


@pytest.mark.parametrize("damage", ["no database", "damaged within"])
def test_a_damaged_file_of_another_device_repeats_no_message(lab, damage):
    """As nights are added a change may move by a night, which gives it another label."""

    def level(number, night):
        return 1.08 if night >= 41 + 3 * number else 1

    nights = Stored(lab, 4, level, noise=0.02)
    nights.store(40)
    with Server() as server:
        assert nights.tell(server) == 0
        other = lab.results / "nvidia-h200.sqlite"
        if damage == "no database":
            other.write_bytes(b"x" * 5000)
        else:
            made = bytearray((lab.results / f"{MODEL}.sqlite").read_bytes())
            made[len(made) // 4 : len(made) // 2] = b"x" * (len(made) // 2 - len(made) // 4)
            other.write_bytes(made)
        codes = []
        for _ in range(12):
            nights.store(2)
            codes.append(nights.tell(server))
        assert set(codes) == {74}, "it is said each night that a file cannot be read"
        told = [one["case"] for one in changes(server)]
        assert sorted(told) == sorted(map(nights.name, range(4))), "each once"
        assert all(one["worse"] for one in changes(server))

        other.unlink()
        assert nights.tell(server) == 0, "what was told beside it stays told"
        nights.store()
        assert nights.tell(server) == 0
        assert len(changes(server)) == 4, "whom it was told they know it"


def test_a_device_that_is_silent_is_told_once_and_that_it_speaks_again(lab):
    today = datetime.datetime.now(datetime.UTC).date()
    nights = Stored(lab, 3, lambda *_: 1, first=today - datetime.timedelta(days=26))
    nights.store(20)
    with Server() as server:
        for _ in range(2):
            nights.tell(server)
        (silent,) = changes(server)
        assert (silent["kind"], silent["case"], silent["worse"]) == ("silent", "", False)
        assert silent["said"] == f"no night since {nights.day(19)}, 7 days ago"
        assert json.loads(server.requests[0]["body"])["title"].endswith(": 1 device silent")
        nights.stored = 25  # it has measured yesterday
        nights.store()
        for _ in range(2):
            nights.tell(server)
        assert [one["kind"] for one in changes(server)] == ["silent", "over"]


def test_a_device_of_one_night_or_of_long_ago_is_not_missed(lab):
    today = datetime.datetime.now(datetime.UTC).date()
    for nights, first in ((3, 12), (20, 90)):
        stored = Stored(lab, 3, lambda *_: 1, first=today - datetime.timedelta(days=first))
        stored.store(nights)
        with Server() as server:
            stored.tell(server)
            assert server.requests == []
