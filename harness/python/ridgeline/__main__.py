"""usage: python -m ridgeline FILE [--worker]

Serves the cases of FILE to `ridgeline`, or lists them. `ridgeline run FILE` starts this.
"""

import os
import sys
from pathlib import Path

from ridgeline import cases, cpu_facts, loading
from ridgeline.failures import Refused
from ridgeline.serving import Worker, serve


def _answers():
    """The real standard output; whatever the user's file prints goes to standard error."""
    kept = os.dup(1)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return os.fdopen(kept, "w", encoding="utf-8")


def main(arguments: list[str]) -> int:
    files = [each for each in arguments if not each.startswith("-")]
    options = [each for each in arguments if each.startswith("-")]
    if len(files) != 1 or any(each != "--worker" for each in options):
        print(__doc__.strip(), file=sys.stderr)
        return 64
    answers = _answers() if options else None
    os.sched_setaffinity(0, cpu_facts.cpus())  # one thread a core, as ridgeline-suites has them
    loaded, failure = None, None
    try:
        loaded = loading.load(files[0])
    except Refused as refused:
        failure = refused
    if answers is not None:
        serve(Worker(Path(files[0]).resolve(), loaded, failure), sys.stdin, answers)
        return 0
    if failure is not None:
        advice = f"; {failure.advice}" if failure.advice else ""
        print(f"ridgeline: {failure}{advice}", file=sys.stderr)
        return failure.exit_code
    for case in cases.all_cases():
        print(f"{case.name}  ({', '.join(case.kinds)})")
    print(f"ridgeline run {files[0]} measures them", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
