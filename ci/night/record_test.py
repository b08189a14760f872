"""What is on disk of a night, whole at any moment."""

import json

import pytest

from ci.night import record
from ci.night.record import KILLED, Step, load, new_night, unfinished, write_whole


def test_a_night_is_read_back_as_it_was_written(tmp_path):
    night = new_night(tmp_path, "ci/nightly --profile smoke", {"profile": "smoke"})
    night.steps.append(Step("run", exit_code=2, said="1 crashed"))
    night.save()
    assert load(night.folder) == night


def test_only_nights_that_never_ended_are_unfinished(tmp_path):
    ended, running = new_night(tmp_path, "", {}), new_night(tmp_path, "", {})
    ended.state = KILLED
    ended.save()
    (tmp_path / "latest").symlink_to(running.folder.name)
    (tmp_path / "lock").touch()
    (tmp_path / "somebody's folder").mkdir()
    assert [night.id for night in unfinished(tmp_path)] == [running.id]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "7",
        "{}",
        json.dumps({"format": record.FORMAT, "version": 99}),
        json.dumps(
            {"format": record.FORMAT, "version": record.VERSION, "steps": [{"nonsense": 1}]}
        ),
        json.dumps(
            {
                "format": record.FORMAT,
                "version": record.VERSION,
                "steps": [],
                "id": "x",
                "surprise": 1,
            }
        ),
    ],
)
def test_a_record_that_cannot_be_understood_is_left_alone(tmp_path, text):
    (tmp_path / "night.json").write_text(text)
    assert load(tmp_path) is None


def test_a_file_that_cannot_be_written_stays_as_it_was(tmp_path, monkeypatch):
    path = tmp_path / "night.json"
    write_whole(path, "before")

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(record.os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_whole(path, "after")
    assert path.read_text() == "before"
    assert [found.name for found in tmp_path.iterdir()] == ["night.json"], (
        "nothing is left beside it"
    )
