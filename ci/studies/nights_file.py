"""A results file of invented nights, as ridgeline would have stored them."""

import json
import re
import sqlite3
import struct
from collections.abc import Sequence
from pathlib import Path

STORE = Path(__file__).resolve().parents[2] / "harness" / "store"
MEASUREMENT = {  # what all have in common
    "attempt": 1,
    "outcome": "ok",
    "reason": "",
    "executions_per_sample": 20,
    "error": 0,
    "tolerance": 0,
    "launch": "loop",
    "cache": "cold",
    "buffer_sets": 1,
    "seed": 1,
    **dict.fromkeys(("prepare_ns", "verify_ns", "warmup_ns", "timed_ns", "total_ns"), 0),
    "throttle": "",
    "throttled_by_hardware": 0,
}


def create(path: Path) -> sqlite3.Connection:
    """An empty results file of the newest schema."""
    owner = re.search(
        r"application_id = (0x[0-9A-Fa-f]+|\d+)",
        (STORE / "migrations.hpp").read_text(encoding="utf-8"),
    )
    assert owner, "migrations.hpp names the application id"
    steps = sorted((STORE / "migrations").glob("*.sql"))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    database = sqlite3.connect(path)
    database.execute("PRAGMA synchronous = OFF")
    for step in steps:
        database.executescript(step.read_text(encoding="utf-8"))
    database.execute(f"PRAGMA application_id = {int(owner[1], 0)}")
    database.execute(f"PRAGMA user_version = {len(steps)}")
    return database


def add(database: sqlite3.Connection, table: str, **values: object) -> int:
    """The id of the row with these values, which is new unless there is one."""
    names, marks = ", ".join(values), ", ".join("?" * len(values))
    row = tuple(values.values())
    database.execute(f'INSERT OR IGNORE INTO "{table}" ({names}) VALUES ({marks})', row)
    found = f'SELECT rowid FROM "{table}" WHERE ({names}) = ({marks})'
    return database.execute(found, row).fetchone()[0]


def add_case(database: sqlite3.Connection, number: int) -> int:
    size = 64 * (number + 1)
    kind = {"suite": "copy", "variant": "wide", "dtype": "f32", "device_kind": "fake"}
    said = {"idea": "invented", "ranks": 1, "bytes": 8.0 * size, "roof": ""}
    problem = json.dumps([["n", str(size)]])
    name = f"copy/wide/f32/n={size}"
    return add(database, "case", name=name, problem=problem, options="[]", **kind, **said)


def add_run(
    database: sqlite3.Connection,
    model: str,
    started: str,
    comparable: dict[str, str],
    recorded: dict[str, str],
    *,
    number: int,
    profile_text: str = "",
    **build: object,
) -> dict[str, object]:
    """What the processes of a night's run have in common. `build` is what differs from a plain
    build."""
    run = f"{started.replace('-', '').replace(':', '')}-{number:06x}"
    device = add(
        database,
        "device",
        uuid="synthetic-0000",
        local_id="synthetic:0",
        kind="fake",
        model=model,
        name=model.replace("-", " ").capitalize(),
        pci_id="",
        properties="{}",
        comparable=json.dumps(comparable),
        recorded=json.dumps(recorded | {"load_average": ""}),
    )
    environment = add(
        database,
        "environment",
        hash=f"{sum(map(ord, str(comparable))):016x}",
        comparable=json.dumps(comparable),
        recorded=json.dumps(recorded),
    )
    add(
        database,
        "run",
        id=run,
        device_id=device,
        environment_id=environment,
        label="",
        command_line="ridgeline run --profile nightly",
        profile="nightly",
        profile_text=profile_text,
        seed=1,
        started=started,
        finished=started,
        status="finished",
    )
    plain = {"worker": "ridgeline-suites", "dirty": 0, "compiler": "g++ 12.2", "flags": "-O3"}
    build_id = add(database, "build", **(plain | {"cuda": ""} | build))
    return {"run_id": run, "build_id": build_id, "seed": 1, "started": started}


def add_times(
    database: sqlite3.Connection,
    process: int,
    times: Sequence[tuple[int, float]],
    samples: int = 1,
    **more: object,
) -> None:
    """The times of cases in a process, in ns; `more` is what differs from MEASUREMENT."""
    shape = struct.Struct(f"<{samples}d")
    rows = [
        MEASUREMENT
        | more
        | {"process_id": process, "case_id": case, "n": samples, "median_ns": ns}
        | {"samples": shape.pack(*[ns] * samples)}
        for case, ns in times
    ]
    if not rows:
        return
    names = list(rows[0])
    marks = ", ".join(f":{name}" for name in names)
    database.executemany(f"INSERT INTO measurement ({', '.join(names)}) VALUES ({marks})", rows)
