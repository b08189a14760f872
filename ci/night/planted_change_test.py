"""A case becomes twice as slow, and nights are told of it: run, trend, memory and message together,
on the scripted device."""

import json
import sqlite3

import pytest

from ci.night.nightly_test import Runner, steps
from ci.night.webhook_test import Server
from harness.run.scripted_runs import case

WITHOUT = [word for step in ("gate", "report", "export") for word in ("--without", step)]
DAY, SECOND = "????-??-??", "????-??-??T??:??:??Z"


class Nights(Runner):
    """One night a day: each begins a day after all that is stored."""

    def __init__(self, lab):
        super().__init__(lab)
        self.slower = lab.worker("slower", "--slower", 100)

    def next_night(self, address="", worker=None):
        self.a_day_later()
        return self.night(
            *WITHOUT,
            "--webhook",
            "plain",
            variants=("constant",),
            worker=worker,
            environment={"RIDGELINE_WEBHOOK_URL": address},
        )

    def measured(self, count):
        """So many nights, of which nothing was told."""
        for _ in range(count):
            self.a_day_later()
            done = self.lab.run(self.lab.profile("constant"))
            assert done.returncode == 0, done.stderr

    def a_day_later(self):
        """All points in time and all days of the results file lie a day before."""
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

    def notes(self):
        return self.latest()["notes"]


@pytest.fixture
def nights(lab):
    made = Nights(lab)
    made.measured(7)
    return made


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
