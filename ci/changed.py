"""Which files changed since a commit: for the checks that look at a part of the tree."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def said_by(command: list[str]) -> str:
    """What a command prints; nothing when it fails, which whoever needs it will notice."""
    answer = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return answer.stdout.strip() if answer.returncode == 0 else ""


def git(*arguments: str) -> str:
    return said_by(["git", *arguments])


def default_base() -> str:
    """The merge base with origin/main (or main); on main itself, the commit before the last;
    nothing without either."""
    head = git("rev-parse", "HEAD")
    for branch in ("origin/main", "main"):
        base = git("merge-base", "HEAD", branch)
        if base and base != head:
            return base
    return git("rev-parse", "--verify", "--quiet", "HEAD^")


def files_since(base: str) -> list[str]:
    """Files that are there and differ from the commit `base`: those not committed first, then by
    the latest commit."""
    differs = set(git("diff", "--name-only", "--diff-filter=d", base).splitlines())
    differs |= set(git("ls-files", "--others", "--exclude-standard").splitlines())
    committed = git("log", "--format=", "--name-only", f"{base}..HEAD").splitlines()
    open_files = git("diff", "--name-only", "HEAD").splitlines()
    by_age = {name: age for age, name in reversed(list(enumerate([*open_files, *committed])))}
    return sorted(differs, key=lambda name: (by_age.get(name, -1), name))
