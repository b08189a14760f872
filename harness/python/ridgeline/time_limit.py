"""A limit on the time that a part of the user's file may take."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager


class TooLong(BaseException):
    """No Exception, so that a file that catches those does not go on."""


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Raises TooLong at the line that runs when the time is over. Only in the main thread, between
    two steps of Python: code in C that does not come back is not ended."""

    def end(number, frame):
        raise TooLong

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        if signal.getsignal(signal.SIGALRM) is end:  # else the file has an alarm of its own
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
