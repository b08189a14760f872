"""Killed, interrupted, out of space, or not alone: nothing that was reported is lost, and nothing
is left running."""

import os
import pty
import random
import re
import resource
import select
import shutil
import signal
import time

import pytest

from harness.run.scripted_runs import PLAIN, below, case, left_behind

KILLS = 50
REPORTED = re.compile(r"^\[\d+/\d+\] (\S+) \(process (\d+)/\d+\): ", re.MULTILINE)
RUN_ID = re.compile(r"^run (\S+): ", re.MULTILINE)


def wait_for(process, text: str) -> str:
    """What the process has printed up to and with the line that holds `text`."""
    read = ""
    while True:
        line = process.stdout.readline()
        read += line
        if text in line:
            return read
        assert line, f"ended before it said {text!r}: {read}"


def start_slow(lab, **limits):
    """A run of the case that takes a second to prepare, and the file that says when it began to."""
    preparing = lab.folder / "preparing"
    lab.environment["RIDGELINE_SCRIPTED_PREPARING"] = str(preparing)
    return lab.start(lab.profile("slow", **limits)), preparing


def workers_of(preparing) -> list[int]:
    """Process ids of the workers that have begun to prepare their case, which were greeted before
    and are watched."""
    if not preparing.exists():
        return []
    return [int(line) for line in preparing.read_text().splitlines(keepends=True) if "\n" in line]


def first_worker(process, preparing) -> int:
    while not (workers := workers_of(preparing)):
        assert process.poll() is None, "ended before it measured"
        time.sleep(0.01)
    return workers[0]


def finish(process) -> str:
    """What the process prints from now on, once it has ended."""
    with process:
        return process.stdout.read()


def test_a_machine_that_stood_still_is_not_blamed_on_the_code(lab):
    process, preparing = start_slow(lab, case_timeout="3s")
    first_worker(process, preparing)
    stopped = [process.pid, *below(process.pid)]
    assert len(stopped) == 3, "ridgeline, the guard and the worker"
    for pid in stopped:
        os.kill(pid, signal.SIGSTOP)
    time.sleep(5)
    for pid in stopped:
        os.kill(pid, signal.SIGCONT)
    printed = finish(process)
    assert process.returncode == 0, printed
    assert lab.query("SELECT attempt, outcome FROM measurement ORDER BY id") == [
        (1, "invalid_environment"),
        (2, "ok"),
    ]
    assert "the machine stood still for " in lab.query("SELECT reason FROM measurement")[0][0]
    assert "1 case: 1 ok" in printed


def test_a_worker_that_alone_was_stopped_is_measured_again(lab):
    process, preparing = start_slow(lab)
    worker = first_worker(process, preparing)
    os.kill(worker, signal.SIGSTOP)
    time.sleep(2)
    os.kill(worker, signal.SIGCONT)
    printed = finish(process)
    assert process.returncode == 0, printed
    (first, reason), (second, _) = lab.outcomes()[case("slow")]
    assert (first, second) == ("invalid_environment", "ok")
    stopped = re.fullmatch(r"the worker was stopped for ([0-9.]+) s while it was measured", reason)
    assert float(stopped[1]) > 1.5, reason


def test_a_worker_that_stays_stopped_is_a_timeout(lab):
    process, preparing = start_slow(lab, case_timeout="2s")
    stopped = set()
    while process.poll() is None:  # whichever is started next
        for pid in set(workers_of(preparing)) - stopped:
            os.kill(pid, signal.SIGSTOP)
            stopped.add(pid)
        time.sleep(0.01)
    assert finish(process)
    assert process.returncode == 2
    ended = lab.outcomes()[case("slow")]
    assert len(ended) == len(stopped)
    assert {outcome for outcome, _ in ended} == {"timeout"}
    assert all("and the worker was stopped for " in reason for _, reason in ended), ended
    # It may stop itself for good: only a pause of the machine has it measured again.
    assert all("the machine stood still" in reason for _, reason in ended[:-1]), ended


def test_kill_9_at_random_moments_loses_nothing_that_was_reported(lab):
    # Workers that fork, that ignore SIGTERM and that leave daemons are among those in flight.
    profile = lab.profile(
        *(
            "constant",
            "noisy",
            "drifting",
            "prints",
            "segfault",
            "loops_with_child",
            "leaves_daemon",
        ),
        processes=20,
        case_timeout="150ms",
    )
    moments = random.Random(1)
    reported = 0
    for kill in range(KILLS):
        process = lab.start(profile, stderr=None)
        printed = ""
        if kill % 2:  # in the middle of measuring, however slow the machine is now
            for _ in range(moments.randint(3, 10)):
                printed += process.stdout.readline()
            time.sleep(moments.uniform(0, 0.05))
        else:
            time.sleep(moments.uniform(0, 0.5))
        process.kill()
        printed += finish(process)
        assert left_behind(wait_s=10) == [], f"after kill {kill}"
        if not lab.database.exists():
            continue
        assert lab.is_intact(), f"after kill {kill}"
        lines = REPORTED.findall(printed)
        counts = (
            {name: len(rows) for name, rows in lab.outcomes(RUN_ID.search(printed)[1]).items()}
            if lines
            else {}
        )
        for name, replicate in lines:
            assert counts.get(name, 0) >= int(replicate), (
                f"{name} of kill {kill} was reported, but is not stored"
            )
        reported += len(lines)
    assert reported >= KILLS // 2
    # The file goes on being used.
    assert lab.run(lab.profile("constant")).returncode == 0
    assert lab.is_intact()


def test_the_first_interrupt_stores_what_is_done_and_says_so(lab):
    # In a random order the loops end up anywhere; its timeout is far away, so that only the signal
    # can end it.
    process = lab.start(lab.profile("constant", "noisy", "loops", processes=2), "--seed", 3)
    printed = wait_for(process, case("constant"))
    time.sleep(0.2)
    start = time.monotonic()
    process.send_signal(signal.SIGINT)
    rest = finish(process)
    assert time.monotonic() - start < 5
    assert process.returncode == 130
    assert lab.query("SELECT status FROM run") == [("interrupted",)]
    stored = lab.outcomes()
    assert case("constant") in stored and case("loops") not in stored
    assert len(REPORTED.findall(printed + rest)) == sum(len(rows) for rows in stored.values())
    assert "marked as interrupted" in rest


def test_a_second_interrupt_ends_at_once(lab):
    process = lab.start(lab.profile("constant", "loops_with_child", processes=20))
    wait_for(process, "device fake")
    time.sleep(0.3)
    for _ in range(2):
        process.send_signal(signal.SIGTERM)
    finish(process)
    assert process.returncode == 130
    assert left_behind(wait_s=5) == []
    assert lab.is_intact()


def test_a_terminal_interrupt_does_not_reach_the_workers(lab):
    # The terminal signals the whole foreground process group; a worker that got it would look like
    # a crash.
    process = lab.start(lab.profile("constant", "loops"), "--seed", 3, process_group=0)
    wait_for(process, "run ")
    time.sleep(0.4)
    os.killpg(process.pid, signal.SIGINT)
    finish(process)
    assert process.returncode == 130
    assert all(outcome == "ok" for rows in lab.outcomes().values() for outcome, _ in rows)


def test_the_second_run_on_a_device_waits_and_names_the_first(lab):
    first = lab.start(lab.profile("loops"), "--label", "first")
    run_id = RUN_ID.search(wait_for(first, "run "))[1]
    time.sleep(0.3)
    refused = lab.run(lab.profile("constant"), "--no-wait")
    assert refused.returncode == 69
    assert f"is in use by pid {first.pid}, run {run_id}" in refused.stderr
    waiting = lab.start(lab.profile("constant"))
    assert f"pid {first.pid}, run {run_id}" in waiting.stderr.readline()
    assert waiting.poll() is None
    first.kill()  # a holder that dies blocks nobody
    finish(first)
    finish(waiting)
    assert waiting.returncode == 0
    assert left_behind(wait_s=5) == []
    assert lab.outcomes().keys() == {case("constant")}
    assert lab.query("SELECT count(*) FROM run") == [(2,)]


def test_interrupted_while_waiting_measures_nothing(lab):
    first = lab.start(lab.profile("loops"))
    wait_for(first, "run ")
    time.sleep(0.3)
    waiting = lab.start(lab.profile("constant"))
    waiting.stderr.readline()
    waiting.send_signal(signal.SIGINT)
    finish(waiting)
    assert waiting.returncode == 130
    first.send_signal(signal.SIGINT)
    finish(first)
    assert lab.query("SELECT count(*) FROM run") == [(1,)]


@pytest.mark.parametrize("command", ["run", "gate"])
def test_a_results_folder_that_goes_away_meanwhile_is_74(lab, command):
    profile = lab.profile("slow", "noisy", processes=50)
    words = lab.run_command(profile)
    if command == "gate":
        words = lab.gate_command(profile, PLAIN, PLAIN, "--aa")
    process = lab.start_command(words, env=lab.environment)
    wait_for(process, "[2/") if command == "run" else lab.wait_for_pairs(1)
    shutil.rmtree(lab.results)
    said, errors = process.communicate()
    assert process.returncode == 74, errors
    assert "was moved, replaced or deleted while it was written to" in errors
    assert "stored" not in said


def test_a_disk_that_is_full_from_the_start_keeps_nothing(lab):
    def limit_files():
        resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))

    full = lab.run(lab.profile("constant"), preexec_fn=limit_files)
    assert full.returncode == 74, full.stderr
    assert "File too large" in full.stderr
    assert not lab.results.exists()


def test_a_full_disk_is_74_and_keeps_what_was_stored(lab):
    def limit_files():
        resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))

    profile = lab.profile("noisy", "unstable", "drifting", processes=300)
    full = lab.run(profile, preexec_fn=limit_files)
    assert full.returncode == 74, full.stderr
    assert (
        "synthetic-fake.sqlite" in full.stderr
        and "; resume: ridgeline run --resume " in full.stderr
    )
    assert lab.is_intact()
    reported = REPORTED.findall(full.stdout)
    assert len(reported) > 3
    counts = {name: len(rows) for name, rows in lab.outcomes().items()}
    for name, replicate in reported:
        assert counts[name] >= int(replicate)


def test_a_reader_that_goes_away_does_not_end_the_run(lab):
    process = lab.start(lab.profile("constant", "noisy", processes=20))
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == ""
    assert process.wait(timeout=30) == 74
    assert sum(len(rows) for rows in lab.outcomes().values()) == 40
    assert lab.query("SELECT status FROM run") == [("finished",)]


def test_a_terminal_gets_a_bar_and_a_pipe_a_line_a_case(lab):
    profile = lab.profile("constant", "noisy", "segfault", "slow")
    piped = lab.run(profile)
    assert "\r" not in piped.stdout and "\033" not in piped.stdout
    assert piped.stdout.count("] scripted/") == 4
    outside, inside = pty.openpty()
    # This seed's order is segfault, constant, slow, noisy: the bar has a second to show what came
    # before `slow`.
    process = lab.start(profile, "--seed", 3, stdout=inside, stderr=inside)
    os.close(inside)
    shown = b""
    while select.select([outside], [], [], 20)[0]:
        try:
            shown += os.read(outside, 65536)
        except OSError:  # the last writer is gone
            break
    os.close(outside)
    assert process.wait(timeout=20) == 2
    text = shown.decode()
    assert re.search(r"\[#+\.*\] \d/4  \S+ m?s left  last 10.0 GFLOP/s  scripted/", text), text
    # Of the cases only the failure has a line of its own above the bar.
    assert re.findall(r"\[\d/4\] (\S+): ", text) == [case("segfault")]
