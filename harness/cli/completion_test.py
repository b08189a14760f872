"""The script that `ridgeline completion bash` prints, in a real bash."""

import re
import subprocess

import pytest

BASH = """
source /dev/stdin <<< "$("$0" completion bash)"
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
complete -p ridgeline | grep -q -- "-F _ridgeline ridgeline" && _ridgeline
printf "%s\n" "${COMPREPLY[@]}"
"""


def completed(lab, *words: str) -> list[str]:
    done = subprocess.run(
        ["bash", "-c", BASH, *lab.command(), "ridgeline", *words],
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.split()


def test_every_command_and_option_of_the_help_is_completed(lab):
    commands = completed(lab, "")
    assert {"run", "show", "completion", "--help"} <= set(commands)
    for command in (word for word in commands if not word.startswith("-")):
        text = lab.call(command, "--help", text=True).stdout
        options = set(re.findall(r"(?<!\S)--[\w-]+", text.split("Examples:")[0]))
        assert options <= set(completed(lab, command, "")), command


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["sh"], ["show"]),
        (["show", "--so"], ["--sort"]),
        (["show", "--sort", ""], ["name", "time", "rate", "roof"]),
        (["show", "--sort", "r"], ["rate", "roof"]),
        (["show", "latest", "--fail"], ["--failed"]),
        (["baseline", "s"], ["set"]),
        (["baseline", "set", "--res"], ["--results"]),
        (["completion", "b"], ["bash"]),
        (["run", "--profile", ""], []),
        (["run", "--label", "show", "--dry"], ["--dry-run"]),
    ],
)
def test_what_is_typed_is_completed(lab, words, found):
    assert completed(lab, *words) == found


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_get_the_same_commands(lab, shell):
    script = lab.call("completion", shell, text=True)
    assert script.returncode == 0
    for word in ("show", "sort", "baseline", "name time rate roof"):
        assert word in script.stdout


def test_a_shell_that_is_not_known_is_64(lab):
    assert lab.call("completion", "csh").returncode == 64
    assert lab.call("completion").returncode == 64
