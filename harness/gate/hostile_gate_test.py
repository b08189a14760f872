"""Gates of what is damaged or huge: a plain message, and never a crash or a hang."""

import signal
import subprocess

import pytest

from harness.cli.bisect_test import repository  # noqa: F401
from harness.run.kill_test import finish
from harness.run.scripted_runs import PLAIN


@pytest.mark.parametrize("share", [0.0, 0.02, 0.5, 0.95])
def test_a_stored_gate_that_was_cut_is_not_resumed_and_says_so(lab, share):
    candidate = lab.worker("candidate", "--slower", 1)
    process = lab.start_command(
        lab.gate_command(lab.profile("constant", "slow"), PLAIN, candidate), env=lab.environment
    )
    lab.wait_for_pairs(1)
    process.send_signal(signal.SIGINT)
    finish(process)
    data = lab.database.read_bytes()
    cut = data[: int(len(data) * share)]
    lab.database.write_bytes(cut)
    sides = ("--baseline-worker", PLAIN, "--candidate-worker", candidate)
    done = lab.call("gate", "--resume", "latest", *sides, "--results", lab.results, text=True)
    assert done.returncode in (64, 74), done.stderr
    assert "ridgeline: " in done.stderr and "internal" not in done.stderr
    assert lab.database.read_bytes() == cut


def test_a_submodule_and_a_dirty_tree_are_no_part_of_a_commit(repository, tmp_path):  # noqa: F811
    other = tmp_path / "other"
    other.mkdir()
    for words in (
        ["init", "--quiet"],
        [
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@b",
            "commit",
            "--quiet",
            "--allow-empty",
            "-m",
            "x",
        ],
    ):
        subprocess.run(["git", *words], cwd=other, check=True)
    repository.git(
        "-c", "protocol.file.allow=always", "submodule", "add", "--quiet", str(other), "sub"
    )
    repository.commits(1, slower_from=0)
    (repository.folder / "sub" / "new").write_text("")
    (repository.folder / "build.sh").write_text("exit 1\n")
    lab = repository.lab
    sides = ("--baseline-ref", "HEAD~1", "--candidate-ref", "HEAD", "--device", "fake")
    words = (*sides, "--profile", lab.profile("constant"), "--results", lab.results)
    done = lab.execute(lab.command("gate", *words), cwd=repository.folder, text=True)
    assert done.returncode == 0, done.stderr
    assert "uncommitted changes to 2 files here are not part of it" in done.stderr
