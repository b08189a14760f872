"""The search that docs/how-to-bisect.md shows is made again, and prints the same."""

import re

from harness.cli.bisect_test import Repository
from harness.run.scripted_runs import ROOT, case

SUBJECTS = (
    "Name the tiles",
    "Copy ahead by one tile",
    "Sum in pairs",
    "Unroll by eight",
    "Check the bounds once",
    "Share the last tile",
    "Say what does not fit",
    "Sort the cases",
)
SLOWER_FROM = 3


def without_hashes(line):
    return re.sub(r"\b[0-9a-f]{12}\b", "HASH", line)


def shown():
    """The lines of the document's example."""
    text = (ROOT / "docs" / "how-to-bisect.md").read_text()
    (block,) = re.findall(r"^    8 commits between .*\n(?:    .*\n|\n(?=    ))*", text, re.M)
    return [line[4:] for line in block.splitlines() if line not in ("", "    …")]


def test_the_example_of_the_document_is_what_a_search_prints(lab):
    repository = Repository(lab)
    repository.commit("Begin", "--slower", 0.001)
    for i, subject in enumerate(SUBJECTS):
        slower = (2 if i >= SLOWER_FROM else 0) + 0.001 * (i % 7 + 2)
        repository.commit(subject, "--slower", slower)
    command = repository.command(case("process_noise"), "--seed", 1, good="HEAD~8")
    done = lab.execute(command, cwd=repository.folder, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    printed = iter(map(without_hashes, done.stdout.splitlines()))
    for line in map(without_hashes, shown()):
        assert line in printed, f"{line!r} is not printed, or not in this order: {done.stdout}"
    commit = repository.git("rev-parse", f"HEAD~{len(SUBJECTS) - 1 - SLOWER_FROM}")[:12]
    assert f"{case('process_noise')} is slower since {commit} (" in done.stdout
