"""What people see on a terminal: lines that fit, and colour; and what a pipe gets."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios

import pytest

from harness.run.scripted_runs import case

COLOUR = re.compile(r"\x1b\[\d+m")


def on_terminal(lab, columns: int, *arguments: object, **environment: str) -> str:
    """What a command prints on a terminal that is so wide."""
    reading, writing = pty.openpty()
    fcntl.ioctl(writing, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    known = {name: value for name, value in lab.environment.items() if name != "NO_COLOR"}
    process = subprocess.Popen(
        lab.command(*arguments),
        env={**known, "TERM": "xterm", **environment},
        cwd=lab.folder,
        stdin=subprocess.DEVNULL,
        stdout=writing,
        stderr=subprocess.STDOUT,
    )
    os.close(writing)
    said = b""
    while True:
        try:
            piece = os.read(reading, 65536)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        said += piece
    os.close(reading)
    assert process.wait(timeout=60) == 0, said
    return said.decode().replace("\r\n", "\n")


@pytest.fixture
def measured(lab):
    done = lab.run(
        lab.profile("constant", "noisy", "unsupported", "wrong_result", processes=3),
        "--label",
        "seen",
    )
    assert done.returncode == 2, done.stderr
    return lab


COPIED = ("  command ", "  file ", "repeat what failed: ")  # commands and paths are never cut


@pytest.mark.parametrize("columns", [60, 80, 100, 200])
def test_tables_fit_the_terminal(measured, columns):
    for command in (["show"], ["runs"]):
        said = on_terminal(measured, columns, *command, "--results", measured.results)
        for line in COLOUR.sub("", said).splitlines():
            assert len(line) <= columns or line.startswith(COPIED), line


def test_the_words_of_outcomes_are_coloured_on_a_terminal_alone(measured):
    shown = ("show", "--results", measured.results)
    coloured = on_terminal(measured, 100, *shown)
    assert "\x1b[32mok\x1b[0m" in coloured and "\x1b[31mwrong_result\x1b[0m" in coloured
    assert set(COLOUR.split(coloured)[1::2]) == {"ok", "wrong_result"}
    plain = measured.call(*shown, text=True).stdout
    assert COLOUR.sub("", coloured) == plain, "a pipe is 100 columns wide"
    assert "\x1b" not in plain
    assert on_terminal(measured, 100, *shown, NO_COLOR="1") == plain
    assert on_terminal(measured, 100, *shown, TERM="dumb") == plain
    assert "\x1b" not in on_terminal(measured, 100, *shown, "--json")


def test_what_cases_have_in_common_is_said_once(measured):
    lines = measured.call("show", "--results", measured.results, text=True).stdout.splitlines()
    heading = lines.index("scripted/*/f32/n=16")
    assert [line.split()[0] for line in lines[heading + 1 : heading + 4]] == [
        "constant",
        "noisy",
        "unsupported",
    ]
    assert lines[heading + 4] == "      the script says so"
    assert not any(case("constant") in line for line in lines)


def test_a_run_shows_a_line_of_progress_only_where_escapes_are_obeyed(lab):
    profile = lab.profile("constant", "slow")
    run = lab.run_command(profile)[1:]
    assert "\r\x1b[K[" in on_terminal(lab, 100, *run)
    assert "\x1b" not in on_terminal(lab, 100, *run, TERM="dumb")
