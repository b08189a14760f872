"""What programs print as it is shown, and what they end with whatever happens."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from reports.console import harmless, json_text, printable

ROOT = Path(__file__).resolve().parents[1]

# What `printable` of harness/base/text.hpp makes of the same bytes.
SHOWN = [
    ("plain text, 3 µs → ok 你好 🚀", "plain text, 3 µs → ok 你好 🚀"),
    ("a\x1b[31mred\x00\x7f", r"a\x1b[31mred\x00\x7f"),
    ("two\nlines\tand\r", r"two\x0alines\x09and\x0d"),
    ("\x80\x9b\x9f\xa0", "\\xc2\\x80\\xc2\\x9b\\xc2\\x9f\xa0"),
    ("\u202a\u202e\u2066\u2069", r"\xe2\x80\xaa\xe2\x80\xae\xe2\x81\xa6\xe2\x81\xa9"),
    ("\u2028\u2029\u202f", "\\xe2\\x80\\xa8\\xe2\\x80\\xa9\u202f"),
    ("\u061c\u200d\u200e\u200f", r"\xd8\x9c\xe2\x80\x8d\xe2\x80\x8e\xe2\x80\x8f"),
    ("\xad\u3164\ufeff\U000e0041", r"\xc2\xad\xe3\x85\xa4\xef\xbb\xbf\xf3\xa0\x81\x81"),
    (b"no \xff utf-8".decode(errors="surrogateescape"), r"no \xff utf-8"),
    ("half \ud800", r"half \xed\xa0\x80"),
]


@pytest.mark.parametrize(("text", "shown"), SHOWN, ids=range(len(SHOWN)))
def test_what_cannot_be_seen_is_written_out(text: str, shown: str) -> None:
    assert printable(text) == shown


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("::error::x", r"\x3a:error::x"),
        ("  \t ::add-mask::x", "  \t \\x3a:add-mask::x"),
        ("a ::error::x", "a ::error::x"),
        ("std::sort", "std::sort"),
        (":one", ":one"),
        ("see ##[error]x", r"see \x23#[error]x"),
        ("##vso[x] ## a [b]", r"\x23#vso[x] ## a [b]"),
        ("a\tb", "a\tb"),
    ],
)
def test_no_line_is_a_command(line: str, shown: str) -> None:
    assert harmless(line) == shown


def test_json_stays_json() -> None:
    document = {"name": "##[error]x\n::error::x\x9b"}
    text = json_text(document)
    assert json.loads(text) == document
    assert [harmless(line) for line in text.split("\n")] == text.split("\n")


def program(code: str, **options: object) -> subprocess.CompletedProcess:
    lines = f"from reports import console\nimport os, signal, sys, time\n{textwrap.dedent(code)}\n"
    lines += "sys.exit(console.run('name', main))"
    environment = {**os.environ, "RIDGELINE_DEBUG": "", **options.pop("environment", {})}
    return subprocess.run(
        [sys.executable, "-c", lines, *options.pop("arguments", ())],
        **{"cwd": ROOT, "stdout": -1, "stderr": -1, "env": environment, "timeout": 30, **options},
    )


def test_all_that_is_printed_goes_through_the_gate() -> None:
    done = program(r"""
        def main(_):
            print("::error::x\n\x1b[31m \x9b \u202e \ud800")
            print(":", end=""); print(":error::in pieces")
            print("\n  ", end="", flush=True); print("::error::behind what was flushed")
            print("::warning::x", file=sys.stderr)
            sys.stdout.write("no line\u2028")
            console.say_command("::notice title=ours::yes\x9b")
            return 0
        """)
    assert done.returncode == 0, done.stderr
    assert done.stdout.decode().split("\n") == [
        r"\x3a:error::x",
        r"\x1b[31m \xc2\x9b \xe2\x80\xae \xed\xa0\x80",
        r"\x3a:error::in pieces",
        "",
        r"  \x3a:error::behind what was flushed",
        r"no line\xe2\x80\xa8",
        r"::notice title=ours::yes\xc2\x9b",
        "",
    ]
    assert done.stderr == b"\\x3a:warning::x\n"


def test_letters_that_the_terminal_has_not_are_written_out() -> None:
    done = program(
        "def main(_):\n    print('3 µs → ok')\n    return 0",
        environment={"PYTHONIOENCODING": "ascii"},
    )
    assert done.stdout == b"3 \\xb5s \\u2192 ok\n"


@pytest.mark.parametrize(
    ("body", "code", "words"),
    [
        ("return 3", 3, ""),
        ("sys.exit(64)", 64, ""),
        ("sys.exit()", 0, ""),
        ("sys.exit('words')", 70, ""),
        ("{}['a\\n::error::x']", 70, "name: internal error: KeyError: 'a\\n::error::x'"),
        ("raise MemoryError", 70, "name: internal error: MemoryError"),
        ("raise RecursionError('deep')", 70, "RecursionError: deep"),
        ("assert False", 70, "AssertionError"),
        ("open('/no/such')", 74, "name: /no/such: No such file or directory"),
        ("raise KeyboardInterrupt", 130, ""),
        ("os.kill(os.getpid(), signal.SIGINT); time.sleep(5)", 130, ""),
        ("os.kill(os.getpid(), signal.SIGTERM); time.sleep(5)", 130, ""),
        ("os.kill(os.getpid(), signal.SIGHUP); time.sleep(5)", 130, ""),
    ],
)
def test_every_end_has_a_code_of_the_house(body: str, code: int, words: str) -> None:
    done = program(f"def main(_):\n    {body}")
    errors = done.stderr.decode()
    assert (done.returncode, words in errors) == (code, True), errors
    assert len(errors.splitlines()) <= 1
    assert "Traceback" not in errors


def test_where_an_error_was_is_shown_when_asked() -> None:
    done = program("def main(_):\n    {}['a']", environment={"RIDGELINE_DEBUG": "1"})
    assert (done.returncode, b"Traceback" in done.stderr) == (70, True)


def test_output_that_cannot_be_written_is_no_success() -> None:
    with Path("/dev/full").open("wb") as full:
        done = program("def main(_):\n    print('x')\n    return 0", stdout=full)
    assert (done.returncode, b"Traceback" in done.stderr) == (74, False), done.stderr


def test_output_that_nobody_reads_is_no_traceback() -> None:
    read, write = os.pipe()
    os.close(read)
    done = program("def main(_):\n    print('x')\n    return 0", stdout=write)
    os.close(write)
    assert (done.returncode, b"Traceback" in done.stderr) == (74, False), done.stderr


def test_a_program_without_streams_ends_as_it_should() -> None:
    code = "import os, sys; os.close(1); os.close(2); os.execv(sys.argv[1], sys.argv[1:])"
    inner = "from reports import console\ndef main(_):\n    print('x')\n    return 3\n"
    inner += "raise SystemExit(console.run('name', main))"
    done = subprocess.run(
        [sys.executable, "-c", code, sys.executable, "-c", inner], cwd=ROOT, timeout=30
    )
    assert done.returncode == 3


def test_a_hang_up_that_is_ignored_stays_so() -> None:
    done = program(
        "def main(_):\n    os.kill(os.getpid(), signal.SIGHUP)\n    return 0",
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),
    )
    assert done.returncode == 0
