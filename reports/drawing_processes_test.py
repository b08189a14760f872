"""Jobs in processes: what comes back, in which order, and what a failure, a death and Ctrl-C
leave."""

from __future__ import annotations

import json
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


PROGRAM = """
import os, sys, time
from pathlib import Path
from reports import console, drawing_processes
os.sched_getaffinity = lambda _: {0, 1}
def job():
    Path(str(os.getpid())).touch()
    time.sleep(60)
def main(_):
    drawing_processes.each([job] * 9)
    return 0
sys.exit(console.run("drawing", main))
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
@pytest.mark.parametrize("group", [False, True])  # Ctrl-C in a terminal reaches every process
def test_a_signal_ends_at_once_and_leaves_no_process(
    tmp_path: Path, group: bool, number: int
) -> None:
    root = Path(drawing_processes.__file__).parents[1]
    begun = subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(root)},
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # A test in the background inherits an interrupt that is ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    watch = threading.Timer(30, os.killpg, (begun.pid, signal.SIGKILL))  # whoever of them is left
    watch.start()
    while len(workers := [int(file.name) for file in tmp_path.iterdir()]) < 2:
        assert begun.poll() is None
        time.sleep(0.02)
    began = time.monotonic()
    (os.killpg if group else os.kill)(begun.pid, number)
    _, error = begun.communicate()
    watch.cancel()
    assert begun.returncode == (-signal.SIGKILL if number == signal.SIGKILL else 130)
    assert "Traceback" not in error
    while any(map(is_alive, workers)) and time.monotonic() < began + 5:
        time.sleep(0.02)
    assert not any(map(is_alive, workers))
    assert time.monotonic() - began < 5


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def test_an_interrupt_is_told_by_one_process_alone() -> None:
    told = [lambda: signal.getsignal(signal.SIGINT)] * 2
    assert drawing_processes.each(told) == [signal.SIG_IGN] * 2


def test_what_is_killed_while_it_sends_is_an_error() -> None:
    def much() -> bytes:
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGKILL)).start()
        return b"x" * (1 << 30)

    with pytest.raises(RuntimeError, match="was killed"):
        drawing_processes.each([much, lambda: time.sleep(1)])


def test_an_interrupted_report_leaves_no_page_and_no_half_figure(tmp_path: Path) -> None:
    """Also none of an earlier report: its figures are gone, or another run's."""
    run = synthetic.run("synthetic-x", "cpu", [synthetic.case("a/b/f32/n=1", 1000.0)])
    document = tmp_path / "report.json"
    document.write_text(json.dumps(synthetic.document(run)))
    code = """
import sys, time
from reports import __main__, console, figures
def draw(run, figure):
    if run.label: return True
    Path = __import__("pathlib").Path
    figure.savefig = lambda file, **_: (Path(file).write_text("half"), time.sleep(60))
gemm = figures.Kind("gemm", "Gemm", "", 0, "run", draw, lambda run: [])
figures.kinds = lambda *_: [gemm] * 2
sys.exit(console.run("reports", __main__.main))
"""
    arguments = [sys.executable, "-c", code, str(document), "--output", str(tmp_path / "out")]
    figure = tmp_path / "out" / "figures" / "gemm.png"
    figure.parent.mkdir(parents=True)
    figure.write_text("of an earlier report")
    (tmp_path / "out" / "index.html").write_text("an earlier report")
    root = Path(drawing_processes.__file__).parents[1]
    for number in (signal.SIGTERM, signal.SIGKILL):
        begun = subprocess.Popen(arguments, cwd=root, stderr=subprocess.PIPE, text=True)
        while not (parts := list(figure.parent.glob("*.part"))):
            assert begun.poll() is None, begun.stderr.read()
            time.sleep(0.02)
        begun.send_signal(number)
        begun.communicate(timeout=20)
        assert not (tmp_path / "out" / "index.html").exists()
        assert not figure.exists()
        if number == signal.SIGTERM:
            assert not any(part.exists() for part in parts)
    page = write.write(load.load(document), tmp_path / "out")
    assert page.is_file()
    assert not list((tmp_path / "out").rglob("*.part"))


def test_a_figure_that_throws_ends_the_program_with_its_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def draw(*_: object) -> bool:
        raise ValueError(f"no such axis, in {os.getpid()}")

    broken = figures.Kind("broken", "Broken", "", 0, "run", draw, draw)
    monkeypatch.setattr(figures, "kinds", lambda *_: [broken, broken])
    run = synthetic.run("synthetic-x", "cpu", [synthetic.case("a/b/f32/n=1", 1000.0)])
    with pytest.raises(ValueError, match="no such axis") as caught:
        write.write(load.parse(synthetic.document(run)), tmp_path)
    assert str(os.getpid()) not in str(caught.value)
    assert not (tmp_path / "index.html").exists()
