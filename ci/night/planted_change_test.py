"""A case becomes twice as slow, and nights are told of it: run, trend, memory and message together,
on the scripted device."""

import datetime
import json
import re
import shutil
import signal
import sqlite3
import time

import pytest

from ci.night.nightly_test import Runner, steps
from ci.night.webhook_test import Server
from harness.run.scripted_runs import BUILD, Lab, case, left_behind

WITHOUT = [word for step in ("gate", "report", "export") for word in ("--without", step)]
DAY, SECOND = "????-??-??", "????-??-??T??:??:??Z"


class Nights(Runner):
    """One night a day: each begins a day after all that is stored."""

    def __init__(self, lab, *arguments, another_device=False):
        super().__init__(lab)
        self.slower = lab.worker("slower", "--slower", 100)
        self.arguments, self.another_device = arguments, another_device

    def options(self, address):
        told = ("--webhook", "plain") if address else ()
        return {
            "arguments": (*WITHOUT, *self.arguments, *told),
            "environment": {"RIDGELINE_WEBHOOK_URL": address},
        }

    def next_night(self, address="", worker=None):
        self.a_day_later()
        options = self.options(address)
        return self.night(
            *options["arguments"],
            variants=("constant",),
            worker=worker,
            environment=options["environment"],
        )

    def begin(self, address, worker, ridgeline, step):
        """The next night, by a stand-in of ridgeline, with this step."""
        self.a_day_later()
        options = self.options(address)
        arguments = list(options["arguments"])
        if step in arguments:
            at = arguments.index(step)
            del arguments[at - 1 : at + 1]
        command = self.command(*arguments, variants=("constant",), worker=worker)
        command[command.index("--ridgeline") + 1] = str(ridgeline)
        environment = {**self.lab.environment, **options["environment"]}
        return self.lab.start_command(command, env=environment)

    def measured(self, count, profile=None, worker=None):
        """So many nights, of which nothing was told."""
        for _ in range(count):
            self.a_day_later()
            arguments = [*self.arguments, *(("--worker", worker) if worker else ())]
            done = self.lab.run(profile or self.lab.profile("constant"), *arguments)
            assert done.returncode == 0, done.stderr

    def a_day_later(self):
        """All points in time and all days of the results file lie a day before, and those of the
        messages."""
        if not self.lab.database.exists():
            return
        with sqlite3.connect(self.lab.database) as file:
            tables = file.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
            for (table,) in tables:
                columns = file.execute(f'PRAGMA table_info("{table}")').fetchall()
                for name in (one[1] for one in columns if one[2] == "TEXT"):
                    for shape, form in ((SECOND, "%Y-%m-%dT%H:%M:%SZ"), (DAY, "%Y-%m-%d")):
                        file.execute(
                            f'UPDATE "{table}" SET "{name}" = strftime(?, "{name}", ?)'
                            f' WHERE "{name}" GLOB ?',
                            (form, "-1 day", shape),
                        )
            if self.another_device:  # what was measured until now was measured by others
                file.execute(
                    "UPDATE device SET uuid = 'earlier-' || id WHERE uuid NOT LIKE 'earlier-%'"
                )
        messages = self.nights / "messages.json"
        if messages.exists():
            messages.write_text(re.sub(r"\d{4}-\d\d-\d\d", a_day_before, messages.read_text()))

    def notes(self):
        return self.latest()["notes"]


def a_day_before(found):
    day = datetime.date.fromisoformat(found[0]) - datetime.timedelta(days=1)
    return day.isoformat()


@pytest.fixture
def seven_nights(shared_folder):
    """The results of seven nights, measured once for all tests."""

    def measure(folder):
        folder.mkdir()
        Nights(Lab(folder)).measured(7)

    return shared_folder("seven-nights", measure) / "results"


@pytest.fixture
def nights(lab, seven_nights):
    shutil.copytree(seven_nights, lab.results, dirs_exist_ok=True)
    return Nights(lab)


def test_a_doubling_fails_one_night_and_is_told_by_one_message(nights):
    with Server() as server:
        codes = [nights.next_night(server.address())[0]]
        for _ in range(3):
            codes.append(nights.next_night(server.address(), worker=nights.slower)[0])
            assert steps(nights.latest())["trend"] == ("done", codes[-1])
        (request,) = server.requests
    assert codes == [0, 0, 1, 0], "the second slow night tells it, and no other"
    (change,) = json.loads(request["body"])["changes"]
    assert (change["case"], change["kind"], change["worse"]) == (
        case("constant"),
        "regression",
        True,
    )
    assert change["said"].startswith("+100% ")


def test_a_webhook_that_is_dead_fails_no_night(nights):
    dead = "http://127.0.0.1:1/"
    codes = [nights.next_night(dead)[0]]
    codes += [nights.next_night(dead, worker=nights.slower)[0] for _ in range(3)]
    assert codes == [0, 0, 1, 0], "those of a webhook that answers"
    assert "1 new change could not be told" in nights.notes()[0]
    with Server() as server:
        code, said, errors = nights.next_night(server.address(), worker=nights.slower)
        assert (code, len(server.requests)) == (0, 1), said + errors
        assert nights.notes() == ["webhook: told 1 new change"]
        nights.next_night(server.address(), worker=nights.slower)
        assert len(server.requests) == 1


def stand_in(nights, cases):
    """The real program, except for these cases of a shell's `case "$*" in`."""
    path = nights.lab.folder / "stand-in"
    path.write_text(f'#!/bin/sh\ncase "$*" in {cases} esac\nexec {BUILD}/ridgeline "$@"\n')
    path.chmod(0o755)
    return path


IN_THE_REPORT = "report*) exec sleep 60;;"
# What the trend told is remembered by then, and nothing else is.
BEHIND_THE_TREND = f'*--fail-on-new*) {BUILD}/ridgeline "$@"; kill -9 $PPID; exit;;'


@pytest.mark.parametrize(
    ("cases", "number", "first"),
    [
        (IN_THE_REPORT, signal.SIGKILL, False),
        (BEHIND_THE_TREND, 0, False),
        (BEHIND_THE_TREND, 0, True),
        (IN_THE_REPORT, signal.SIGTERM, False),
    ],
    ids=["in the report", "behind the trend", "the first with a webhook", "interrupted"],
)
def test_what_a_night_told_and_did_not_send_is_sent_by_the_next(nights, cases, number, first):
    with Server() as server:
        before = "" if first else server.address()
        for worker in (None, nights.slower):
            assert nights.next_night(before, worker=worker)[0] == 0
        process = nights.begin(server.address(), nights.slower, stand_in(nights, cases), "report")
        if number:
            nights.wait_for("report")
            process.send_signal(number)
        said = "".join(process.communicate())
        assert process.returncode == (130 if number == signal.SIGTERM else -signal.SIGKILL), said
        assert server.requests == []
        assert left_behind(wait_s=10) == []

        code, said, errors = nights.next_night(server.address(), worker=nights.slower)
        assert (code, len(server.requests)) == (0, 1), said + errors
        (change,) = json.loads(server.requests[0]["body"])["changes"]
        assert (change["case"], change["kind"], change["worse"]) == (
            case("constant"),
            "regression",
            True,
        )
        nights.next_night(server.address(), worker=nights.slower)
        assert len(server.requests) == 1


def test_nights_that_are_all_killed_tell_all_the_same(nights):
    """As by a job's time limit that is too short."""
    program = stand_in(nights, IN_THE_REPORT)
    with Server() as server:
        killed = set()
        for worker in (None, *[nights.slower] * 3):
            process = nights.begin(server.address(), worker, program, "report")
            while (night := nights.wait_for("report")["id"]) in killed:
                time.sleep(0.02)  # it is not closed yet
            killed.add(night)
            process.kill()
            process.communicate()
            assert left_behind(wait_s=10) == []
        assert len(server.requests) == 1


def test_what_could_not_be_asked_is_asked_by_the_next_night(nights):
    program = stand_in(nights, "trend*--json*) exit 74;;")
    with Server() as server:
        for worker in (None, nights.slower):
            nights.next_night(server.address(), worker=worker)
        process = nights.begin(server.address(), nights.slower, program, "")
        said = "".join(process.communicate())
        assert (process.returncode, server.requests) == (1, []), said
        assert "the next night asks again" in nights.notes()[0]
        nights.next_night(server.address(), worker=nights.slower)
        assert len(server.requests) == 1


def codes_and_messages(nights):
    with Server() as server:
        codes = [
            nights.next_night(server.address(), worker=worker)[0]
            for worker in (None, *[nights.slower] * 3)
        ]
        return codes, len(server.requests)


def test_a_pool_of_which_another_device_measures_each_night_is_one_device(lab):
    nights = Nights(lab, "--label", "pool:ci", another_device=True)
    nights.measured(7)
    assert codes_and_messages(nights) == ([0, 0, 1, 0], 1)
    assert "11 nights" in (nights.nights / "latest" / "trend.txt").read_text()


def test_the_profile_that_was_measured_is_judged(lab):
    nights = Nights(lab)
    often = lab.folder / "often.toml"
    often.write_text(lab.profile("constant").read_text())
    nights.measured(12, profile=often)
    nights.measured(7)
    assert codes_and_messages(nights) == ([0, 0, 1, 0], 1)
    assert "often" in lab.call("trend", "--results", lab.results, text=True).stdout, "by hand"


def test_who_was_told_is_told_that_it_is_over(nights):
    with Server() as server:
        for worker in (None, *[nights.slower] * 2, *[None] * 4):
            nights.next_night(server.address(), worker=worker)
        told = [json.loads(one["body"]) for one in server.requests]
    (over,) = [one for each in told for one in each["changes"] if one["kind"] == "over"]
    assert (over["case"], over["worse"]) == (case("constant"), False)
    assert over["said"].startswith("the regression of ")
    assert told[0]["title"].endswith(": 1 new change, 1 for the worse")
    assert any("1 over" in one["title"] for one in told[1:])
