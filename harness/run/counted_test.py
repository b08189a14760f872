"""Runs on a device that counts: one process, counts in the store and in what is printed, and never
a time."""

import json

from harness.run.scripted_runs import PLAIN, case

COUNTED = ("counted", "counted_wrong", "counted_race", "counted_unmodelled", "counted_segfault")


def command(lab, *arguments, worker=PLAIN):
    return lab.command(
        *(
            "run",
            "--device",
            "emulated:fake",
            "--profile",
            lab.profile(processes=3),
            "--results",
            lab.results,
        ),
        *("--worker", worker, *arguments),
    )


def query(lab, statement):
    lab.database = lab.results / "synthetic-emulated.sqlite"
    return lab.query(statement)


def test_a_case_is_counted_once_and_stored_without_a_time(lab):
    done = lab.execute(command(lab), text=True)
    assert done.returncode == 0, done.stderr
    assert "1 case in 1 process" in done.stdout  # the profile says 3, for times
    assert (
        "[1/1] scripted/counted/f32/n=16: counted: 2 requests, 2 sectors per request, 128 B moved\n"
    ) in done.stdout
    assert "sectors/request" in done.stdout
    assert "median" not in done.stdout
    assert query(lab, "SELECT outcome, n, median_ns, launch FROM measurement") == [
        ("counted", 0, None, "single")
    ]
    assert query(
        lab, "SELECT file, line, access, requests, sectors FROM site ORDER BY position"
    ) == [
        ("scripted.cu", 5, "global load", 1, 2),
        ("scripted.cu", 6, "global store", 1, 2),
    ]
    assert query(lab, "SELECT value FROM metric WHERE name = 'global_moved_bytes'") == [(128.0,)]
    assert query(lab, "SELECT count(*) FROM roof") == [(0,)]
    assert query(lab, "SELECT json_extract(comparable, '$.compiler') FROM environment") == [
        ("synthetic 1.0",)
    ]
    assert lab.is_intact()


def test_whatever_a_counted_kernel_does_costs_its_case_only(lab):
    done = lab.execute(command(lab, *map(case, COUNTED)), text=True)
    assert done.returncode == 2
    lab.database = lab.results / "synthetic-emulated.sqlite"
    assert {name.split("/")[1]: outcomes for name, outcomes in lab.outcomes().items()} == {
        "counted": [("counted", "")],
        "counted_wrong": [
            ("wrong_result", "the output differed from the oracle's: error 1, tolerance 1e-06")
        ],
        "counted_race": [
            (
                "wrong_result",
                "race (write after write) at scripted.cu:7, block 0, thread 1 with 0: out",
            )
        ],
        "counted_unmodelled": [("unsupported", "wgmma.mma_async")],
        "counted_segfault": [
            ("crashed", "while preparing: the worker was killed by signal 11 (Segmentation fault)")
        ],
    }


def test_counts_are_shown_and_exported_without_times(lab):
    worker = lab.worker("other", "--count", "counted:global_load_sectors=512")
    done = lab.execute(command(lab, "--json", worker=worker), text=True)
    assert done.returncode == 0, done.stderr
    (counted,) = json.loads(done.stdout)["cases"]
    assert counted["outcome"] == "counted"
    assert not [key for key in counted if key.endswith("_ns") or key.endswith("_rate")]
    assert {metric["name"]: metric["value"] for metric in counted["metrics"]}[
        "global_load_sectors"
    ] == 512

    shown = lab.call("show", "--results", lab.results, text=True).stdout
    assert "1 case: 1 counted" in shown
    assert "again:" not in shown  # nothing went wrong
    for form, words in (
        ("google-benchmark", '"counted"'),
        ("csv", ",counted,"),
        ("jsonl", '"outcome":"counted"'),
    ):
        exported = lab.call("export", form, "latest", "--results", lab.results, text=True)
        assert exported.returncode == 0, exported.stderr
        assert words in exported.stdout.replace(": ", ":"), form


def test_a_repeat_compares_counts_exactly(lab):
    assert lab.execute(command(lab), text=True).returncode == 0
    repeat = ("run", "--repeat-of", "latest", "--results", lab.results, "--worker")
    again = lab.call(*repeat, PLAIN, text=True)
    assert "the same counts again" in again.stdout, again.stdout + again.stderr
    other = lab.folder / "changed"
    other.mkdir()
    changed = lab.worker("changed/ridgeline-scripted-worker", "--count", "counted:barriers=7")
    differs = lab.call(*repeat, changed, text=True)
    assert "barriers: 0 then, 7 now" in differs.stdout, differs.stdout + differs.stderr


def test_a_device_that_counts_is_never_chosen_and_listed_last(lab):
    devices = lab.call("devices", "--worker", PLAIN, text=True).stdout.splitlines()
    kinds = [line.split()[0] for line in devices if "unavailable" not in line]
    assert [kind.startswith("emulated:") for kind in kinds] == sorted(
        kind.startswith("emulated:") for kind in kinds
    )
    assert "emulated:fake" in kinds


def test_processes_say_nothing_of_counts(lab):
    done = lab.execute(command(lab, "--processes", "3"), text=True)
    assert done.returncode == 64
    assert "counts are exact, so one process is enough" in done.stderr
