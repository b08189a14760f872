"""The runs that are published with the source: complete, small, and of the newest schema."""

import json
import shutil
import sqlite3
import subprocess

import pytest

from harness.run.scripted_runs import BUILD, ROOT

PUBLISHED = ROOT / "results/published"
NEWEST = len(list((ROOT / "harness/store/migrations").glob("*.sql")))
MOST_BYTES = 5 * 2**20  # per run


def ridgeline(*arguments: object) -> str:
    words = [str(BUILD / "ridgeline"), *map(str, arguments)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def runs_of(folder) -> list[dict]:
    return json.loads(ridgeline("runs", "--json", "--results", folder))["runs"]


@pytest.fixture(scope="module")
def runs() -> list[dict]:
    return runs_of(PUBLISHED)


@pytest.mark.parametrize(
    "file", sorted(PUBLISHED.rglob("*.sqlite")), ids=lambda file: f"{file.parent.name}-{file.stem}"
)
def test_a_file_is_small_and_needs_no_migration(file):
    with sqlite3.connect(f"{file.as_uri()}?mode=ro&immutable=1", uri=True) as database:
        assert database.execute("PRAGMA user_version").fetchone() == (NEWEST,)
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    of_file = [run for run in runs_of(file.parent) if run["model"] == file.stem]
    assert file.stat().st_size <= MOST_BYTES * len(of_file)
    for run in of_file:
        good = "counted" if run["device"].startswith("emulated") else "ok"
        # Those of `full` were ended when the time for them was over.
        wanted = "interrupted" if file.parent.name == "full" else "finished"
        assert run["status"] == wanted and run["outcomes"][good] > 0


def test_published_runs_are_compared_without_a_gpu(runs):
    alike = [run for run in runs if (run["model"], run["profile"]) == ("nvidia-h200", "quick")]
    newest, older = alike[:2]
    compared = json.loads(
        ridgeline("compare", older["id"], newest["id"], "--json", "--results", PUBLISHED)
    )
    assert compared["compared"] > 200


def test_published_runs_are_merged_and_reported(runs, tmp_path):
    merged = json.loads(ridgeline("merge", PUBLISHED, "--json", "--results", tmp_path / "results"))
    assert sum(file["runs"]["added"] for file in merged["files"]) == len(runs)
    ridgeline("report", "--results", tmp_path / "results", "--output", tmp_path / "report")
    assert (tmp_path / "report/index.html").is_file()
    pages = list((tmp_path / "report").glob("run-*.html"))
    assert sum(page.stat().st_size for page in pages) > 100_000
    document = json.loads((tmp_path / "report/report.json").read_text())
    told = {run["id"] for history in document["histories"] for run in history["runs"]}
    assert told == {run["id"] for run in runs}
    shutil.rmtree(tmp_path / "results")
