"""What studies share that set Ridgeline beside other programs."""

import pytest

from ci.studies.in_turns import Missing, answer


@pytest.mark.parametrize("frame", ["", "echo -------- >&2; echo >&2;"])
def test_what_a_program_said_last_is_told_without_the_frame_around_it(frame):
    with pytest.raises(Missing, match="^sh ended with 3: there are no slots$"):
        answer(["sh", "-c", f"{frame} echo there are no slots >&2; {frame} exit 3"])


def test_a_program_that_says_nothing_said_nothing():
    with pytest.raises(Missing, match="^sh ended with 3: nothing$"):
        answer(["sh", "-c", "exit 3"])
