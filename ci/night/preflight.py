"""Is this machine fit to measure on this device now? `ridgeline doctor` knows; here it is asked."""

import subprocess
from pathlib import Path
from typing import Literal, TypedDict

from . import document, gpus, program
from .finding import Preflight

ANSWER_S = 300  # of a doctor that looks at a driver which answers late


class NoDevice(Exception):
    """The device cannot be found, or not be looked at; the message says what was tried, and what to
    do."""


class Device(TypedDict):
    id: str
    name: str


class Devices(TypedDict):
    devices: list[Device]


class Told(TypedDict):
    check: str
    level: Literal["fine", "note", "unknown", "unfit"]
    seen: str
    why: str
    do: str


class Diagnosis(TypedDict):
    findings: list[Told]


def ask(ridgeline: Path, *words: str, results: str = "", codes: tuple[int, ...] = (0,)) -> str:
    """What a command prints. Raises NoDevice when it does not end with one of these codes."""
    # The name of a folder need not be a text, which options are.
    named = ["env", f"RIDGELINE_RESULTS={results}"] if results else []
    try:
        done = program.answer([*named, str(ridgeline), *words], ANSWER_S)
    except (OSError, program.TooMuch, subprocess.TimeoutExpired) as error:
        raise NoDevice(f"{ridgeline} {words[0]} cannot be asked: {error}") from None
    if done.returncode not in codes:
        raise NoDevice(
            f"{ridgeline} {words[0]} ended with {done.returncode}: {done.stderr.strip()[:500]}"
        )
    return done.stdout


def options(workers: list[str]) -> list[str]:
    return [word for worker in workers for word in program.option("--worker", worker)]


def find_devices(ridgeline: Path, wanted: str, workers: list[str]) -> list[Device]:
    """The devices that `--device wanted` means ("cuda:0,1" means two, "all" all GPUs), or the one
    that `run` prefers."""
    text = ask(ridgeline, "devices", "--json", *options(workers))
    try:
        devices = document.decode(text, Devices)["devices"]
    except document.Odd as error:
        words = "devices --json printed something else than devices"
        raise NoDevice(f"{ridgeline} {words}: {error}") from None
    if not wanted:
        if not devices:
            raise NoDevice("there is no device to measure on; ridgeline devices says why")
        return devices[:1]
    if wanted == gpus.ALL:
        found = [device for device in devices if device["id"].startswith("cuda:")]
        if not found:
            raise NoDevice("there is no GPU for --device all; ridgeline devices says why")
        return found
    kind, _, numbers = wanted.partition(":")
    names = [f"{kind}:{number}" for number in numbers.split(",")] if numbers else [wanted]
    found = [device for name in names for device in devices if device["id"] == name]
    if len(found) != len(names):
        there = ", ".join(device["id"] for device in devices) or "none"
        raise NoDevice(
            f"no device is named {wanted}; there are: {there}. ridgeline devices says what is "
            "missing and why"
        )
    return found


def look_at(
    ridgeline: Path, device: Device, results: str, min_free: float, workers: list[str]
) -> Preflight:
    """Takes a few seconds, in which the processors are watched. `min_free`: GiB on the disk of
    `results`. Raises NoDevice."""
    text = ask(
        ridgeline,
        *("doctor", "--quick", "--json", *program.option("--device", device["id"])),
        *(f"--min-free={min_free}", *options(workers)),
        results=results,
        codes=(0, 3),
    )
    try:
        findings = document.decode(text, Diagnosis)["findings"]
    except document.Odd as error:
        words = "doctor --json printed something else than findings"
        raise NoDevice(f"{ridgeline} {words}: {error}") from None
    preflight = Preflight(device=f"{device['id']} ({device['name']})")
    for one in findings:
        if one["level"] == "fine":
            preflight.looked_at[one["check"]] = one["seen"]
        else:
            preflight.add(one["check"], one["level"], one["seen"], one["why"], one["do"])
    return preflight
