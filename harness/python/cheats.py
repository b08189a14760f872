"""Kernels that cheat, each as a file of a user would have it, in several disguises: the kind, the
disguise, what the reason must say, and the file. What concerns all of a process is in
cheats_of_process.py."""

from harness.python.cheats_remembering import REMEMBERING
from harness.python.cheats_unfinished import UNFINISHED
from harness.python.cheats_when_unseen import WHEN_UNSEEN

CHEATS: dict[str, dict[str, tuple[str, str]]] = REMEMBERING | WHEN_UNSEEN | UNFINISHED
