"""Starts a program, follows what it says, and outlives it."""

import contextlib
import ctypes
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

PR_SET_PDEATHSIG = 1  # prctl(2)
TO_END_S = 60  # for a program that was asked to end, before it is killed
LAST_LINES = 8
LONGEST_LINE = 65536  # bytes; what is longer is said in pieces


class Interrupted:
    """Whether SIGINT, SIGTERM or SIGHUP came. Each asks the program that runs to end."""

    def __init__(self) -> None:
        self.count = 0
        self.child: subprocess.Popen | None = None

    def listen(self) -> None:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self.note)

    def note(self, *_: object) -> None:
        self.count += 1
        if self.child:
            self.child.send_signal(signal.SIGTERM)

    def __bool__(self) -> bool:
        return self.count > 0


@dataclass
class Ended:
    status: int  # as in subprocess: negative for a signal
    seconds: float
    last_lines: list[str]  # of what it said
    overran: bool = False  # ended because its time was over

    def how(self) -> str:
        if self.overran:
            return f"did not end within {self.seconds:.0f} s and was stopped"
        if self.status < 0:
            return (
                f"was killed by signal {-self.status} "
                f"({signal.strsignal(-self.status) or 'unknown'})"
            )
        return f"ended with {self.status}"


def dies_with(parent: int) -> Callable[[], None]:
    """To be called in a forked child: it is asked to end when `parent` is gone, so that nothing
    measures unattended."""
    libc = ctypes.CDLL(None, use_errno=True)

    def prepare() -> None:
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:
            os._exit(1)

    return prepare


def answer(command: list[str], limit_s: float) -> subprocess.CompletedProcess[str]:
    """Of a program that says little. Raises OSError, and subprocess.TimeoutExpired after it was
    killed."""
    return subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=limit_s,
        check=False,
        preexec_fn=dies_with(os.getpid()),
    )


def run(
    command: list[str],
    say: Callable[[str], None],
    interrupted: Interrupted,
    limit_s: float,
    output: Path | None = None,
) -> Ended:
    """Gives `say` each line of the program's standard error, and of its standard output unless that
    goes into `output`.

    The program leads a session of its own, so that Ctrl-C reaches it once, through `interrupted`.
    Raises OSError when it cannot be started or `output` cannot be written.
    """
    began = time.monotonic()
    with (
        output.open("wb") if output else contextlib.nullcontext(subprocess.PIPE) as standard_output
    ):
        child = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=standard_output,
            stderr=subprocess.PIPE if output else subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=dies_with(os.getpid()),
        )
    interrupted.child = child
    if interrupted:
        child.send_signal(signal.SIGTERM)
    try:
        last, overran = follow(
            child, child.stderr if output else child.stdout, say, began + limit_s
        )
    finally:
        interrupted.child = None
        if child.poll() is None:
            child.kill()
            child.wait()
    return Ended(child.returncode, time.monotonic() - began, last, overran)


def follow(
    child: subprocess.Popen, pipe, say: Callable[[str], None], deadline: float
) -> tuple[list[str], bool]:
    """Until the program has ended and said all, or its time is over."""
    last: list[str] = []
    rest = b""

    def line(text: bytes) -> None:
        words = text.decode(errors="replace").rstrip("\r")
        last[:] = [*last, words][-LAST_LINES:]
        say(words)

    overran, is_open = False, True
    with selectors.DefaultSelector() as selector:
        selector.register(pipe, selectors.EVENT_READ)
        while True:
            if time.monotonic() > deadline:
                child.kill() if overran else child.terminate()
                overran, deadline = True, time.monotonic() + TO_END_S
            ended = (
                child.poll() is not None
            )  # asked before reading, so that what it said last is read
            if is_open and selector.select(0 if ended else 0.2):
                chunk = os.read(pipe.fileno(), 65536)
                is_open = bool(chunk)
                *lines, rest = (rest + chunk).split(b"\n")
                for text in lines:
                    line(text)
                if len(rest) > LONGEST_LINE:
                    line(rest)
                    rest = b""
            elif ended:
                break
            elif not is_open:
                time.sleep(0.05)
    if rest:
        line(rest)
    pipe.close()
    return last, overran
