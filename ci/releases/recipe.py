"""Reads a Containerfile into stages of instructions: as much of the language as ours uses."""

import json
import re
import shlex
from dataclasses import dataclass, field

# Instruction -> whether its value is a JSON list of words.
KNOWN = {
    "ARG": False,
    "RUN": False,
    "WORKDIR": False,
    "ENV": False,
    "VOLUME": False,
    "SHELL": True,
    "ENTRYPOINT": True,
    "CMD": True,
}


class Unreadable(Exception):
    """What the recipe has and this does not know, with its line."""


@dataclass
class Mount:
    """A folder that one step sees: of the stage `of`, or of the build's context where that is
    None."""

    target: str
    source: str = "/"
    of: str | None = None


@dataclass
class Step:
    """One instruction; `value` is a list of words where KNOWN says so, else text."""

    line: int
    name: str
    value: str | list[str]
    mounts: list[Mount] = field(default_factory=list)


@dataclass
class Stage:
    base: str
    name: str | None
    line: int
    steps: list[Step] = field(default_factory=list)


def expanded(text: str, values: dict[str, str]) -> str:
    """`text` with $NAME and ${NAME} of `values`; what has no value is empty, as in a shell."""
    return re.sub(r"\$(?:\{(\w+)\}|(\w+))", lambda name: values.get(name[1] or name[2], ""), text)


def words(text: str, line: int) -> dict[str, str]:
    """NAME=VALUE pairs of an instruction."""
    pairs = [each.partition("=") for each in shlex.split(text)]
    if not pairs or not all(name and sign for name, sign, _ in pairs):
        raise Unreadable(f"line {line}: NAME=VALUE is expected, not '{text}'")
    return {name: value for name, _, value in pairs}


def _instructions(text: str):
    """(line, name, value) with lines that go on joined; comments between them are left out."""
    begun, parts = 0, []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        begun = begun if parts else number
        parts.append(line.strip().removesuffix("\\"))
        if line.rstrip().endswith("\\"):
            continue
        name, _, value = " ".join(part.strip() for part in parts).partition(" ")
        yield begun, name.upper(), value.strip()
        parts = []
    if parts:
        raise Unreadable(f"line {begun}: the last instruction has no end")


def _mount(option: str, line: int) -> Mount:
    told = dict(each.partition("=")[::2] for each in option.split(","))
    if told.pop("type", None) != "bind" or "target" not in told:
        raise Unreadable(f"line {line}: only --mount=type=bind with a target is known")
    mount = Mount(told.pop("target"), told.pop("source", "/"), told.pop("from", None))
    if told:
        raise Unreadable(f"line {line}: --mount has '{', '.join(told)}', which is not known")
    return mount


def _step(line: int, name: str, value: str) -> Step:
    step = Step(line, name, value)
    while name == "RUN" and (option := re.match(r"--(\w+)(?:=(\S+))? +", step.value)):
        if option[1] != "mount" or not option[2]:
            raise Unreadable(f"line {line}: RUN --{option[1]} is not known")
        step.mounts.append(_mount(option[2], line))
        step.value = step.value[option.end() :]
    if KNOWN[name]:
        try:
            step.value = json.loads(value)
        except ValueError:
            step.value = None
        if not isinstance(step.value, list) or not all(isinstance(w, str) for w in step.value):
            raise Unreadable(f"line {line}: {name} takes a JSON list of words, not '{value}'")
    return step


def stages(text: str, given: dict[str, str]) -> list[Stage]:
    """Stages in order; `given` stands in place of the defaults of ARGs before the first one.

    Raises Unreadable for an instruction, an option or a form that is not known: a step that was
    left out would make another image."""
    values, found = {}, []
    for line, name, value in _instructions(text):
        if name == "FROM":
            told = re.fullmatch(r"(\S+)(?: +AS +(\w+))?", value, re.IGNORECASE)
            if not told or not (base := expanded(told[1], values)):
                raise Unreadable(f"line {line}: FROM '{value}' is not known")
            found.append(Stage(base, told[2], line))
        elif name not in KNOWN:
            raise Unreadable(f"line {line}: {name} is not known")
        elif found:
            found[-1].steps.append(_step(line, name, value))
        elif name == "ARG":
            values |= {key: given.get(key, default) for key, default in words(value, line).items()}
        else:
            raise Unreadable(f"line {line}: {name} stands before the first FROM")
    if unknown := given.keys() - values.keys():
        raise Unreadable(f"no ARG is called {', '.join(sorted(unknown))}")
    for stage in found:
        for step in stage.steps:
            if step.name == "ARG":
                raise Unreadable(f"line {step.line}: ARG within a stage is not known")
            for mount in step.mounts:
                if mount.of and mount.of not in [each.name for each in found]:
                    raise Unreadable(f"line {step.line}: no stage is called {mount.of}")
    if not found:
        raise Unreadable("there is no FROM")
    return found
