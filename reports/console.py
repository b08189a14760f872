"""What the Python programs of the house print, and how they end. Needs nothing but Python.

Texts of others go through here on their way to terminals and to the logs of CI systems: names of
processes, GPUs, files and branches, and lines that programs say."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import signal
import sys
import traceback
from collections.abc import Callable

USAGE, MISSING, INTERNAL, FILES, INTERRUPTED = 64, 69, 70, 74, 130  # exit codes
LONGEST = 500  # letters of an unexpected error that are shown

# As `printable` in harness/base/text.hpp has it: controls of C0 and C1, line separators, marks of
# writing direction, and what is not seen. Bytes that are no UTF-8 come as U+DC80 to U+DCFF.
_UNSEEN = re.compile(
    r"[\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    r"\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    r"\ufffe\uffff\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
# What runners take for a command: "::" behind white space at the beginning (GitHub), and "##[",
# "##vso[" or "##teamcity[" anywhere. https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions
_COMMAND = re.compile(r"^(\s*):(?=:)")
_LOG_COMMAND = re.compile(r"#(?=#[a-z]*\[)")


def printable(text: str) -> str:
    r"""One line in which nothing steers a terminal: the bytes of what does are written as \x1b."""
    return text if text.isascii() and text.isprintable() else _UNSEEN.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    letter = found[0]
    is_byte = "\udc80" <= letter <= "\udcff"
    data = letter.encode(errors="surrogateescape" if is_byte else "surrogatepass")
    return "".join(f"\\x{byte:02x}" for byte in data)


def part(text: str) -> str:
    """What may stand in a line behind its beginning, also behind that of a command."""
    return _LOG_COMMAND.sub(r"\\x23", printable(text))


def harmless(line: str) -> str:
    """`line` as text that neither a terminal nor a CI system obeys."""
    return _COMMAND.sub(r"\1\\x3a", "\t".join(map(part, line.split("\t"))))


def json_text(value: object) -> str:
    """A JSON document of lines that are harmless as they are."""
    return _LOG_COMMAND.sub(r"\\u0023", json.dumps(value, indent=2))


class Gate(io.TextIOBase):
    """A stream of lines, each of them harmless; what is no line yet waits until it is flushed."""

    def __init__(self, stream: io.TextIOWrapper) -> None:
        self._stream = stream
        self._rest = ""
        self._begun = False  # more than white space of the line has been flushed
        stream.reconfigure(errors="backslashreplace", line_buffering=True)

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._stream.fileno()

    def isatty(self) -> bool:
        return False  # so that nobody writes escapes for colours

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._stream.encoding

    def write(self, text: str) -> int:
        *lines, self._rest = (self._rest + text).split("\n")
        for line in lines:
            self._pass(line)
            self._stream.write("\n")
            self._begun = False
        return len(text)

    def flush(self) -> None:
        if self._rest:
            rest, self._rest = self._rest, ""
            self._pass(rest)
            self._begun = self._begun or not rest.isspace()
        self._stream.flush()

    def command(self, line: str) -> None:
        """A command to a CI system, which is ours."""
        self.flush()
        self._stream.write("\n" * self._begun + part(line) + "\n")
        self._begun = False

    def _pass(self, line: str) -> None:
        # Behind what was flushed nothing begins a line.
        self._stream.write(harmless("." + line)[1:] if self._begun else harmless(line))


def say_command(line: str) -> None:
    """Prints a line that a CI system obeys, such as "::error title=gate::slower"."""
    sys.stdout.command(line) if isinstance(sys.stdout, Gate) else print(line)


def run(name: str, main: Callable[[list[str]], int]) -> int:
    """The exit code of a program called `name`, whatever `main` does: one line says what was not
    foreseen, and with RIDGELINE_DEBUG=1 where. SIGTERM and SIGHUP interrupt it as Ctrl-C does."""
    for stream in ("stdout", "stderr"):
        if isinstance(getattr(sys, stream), io.TextIOWrapper):
            setattr(sys, stream, Gate(getattr(sys, stream)))
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:  # nohup has it ignored
            signal.signal(number, _interrupt)
    try:
        code = main(sys.argv[1:])
        _flush()
    except SystemExit as end:  # of argparse
        code = end.code if isinstance(end.code, int) else 0 if end.code is None else INTERNAL
    except KeyboardInterrupt:
        code = INTERRUPTED
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        code = _failed(FILES, f"{name}: {place}{error.strerror or error}")
    except BaseException as error:
        words = printable(f"{type(error).__name__}: {error}")[:LONGEST]
        where = "" if _debugs() else "; RIDGELINE_DEBUG=1 shows where"
        code = _failed(INTERNAL, f"{name}: internal error: {words}{where}")
    return _close(code)


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def _debugs() -> bool:
    return os.environ.get("RIDGELINE_DEBUG", "") not in ("", "0")


def _failed(code: int, words: str) -> int:
    with contextlib.suppress(OSError, ValueError):
        print(printable(words), file=sys.stderr)
        if _debugs():
            traceback.print_exc()
    return code


def _flush() -> None:
    for stream in filter(None, (sys.stdout, sys.stderr)):
        stream.flush()


def _close(code: int) -> int:
    """Python itself flushes once more, and ends with 120 where that fails."""
    for stream in filter(None, (sys.stdout, sys.stderr)):
        try:
            stream.flush()
        except (OSError, ValueError):
            code = code or FILES
            with contextlib.suppress(OSError, ValueError):
                nowhere = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nowhere, stream.fileno())
                os.close(nowhere)
    return code
