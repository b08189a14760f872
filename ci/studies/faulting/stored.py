"""What a results folder holds, read by Python's own SQLite from a copy, so that nothing there is
touched."""

from __future__ import annotations

import contextlib
import hashlib
import shutil
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

_LEFT_OUT = {"id", "process_id", "case_id", "samples", "pruned"}  # of a measurement's contents


@dataclass
class Run:
    status: str
    cases: Counter = field(default_factory=Counter)  # measurements by name
    whole: int = 0  # measurements with their samples
    pruned: int = 0  # measurements without
    contents: str = ""  # a digest of all but the samples
    samples: str = ""  # a digest of those

    @property
    def measurements(self) -> int:
        return self.cases.total()


@dataclass
class Gate:
    status: str
    pairs: Counter = field(default_factory=Counter)  # by case
    verdicts: dict[str, tuple[str, int]] = field(default_factory=dict)  # with the number of pairs


@dataclass
class Stored:
    runs: dict[str, Run] = field(default_factory=dict)
    gates: dict[str, Gate] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)  # of the files: what no file may be

    @property
    def measurements(self) -> int:
        return sum(run.measurements for run in self.runs.values())


def read(folder: Path) -> Stored:
    """All results files of the folder together."""
    stored = Stored()
    for file in sorted(folder.glob("*.sqlite")):
        try:
            with _copied(file) as connection:
                _read(connection, file.name, stored)
        except sqlite3.Error as error:
            stored.wrong.append(f"{file.name}: {error}")
    return stored


@contextlib.contextmanager
def _copied(file: Path) -> Iterator[sqlite3.Connection]:
    """With its log, and without the index of that, which SQLite makes anew."""
    with tempfile.TemporaryDirectory(prefix="ridgeline-faults-") as folder:
        copy = Path(folder, file.name)
        shutil.copy(file, copy)
        with contextlib.suppress(FileNotFoundError):
            shutil.copy(f"{file}-wal", f"{copy}-wal")
        with contextlib.closing(sqlite3.connect(copy)) as connection:
            yield connection


def _read(connection: sqlite3.Connection, name: str, stored: Stored) -> None:
    def rows(statement: str) -> list[tuple]:
        return connection.execute(statement).fetchall()

    if (found := rows("PRAGMA integrity_check")) != [("ok",)]:
        stored.wrong.append(f"{name}: {found[0][0]}")
    if found := rows("PRAGMA foreign_key_check"):
        stored.wrong.append(f"{name}: {len(found)} rows refer to nothing, one in {found[0][0]}")
    if not rows("SELECT 1 FROM sqlite_schema WHERE name = 'run'"):
        return
    for run, status in rows("SELECT id, status FROM run ORDER BY rowid"):
        stored.runs[run] = Run(status)
    for gate, status in rows("SELECT id, status FROM gate ORDER BY rowid"):
        stored.gates[gate] = Gate(status)
    for gate, case, count in rows("SELECT gate_id, case_name, count(*) FROM pair GROUP BY 1, 2"):
        stored.gates[gate].pairs[case] = count
    for gate, case, *verdict in rows("SELECT gate_id, case_name, verdict, pairs FROM verdict"):
        stored.gates[gate].verdicts[case] = tuple(verdict)
    _read_measurements(connection, stored)


def _read_measurements(connection: sqlite3.Connection, stored: Stored) -> None:
    found = connection.execute(
        'SELECT run_id, replicate, process.started, "case".name, measurement.* FROM measurement'
        ' JOIN "case" ON "case".id = case_id JOIN process ON process.id = process_id'
        " ORDER BY run_id, process.id, measurement.id"
    )
    names = [column[0] for column in found.description]
    kept = [at for at, column in enumerate(names) if at < 4 or column not in _LEFT_OUT]
    samples_at, pruned_at = names.index("samples"), names.index("pruned")
    contents: dict[str, list] = {}
    samples: dict[str, list] = {}
    for row in found:
        run = stored.runs[row[0]]
        run.cases[row[3]] += 1
        run.whole += row[samples_at] is not None
        run.pruned += row[pruned_at] is not None
        contents.setdefault(row[0], []).append([row[at] for at in kept])
        samples.setdefault(row[0], []).append(row[samples_at])
    for identity, run in stored.runs.items():
        run.contents = _digest(contents.get(identity))
        run.samples = _digest(samples.get(identity))


def _digest(value: object) -> str:
    return hashlib.sha256(repr(value).encode()).hexdigest()[:16]
