"""The table of lines of which g++ and nvcc make different accesses: its text, and what changed
since it was written."""

import re
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

HEAD = """\
# Written by ci/golden/compare_accesses: lines of which g++ and nvcc make different accesses.
# How many are in the code, and the bytes of a lane, for the kernels in brackets.
"""
APPEARED = """\
g++ and nvcc make other accesses of these lines than the table says: there the emulated device
counts what a GPU does not do. Write the access so that both make the same (wide accesses explicit
in types, no array copied on the way), or, when it is meant, run ci/golden/compare_accesses and
commit kernels/accesses.txt."""
VANISHED = """\
The table has these differences, which are no longer there. Run ci/golden/compare_accesses and
commit kernels/accesses.txt."""


@dataclass(frozen=True)
class Row:
    file: str  # of the line, relative to the source tree
    line: int
    difference: str
    kernels: str

    def text(self, root: Path) -> str:
        """By the line's text and not its number, so that a change above it leaves the table as it
        is."""
        path = root / self.file
        lines = path.read_text().splitlines() if self.file and path.is_file() else []
        code = (
            lines[self.line - 1].strip()
            if 0 < self.line <= len(lines)
            else "(the compiler does not say where)"
        )
        return f"  {code}\n    {self.difference} ({self.kernels})\n"

    def numbered(self, root: Path) -> str:
        return f"  {self.file or '?'}:{self.line}\n{self.text(root)}"


Rows = dict[Path, list[Row]]  # by the file that was compiled, relative to the source tree


def table(rows: Rows, made_by: str, root: Path) -> str:
    body = "".join(
        f"\n{path}\n" + "".join(row.text(root) for row in found) for path, found in rows.items()
    )
    return f"{HEAD}# {made_by}\n{body}"


def compilers(text: str) -> str:
    """The compilers that a table names, or nothing."""
    made_by = re.search(r"^# (nvcc .*)$", text, re.MULTILINE)
    return made_by[1] if made_by else ""


def entries(text: str) -> Counter:
    """(compiled file, text of a row) -> how often a table has it."""
    found, file = Counter(), ""
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    for line, after in pairwise(lines):
        if not line.startswith(" "):
            file = line
        elif not line.startswith("    "):
            found[(file, f"{line}\n{after}\n")] += 1
    return found


def changes(golden: str, rows: Rows, root: Path) -> str:
    """What the table `golden` lacks and has too much, with what to do about either; nothing when
    nothing changed."""
    before, now = entries(golden), Counter()
    where: dict[tuple[str, str], list[str]] = {}
    for path, found in rows.items():
        for row in found:
            now[(str(path), row.text(root))] += 1
            where.setdefault((str(path), row.text(root)), []).append(row.numbered(root))
    appeared, vanished = now - before, before - now
    said = ""
    if appeared:
        said += "".join(
            f"{key[0]}\n{shown}" for key, n in appeared.items() for shown in where[key][-n:]
        )
        said += f"\n{APPEARED}\n"
    if vanished:
        said += "\n" if said else ""
        said += "".join(f"{file}\n{text}" for (file, text), n in vanished.items() for _ in range(n))
        said += f"\n{VANISHED}\n"
    return said
