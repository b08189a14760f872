"""How a gate measures: rounds of a fresh process of each side, in random order."""

import contextlib
import os
import signal
import time
from pathlib import Path

from harness.run.kill_test import finish, wait_for
from harness.run.scripted_runs import PLAIN, ROUNDS, case, named, repeatable


def test_a_round_is_a_fresh_process_of_each_side_with_the_same_inputs(lab):
    profile = lab.profile("constant", "noisy", "process_noise", "drifting")
    assert lab.gate(profile, PLAIN, PLAIN, "--aa", "--seed", 9)[0] == 0
    rows = lab.query(
        "SELECT run.id, replicate, process.seed FROM process JOIN run ON run.id = run_id ORDER BY "
        "replicate"
    )
    seeds = {
        side: {r: seed for run, r, seed in rows if run.endswith(side)}
        for side in ("baseline", "candidate")
    }
    assert len(rows) == 2 * ROUNDS  # and nothing but a process of each side in each round
    assert seeds["baseline"] == seeds["candidate"]
    assert sorted(seeds["baseline"]) == list(range(ROUNDS))
    assert len(set(seeds["baseline"].values())) == ROUNDS
    assert lab.query("SELECT DISTINCT profile, gate <> '' FROM run") == [("tests", 1)]
    # The median of this case is drawn from the layout alone, which is another one for each side and
    # round.
    medians = lab.query(
        'SELECT median_ns FROM measurement JOIN "case" ON "case".id = case_id WHERE name = ?',
        case("process_noise"),
    )
    assert len(set(medians)) == 2 * ROUNDS
    assert lab.is_intact()


def test_a_coin_says_which_side_is_first_and_cases_come_in_random_order(lab):
    profile = lab.profile("constant", "noisy", "process_noise", "drifting", "prints")
    assert lab.gate(profile, PLAIN, PLAIN, "--aa", "--seed", 4)[0] == 0
    first = {}
    for name, number, baseline in lab.query(
        "SELECT case_name, round, baseline_first FROM pair ORDER BY round"
    ):
        first.setdefault(name, []).append((number, baseline))
    for rounds in first.values():
        assert [number for number, _ in rounds] == list(range(ROUNDS))
        assert len({baseline for _, baseline in rounds}) == 2
    assert len({tuple(rounds) for rounds in first.values()}) > 1
    orders = {
        tuple(
            name
            for (name,) in lab.query(
                "SELECT case_name FROM pair WHERE round = ? ORDER BY id", number
            )
        )
        for number in range(8)
    }
    assert len(orders) > 1


def worker_states() -> dict[int, str]:
    """Of the scripted workers that descend from this process, by pid: T is stopped."""
    parents, states = {}, {}
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            name, rest = (folder / "stat").read_text().split("(", 1)[1].rsplit(")", 1)
            state, parent = rest.split()[:2]
            parents[int(folder.name)] = int(parent)
            if name.startswith("ridgeline-scrip"):
                states[int(folder.name)] = state

    def ours(pid: int) -> bool:
        while pid > 1 and pid != os.getpid():
            pid = parents.get(pid, 0)
        return pid == os.getpid()

    return {pid: state for pid, state in states.items() if ours(pid)}


def first(counts: list[int]) -> int:
    """Where the first is that is not 0."""
    return next((i for i, count in enumerate(counts) if count > 0), len(counts))


def test_the_side_that_waits_is_stopped(lab):
    # Whatever spins or polls between requests (MPI ranks do) would take time from the side that is
    # measured.
    process = lab.start_command(
        lab.gate_command(lab.profile("slow"), PLAIN, PLAIN, "--aa"), env=lab.environment
    )
    wait_for(process, "A/A")
    # By the two processes of a round: how many of them were, each time that one looked.
    stopped = {}
    deadline = time.monotonic() + 30
    while sum(map(len, stopped.values())) < 120 and time.monotonic() < deadline:
        states = worker_states()
        if len(states) == 2:
            stopped.setdefault(tuple(sorted(states)), []).append(list(states.values()).count("T"))
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    finish(process)
    # Both run while they start and end. In between one of them is stopped, unless they change over
    # while one looks.
    measuring = [
        counts[first(counts) : len(counts) - first(counts[::-1])] for counts in stopped.values()
    ]
    counts = [count for counts in measuring for count in counts]
    assert len(counts) > 50
    assert counts.count(1) >= 0.9 * len(counts)


def test_the_seed_repeats_a_gate(lab):
    profile = lab.profile("constant", "noisy", "process_noise", warmup="1s")
    candidate = lab.worker("candidate", "--slower", 4)
    gates = [lab.gate(profile, PLAIN, candidate, "--seed", 12) for _ in range(2)]
    assert gates[0][0] == gates[1][0]
    assert repeatable(gates[0][1]) == repeatable(gates[1][1])
    other = lab.gate(profile, PLAIN, candidate, "--seed", 13)[1]
    assert repeatable(other) != repeatable(gates[0][1])


def test_a_worker_that_is_older_than_layouts_can_be_a_baseline(lab):
    code, found = lab.gate(lab.profile("constant"), lab.worker("old", "--no-layout"), PLAIN)
    assert (code, named(found)) == (0, {"constant": "pass"})
