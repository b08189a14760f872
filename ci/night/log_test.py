"""A log that cannot be written."""

from pathlib import Path

from ci.night.log import Log


def test_who_looks_on_is_told_why_a_log_is_not_complete(capsys):
    log = Log()
    log.into(Path("/dev/full"))
    log.say("first")
    log.say("second")
    log.close()
    why = "/dev/full cannot be written: No space left on device"
    assert capsys.readouterr().out.splitlines() == [why, "first", "second"]
    assert log.broken == why
