import ctypes

import pytest

from harness.run.scripted_runs import BUILD, Lab, left_behind

PR_SET_CHILD_SUBREAPER = 36


@pytest.fixture
def lab(tmp_path):
    """A Lab; afterwards no process of the test may be left, dead or alive."""
    for program in ("ridgeline", "ridgeline-suites", "ridgeline-scripted-worker"):
        assert (BUILD / program).is_file(), (
            f"{BUILD / program} is not built; build it, or set RIDGELINE_BUILD"
        )
    assert ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0
    left_behind(
        wait_s=5
    )  # orphans of tests without a Lab fall to this process, too, and tests come in any order
    yield Lab(tmp_path)
    assert left_behind() == []
