"""One night at a time in a results folder."""

import errno
import fcntl
import json
import os
from pathlib import Path
from typing import TextIO


class AlreadyRunning(Exception):
    """Another night holds the lock; the message names it."""


def hold(path: Path, started: str) -> TextIO:
    """Locks the file for as long as it is open. A lock that was left behind by a crash is free:
    processes that end, however they do, close it. Its text names its holder for whoever comes
    second.

    Raises AlreadyRunning, or OSError when the file cannot be opened or the file system knows no
    locks."""
    file = open_plain(path)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.seek(0)
        words = described(file.read(4096))
        file.close()
        raise AlreadyRunning(words) from None
    file.truncate(0)
    file.write(
        json.dumps({"pid": os.getpid(), "host": os.uname().nodename, "started": started}) + "\n"
    )
    file.flush()
    return file


def open_plain(path: Path) -> TextIO:
    """A file, and nothing that is waited for, such as a FIFO."""
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "it is no regular file", str(path))
    return path.open("a+", encoding="utf-8", errors="replace")


def described(text: str) -> str:
    """Of a lock's file; it may have been caught half written."""
    try:
        found = json.loads(text)
        return f"pid {found['pid']} on {found['host']}, started {found['started']}"
    except (ValueError, KeyError, TypeError):
        return "one that has only just started"
