"""Programs that speak, fall silent, overrun, are killed, and lose their parent."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from ci.night import program
from ci.night.program import Interrupted
from harness.run.scripted_runs import children, left_behind

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def orphans_end_here():
    """Where another test has made this process the one to which orphans fall, they must not stay
    for the next test."""
    yield
    for pid, _, _ in children():
        os.kill(pid, signal.SIGKILL)
    assert left_behind(wait_s=5) == []


def run(code, limit_s=20.0, output=None):
    said = []
    ended = program.run(
        [sys.executable, "-c", textwrap.dedent(code)], said.append, Interrupted(), limit_s, output
    )
    return ended, said


def test_lines_of_both_streams_are_said_and_the_status_is_kept():
    ended, said = run(
        "import sys; print('one', flush=True); print('two', file=sys.stderr); sys.exit(3)"
    )
    assert (ended.status, said, ended.last_lines, ended.how()) == (
        3,
        ["one", "two"],
        ["one", "two"],
        "ended with 3",
    )


def test_a_program_leads_a_session_so_that_the_terminal_signals_it_only_through_the_night():
    _, said = run("import os; print(os.getsid(0) == os.getpid())")
    assert said == ["True"]


def test_standard_output_goes_into_a_file_and_the_rest_is_said(tmp_path):
    ended, said = run(
        "import sys; print('{}'); print('progress', file=sys.stderr)", output=tmp_path / "out"
    )
    assert (ended.status, said, (tmp_path / "out").read_text()) == (0, ["progress"], "{}\n")


def test_much_output_a_missing_newline_and_bytes_that_are_no_text_come_through():
    ended, said = run("import os; os.write(1, b'x' * 300000 + b'\\n\\xff' + b'last')")
    assert ended.status == 0
    assert ["".join(said[:-1]), said[-1]] == ["x" * 300000, "\ufffdlast"]
    assert len(said) > 2, "a line without an end is not kept whole"


def test_a_program_that_closes_its_output_and_goes_on_is_waited_for():
    ended, _ = run("import os, sys, time; os.close(1); os.close(2); time.sleep(0.5); os._exit(4)")
    assert ended.status == 4


def test_a_program_that_leaves_someone_behind_with_its_output_is_not_waited_for_longer():
    began = time.monotonic()
    ended, _ = run("import subprocess; subprocess.Popen(['sleep', '5']); print('done')")
    assert ended.status == 0
    assert time.monotonic() - began < 4


def test_a_killed_program_says_by_what():
    ended, _ = run("import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
    assert (ended.status, ended.how()) == (-9, "was killed by signal 9 (Killed)")


def test_a_program_that_takes_too_long_is_asked_to_end():
    ended, said = run("import time; print('started', flush=True); time.sleep(60)", limit_s=1.0)
    assert (ended.status, ended.overran, said) == (-signal.SIGTERM, True, ["started"])
    assert "did not end within" in ended.how()


def test_one_that_does_not_listen_is_killed(monkeypatch):
    monkeypatch.setattr(program, "TO_END_S", 0.5)
    ended, _ = run(
        "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('deaf', "
        "flush=True); time.sleep(60)",
        limit_s=1.0,
    )
    assert (ended.status, ended.overran) == (-signal.SIGKILL, True)


def test_a_program_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        program.run([str(tmp_path / "no")], print, Interrupted(), 1.0)


def test_nothing_outlives_a_parent_that_is_killed(tmp_path):
    marker = tmp_path / "pid"
    child = f"import os, time; open({str(marker)!r}, 'w').write(str(os.getpid())); time.sleep(60)"
    parent = textwrap.dedent(
        f"""
        import sys
        from ci.night import program
        program.run([sys.executable, "-c", {child!r}], print, program.Interrupted(), 60)
        """
    )
    with subprocess.Popen([sys.executable, "-c", parent], cwd=ROOT) as process:
        deadline = time.monotonic() + 20
        while not (marker.exists() and marker.read_text()) and time.monotonic() < deadline:
            time.sleep(0.02)
        process.kill()
    pid = int(marker.read_text())
    deadline = time.monotonic() + 5
    while alive(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not alive(pid)


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def test_a_signal_is_passed_on_once():
    interrupted = Interrupted()
    code = """
    import signal, time
    count = 0
    def note(*_):
        global count
        count += 1
    signal.signal(signal.SIGTERM, note)
    print("ready", flush=True)
    time.sleep(1)
    raise SystemExit(count)
    """

    def say(line):
        if line == "ready":
            os.kill(os.getpid(), signal.SIGINT)

    before = (
        signal.getsignal(signal.SIGINT),
        signal.getsignal(signal.SIGTERM),
        signal.getsignal(signal.SIGHUP),
    )
    interrupted.listen()
    try:
        ended = program.run([sys.executable, "-c", textwrap.dedent(code)], say, interrupted, 20.0)
    finally:
        for number, handler in zip(
            (signal.SIGINT, signal.SIGTERM, signal.SIGHUP), before, strict=True
        ):
            signal.signal(number, handler)
    assert (ended.status, bool(interrupted)) == (1, True)


ENDLESS = "import os\nwhile True: os.write({fd}, b'0123456789abcde\\n' * 4096)"


def test_a_program_that_prints_for_ever_fills_neither_memory_nor_disk(tmp_path, monkeypatch):
    for name, most in (("MOST_SAID", 100_000), ("MOST_WRITTEN", 300_000)):
        monkeypatch.setattr(program, name, most)
    ended, said = run(ENDLESS.format(fd=1), limit_s=2.0)
    assert ended.overran
    assert sum(map(len, said)) < 100_000 + program.END_KEPT + 100
    (cut,) = [at for at, line in enumerate(said) if "MiB of output are left out here" in line]
    assert 0 < cut < len(said) - 1, "the beginning and the end are there"
    assert ended.last_lines[-1].startswith("0123"), "what it said last"

    output = tmp_path / "out"
    ended, said = run(ENDLESS.format(fd=1), limit_s=2.0, output=output)
    assert output.stat().st_size < 300_000 + program.END_KEPT + 100
    assert b" MiB of output are left out here\n" in output.read_bytes()
    assert len(said) == 1 and f"{output} is cut" in said[0]


def test_output_that_is_little_more_than_kept_is_whole(tmp_path, monkeypatch):
    monkeypatch.setattr(program, "MOST_WRITTEN", 10)
    monkeypatch.setattr(program, "MOST_SAID", 10)
    ended, said = run("print('0123456789abcdefgh')", output=tmp_path / "out")
    assert (tmp_path / "out").read_text() == "0123456789abcdefgh\n"
    assert run("print('0123456789abcdefgh')\nprint('x')")[1] == ["0123456789abcdefgh", "x"]


def test_an_answer_without_an_end_is_refused(monkeypatch):
    monkeypatch.setattr(program, "MOST_ANSWERED", 1 << 20)
    command = [sys.executable, "-c", ENDLESS.format(fd=1)]
    began = time.monotonic()
    with pytest.raises(program.TooMuch, match="printed more than 1 MiB"):
        program.answer(command, 60)
    assert time.monotonic() - began < 30
    # Errors without an end are no answer, and are cut.
    with pytest.raises(subprocess.TimeoutExpired):
        program.answer([sys.executable, "-c", ENDLESS.format(fd=2)], 1)


def test_an_answer_is_asked_for_and_given():
    code = "import sys; print(sys.stdin.read().upper()); print('e', file=sys.stderr); sys.exit(3)"
    done = program.answer([sys.executable, "-c", code], 20, input="words")
    assert (done.returncode, done.stdout, done.stderr) == (3, "WORDS\n", "e\n")


def test_who_is_waited_for_no_longer_may_end_by_itself(tmp_path):
    code = f"""
    import pathlib, time
    try: time.sleep(60)
    except KeyboardInterrupt: pathlib.Path({str(tmp_path / "ended")!r}).touch()
    """
    with pytest.raises(subprocess.TimeoutExpired):
        program.answer([sys.executable, "-c", textwrap.dedent(code)], 1.0, patience_s=20)
    assert (tmp_path / "ended").exists()
