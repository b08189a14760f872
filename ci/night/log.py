"""What a night says: to whoever looks on, and with the time into its log."""

import sys
import time
from collections.abc import Callable
from pathlib import Path

from reports.console import harmless, say_command


class Log:
    """Nobody looking on, or a full disk, does not end a night; `broken` says why the log's file is
    not complete."""

    def __init__(self) -> None:
        self.file = None
        self.broken = ""
        self.watched = True

    def into(self, path: Path) -> None:
        self.close()
        try:
            self.file = path.open("a", encoding="utf-8", errors="replace")
        except OSError as error:
            self.broken = f"{path} cannot be written: {error.strerror}"

    def say(self, text: str) -> None:
        for line in text.split("\n"):
            self.write(line)
            self.show(line)

    def stage(self, name: str) -> None:
        self.write(f"== {name}")
        self.show("")
        self.show(f"== {name}")

    def quote(self, line: str) -> None:
        """A line of a program."""
        self.write("   | " + line)
        self.show("   | " + line)

    def command(self, line: str) -> None:
        """A command of ours to a CI system."""
        self.write("   | " + line)
        self.show(line, say_command)

    def write(self, line: str) -> None:
        if not self.file or self.broken:
            return
        try:
            self.file.write(time.strftime("%H:%M:%SZ ", time.gmtime()) + harmless(line) + "\n")
            self.file.flush()
        except OSError as error:
            self.broken = f"{self.file.name} cannot be written: {error.strerror}"
            self.show(self.broken)

    def show(self, line: str, show: Callable[[str], None] = print) -> None:
        if not self.watched:
            return
        try:
            show(line)
            if sys.stdout:
                sys.stdout.flush()
        except (OSError, ValueError):
            self.watched = False
            sys.stdout = None

    def close(self) -> None:
        if self.file:
            try:
                self.file.close()
            except OSError as error:
                self.broken = f"{self.file.name} cannot be written: {error.strerror}"
            self.file = None
