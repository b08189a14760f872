"""Is this machine fit to measure on this device now?"""

import subprocess
from pathlib import Path
from typing import TypedDict

from . import document, gpu, host, program
from .finding import UNKNOWN, Preflight


class NoDevice(Exception):
    """The device cannot be found; the message says what was tried, and what to do."""


class Device(TypedDict):
    id: str
    kind: str
    name: str
    uuid: str
    recorded: dict[str, str]


class Devices(TypedDict):
    devices: list[Device]


def find_devices(ridgeline: Path, wanted: str, workers: list[str]) -> list[Device]:
    """Facts of the devices that `--device wanted` means ("cuda:0,1" means two), or of the one that
    `run` prefers."""
    try:
        words = [word for worker in workers for word in program.option("--worker", worker)]
        done = program.answer([str(ridgeline), "devices", "--json", *words], 120)
    except (OSError, program.TooMuch, subprocess.TimeoutExpired) as error:
        raise NoDevice(f"{ridgeline} devices cannot be asked: {error}") from None
    if done.returncode != 0:
        raise NoDevice(
            f"{ridgeline} devices ended with {done.returncode}: {done.stderr.strip()[:500]}"
        )
    try:
        devices = document.decode(done.stdout, Devices)["devices"]
    except document.Odd as error:
        words = "devices --json printed something else than devices"
        raise NoDevice(f"{ridgeline} {words}: {error}") from None
    if not wanted:
        if not devices:
            raise NoDevice("there is no device to measure on; ridgeline devices says why")
        return devices[:1]
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


def look_at(device: Device, results: Path, least_free: int) -> Preflight:
    """Takes a few seconds, in which the processors are watched."""
    preflight = Preflight(device=f"{device['id']} ({device['name']})")
    host.look_at_disk(results, least_free, preflight)
    host.look_at_memory(preflight)
    # An emulated device counts, and counts are the same on a busy machine.
    if device["kind"] not in ("cpu", "cuda"):
        return preflight
    measures_cpu = device["kind"] == "cpu"
    host.look_at_processors(measures_cpu, preflight)
    host.look_at_quota(measures_cpu, preflight)
    host.look_at_governors(preflight)
    if device["kind"] == "cuda":
        name = gpu_name(device)
        if name:
            gpu.look_at(name, preflight)
        else:
            seen = "the GPU's UUID and bus are not known"
            preflight.add("nvidia-smi", UNKNOWN, seen, gpu.NOT_KNOWN, "run nvidia-smi by hand")
    return preflight


def gpu_name(device: Device) -> str:
    """How nvidia-smi knows it; the numbers of CUDA and of nvidia-smi may differ."""
    bus = device["recorded"].get("pci_bus", "")
    return bus or (device["uuid"] if device["uuid"].startswith("GPU-") else "")
