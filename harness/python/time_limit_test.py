"""A file that does not come to its end is refused with the line that runs."""

import subprocess
import sys

import pytest

from harness.python.conversations import PACKAGE

LOAD = """
import sys
sys.path.insert(0, sys.argv[1])
from ridgeline import loading
from ridgeline.__main__ import main
loading.MOST_SECONDS = 0.5
sys.exit(main([sys.argv[2]]))
"""


@pytest.mark.parametrize(
    "text",
    [
        "import ridgeline\nwhile True: pass\n",
        "import ridgeline, threading\nthreading.Event().wait()\n",
        "import ridgeline, time\ntry:\n    time.sleep(1e6)\nexcept Exception: pass\n",
        "import ridgeline\ndef forever():\n    while True: pass\nforever()\n",
    ],
    ids=["loop", "wait", "caught", "function"],
)
def test_a_file_without_an_end_is_one_sentence_with_its_line(tmp_path, text):
    file = tmp_path / "endless.py"
    file.write_text(text)
    command = [sys.executable, "-c", LOAD, PACKAGE, file]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=tmp_path)
    assert done.returncode == 64, done.stderr
    assert done.stderr.count("\n") == 1, done.stderr
    line = 3 if "    " in text else 2
    assert done.stderr.startswith(f"ridgeline: endless.py:{line}: the file still runs after 0.5 s")


def test_an_alarm_of_the_file_is_left_to_it(tmp_path):
    file = tmp_path / "alarm.py"
    file.write_text("import ridgeline, signal\nsignal.signal(signal.SIGALRM, signal.SIG_IGN)\n")
    command = [sys.executable, "-c", LOAD, PACKAGE, file]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=tmp_path)
    assert "alarm.py has no case" in done.stderr
