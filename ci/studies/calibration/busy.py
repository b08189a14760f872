"""A process that keeps one core busy."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator

# Ends when its parent does, so that a killed study leaves nothing running.
_SPIN = """
import os, sys
parent, core = int(sys.argv[1]), int(sys.argv[2])
os.sched_setaffinity(0, {core})
print("spinning", flush=True)
while os.getppid() == parent:
    for _ in range(1_000_000):
        pass
"""


@contextlib.contextmanager
def one_core_busy() -> Iterator[int]:
    """While it lasts, the last core that this process may use is kept busy. Yields the process's
    id. Raises OSError when there is one core only."""
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) < 2:
        raise OSError("there is no second core to keep busy")
    process = subprocess.Popen(
        [sys.executable, "-c", _SPIN, str(os.getpid()), str(cores[-1])],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        if process.stdout.readline() != "spinning\n":
            raise OSError("the process that keeps a core busy did not start")
        yield process.pid
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
