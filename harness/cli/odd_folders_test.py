"""Folders that scripts and strangers make: names that begin with a dash, or that are no text."""

import os

import pytest


@pytest.mark.parametrize("name", ["-x", os.fsdecode(b"\xff\xfe"), "a\nb", "'%s\""])
def test_results_in_an_odd_folder_are_written_read_and_reported(lab, name):
    folder = lab.folder / name
    folder.mkdir()
    # Bytes that are no text cannot be typed, but one can stand there.
    here = not name.isprintable() and "\n" not in name
    results = "results" if here else name
    run = lab.run_command(lab.profile("constant"))
    run[run.index("--results") : run.index("--results") + 2] = [f"--results={results}"]
    for command in (
        run,
        lab.command("runs", f"--results={results}"),
        lab.command("show", f"--results={results}"),
        lab.command("report", f"--results={results}", "--quiet"),
        lab.command("merge", f"--results={results}-merged", "--", results),
    ):
        done = lab.execute(command, cwd=folder if here else lab.folder, text=True)
        assert done.returncode == 0, (command, done.stderr)
    report = (folder / "results" if here else folder) / "report"
    assert (report / "index.html").is_file()
    assert len(list(report.glob("run-*.html"))) == 1
