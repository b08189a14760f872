"""Gives mutated documents to readers, and keeps those that end in neither yes nor no."""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import random
import signal
import sys
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from ci.night.options import Parser
from ci.studies.duration import duration
from ci.studies.fuzzing.mutations import mutated
from ci.studies.fuzzing.readers import READERS, Reader

CORPUS = Path(__file__).parent / "corpus"
LONGEST_S = 20  # for one document
FINDINGS = 2  # exit code
SHARES = {"figures": 0.01, "lock": 0.02}  # of all documents; the others share the rest


class Slow(Exception):
    """A document kept a reader busy for too long."""


@contextlib.contextmanager
def watched() -> Iterator[None]:
    def stop(*_: object) -> None:
        raise Slow(f"not read within {LONGEST_S} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(LONGEST_S)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def attempt(reader: Reader, data: bytes) -> tuple[bool, str]:
    """Whether it was accepted; and what went wrong, as a place and an error."""
    try:
        with watched(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return reader.read(data), ""
    except Exception as error:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{Path(frame.filename).name}:{frame.lineno}"
        return False, f"{type(error).__name__} in {place}: {str(error)[:200]}"


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = Parser(
        "ci/studies/fuzz_python",
        description=(
            "Gives mutated documents to everything that the Python programs read back. Each must "
            "be accepted or refused; one that ends otherwise is kept in ci/studies/fuzzing/corpus, "
            "which the tests replay."
        ),
        epilog="Exit codes: 0 nothing was found, 2 something was, 64 usage, 130 interrupted.",
    )
    add = parser.add_argument
    add("--time", type=duration, metavar="TIME", default=60.0, help="such as 10m (default: 60s)")
    add("--seed", type=int, metavar="N", default=1, help="of the mutations (default: 1)")
    add(
        *("--only", "-o"),
        action="append",
        choices=tuple(READERS),
        help="one reader; may be repeated",
    )
    add("--corpus", type=Path, metavar="FOLDER", default=CORPUS, help="where findings are kept")
    return parser.parse_args(arguments)


def main(arguments: list[str]) -> int:
    options = parse(arguments)
    names = options.only or list(READERS)
    chance = random.Random(options.seed)
    seeds = {name: list(READERS[name].seeds()) for name in names}
    weights = [SHARES.get(name, 1.0) for name in names]
    counts: dict[str, Counter] = {name: Counter() for name in names}
    known: set[tuple[str, str]] = set()
    until = time.monotonic() + options.time
    try:
        while time.monotonic() < until:
            (name,) = chance.choices(names, weights)
            data = mutated(chance.choice(seeds[name]), chance)
            accepted, wrong = attempt(READERS[name], data)
            counts[name]["wrong" if wrong else "accepted" if accepted else "refused"] += 1
            place = wrong.partition(": ")[0]
            if wrong and (name, place) not in known:
                known.add((name, place))
                print(f"{keep(options.corpus, name, data)}: {wrong}", flush=True)
    finally:
        tell(counts)
    return FINDINGS if known else 0


def keep(corpus: Path, name: str, data: bytes) -> Path:
    path = corpus / name / hashlib.sha256(data).hexdigest()[:16]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def tell(counts: dict[str, Counter]) -> None:
    for name, of in counts.items():
        print(
            f"{name:12} {sum(of.values()):8} documents: {of['accepted']} accepted, "
            f"{of['refused']} refused, {of['wrong']} wrong"
        )
    total = sum(sum(of.values()) for of in counts.values())
    print(f"{total} documents", file=sys.stdout, flush=True)
