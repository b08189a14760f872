"""Whatever a worker does costs its case only: the outcome is stored, the run goes on, and nothing
is left running."""

import pytest

from harness.run.scripted_runs import BUILD, PLAIN, case

# What must be stored of each case: its outcome, and a part of its reason.
OUTCOMES = {
    "constant": ("ok", ""),
    "tenfold": ("ok", ""),
    "roof": ("ok", ""),
    "noisy": ("ok", ""),
    "drifting": ("ok", ""),
    "prints": ("ok", ""),
    "slow": ("ok", ""),
    "process_noise": ("ok", ""),
    "bimodal": ("ok", ""),
    "twofold": ("ok", ""),
    "fills_memory": ("ok", ""),
    "fills_memory_late": ("ok", ""),
    "unstable": ("unstable", "of its median; the profile allows ±5.0%"),
    "throttled": ("invalid_environment", "hw_thermal_slowdown"),
    "neighbour": ("invalid_environment", "other process"),
    "wrong_result": ("wrong_result", "before timing"),
    "writes_nothing": ("wrong_result", "not written"),
    "wrong_after_timing": ("wrong_result", "while timing the output differed"),
    "unsupported": ("unsupported", "the script says so"),
    "too_large": ("unsupported", "550 GB"),
    "unavailable": ("unavailable", "libscript.so.1 not found"),
    "device_error": ("crashed", "the device was scripted to fail"),
    "segfault": ("crashed", "signal 11 (Segmentation fault)"),
    "abort": ("crashed", "signal 6 (Aborted)"),
    "exit0": ("crashed", "exited with code 0"),
    "exit3": ("crashed", "exited with code 3; it last said: scripted: cannot go on"),
    "leaves_daemon": ("crashed", "exited with code 0"),
    "loops": ("timeout", "killed while sampling: the case's 1.50 s were over"),
    "loops_with_child": ("timeout", "killed while sampling"),
    "forks_away": ("crashed", "exited with code 0"),
    "floods_errors": ("timeout", "killed while sampling: the case's 1.50 s were over"),
    "closes_output": ("crashed", "closed its output, but did not end"),
    "endless_output": ("crashed", "not a message: xxxx"),
    "endless_lines": ("crashed", "no field reply"),
    "binary_output": ("crashed", "not a message: \\x7fELF\\x02\\xff"),
    "malformed": ("crashed", "not JSON"),
    "truncated": ("crashed", "exited with code 0 in the middle of a message"),
    "huge": ("crashed", "longer than 16 MiB"),
    "wrong_type": ("crashed", "must be a number"),
    "negative": ("crashed", "must be a number"),
    "zero_time": ("crashed", "must be a number from 0.001 to"),
    "nan_time": ("crashed", "not JSON"),
    "infinite_time": ("crashed", "out of range"),
    "zero_at_the_end": ("crashed", "samples_ns[0]"),
    "no_samples": ("crashed", "the worker was asked for 1 to 50 samples and took 0"),
    "too_many_samples": ("crashed", "the worker was asked for 1 to 50 samples and took 10001"),
    "shorter_at_the_end": ("crashed", "took 100000 ns as sample 1 and finished with 50000 ns"),
    "fewer_at_the_end": ("crashed", "samples and finished with"),
    "throttled_yet_ok": ("invalid_environment", "the hardware throttled while the case was timed"),
    "shared_yet_ok": ("invalid_environment", "3 other processes used the device"),
    "gains_energy": ("crashed", "says energy -5 'J': it is in J and above 0"),
    "unknown_reply": ("crashed", 'answered "dance"'),
    "answers_twice": ("crashed", 'where "finish" was waited for'),
    "unverified": ("crashed", "an output that was not verified has no time"),
    "same_metric_twice": ("crashed", "has the name of an earlier metric: moved_bytes"),
    "other_cache": ("crashed", "asked for cache cold and measured with hot"),
    "other_launch": ("crashed", "asked for launch graph and measured with single"),
    "counts_on_a_clock": (
        "crashed",
        "the worker prepared the case as ok and finished it as counted",
    ),
    "other_seed": ("crashed", "the worker was asked for seed "),
}


def test_every_fault_costs_its_case_only(lab):
    done = lab.run(lab.profile(case_timeout="1500ms"))
    assert lab.is_intact()
    stored = lab.outcomes()
    assert set(stored) == {case(variant) for variant in OUTCOMES}
    for variant, (outcome, reason) in OUTCOMES.items():
        ((found, why),) = stored[case(variant)]
        assert (found, reason in why) == (outcome, True), f"{variant}: {found}: {why}"
    assert done.returncode == 2
    assert lab.query("SELECT status FROM run") == [("finished",)]
    # Every case has its line. More failed than a command line names: all are repeated.
    for variant in OUTCOMES:
        assert f"] {case(variant)}: " in done.stdout
    assert (
        "59 cases: 12 ok, 1 unstable, 4 invalid_environment, 3 wrong_result, 2 unsupported, 1 "
        "unavailable," in done.stdout
    )
    repeat = next(
        line
        for line in done.stdout.splitlines()
        if line.startswith("repeat what failed: ridgeline run ")
    )
    assert "scripted/" not in repeat


def test_what_fails_is_tried_in_every_replicate_and_what_cannot_be_measured_once(lab):
    lab.run(lab.profile("constant", "segfault", "unsupported", "unavailable", processes=3))
    counts = {name: len(rows) for name, rows in lab.outcomes().items()}
    assert counts == {
        case("constant"): 3,
        case("segfault"): 3,
        case("unsupported"): 1,
        case("unavailable"): 1,
    }
    assert lab.query("SELECT count(DISTINCT replicate) FROM process") == [(3,)]
    # Each replicate has a process that ends with the segfault and, if anything is left to do, a
    # second one.
    assert 3 <= lab.query("SELECT count(*) FROM process")[0][0] <= 6


def test_replicates_have_orders_of_their_own_that_the_seed_repeats(lab):
    profile = lab.profile(
        "constant", "noisy", "drifting", "prints", "throttled", "neighbour", processes=4
    )
    orders = []
    for _ in range(2):
        assert lab.run(profile, "--seed", 7).returncode == 0
        rows = lab.query(
            'SELECT replicate, name FROM measurement JOIN "case" ON "case".id = case_id '
            "JOIN process ON process.id = process_id "
            "WHERE run_id = (SELECT max(id) FROM run) ORDER BY measurement.id"
        )
        orders.append(rows)
        lab.database.unlink()
    assert orders[0] == orders[1]
    assert (
        len(
            {
                tuple(name for which, name in orders[0] if which == replicate)
                for replicate in range(4)
            }
        )
        > 1
    )


def test_roofs_are_measured_first_in_every_process(lab):
    names = ("constant", "drifting", "noisy", "roof", "bimodal")
    assert lab.run(lab.profile(*names, processes=4)).returncode == 0
    rows = lab.query(
        'SELECT name FROM measurement JOIN "case" ON "case".id = case_id ORDER BY measurement.id'
    )
    orders = [tuple(rows[at : at + len(names)]) for at in range(0, len(rows), len(names))]
    assert [order[0] for order in orders] == [(case("roof"),)] * 4
    assert len(set(orders)) > 1
    roofs = lab.query("SELECT kind, value, unit, source FROM roof")
    assert roofs == [("l1.read", pytest.approx(64 / 1e-4), "B/s", "measured")]


def test_a_budget_ends_the_run_and_says_what_was_not_reached(lab):
    profile = lab.profile("constant", "loops", "noisy", "drifting", budget="1s")
    done = lab.run(profile)
    assert done.returncode == 2
    (cut,) = lab.outcomes()[case("loops")]
    assert cut == ("not_measured", "killed while sampling: the run's budget was spent")
    assert sum(len(rows) for rows in lab.outcomes().values()) == 4
    assert "resume: ridgeline run --resume " in done.stdout


def test_what_was_measured_stands_when_the_budget_ends_before_the_last_process(lab):
    profile = lab.profile("constant", "noisy", "drifting", processes=1000, budget="2s")
    done = lab.run(profile)
    assert done.returncode == 0, done.stdout
    outcomes = lab.outcomes()
    assert set(outcomes) == {case("constant"), case("noisy"), case("drifting")}
    assert {outcome for rows in outcomes.values() for outcome, _ in rows} <= {"ok", "unstable"}
    assert all(len(rows) < 1000 for rows in outcomes.values())
    left = 3 * 1000 - sum(len(rows) for rows in outcomes.values())
    assert f"the budget of 2 s left no time for {left} executions of cases" in done.stdout
    assert "--budget gives more" in done.stdout


def test_a_case_that_the_budget_never_reaches_is_not_measured(lab):
    profile = lab.profile("constant", "loops", "noisy", processes=3, budget="1s")
    done = lab.run(profile, "--seed", 1)
    assert done.returncode == 2  # an order in which the case that hangs is not the last
    spent = "the run's budget of 1 s was spent"
    unreached = [rows for rows in lab.outcomes().values() if ("not_measured", spent) in rows]
    assert unreached
    assert all(len(rows) == 1 for rows in unreached)
    table = done.stdout.split("\ncase ")[1]
    assert f"{len(unreached) + 1} not_measured" in table and spent in table, "with the one cut off"
    assert "repeat what failed" not in done.stdout, "nothing has failed"


def test_strict_makes_doubt_an_exit_code(lab):
    profile = lab.profile("constant", "unstable")
    assert lab.run(profile).returncode == 0
    assert lab.run(profile, "--strict").returncode == 3


def test_a_worker_of_another_protocol_version_is_refused(lab):
    lab.environment["RIDGELINE_SCRIPTED_PROTOCOL"] = "7"
    done = lab.run(lab.profile())
    assert done.returncode == 69
    assert "the worker speaks protocol 7, but this ridgeline speaks protocol 1" in done.stderr
    assert not lab.results.exists()


def test_a_worker_that_dies_at_once_is_named_with_its_last_words(lab):
    worker = lab.folder / "broken-worker"
    worker.write_text("#!/bin/sh\necho libnothing.so.4 not found >&2\nexit 127\n")
    worker.chmod(0o755)
    done = lab.call("list", "--worker", worker)
    assert done.returncode == 69
    assert (
        b"worker broken-worker: the worker exited with code 127; "
        b"it last said: libnothing.so.4 not found" in done.stderr
    )


@pytest.mark.parametrize("name", ["missing", "/missing/worker"])
def test_a_missing_worker_is_69(lab, name):
    done = lab.call("run", "--worker", name)
    assert done.returncode == 69
    assert f"worker {name} not found".encode() in done.stderr


def test_without_its_own_suites_ridgeline_says_so(lab):
    done = lab.call("list", executable=beside(lab))
    assert done.returncode == 69
    assert b"worker ridgeline-suites: ridgeline-suites not found beside ridgeline" in done.stderr


def beside(lab, *programs: str) -> str:
    """A copy of ridgeline with these programs alone beside it, and nothing but the shell's on the
    PATH."""
    for program in ("ridgeline", *programs):
        copy = lab.folder / "bin" / program
        copy.parent.mkdir(exist_ok=True)
        copy.write_bytes((BUILD / program).read_bytes())
        copy.chmod(0o755)
    lab.environment["PATH"] = str(lab.folder / "bin")
    return str(lab.folder / "bin" / "ridgeline")


def collectives_profile(lab):
    profile = lab.profile("constant")
    cases = [
        "collectives/mpi/f32/op=all_reduce,ranks=2,bytes=1024,mode=pipelined,calls=16",
        "scripted/*",
    ]
    profile.write_text(
        profile.read_text().replace(
            "[fake]", f"[cpu]\ncases = {cases[:1]}\n\n[fake]".replace("'", '"')
        )
    )
    return profile


def run_on_cpu(lab, executable: str):
    return lab.call(
        *(
            "run",
            "--device",
            "cpu",
            "--profile",
            collectives_profile(lab),
            "--results",
            lab.results,
        ),
        executable=executable,
        text=True,
    )


def cpu_rows(lab):
    (lab.database,) = lab.results.glob("cpu-*.sqlite")
    return lab.outcomes()


def test_without_the_collectives_worker_its_suite_is_unavailable(lab):
    done = run_on_cpu(lab, beside(lab, "ridgeline-suites"))
    assert done.returncode == 0, done.stderr
    why = "ridgeline-collectives not found beside ridgeline or on the PATH"
    assert cpu_rows(lab) == {"collectives/mpi/f32": [("unavailable", why)]}
    assert "1 case: 1 unavailable" in done.stdout


@pytest.mark.parametrize("command", ["run", "list", "devices", "gate"])
def test_a_worker_that_daemonises_and_kills_its_guard_leaves_nothing(lab, command):
    worker = lab.folder / "escapes"
    worker.write_text(
        f'#!/bin/sh\nsetsid sleep 600 >/dev/null 2>&1 &\nkill -KILL $PPID\nexec {PLAIN} "$@"\n'
    )
    worker.chmod(0o755)
    words = {
        "run": ("--device", "fake", "--results", lab.results, "--worker", worker),
        "gate": (
            *("--aa", "--baseline-worker", worker, "--candidate-worker", worker),
            *("--results", lab.results),
        ),
    }
    done = lab.call(command, *words.get(command, ("--worker", worker)), text=True)
    assert done.returncode == 69
    assert "worker escapes: the worker ended in an unknown way" in done.stderr


needs_mpi = pytest.mark.skipif(
    not (BUILD / "ridgeline-collectives").is_file(), reason="built without MPI"
)


@needs_mpi
def test_without_mpirun_the_collectives_are_unavailable(lab):
    done = run_on_cpu(lab, beside(lab, "ridgeline-suites", "ridgeline-collectives"))
    assert done.returncode == 0, done.stderr
    rows = cpu_rows(lab)
    assert rows == {
        "collectives/mpi/f32/op=all_reduce,ranks=2,bytes=1024,mode=pipelined,calls=16": [
            ("unavailable", "ridgeline-collectives cannot be started: mpirun not found")
        ]
    }


@needs_mpi
def test_collectives_are_measured_under_mpirun_and_leave_nothing(lab):
    done = run_on_cpu(lab, str(BUILD / "ridgeline"))
    assert done.returncode == 0, done.stdout + done.stderr
    ((name, ((outcome, _),)),) = cpu_rows(lab).items()
    assert name == "collectives/mpi/f32/op=all_reduce,ranks=2,bytes=1024,mode=pipelined,calls=16"
    assert outcome in (
        "ok",
        "unstable",
    )  # how steady two ranks are on a busy machine is not the question here
    assert lab.query("SELECT worker FROM build") == [("ridgeline-collectives",)]
