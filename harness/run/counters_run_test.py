"""`ridgeline run --counters`, and `--resume RUN --counters` of a finished run, with a stand-in for
Nsight Compute and for a GPU."""

import json
import re
import shlex
import signal
import sqlite3
import time

import pytest

from harness.run.kill_test import finish
from harness.run.scripted_runs import PLAIN, case, left_behind

CASES = ("constant", "drifting", "noisy", "wrong_result")
TIMED = [case(variant) for variant in CASES[:3]]
# The case is the last argument. A file of its variant's name says what befalls it.
NCU = r"""#!/bin/sh
for case; do :; done
variant=${{case#*/}}; variant=${{variant%%/*}}
echo "$case" >> {folder}/counted
if [ -e "{folder}/refuse" ]; then echo "==ERROR== ERR_NVGPUCTRPERM: no permission"; exit 1; fi
if [ -e "{folder}/hold-$variant" ]; then sleep 60; fi
printf '"ID","Push/Pop"'
for counter in dram__bytes_read.sum dram__bytes_write.sum lts__t_sectors_srcunit_tex.sum \
  smsp__sass_thread_inst_executed_op_fadd_pred_on.sum sm__ops_path_tensor_src_fp64.sum \
  sm__inst_executed.sum l1tex__data_pipe_lsu_wavefronts_mem_shared.sum; do printf ',"%s"' $counter
done
printf '\n"0","%s","7","1","1","1","1","1","1"\n' "$case"
"""
# The scripted worker, whose device calls itself a GPU; in messages to it, it is itself again.
WORKER = r"""#!/bin/sh
sed -u 's/cuda:fake/fake/g' | {plain} {options} "$@" |
  sed -u 's/kind":"fake"/kind":"cuda"/g; s/"id":"fake"/"id":"cuda:fake"/g'
"""


@pytest.fixture
def gpu(lab):
    def worker(*options: str):
        path = lab.folder / "ridgeline-scripted-worker"
        path.write_text(WORKER.format(plain=shlex.quote(str(PLAIN)), options=shlex.join(options)))
        path.chmod(0o755)
        return path

    lab.gpu = worker
    worker()
    tools = lab.folder / "tools"
    tools.mkdir()
    (tools / "ncu").write_text(NCU.format(folder=lab.folder))
    (tools / "ncu").chmod(0o755)
    lab.environment["PATH"] = f"{tools}:{lab.environment['PATH']}"
    profile = lab.profile(*CASES, processes=2)
    profile.write_text(profile.read_text().replace("[fake]", "[cuda]"))
    lab.words = ("--results", lab.results, "--worker", lab.folder / "ridgeline-scripted-worker")
    return lab


def start(lab, *arguments: object):
    words = ("run", "--device", "cuda:fake", "--profile", lab.folder / "tests.toml", "--seed", 3)
    return lab.call(*words, *lab.words, *arguments, text=True)


def resume(lab, *arguments: object):
    return lab.call("run", "--resume", "latest", *lab.words, *arguments, text=True)


def counters(lab) -> dict[str, int]:
    rows = lab.query(
        'SELECT "case".name, count(*) FROM metric JOIN measurement ON measurement.id ='
        ' measurement_id JOIN "case" ON "case".id = case_id'
        " WHERE metric.name LIKE 'hardware_%' GROUP BY 1"
    )
    return dict(rows)


def profiled(lab) -> list[str]:
    path = lab.folder / "counted"
    return path.read_text().split() if path.exists() else []


def times(lab) -> list[tuple]:
    """All that a run has stored beside its counters."""
    return [
        lab.query(f"SELECT * FROM {table}") for table in ("run", "process", "measurement", "roof")
    ]


def test_counters_that_were_interrupted_are_read_by_resuming(gpu):
    (gpu.folder / "hold-noisy").touch()
    command = gpu.command(
        *("run", "--device", "cuda:fake", "--profile", gpu.folder / "tests.toml", *gpu.words),
        "--counters",
    )
    process = gpu.start_command(command, env=gpu.environment)
    deadline = time.monotonic() + 50  # before it is killed
    while case("noisy") not in profiled(gpu) and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    rest = finish(process)
    assert process.returncode == 130, rest
    assert "were not read: interrupted" in rest
    line = re.search(r"^resume: ridgeline (run --resume \S+ --counters .*)", rest, re.M)[1]
    assert left_behind(wait_s=10) == []
    first, before = profiled(gpu), times(gpu)
    assert gpu.query("SELECT status FROM run") == [("finished",)]
    assert counters(gpu) == dict.fromkeys(first[:-1], 7), "all of a case, or none"

    (gpu.folder / "hold-noisy").unlink()
    shown = gpu.call("show", "latest", "--results", gpu.results, text=True).stdout
    assert f"resume: ridgeline {line}" in shown
    done = gpu.call(*shlex.split(line), text=True)
    assert done.returncode == 2, done.stdout + done.stderr  # one case is wrong
    left = len(TIMED) - len(first) + 1
    assert f"counters of {left} case" in done.stdout
    assert counters(gpu) == dict.fromkeys(TIMED, 7)
    assert sorted(profiled(gpu)[len(first) :]) == sorted(set(TIMED) - set(first[:-1]))
    assert times(gpu) == before, "times, roofs and the run's end are as they were"
    assert gpu.is_intact()
    refused = gpu.call(*shlex.split(line), text=True)
    assert refused.returncode == 64
    assert "all of its executions, and counters of all that was timed" in refused.stderr


def test_a_run_without_counters_gets_them_in_parts(gpu):
    start(gpu)
    assert counters(gpu) == {}
    assert "there is nothing to resume" in resume(gpu).stderr
    done = resume(gpu, "--counters", "--budget", "1ns", "--json")
    document = json.loads(done.stdout)
    assert document["resumed"]["counters"] == 3
    assert document["counters_unread"] == dict.fromkeys(TIMED, "the run's budget was spent")
    assert document["exit_code"] == done.returncode == 2
    assert "--counters" in document["resume"]
    assert profiled(gpu) == []
    (gpu.folder / "refuse").touch()
    done = resume(gpu, "--counters")
    assert done.returncode == 2
    assert re.search(r"counters of 3 cases, .* were not read: .*ERR_NVGPUCTRPERM", done.stdout)
    (gpu.folder / "refuse").unlink()
    assert json.loads(resume(gpu, "--counters", "--json").stdout).get("counters_unread") is None
    assert counters(gpu) == dict.fromkeys(TIMED, 7)


def test_what_a_run_lacks_is_measured_before_its_counters_are_read(gpu):
    start(gpu, "--budget", "1ms")
    assert len(gpu.query("SELECT 1 FROM measurement WHERE outcome = 'ok'")) < 2
    done = resume(gpu, "--counters", "--budget", "60s")
    assert done.returncode == 2, done.stdout + done.stderr
    assert counters(gpu) == dict.fromkeys(TIMED, 7)
    assert gpu.query("SELECT status FROM run") == [("finished",)]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--slower", "7"), "the code of ridgeline-scripted-worker has changed: "),
        (("--no-code",), "ridgeline-scripted-worker does not say which code it is"),
    ],
)
def test_counters_of_other_code_are_refused(gpu, options, said):
    start(gpu)
    before = times(gpu)
    gpu.gpu(*options)
    refused = resume(gpu, "--counters")
    assert refused.returncode == 64
    assert said in refused.stderr, refused.stderr
    assert profiled(gpu) == [] and times(gpu) == before


def test_counters_of_another_device_are_refused(gpu):
    start(gpu)
    with sqlite3.connect(gpu.database) as connection:
        connection.execute("UPDATE device SET uuid = 'another'")
    refused = resume(gpu, "--counters")
    assert refused.returncode == 64
    assert "it was measured on " in refused.stderr
    assert profiled(gpu) == []
