"""`python -m reports INPUT.json --output DIR`: writes DIR/index.html and DIR/figures/*.png."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

EXIT_USAGE, EXIT_DEPENDENCY, EXIT_FILE = 64, 69, 74


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> None:  # type: ignore[override]
        print(f"reports: {message}; see python -m reports --help", file=sys.stderr)
        sys.exit(EXIT_USAGE)


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
        help="folder for index.html and figures/",
    )
    options = parser.parse_args(arguments)
    try:
        from reports import load, write
    except ModuleNotFoundError as error:
        print(
            f"reports: Python module {error.name} is missing from {sys.executable}; "
            "run ci/setup, or set RIDGELINE_PYTHON to a Python that has reports/requirements.txt",
            file=sys.stderr,
        )
        return EXIT_DEPENDENCY
    try:
        write.write(load.load(options.input), options.output)
    except (load.InputError, OSError) as error:
        print(f"reports: {error}", file=sys.stderr)
        return EXIT_FILE
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
