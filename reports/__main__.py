"""`python -m reports INPUT.json --output DIR`: writes DIR/index.html, the pages that it leads
to, and DIR/figures/*."""

from __future__ import annotations

import argparse
import shlex
import sys
from pathlib import Path

from reports import console
from reports.console import FILES, MISSING, USAGE


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> None:  # type: ignore[override]
        print(
            f"reports: {console.printable(message)}; see python -m reports --help", file=sys.stderr
        )
        sys.exit(USAGE)


def _advice() -> str:
    """ci/setup is there in a clone alone (`how_to_draw` in harness/process says the same)."""
    home = Path(__file__).resolve().parents[1]
    if (home / "ci" / "setup").exists():
        return "run ci/setup, or set RIDGELINE_PYTHON to a Python that has reports/requirements.txt"
    install = [sys.executable, "-m", "pip", "install", "-r", str(home / "reports/requirements.txt")]
    otherwise = "set RIDGELINE_PYTHON to a Python that has what that file names"
    return f"run {shlex.join(install)}, or {otherwise}"


def main(arguments: list[str]) -> int:
    parser = _Parser(
        prog="python -m reports",
        description="Draws the report of a JSON that `ridgeline report` writes.",
    )
    parser.add_argument("input", type=Path, metavar="INPUT.json")
    parser.add_argument(
        "--output",
        type=Path,
        required=True,
        metavar="DIR",
        help="folder for index.html, the pages that it leads to, and figures/",
    )
    parser.add_argument(
        "--formats",
        default="png,svg,pdf,csv",
        metavar="LIST",
        help="of the files of each figure: png, svg, pdf and csv (the data that it draws), with "
        "commas; all by default",
    )
    options = parser.parse_args(arguments)
    formats = options.formats.split(",") if options.formats else []
    try:
        from reports import load, render, write
    except ModuleNotFoundError as error:
        print(
            f"reports: Python module {error.name} is missing from {sys.executable}; {_advice()}",
            file=sys.stderr,
        )
        return MISSING
    try:
        if unknown := [one for one in formats if one not in render.FORMATS]:
            parser.error(f"no format of figures: {unknown[0]}")
        write.write(load.load(options.input), options.output, formats)
    except (load.InputError, OSError) as error:
        print(f"reports: {console.printable(str(error))}", file=sys.stderr)
        return FILES
    return 0


if __name__ == "__main__":
    sys.exit(console.run("reports", main))
