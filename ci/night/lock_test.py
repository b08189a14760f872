"""One night at a time, and none that waits for a dead one."""

import json
import os
import signal
import subprocess
import sys
import textwrap

import pytest

from ci.night.lock import AlreadyRunning, described, hold

HOLDS = textwrap.dedent(
    """
    import sys, time
    from pathlib import Path
    from ci.night.lock import hold
    lock = hold(Path(sys.argv[1]), "2026-11-20T02:00:00Z")
    print("held", flush=True)
    time.sleep(60)
    """
)


def test_a_second_holder_is_refused_and_told_of_the_first(tmp_path):
    with subprocess.Popen(
        [sys.executable, "-c", HOLDS, str(tmp_path / "lock")], stdout=subprocess.PIPE
    ) as first:
        assert first.stdout.readline() == b"held\n"
        with pytest.raises(
            AlreadyRunning, match=rf"pid {first.pid} on .*started 2026-11-20T02:00:00Z"
        ):
            hold(tmp_path / "lock", "later")
        assert json.loads((tmp_path / "lock").read_text())["pid"] == first.pid, (
            "the refused one has written nothing"
        )
        first.send_signal(signal.SIGKILL)
        first.wait()
    held = hold(tmp_path / "lock", "later")
    assert json.loads((tmp_path / "lock").read_text())["pid"] == os.getpid()
    held.close()


@pytest.mark.parametrize("text", ["", "{", "[]", "7", '{"pid": 1}'])
def test_a_half_written_lock_still_gives_words(text):
    assert described(text) == "one that has only just started"


def test_a_lock_in_a_place_that_cannot_be_written_says_so(tmp_path):
    with pytest.raises(OSError, match="lock"):
        hold(tmp_path / "missing" / "lock", "now")
