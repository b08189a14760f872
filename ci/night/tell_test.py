"""Messages of whole nights, to a real server on this machine and to a stub of gh."""

import contextlib
import json
import re
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

from ci.night.document import decode
from ci.night.message import Item
from ci.night.news import Mark, New, Trend, new_changes
from ci.night.outbox import Outbox
from ci.night.webhook import FAILED
from ci.night.webhook_test import Server
from harness.run.scripted_runs import ROOT

SECRET = "T0/B1/xoxsecretxox"
QUIET = [
    word
    for step in ("preflight", "run", "gate", "report", "export")
    for word in ("--without", step)
]


def found(name, **fields):
    return {
        "case": name,
        "kind": "regression",
        "night": "2026-11-20",
        "new": True,
        "worse": True,
        "label": f"{zlib.crc32(name.encode()):08x}",
        "told_night": "2026-11-20",
        "words": {"kind": "regression, new", "said": "+6.0%  933 ns -> 989 ns"},
        "confirm": f"ridgeline gate --baseline-ref a --candidate-ref b {name}",
        **fields,
    }


def row(change, **fields):
    """What `ridgeline trend told` says of a change."""
    said = {"model": "nvidia-h100", "label": change["label"], "failed": True, "state": "told"}
    return {**said, "state_at": "2026-11-21T03:00:00Z", "why": "", "said_by": "", **fields}


class Nights:
    """A folder of nights whose trend says what it is told to."""

    def __init__(self, lab):
        self.lab = lab
        lab.results.mkdir()
        (lab.results / "synthetic-nights.sqlite").write_bytes(b"")
        self.said = lab.folder / "trend.json"
        self.ridgeline = lab.folder / "ridgeline"
        self.ridgeline.write_text(
            "#!/bin/sh\n"
            'case "$*" in\n'
            f'"trend told"*) exec cat {lab.folder}/told.json;;\n'
            f"runs*) exec cat {lab.folder}/runs.json;;\n"
            f"*--json*) env >> {lab.folder}/environment; exec cat {self.said};;\n"
            "esac\n"
            "echo nothing; exit 1\n"
        )
        self.ridgeline.chmod(0o755)
        self.says(found("copy/wide/f32/n=64"), found("copy/wide/f32/n=128", new=False))

    def says(self, *findings, last="2026-11-20", told=()):
        device = {"model": "nvidia-h100", "device_uuid": "GPU-1", "findings": list(findings)}
        device |= {"profile": "nightly", "nights": 30, "last": last}
        self.said.write_text(json.dumps({"devices": [device]}))
        (self.lab.folder / "told.json").write_text(json.dumps({"told": list(told)}))
        (self.lab.folder / "runs.json").write_text(json.dumps({"runs": []}))

    def night(self, *arguments, address="", path=None):
        environment = {**self.lab.environment, "RIDGELINE_WEBHOOK_URL": address}
        if path:
            environment["PATH"] = f"{path}:{environment['PATH']}"
        command = [ROOT / "ci" / "nightly", "--results", self.lab.results, *QUIET]
        return self.lab.execute(
            [*command, "--ridgeline", self.ridgeline, *arguments], text=True, env=environment
        )

    def folder(self):
        return self.lab.results / "nightly" / "latest"

    def notes(self):
        return json.loads((self.folder() / "night.json").read_text())["notes"]

    def written(self):
        """All that the nights have left, and what was printed into their folders."""
        files = (path for path in self.lab.results.rglob("*") if path.is_file())
        return "".join(path.read_text(errors="replace") for path in files)


@pytest.fixture
def nights(lab):
    return Nights(lab)


def test_what_is_new_is_posted_once_and_its_address_stays_a_secret(nights):
    with Server() as server:
        address = server.address(SECRET)
        first = nights.night("--webhook", "plain", address=address)
        (request,) = server.requests
        assert (request["path"], request["type"]) == (f"/{SECRET}", "application/json")
        told = json.loads(request["body"])
        assert (told["format"], told["version"]) == ("ridgeline-message", 1)
        assert [one["case"] for one in told["changes"]] == ["copy/wide/f32/n=64"]
        assert told["title"].endswith(": 1 new change, 1 for the worse")
        assert "+6.0% 933 ns -> 989 ns" in told["text"]
        assert "confirm: ridgeline gate --baseline-ref a --candidate-ref b" in told["text"]
        assert first.returncode == 1, "the trend's own"
        assert nights.notes() == ["webhook: told 1 new change"]

        again = nights.night("--webhook", "plain", address=address)
        assert (len(server.requests), nights.notes()) == (1, [])

        nights.says(found("copy/wide/f32/n=64"), found("copy/wide/f32/n=256", worse=False))
        later = nights.night("--webhook", "plain", address=address)
        assert [one["case"] for one in json.loads(server.requests[1]["body"])["changes"]] == [
            "copy/wide/f32/n=256"
        ]
    everything = nights.written() + (nights.lab.folder / "environment").read_text()
    for done in (first, again, later):
        everything += done.stdout + done.stderr
    assert "xoxsecretxox" not in everything


def test_a_folder_that_is_told_nothing_new_posts_nothing(nights):
    nights.says(found("copy/wide/f32/n=64", new=False))
    with Server() as server:
        nights.night("--webhook", "plain", address=server.address())
        assert (server.requests, nights.notes()) == ([], [])


def test_what_did_not_arrive_is_sent_by_the_next_night(nights):
    with Server(500) as server:
        done = nights.night("--webhook", "plain", address=server.address(SECRET))
    assert done.returncode == 1
    assert nights.notes() == [
        "webhook: 1 new change could not be told (it was answered 500 (Internal Server Error)); "
        "the next night tries again"
    ]
    assert "could not be told" in (nights.folder() / "summary.md").read_text()
    nights.says(found("copy/wide/f32/n=64", new=False))  # it was told as far as the trend knows
    with Server() as server:
        nights.night("--webhook", "plain", address=server.address(SECRET))
        (request,) = server.requests
        assert json.loads(request["body"])["changes"][0]["case"] == "copy/wide/f32/n=64"


def test_after_a_week_it_is_given_up(tmp_path):
    item = Item(key="a", device="d", kind="regression", night="2026-11-20", said="slower")
    new = New(item, "d", [Mark("c", "regression", "2026-11-20", "a0 2026-11-21 regression")])
    again = []
    for night in map(str, range(7)):
        outbox = Outbox(tmp_path)
        outbox.add([new], lambda _: ["webhook"])
        entries = outbox.waiting("webhook", night)
        assert [entry.item for entry in entries] == [item]
        outbox.begin("webhook", entries, night)
        again.append(outbox.end("webhook", entries, FAILED))
        assert outbox.waiting("webhook", night) == [], "once a night"
    assert again == [True] * 6 + [False]
    outbox = Outbox(tmp_path)
    outbox.add([new], lambda _: ["webhook", "issue"])
    assert (outbox.waiting("webhook", "8"), outbox.waiting("issue", "8")) == ([], [])


def test_a_night_that_was_killed_while_it_sent_sends_nothing_twice(nights):
    with Server() as server:
        nights.night("--webhook", "plain", address=server.address())
        outbox = nights.lab.results / "nightly" / "messages.json"
        outbox.write_text(outbox.read_text().replace('"sent"', '"sending"'))
        nights.night("--webhook", "plain", address=server.address())
        assert len(server.requests) == 1
    assert nights.notes() == [
        "webhook: a night was killed while it told 1 new change, which may have arrived and is "
        "not sent again"
    ]
    nights.night("--webhook", "plain", address="http://127.0.0.1:1/")
    assert nights.notes() == []


@pytest.mark.parametrize(
    ("arguments", "address", "words"),
    [
        ([], "", "neither RIDGELINE_WEBHOOK_URL nor --webhook-file has an address"),
        (["--webhook-file", "/no/such"], "", "is not in /no/such: No such file or directory"),
        ([], "ftp://host/xoxsecretxox", "is no https:// or http:// address"),
        ([], "https://host:xoxsecretxox/", "is no https:// or http:// address"),
        ([], "https://xoxsecretxox@host/", "has a user's name"),
        ([], "https://no such host/xoxsecretxox", "is no https:// or http:// address"),
        ([], "https://host.invalid/xoxsecretxox", "its host is not found"),
    ],
)
def test_an_address_that_is_none_is_said_and_not_shown(nights, arguments, address, words):
    done = nights.night("--webhook", "plain", *arguments, address=address)
    assert done.returncode == 1
    (note,) = nights.notes()
    assert words in note
    assert "xoxsecretxox" not in nights.written() + done.stdout + done.stderr


def test_an_address_in_a_file_is_read_each_night(nights):
    with Server() as server:
        secret = nights.lab.folder / "address"
        secret.write_text(server.address(SECRET) + "\n")
        done = nights.night("--webhook", "slack", "--webhook-file", secret)
        assert len(server.requests) == 1
        assert "xoxsecretxox" not in nights.written() + done.stdout + done.stderr
    refused = nights.night("--webhook-file", secret)
    assert (refused.returncode, "goes with --webhook" in refused.stderr) == (64, True)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"devices": 3}'])
def test_a_trend_that_says_something_odd_costs_the_message_alone(nights, text):
    nights.said.write_text(text)
    with Server() as server:
        done = nights.night("--webhook", "plain", address=server.address())
        assert (done.returncode, server.requests) == (1, [])
    (note,) = nights.notes()
    assert note.startswith(
        "nobody was told what is new: what ridgeline trend --new-nights 7 --json said cannot"
    )


def test_damaged_memory_is_set_aside_and_said(nights):
    nights.night()
    outbox = nights.lab.results / "nightly" / "messages.json"
    outbox.write_text('{"format": "ridgeline-messages", "version": 1, "changes": [{}]}')
    with Server() as server:
        nights.night("--webhook", "plain", address=server.address())
        assert len(server.requests) == 1
    assert outbox.with_name("messages.json.damaged").exists()
    assert "what is new may be told again" in nights.notes()[0]


def test_memory_that_cannot_be_written_sends_nothing(nights):
    nights.night()
    (nights.lab.results / "nightly" / "messages.json").mkdir()
    with Server() as server:
        done = nights.night("--webhook", "plain", address=server.address())
        assert (done.returncode, server.requests) == (1, [])
    assert nights.notes()[0].startswith("nobody was told what is new: ")


def test_a_picture_of_the_nights_is_linked_where_the_site_has_one(nights):
    report = nights.lab.results / "report"
    (report / "figures").mkdir(parents=True)
    (report / "index.html").write_text("")
    (report / "figures" / "nights.png").write_text("")
    with Server() as server:
        nights.night("--webhook", "plain", "--site", "https://site/r", address=server.address())
        told = json.loads(server.requests[0]["body"])
    assert told["picture"] == "https://site/r/figures/nights.png"
    assert told["report"] == "https://site/r/index.html"
    refused = nights.night("--site", "javascript:alert(1)")
    assert refused.returncode == 64


GH = """#!/bin/sh
printf '%s\\n' "$@" > {folder}/arguments
cat > {folder}/body
env > {folder}/gh-environment
{end}
"""


def gh(nights, end):
    folder = nights.lab.folder / "bin"
    folder.mkdir(exist_ok=True)
    path = folder / "gh"
    path.write_text(GH.format(folder=nights.lab.folder, end=end))
    path.chmod(0o755)
    return folder


def test_an_issue_is_opened_once(nights):
    nights.says(found("copy/wide/f32/n=64 @everyone #1 ```"))
    path = gh(nights, "exit 0")
    for _ in range(2):
        nights.night("--issue", "owner/name", path=path, address="http://127.0.0.1:1/xoxsecretxox")
    arguments = (nights.lab.folder / "arguments").read_text().splitlines()
    assert arguments[:3] == ["issue", "create", "--title"]
    assert arguments[4:] == ["--body-file", "-", "--repo", "owner/name"]
    body = (nights.lab.folder / "body").read_text()
    assert re.search(r"^````text\n.*@everyone #1 ```.*^````$", body, re.MULTILINE | re.DOTALL)
    assert "xoxsecretxox" not in (nights.lab.folder / "gh-environment").read_text()
    assert nights.notes() == [], "the second night has nothing to tell"


@pytest.mark.parametrize(
    ("kind", "worse", "failed"),
    [("improvement", False, False), ("environment", False, False), ("regression", True, False)],
    ids=["better", "the environment", "noise, which failed no night"],
)
def test_of_what_is_not_for_the_worse_there_is_no_issue(nights, kind, worse, failed):
    change = found("copy/wide/f32/n=64", kind=kind, worse=worse)
    nights.says(change, told=[row(change, failed=failed)])
    path = gh(nights, "exit 0")
    with Server() as server:
        nights.night(
            *("--issue", "here", "--webhook", "plain"), path=path, address=server.address()
        )
        assert json.loads(server.requests[0]["body"])["title"].endswith(", 0 for the worse")
    assert not (nights.lab.folder / "arguments").exists()
    assert nights.notes() == ["webhook: told 1 new change"]

    slower = found("copy/wide/f32/n=128")
    nights.says(change, slower, told=[row(change, failed=failed), row(slower)])
    nights.night("--issue", "here", path=path)
    assert "copy/wide/f32/n=64" not in (nights.lab.folder / "body").read_text()
    assert "copy/wide/f32/n=128" in (nights.lab.folder / "body").read_text()


def test_an_issue_that_cannot_be_opened_is_tried_again(nights):
    path = gh(nights, "echo 'HTTP 503' >&2; exit 1")
    assert nights.night("--issue", "here", path=path).returncode == 1
    assert nights.notes() == [
        "issue: 1 new change could not be told (gh ended with 1: HTTP 503); the next night tries "
        "again"
    ]
    nights.night("--issue", "here", path=gh(nights, "exit 0"))
    assert nights.notes() == ["issue: told 1 new change"]
    assert "--repo" not in (nights.lab.folder / "arguments").read_text()


def test_without_gh_it_is_said(nights):
    # Everything that a night needs, and no gh.
    folder = nights.lab.folder / "programs"
    folder.mkdir()
    for name in ("sh", "cat", "env", "python3"):
        target = sys.executable if name == "python3" else f"/usr/bin/{name}"
        (folder / name).symlink_to(target)
    nights.lab.environment["PATH"] = str(folder)
    nights.night("--issue", "here")
    assert "(gh is not installed); the next night tries again" in nights.notes()[0]


def test_what_the_real_trend_says_is_understood(lab):
    made = [sys.executable, ROOT / "ci" / "studies" / "synthetic_nights", lab.results]
    few = ("--nights", "160", "--cases", "8", "--processes", "1", "--samples", "1")
    subprocess.run([*made, *few], check=True, stdout=subprocess.DEVNULL)
    words = ("trend", "--json", "--nights", "150", "--results", lab.results)
    trend = decode(lab.call(*words, text=True).stdout, Trend)
    (device,) = trend["devices"]
    assert device["findings"]
    for one in device["findings"]:
        one["new"], one["fails"] = True, one["worse"]
    items = [new.item for new in new_changes(trend, {}, {})]
    assert len(items) == len({item.key for item in items}) == len(device["findings"])
    assert items[0].worse and all(item.said for item in items)
    assert any(item.confirm for item in items)


def test_nothing_that_runs_has_the_address_among_its_arguments(nights):
    with Server(delay_s=1.5) as server:
        environment = {**nights.lab.environment, "RIDGELINE_WEBHOOK_URL": server.address(SECRET)}
        command = [ROOT / "ci" / "nightly", "--results", nights.lab.results, *QUIET]
        process = subprocess.Popen(
            [*command, "--ridgeline", nights.ridgeline, "--webhook", "plain"],
            env=environment,
            stdout=subprocess.DEVNULL,
        )
        server.wait_for_request()
        lines = b""
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            with contextlib.suppress(OSError):  # it has ended
                lines += path.read_bytes()
        assert process.wait() == 1
    assert b"--webhook" in lines and b"xoxsecretxox" not in lines
    assert nights.notes() == ["webhook: told 1 new change"]
