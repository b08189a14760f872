"""One night at a time in a results folder."""

import fcntl
import json
import os
from pathlib import Path


class AlreadyRunning(Exception):
    """Another night holds the lock; the message names it."""


class Lock:
    """Held until the process ends, however it ends: a lock that was left behind by a crash is free.

    The file's text names its holder for whoever comes second. Raises AlreadyRunning, or OSError when the file cannot be
    opened or the file system knows no locks.
    """

    def __init__(self, path: Path, holder: dict):
        self.file = path.open("a+", encoding="utf-8")
        try:
            fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            words = described(self.text())
            self.file.close()
            raise AlreadyRunning(words) from None
        self.file.truncate(0)
        self.file.write(json.dumps(holder) + "\n")
        self.file.flush()

    def text(self) -> str:
        self.file.seek(0)
        return self.file.read(4096)


def holder(started: str) -> dict:
    return {"pid": os.getpid(), "host": os.uname().nodename, "started": started}


def described(text: str) -> str:
    """Of a lock's file; it may have been caught half written."""
    try:
        found = json.loads(text)
        return f"pid {found['pid']} on {found['host']}, started {found['started']}"
    except (ValueError, KeyError, TypeError):
        return "one that has only just started"
