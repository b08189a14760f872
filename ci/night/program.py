"""Starts a program, follows what it says, and outlives it. One that prints for ever fills neither
memory nor disk: the beginning and the end are kept."""

import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from reports.parent import dies_with

TO_END_S = 60  # for a program that was asked to end, before it is killed
LAST_LINES = 8
LONGEST_LINE = 65536  # bytes; what is longer is said in pieces
MIB = 1 << 20
MOST_ANSWERED = 64 * MIB  # of a program that is asked something
MOST_WRITTEN = 256 * MIB  # into a file
MOST_SAID = 4 * MIB  # to who looks on, and into the log
END_KEPT = 65536  # bytes of what is more


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


def option(name: str, value: str) -> list[str]:
    """As arguments: a value that begins with a dash is not taken for another option."""
    return [f"{name}={value}"] if value.startswith("-") else [name, value]


class TooMuch(Exception):
    """A program was to answer, and printed more than any answer has; the message says how much."""


class Kept:
    """Of a stream of bytes, the first `most` and the last END_KEPT; `begins` takes the first ones
    as they come."""

    def __init__(self, most: int, begins: Callable[[bytes], object]) -> None:
        self.room, self.begins = most, begins
        self.end = b""
        self.beyond = 0

    def take(self, chunk: bytes) -> None:
        if self.room:
            self.begins(chunk[: self.room])
            chunk, self.room = chunk[self.room :], max(0, self.room - len(chunk))
        if chunk:
            self.beyond += len(chunk)
            self.end = (self.end + chunk)[-END_KEPT:]

    def left_out(self) -> str:
        """In words; empty where nothing was."""
        lost = self.beyond - len(self.end)
        return f"{lost / MIB:.1f} MiB of output are left out here" if lost else ""


def start(command: list[str], **options: object) -> subprocess.Popen:
    """In a session of its own, so that Ctrl-C reaches it only through who started it."""
    return subprocess.Popen(
        command,
        **{"stdin": subprocess.DEVNULL, "start_new_session": True, **options},
        preexec_fn=dies_with(os.getpid()),
    )


def answer(
    command: list[str],
    limit_s: float,
    *,
    input: str = "",  # as subprocess calls it
    patience_s: float = 0.0,
    interrupted: Interrupted | None = None,
) -> subprocess.CompletedProcess[str]:
    """Of a program that says little. Where it is not waited for it is interrupted, and killed after
    `patience_s` with what it started. Raises OSError, TooMuch, subprocess.TimeoutExpired and,
    once `interrupted`, KeyboardInterrupt."""
    child = start(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    said: tuple[list[bytes], list[bytes]] = ([], [])
    output, errors = Kept(MOST_ANSWERED, said[0].append), Kept(MIB, said[1].append)
    deadline = time.monotonic() + limit_s

    def look() -> None:
        if interrupted:
            raise KeyboardInterrupt
        if output.beyond:
            raise TooMuch(f"{command[0]} printed more than {MOST_ANSWERED // MIB} MiB")
        if time.monotonic() > deadline:
            raise subprocess.TimeoutExpired(command, limit_s)

    try:
        with contextlib.suppress(BrokenPipeError):
            child.stdin.write(input.encode(errors="surrogateescape"))
            child.stdin.close()
        pump(child, {child.stdout: output.take, child.stderr: errors.take}, look)
    finally:
        end(child, patience_s)
    texts = (b"".join(one).decode(errors="replace") for one in said)
    return subprocess.CompletedProcess(command, child.returncode, *texts)


def end(child: subprocess.Popen, patience_s: float) -> None:
    if child.poll() is None and patience_s:
        child.send_signal(signal.SIGINT)
        deadline = time.monotonic() + patience_s
        with contextlib.suppress(subprocess.TimeoutExpired):
            # Its pipes are emptied, or it would wait for them.
            pipes = filter(None, (child.stdout, child.stderr))
            pump(child, dict.fromkeys(pipes, len), lambda: over(deadline))
    if child.poll() is None:
        os.killpg(child.pid, signal.SIGKILL)  # `start` gave it a session of its own
        child.wait()
    for pipe in filter(None, (child.stdin, child.stdout, child.stderr)):
        with contextlib.suppress(OSError):
            pipe.close()


def over(deadline: float) -> None:
    if time.monotonic() > deadline:
        raise subprocess.TimeoutExpired("", 0)


def pump(
    child: subprocess.Popen,
    pipes: dict[IO[bytes], Callable[[bytes], object]],
    look: Callable[[], object],
) -> None:
    """Hands on what comes through the pipes until the program has ended and said all; whoever it
    leaves behind with a pipe is not waited for. `look` is called in between."""
    with selectors.DefaultSelector() as selector:
        for pipe, take in pipes.items():
            if not pipe.closed:
                selector.register(pipe, selectors.EVENT_READ, take)
        while True:
            look()
            # Asked before reading, so that what it said last is read.
            ended = child.poll() is not None
            if not selector.get_map():
                if ended:
                    return
                time.sleep(0.05)
                continue
            ready = selector.select(0 if ended else 0.2)
            if ended and not ready:
                return
            for key, _ in ready:
                chunk = os.read(key.fd, 65536)
                if chunk:
                    key.data(chunk)
                else:
                    selector.unregister(key.fileobj)


class Lines:
    """Says the lines of a program as they come, `most` bytes of them, and at its end the last
    ones."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self.say, self.last, self.rest = say, [], b""
        self.kept = Kept(MOST_SAID, self.split)

    def split(self, chunk: bytes) -> None:
        *lines, self.rest = (self.rest + chunk).split(b"\n")
        for text in lines:
            self.line(text)
        if len(self.rest) > LONGEST_LINE:
            self.line(self.rest)
            self.rest = b""

    def line(self, text: bytes) -> None:
        words = text.decode(errors="replace").rstrip("\r")
        self.last = [*self.last, words][-LAST_LINES:]
        self.say(words)

    def close(self) -> None:
        if lost := self.kept.left_out():
            if self.rest:
                self.line(self.rest)
            self.rest = b""
            self.say(lost)
        self.split(self.kept.end)
        if self.rest:
            self.line(self.rest)


def run(
    command: list[str],
    say: Callable[[str], None],
    interrupted: Interrupted,
    limit_s: float,
    output: Path | None = None,
) -> Ended:
    """Gives `say` each line of the program's standard error, and of its standard output unless that
    goes into `output`. Of much output the beginning and the end; the end of `output` then follows a
    line that says so.

    The program leads a session of its own, so that Ctrl-C reaches it once, through `interrupted`.
    Raises OSError when it cannot be started or `output` cannot be written.
    """
    began = time.monotonic()
    with output.open("wb") if output else contextlib.nullcontext() as file:
        child = start(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE if output else subprocess.STDOUT,
        )
        interrupted.child = child
        if interrupted:
            child.send_signal(signal.SIGTERM)
        lines = Lines(say)
        pipes = {child.stderr if output else child.stdout: lines.kept.take}
        written = Kept(MOST_WRITTEN, file.write) if file else None
        if written:
            pipes[child.stdout] = written.take
        deadline = Deadline(child, began + limit_s)
        try:
            pump(child, pipes, deadline.look)
            lines.close()
            if written and written.beyond:
                lost = written.left_out()
                file.write(b"\n%s\n" % lost.encode() * bool(lost) + written.end)
                say(f"{output} is cut: {lost}")
            if file:
                file.flush()
        except OSError as error:
            error.filename = error.filename or str(output)
            raise
        finally:
            interrupted.child = None
            end(child, 0)
    return Ended(child.returncode, time.monotonic() - began, lines.last, deadline.overran)


class Deadline:
    """Asks a program to end when its time is over, and kills it when it does not listen."""

    def __init__(self, child: subprocess.Popen, at: float) -> None:
        self.child, self.at, self.overran = child, at, False

    def look(self) -> None:
        if time.monotonic() <= self.at:
            return
        self.child.kill() if self.overran else self.child.terminate()
        self.overran, self.at = True, time.monotonic() + TO_END_S
