"""Whole searches over small repositories, whose builds are scripted workers with the times and
counts that a commit's file says."""

import contextlib
import json
import re
import shlex
import signal
import sqlite3
import subprocess
import sys

import pytest

from harness.run.kill_test import finish
from harness.run.scripted_runs import PLAIN, ROOT, case

CMAKE = """cmake_minimum_required(VERSION 3.25)
project(synthetic LANGUAGES NONE)
add_custom_target(ridgeline-suites
  COMMAND sh ${PROJECT_SOURCE_DIR}/build.sh ${PROJECT_BINARY_DIR}/bin VERBATIM)
"""
PRESETS = """{"version": 6, "configurePresets": [{"name": "release", "generator": "Ninja",
"binaryDir": "${sourceDir}/build/${presetName}"}]}
"""
BUILD = """set -e
test ! -e ${0%/*}/broken
mkdir -p $1
cp ${0%/*}/worker $1/ridgeline-suites
chmod +x $1/ridgeline-suites
"""


class Repository:
    """Commits, each of which is a worker with options of the scripted one."""

    def __init__(self, lab):
        self.lab = lab
        self.folder = lab.folder / "repository"
        self.folder.mkdir()
        self.git("init", "--quiet", "--initial-branch=main")
        for name, text in {
            "CMakeLists.txt": CMAKE,
            "CMakePresets.json": PRESETS,
            "build.sh": BUILD,
        }.items():
            (self.folder / name).write_text(text)

    def git(self, *arguments):
        who = ("-c", "user.name=synthetic", "-c", "user.email=synthetic@localhost")
        done = subprocess.run(
            ["git", *who, *arguments], cwd=self.folder, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def commit(self, subject, *options, broken=False):
        """Its hash."""
        line = shlex.join([str(PLAIN), *map(str, options)])
        # A comment of its own: what the worker does may stay the same.
        (self.folder / "worker").write_text(f'#!/bin/sh\n# {subject}\nexec {line} "$@"\n')
        (self.folder / "broken").unlink(missing_ok=True)
        if broken:
            (self.folder / "broken").write_text("")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", subject)
        return self.git("rev-parse", "HEAD")

    def commits(self, count, slower_from, percent=2.0, broken=()):
        """A good one, and `count` after it; the hashes of these. Each differs a little from the one
        before, as code does."""
        self.commit("Begin", "--slower", 0.001)
        return [
            self.commit(
                f"Commit {i}",
                *("--slower", (percent if i >= slower_from else 0) + 0.001 * (i % 7 + 2)),
                broken=i in broken,
            )
            for i in range(count)
        ]

    def command(self, name, *arguments, good="HEAD~64"):
        words = ("bisect", name, "--good", good, "--bad", "HEAD", "--delta", "1%")
        profile = ("--profile", self.lab.profile(), "--results", self.lab.results)
        return self.lab.command(*words, "--device", "fake", *profile, *arguments)

    def bisect(self, *arguments, name=None, **options):
        command = self.command(name or case("process_noise"), *arguments, **options)
        done = self.lab.execute([*command, "--json"], cwd=self.folder, text=True, timeout=300)
        assert done.stdout, done.stderr
        return done.returncode, json.loads(done.stdout)


@pytest.fixture
def repository(lab):
    return Repository(lab)


def left(found):
    return [one["commit"] for one in found["left"]]


def test_two_percent_among_64_commits_is_found_in_seven_gates(repository):
    commits = repository.commits(64, slower_from=41)
    code, found = repository.bisect("--seed", "1")  # of noise, too: some others need a gate twice
    assert (code, left(found)) == (0, [commits[41]]), found
    assert found["gates"] <= 7
    assert found["error"] == 0.05
    assert 0.005 < found["proven_slowdown"] <= 0.021
    assert (
        f"--baseline-ref {commits[40][:12]} --candidate-ref {commits[41][:12]}"
        in (found["confirm"])
    )
    built = list((repository.folder / "build" / "commits").glob("*/build-*/built.txt"))
    assert len(built) <= 8, "only what is gated is built"

    # All of it is known now: nothing is measured, and the answer is the same.
    gates = repository.lab.query("SELECT count(*) FROM gate")
    code, again = repository.bisect()
    assert (code, left(again)) == (0, [commits[41]])
    assert all(one["stored"] for one in again["tested"])
    assert repository.lab.query("SELECT count(*) FROM gate") == gates


def test_what_does_not_build_is_left_out_and_what_is_left_is_said(repository):
    commits = repository.commits(8, slower_from=4, percent=5, broken={3, 4})
    command = repository.command(case("process_noise"), good="HEAD~8")
    done = repository.lab.execute(command, cwd=repository.folder, text=True)
    assert done.returncode == 3, done.stdout + done.stderr
    said = done.stdout[done.stdout.rindex("is slower since") :]
    assert "is slower since one of these 3 commits" in said
    assert re.findall(r"^  ([0-9a-f]{12}) ", said, re.MULTILINE) == [
        one[:12] for one in commits[3:6]
    ]
    assert "cannot be tested: commit" in said and "cannot be built" in said


def test_end_points_that_do_not_differ_are_said(repository):
    repository.commits(3, slower_from=9)
    code, found = repository.bisect(good="HEAD~3")
    assert (code, left(found), found["gates"]) == (3, [], 1)
    assert "there is nothing to search for" in found["ended"]
    assert "is as the good one" in found["ended"]


def test_an_undecided_gate_is_repeated_and_never_guessed(repository):
    repository.commits(2, slower_from=1)
    # In a second there are no rounds to say anything by.
    code, found = repository.bisect(
        "--budget", "1s", "--attempts", 2, name=case("slow"), good="HEAD~2"
    )
    assert (code, left(found), found["gates"]) == (3, [], 2)
    assert found["ended"].startswith("the search cannot begin: ")
    assert "undecided" in found["ended"] or "not_measured" in found["ended"]


def test_counts_are_exact(repository):
    lab = repository.lab
    lab.database = lab.results / "synthetic-emulated.sqlite"
    sectors = [2, 2, 3, 2, 2, 64, 65, 64, 66]
    commits = [
        repository.commit(f"Commit {i}", "--count", f"counted:global_load_sectors={value}")
        for i, value in enumerate(sectors)
    ]
    words = ("bisect", case("counted"), "--good", "HEAD~8", "--bad", "HEAD", "--json")
    command = lab.command(
        *words, "--device", "emulated:fake", "--profile", lab.profile(), "--results", lab.results
    )
    done = lab.execute(command, cwd=repository.folder, text=True)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert left(found) == [commits[5]], "where the count crosses the middle"
    assert (found["exact"], found["metric"], "error" in found) == (
        True,
        "global_load_sectors",
        False,
    )
    refused = lab.execute([*command, "--delta", "1%"], cwd=repository.folder, text=True)
    assert refused.returncode == 64
    assert "--delta is for times" in refused.stderr


def test_commits_of_the_same_code_are_not_measured(repository):
    repository.commit("Begin")
    commits = [
        repository.commit(f"Commit {i}", *(("--slower", 5) if i >= 3 else ())) for i in range(8)
    ]
    code, found = repository.bisect(good="HEAD~8")
    assert (code, left(found), found["gates"]) == (0, [commits[3]], 1)
    assert all("the same code as" in one["why"] for one in found["tested"][1:])


def test_merges_are_one_step_or_looked_into(repository):
    repository.commit("Begin", "--slower", 0.001)
    good = repository.git("rev-parse", "HEAD")
    repository.git("switch", "--quiet", "--create", "topic")
    inner = [
        repository.commit(f"Topic {i}", "--slower", (5 if i else 0) + 0.002 * (i + 1))
        for i in range(3)
    ]
    repository.git("switch", "--quiet", "main")
    repository.git("merge", "--quiet", "--no-ff", "--message", "Merge the topic", "topic")
    merge = repository.git("rev-parse", "HEAD")
    repository.commit("Afterwards", "--slower", 5.009)
    assert left(repository.bisect(good=good)[1]) == [merge]
    assert left(repository.bisect("--into-merges", good=good)[1]) == [inner[1]]


def test_an_interrupted_search_goes_on(repository):
    commits = repository.commits(8, slower_from=6, percent=5)
    command = repository.command(case("process_noise"), good="HEAD~8")
    process = repository.lab.start_command(
        command,
        cwd=repository.folder,
        env=repository.lab.environment,
        stderr=subprocess.STDOUT,
    )
    repository.lab.wait_for_pairs(25)
    process.send_signal(signal.SIGINT)
    printed = finish(process)
    assert process.returncode == 130, printed
    assert "the same command goes on with it" in printed
    stored = repository.lab.query("SELECT id, status FROM gate ORDER BY id")
    code, found = repository.bisect(good="HEAD~8")
    assert (code, left(found)) == (0, [commits[6]])
    now = dict(repository.lab.query("SELECT id, status FROM gate"))
    assert set(now.values()) == {"finished"}, "what was interrupted is gone on with"
    assert {one for one, _ in stored} <= {one["gate"] for one in found["tested"]}
    assert repository.lab.is_intact()


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["--good", "HEAD", "--bad", "HEAD"], 64, "are the same commit"),
        (["--good", "HEAD", "--bad", "HEAD~1"], 64, "is not an ancestor of"),
        (["--good", "nothing", "--bad", "HEAD"], 64, 'there is no commit "nothing"'),
        (["--good", "HEAD~1", "--bad", "HEAD", "--error", "0"], 64, "--error 0 is not a share"),
        (["--good", "HEAD~1"], 64, "--bad is required"),
        (
            ["--good", "HEAD~1", "--bad", "HEAD", "--device", "cpu,cuda:0"],
            64,
            "--device cpu,cuda:0: a search is on one device",
        ),
    ],
)
def test_what_cannot_be_searched_says_why(repository, arguments, code, words):
    repository.commits(1, slower_from=0)
    command = repository.lab.command("bisect", case("process_noise"), *arguments)
    done = repository.lab.execute(command, cwd=repository.folder, text=True)
    assert (done.returncode, words in done.stderr) == (code, True), done.stderr
    assert not (repository.folder / "build").exists(), "before anything is built"


@pytest.mark.parametrize(
    ("name", "words"),
    [("scripted/*", "is a pattern"), ("scripted/nois/f32/n=16", "did you mean")],
)
def test_a_search_is_for_one_case(repository, name, words):
    repository.commits(1, slower_from=0)
    command = repository.command(name, good="HEAD~1")
    done = repository.lab.execute(command, cwd=repository.folder, text=True)
    assert (done.returncode, words in done.stderr) == (64, True), done.stderr


def test_an_end_point_that_does_not_build_ends_the_search(repository):
    repository.commits(2, slower_from=0, broken={1})
    command = repository.command(case("process_noise"), good="HEAD~2")
    done = repository.lab.execute(command, cwd=repository.folder, text=True)
    assert done.returncode == 69
    assert "cannot be built" in done.stderr


def test_a_trend_names_the_search_where_several_commits_lie_between(repository):
    lab = repository.lab
    command = [sys.executable, ROOT / "ci" / "studies" / "synthetic_nights", lab.results]
    few = ("--nights", "160", "--cases", "8", "--processes", "1", "--samples", "1")
    subprocess.run([*command, *few, "--noise", "0.3"], check=True, stdout=subprocess.DEVNULL)
    (lab.database,) = lab.results.glob("*.sqlite")

    def slower():
        done = lab.call(
            *("trend", "--json", "--nights", "150", "--results", lab.results),
            cwd=repository.folder,
            text=True,
        )
        (device,) = json.loads(done.stdout)["devices"]
        return next(one for one in device["findings"] if one["kind"] == "regression")

    repository.commits(3, slower_from=9)
    before, after = (slower()["changes"][f"{side}_commit"] for side in ("before", "after"))
    assert "bisect" not in slower(), "these commits are of no repository"
    for ref, commits in (("HEAD~1", 1), ("HEAD~3", 3)):
        hashes = {
            before: repository.git("rev-parse", ref),
            after: repository.git("rev-parse", "HEAD"),
        }
        with contextlib.closing(sqlite3.connect(lab.database)) as store, store:
            for old, new in hashes.items():
                store.execute("UPDATE build SET commit_hash = ? WHERE commit_hash = ?", (new, old))
        before, after = hashes.values()
        found = slower()
        assert ("bisect" in found) == (commits > 1)
    words = shlex.split(found["bisect"])
    assert words[:7] == [
        *("ridgeline", "bisect", found["case"], "--good", before[:12], "--bad", after[:12])
    ]
    assert words[-2] == "--delta"
    assert float(words[-1][:-1]) == pytest.approx(50 * (found["ratio"] - 1), rel=0.01)
    text = lab.call("trend", "--nights", "150", "--results", lab.results, cwd=repository.folder)
    assert f"bisect:  {found['bisect']}\n" in text.stdout.decode()


@pytest.mark.parametrize(("slower_from", "taken"), [(1, True), (2, False)])
def test_a_gate_of_somebody_else_counts_as_far_as_its_pairs_prove_it(
    repository, slower_from, taken
):
    """It may be wrong in 1 or 5 of 100; twelve pairs that agree prove more, eight do not. All pairs
    of this case agree, so that a pass takes eight and a regression twelve."""
    name = case("constant")
    commits = repository.commits(4, slower_from, percent=5)
    words = ("gate", "--baseline-ref", "HEAD~4", "--candidate-ref", commits[1], "--delta", "1%")
    profile = ("--profile", repository.lab.profile(), "--results", repository.lab.results)
    command = repository.lab.command(*words, "--device", "fake", *profile, name)
    done = repository.lab.execute([*command, "--json"], cwd=repository.folder, text=True)
    document = json.loads(done.stdout)
    gate = document["gate"]["id"]
    assert document["verdicts"][0]["pairs"] == (12 if taken else 8)
    code, found = repository.bisect(name=name, good="HEAD~4")
    assert (code, left(found)) == (0, [commits[slower_from]])
    (one,) = [one for one in found["tested"] if one["commit"] == commits[1]]
    assert (one["stored"], one["gate"] == gate) == (taken, taken), one
