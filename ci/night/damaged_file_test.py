"""Nights beside a results file of another device that cannot be read: what is new is told once."""

import json
import subprocess

import pytest

from ci.night import planted_change_test
from ci.night.planted_change_test import WITHOUT
from ci.night.webhook_test import Server
from harness.run.scripted_runs import case


class Nights(planted_change_test.Nights):
    def night_of_all(self, address):
        """A night that measures nothing itself, after one that was measured by hand."""
        self.a_day_later()
        command = self.lab.run_command(self.lab.profile("constant"))
        command[-1] = str(self.slower)
        done = self.lab.execute(command, text=True)
        assert done.returncode == 0, done.stderr
        words = ("--without", "run", "--webhook", "plain")
        return self.night(
            *WITHOUT,
            *words,
            variants=("constant",),
            environment={"RIDGELINE_WEBHOOK_URL": address},
        )[0]

    def damage_another(self):
        copy = self.lab.results / "nvidia-h200.sqlite"
        # By another process: one that closes the file gives up all of its own locks on it.
        subprocess.run(["cp", self.lab.database, copy], check=True)
        pages = bytearray(copy.read_bytes())
        pages[100:4096] = b"\xff" * 3996  # the schema
        copy.write_bytes(pages)


@pytest.fixture
def nights(lab):
    made = Nights(lab)
    made.measured(7)
    return made


def test_it_changes_nothing_for_a_job_of_one_device(nights):
    with Server() as server:
        codes = [nights.next_night(server.address())[0]]
        nights.damage_another()
        codes += [nights.next_night(server.address(), worker=nights.slower)[0] for _ in range(3)]
        assert (codes, len(server.requests)) == ([0, 0, 1, 0], 1)


def test_a_job_of_all_devices_fails_and_tells_once(nights):
    with Server() as server:
        codes = [nights.next_night(server.address())[0]]
        nights.damage_another()
        codes += [nights.night_of_all(server.address()) for _ in range(4)]
        assert codes == [0, 74, 74, 74, 74], "nobody knows what the other device did"
        (request,) = server.requests
    (change,) = json.loads(request["body"])["changes"]
    assert (change["case"], change["kind"]) == (case("constant"), "regression")
