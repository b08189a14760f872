"""Children that end with who began them, also when that is killed."""

from __future__ import annotations

import ctypes
import os
import signal
from collections.abc import Callable

_SET_PDEATHSIG = 1  # prctl(2)


def dies_with(parent: int, number: int = signal.SIGTERM) -> Callable[[], None]:
    """To be called in a forked child: it is sent signal `number` when `parent` is gone."""
    libc = ctypes.CDLL(None, use_errno=True)

    def prepare() -> None:
        libc.prctl(_SET_PDEATHSIG, number)
        if os.getppid() != parent:
            os._exit(1)

    return prepare
