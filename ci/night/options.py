"""What `ci/nightly` and `ci/preflight` are told on the command line, and where they find
`ridgeline`."""

import argparse
import os
import re
import sys
from pathlib import Path

from reports.console import USAGE

ROOT = Path(__file__).resolve().parent.parent.parent  # of a clone, or of an unpacked package
PLACES = (
    "bin/ridgeline",
    "build/release/bin/ridgeline",
    "build/cpu-only/bin/ridgeline",
    "build/quickstart/bin/ridgeline",
    "build/portable/bin/ridgeline",
)


class NoRidgeline(Exception):
    """The program is not where it was looked for; the message says where, and what to do."""


class Parser(argparse.ArgumentParser):
    """Ends with 64 for a command line that it does not understand, like the other programs of the
    house."""

    def error(self, message: str) -> None:
        print(f"{self.prog}: {message}\n  {self.prog} --help", file=sys.stderr)
        sys.exit(USAGE)


def parser(name: str, documentation: str) -> Parser:
    """`documentation`: a summary and, after "usage:" lines that argparse writes itself, the
    rest."""
    summary, _, rest = documentation.partition("\n\n")
    rest = rest[rest.index("\n\n") + 2 :] if rest.startswith("usage:") else rest
    return Parser(
        name, description=summary, epilog=rest, formatter_class=argparse.RawDescriptionHelpFormatter
    )


def positive(text: str) -> float:
    value = float(text)
    if not 0 <= value < 1e9:
        raise ValueError
    return value


def address(text: str) -> str:
    """Of a site, or nothing; it stands in links of other formats. Raises ValueError."""
    if text and not re.fullmatch(r"https?://[!-;=?-{}~]+", text):
        raise ValueError
    return text


def add_machine(to: argparse.ArgumentParser) -> None:
    to.add_argument(
        "--device",
        metavar="ID",
        default="",
        help="cpu, cuda:0, ..., or all: every GPU; without it the first GPU, else the CPU",
    )
    to.add_argument(
        "--results",
        metavar="DIR",
        default=os.environ.get("RIDGELINE_RESULTS") or "results",
        help="folder of results files (default: $RIDGELINE_RESULTS, else results)",
    )
    to.add_argument(
        "--min-free",
        metavar="GIB",
        type=positive,
        default=2.0,
        help="disk space that must be free (default: %(default)s)",
    )
    to.add_argument(
        "--worker",
        metavar="PROGRAM",
        action="append",
        default=[],
        help="another worker program; may be repeated",
    )
    to.add_argument(
        "--ridgeline",
        metavar="PROGRAM",
        default="",
        help="which ridgeline; without it the one of this folder's build",
    )


def find_ridgeline(named: str) -> Path:
    places = [Path(named)] if named else [ROOT / place for place in PLACES]
    for place in places:
        if place.is_file() and os.access(place, os.X_OK):
            return place.absolute()
    looked = ", ".join(str(place) for place in places)
    build = "ci/setup && cmake --preset release && cmake --build --preset release"
    raise NoRidgeline(
        f"no ridgeline program at {looked}; build it ({build}), or name it with --ridgeline"
    )
