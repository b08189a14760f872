"""Jobs in processes: what comes back, in which order, and what a failure, a death and Ctrl-C
leave."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from reports import drawing_processes, figures, load, synthetic, write
from reports.load import InputError


@pytest.fixture(autouse=True)
def four_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2, 3})


def job(result: object, seconds: float = 0.0) -> Callable[[], object]:
    def run() -> object:
        time.sleep(seconds)
        if isinstance(result, Exception):
            raise result
        return result

    return run


def test_results_come_in_the_order_of_jobs() -> None:
    assert drawing_processes.each(
        [job(index, 0.2 if index == 0 else 0.0) for index in range(20)]
    ) == list(range(20))
    assert drawing_processes.each([]) == []


def test_a_core_a_process_and_one_is_this_one(monkeypatch: pytest.MonkeyPatch) -> None:
    waits = [lambda: (time.sleep(0.1), os.getpid())[1]] * 8
    used = set(drawing_processes.each(waits))
    assert 1 < len(used) <= 4
    assert os.getpid() not in used
    assert drawing_processes.each(waits[:1]) == [os.getpid()]
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {3})
    assert set(drawing_processes.each(waits[:2])) == {os.getpid()}


def test_the_first_job_that_fails_is_told_with_its_traceback() -> None:
    jobs = [job(0), job(InputError("the first"), 0.3), job(ValueError("sooner")), *[job(0)] * 9]
    with pytest.raises(InputError) as caught:
        drawing_processes.each(jobs)
    assert str(caught.value) == "the first"
    assert "drawing_processes_test.py" in str(caught.value.__cause__)
    assert not multiprocessing.active_children()


def test_nothing_is_begun_after_a_failure(tmp_path: Path) -> None:
    late = [lambda at=at: (time.sleep(0.1), (tmp_path / str(at)).touch()) for at in range(40)]
    with pytest.raises(ValueError, match="stop"):
        drawing_processes.each([job(ValueError("stop")), *late])
    assert len(list(tmp_path.iterdir())) < 8


def test_an_error_that_cannot_be_sent_is_told_in_words() -> None:
    class Local(Exception):
        pass

    with pytest.raises(RuntimeError, match="Local: in words"):
        drawing_processes.each([job(Local("in words")), job(1)])


def test_a_process_that_dies_is_an_error() -> None:
    with pytest.raises(RuntimeError, match="was killed, mostly for want of memory"):
        drawing_processes.each(
            [job(0), lambda: os.kill(os.getpid(), signal.SIGKILL), job(2), job(3)]
        )


@pytest.mark.parametrize(
    "group", [False, True]
)  # Ctrl-C in a terminal reaches every process of the group
def test_an_interrupt_ends_at_once_and_leaves_no_process(tmp_path: Path, group: bool) -> None:
    program = (
        "import os, signal, time; from pathlib import "
        "Path; from reports import "
        "drawing_processes\nsignal.signal(signal.SIGINT, "
        "signal.default_int_handler)\n"  # a test in the background inherits none
        "os.sched_getaffinity = lambda _: {0, 1}\n"
        "def job():\n    Path(str(os.getpid())).touch()\n    time.sleep(60)\n"
        "drawing_processes.each([job] * 9)\n"
    )
    root = Path(drawing_processes.__file__).parents[1]
    begun = subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(root)},
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    watch = threading.Timer(30, os.killpg, (begun.pid, signal.SIGKILL))  # whoever of them is left
    watch.start()
    while len(workers := [int(file.name) for file in tmp_path.iterdir()]) < 2:
        assert begun.poll() is None
        time.sleep(0.02)
    (os.killpg if group else os.kill)(begun.pid, signal.SIGINT)
    _, error = begun.communicate()
    watch.cancel()
    assert begun.returncode == -signal.SIGINT
    assert error.count("Traceback") == 1
    assert not [pid for pid in workers if Path(f"/proc/{pid}").exists()]


def test_an_interrupt_is_told_by_one_process_alone() -> None:
    told = [lambda: signal.getsignal(signal.SIGINT)] * 2
    assert drawing_processes.each(told) == [signal.SIG_DFL] * 2


def test_a_figure_that_throws_ends_the_program_with_its_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def draw(*_: object) -> bool:
        raise ValueError(f"no such axis, in {os.getpid()}")

    broken = figures.Kind("broken", "Broken", "", 0, "run", draw)
    monkeypatch.setattr(figures, "kinds", lambda *_: [broken, broken])
    run = synthetic.run("synthetic-x", "cpu", [synthetic.case("a/b/f32/n=1", 1000.0)])
    with pytest.raises(ValueError, match="no such axis") as caught:
        write.write(load.parse(synthetic.document(run)), tmp_path)
    assert str(os.getpid()) not in str(caught.value)
    assert not (tmp_path / "index.html").exists()
