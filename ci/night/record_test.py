"""What is on disk of a night, whole at any moment."""

import json
import os

import pytest

from ci.night import record
from ci.night.document import Odd
from ci.night.record import KILLED, Step, load, new_night, unfinished, write_whole

OPTIONS = {
    **dict.fromkeys(("profile", "label", "device", "baseline", "config"), ""),
    **dict.fromkeys(("strict", "github"), False),
    **dict.fromkeys(("without", "export"), []),
}
HEAD = {"format": record.FORMAT, "version": record.VERSION, "options": OPTIONS}
WHOLE = {**HEAD, "id": "x", "started": "", "host": ""}


def never(words):
    raise AssertionError(words)


def test_a_night_is_read_back_as_it_was_written(tmp_path):
    night = new_night(tmp_path, "ci/nightly", {**OPTIONS, "profile": "a", "more": 1})
    night.steps.append(Step("run", exit_code=2, said="1 crashed"))
    night.save()
    assert load(night.folder) == night


def test_only_nights_that_never_ended_are_unfinished(tmp_path):
    ended, running = (new_night(tmp_path, "", OPTIONS) for _ in range(2))
    ended.state = KILLED
    ended.save()
    (tmp_path / "latest").symlink_to(running.folder.name)
    (tmp_path / "lock").touch()
    (tmp_path / "somebody's folder").mkdir()
    assert [night.id for night in unfinished(tmp_path, never)] == [running.id]


ODD = {
    "": "no JSON",
    "{": "no JSON",
    "[" * 100_000: "nested too deeply",
    "[]": "the document is a list, not an object",
    "7": "the document is 7, not an object",
    "{}": "the document has no format",
    json.dumps({"format": record.FORMAT, "version": "1"}): 'version is "1"',
    json.dumps({**WHOLE, "steps": [{"nonsense": 1}]}): 'steps[0] has "nonsense"',
    json.dumps({**WHOLE, "steps": [{"name": "run", "exit_code": 99}]}): "steps[0].exit_code is 99",
    json.dumps({**WHOLE, "steps": [{"name": "run", "seconds": 10**400}]}): "too large a number",
    json.dumps({**WHOLE, "surprise": 1}): '"surprise", which is not known',
    json.dumps({**WHOLE, "host": None}): "host is null, not text",
    json.dumps({**WHOLE, "host": "\ud800"}): "half a letter",
    json.dumps({**WHOLE, "host": "\0"}): "NUL",
    json.dumps({**WHOLE, "exit_code": True}): "exit_code is true",
    json.dumps({**WHOLE, "options": {}}): "options has no",
    json.dumps({**WHOLE, "run": {"id": "x"}}): "run has no",
    json.dumps({**WHOLE, "problems": [{}]}): "problems[0] has no case",
    json.dumps({**WHOLE, "preflight": [{"device": "x", "fit": 1}]}): "preflight[0]",
    json.dumps({**WHOLE, "notes": [float("nan")]}): "NaN is no number of JSON",
}


@pytest.mark.parametrize("text", ODD, ids=range(len(ODD)))
def test_a_record_that_cannot_be_understood_is_set_aside_and_told_of_once(tmp_path, text):
    folder = tmp_path / "night"
    folder.mkdir()
    (folder / "night.json").write_text(text)
    with pytest.raises(Odd) as refusal:
        load(folder)
    assert ODD[text] in str(refusal.value)
    assert len(str(refusal.value)) < 400
    told = []
    assert unfinished(tmp_path, told.append) == []
    assert [ODD[text] in words and "night.json.damaged" in words for words in told] == [True]
    assert (folder / "night.json.damaged").read_text() == text, "it is kept"
    assert unfinished(tmp_path, never) == []


def test_several_damaged_records_of_one_folder_are_all_kept(tmp_path):
    (tmp_path / "night").mkdir()
    for text in ("a", "b", "c"):
        (tmp_path / "night" / "night.json").write_text(text)
        unfinished(tmp_path, str)
    kept = sorted((tmp_path / "night").iterdir())
    assert [path.read_text() for path in kept] == ["a", "b", "c"]


def test_a_record_of_another_version_and_a_folder_without_one_are_left_alone(tmp_path):
    (tmp_path / "night.json").write_text(json.dumps({"format": record.FORMAT, "version": 99}))
    assert load(tmp_path) is None
    assert load(tmp_path / "none") is None


def test_a_record_that_would_be_waited_for_is_set_aside(tmp_path):
    (tmp_path / "night").mkdir()
    os.mkfifo(tmp_path / "night" / "night.json")
    told = []
    assert unfinished(tmp_path, told.append) == []
    assert "no regular file" in told[0]


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
