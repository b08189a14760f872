"""Every document that once ended in neither yes nor no is read again, and some new ones; and what
is wrong with a reader is found."""

import random
from pathlib import Path

import pytest

from ci.studies.fuzzing import study
from ci.studies.fuzzing.mutations import mutated
from ci.studies.fuzzing.readers import READERS, Reader

KEPT = sorted(path for path in study.CORPUS.rglob("*") if path.is_file())


@pytest.mark.parametrize("path", KEPT, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_what_was_found_once_is_accepted_or_refused(path: Path):
    assert study.attempt(READERS[path.parent.name], path.read_bytes())[1] == ""


@pytest.mark.parametrize("name", READERS)
def test_readers_accept_their_seeds_and_survive_some_mutations(name):
    reader, chance = READERS[name], random.Random(name)
    seeds = list(reader.seeds())
    assert [study.attempt(reader, seed) for seed in seeds] == [(True, "")] * len(seeds)
    many = [
        mutated(chance.choice(seeds), chance)
        for _ in range({"figures": 2, "journal": 15}.get(name, 50))
    ]
    assert [wrong for data in many if (wrong := study.attempt(reader, data)[1])] == []


def test_what_is_wrong_is_kept_counted_and_told_once(tmp_path, monkeypatch, capsys):
    def read(data: bytes) -> bool:
        return bool({}["missing"])

    broken = Reader("broken", lambda: [b'{"a": 1}'], read)
    monkeypatch.setattr(study, "READERS", {"broken": broken})
    code = study.main(["--time", "1s", "--seed", "7", "--corpus", str(tmp_path)])
    said = capsys.readouterr().out
    assert code == study.FINDINGS
    assert said.count("KeyError in fuzzing_test.py") == 1
    assert len(list((tmp_path / "broken").iterdir())) == 1
    assert ", 0 refused, 0 wrong" not in said


def test_a_reader_that_hangs_is_found(monkeypatch):
    monkeypatch.setattr(study, "LONGEST_S", 1)

    def read(_: bytes) -> bool:
        while True:
            pass

    assert study.attempt(Reader("slow", list, read), b"")[1].startswith("Slow in ")


def test_a_seed_gives_the_same_mutations():
    def some() -> list[bytes]:
        chance = random.Random(3)
        return [mutated(b'{"a": [1, {"b": "x"}], "c": null}', chance) for _ in range(50)]

    assert some() == some()
    assert len(set(some())) > 30
