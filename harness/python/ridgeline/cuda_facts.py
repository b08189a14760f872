"""GPUs as `ridgeline-suites` describes them, by the driver alone: torch takes seconds to load, and
`devices` has to be quick."""

import ctypes
import os
import signal
import subprocess
import sys

from ridgeline import libraries
from ridgeline.cpu_facts import slug
from ridgeline.nvml import Gpu

# CUdevice_attribute, by the name of the property that it becomes.
_PROPERTIES = {
    "sms": 16,
    "l2_bytes": 38,
    "memory_bus_bits": 37,
    "registers_per_sm": 82,
    "shared_bytes_per_sm": 81,
    "threads_per_sm": 39,
}
_MAJOR, _MINOR = 75, 76
# As in harness/base/killed_by_opening.cpp: what a library does to its program.
_FAULTS = {signal.SIGBUS, signal.SIGSEGV, signal.SIGILL, signal.SIGFPE, signal.SIGABRT}
_PATIENCE_S = 60


class _Uuid(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_ubyte * 16)]


def _attribute(driver, number: int, index: int) -> int:
    value = ctypes.c_int()
    driver.cuDeviceGetAttribute(ctypes.byref(value), ctypes.c_int(number), ctypes.c_int(index))
    return value.value


def _uuid(driver, index: int) -> str:
    raw = _Uuid()
    ask = getattr(driver, "cuDeviceGetUuid_v2", driver.cuDeviceGetUuid)
    ask(ctypes.byref(raw), ctypes.c_int(index))
    text = bytes(raw.bytes).hex()
    parts = (text[:8], text[8:12], text[12:16], text[16:20], text[20:])
    return "GPU-" + "-".join(parts)


def _device(driver, index: int) -> dict:
    name = ctypes.create_string_buffer(256)
    driver.cuDeviceGetName(name, 256, ctypes.c_int(index))
    memory = ctypes.c_size_t()
    driver.cuDeviceTotalMem_v2(ctypes.byref(memory), ctypes.c_int(index))
    called = name.value.decode(errors="replace")
    model = slug(called)
    system = os.uname()
    major, minor = (_attribute(driver, each, index) for each in (_MAJOR, _MINOR))
    properties = {"capability": f"{major}.{minor}"}
    for key, number in _PROPERTIES.items():
        properties[key] = str(_attribute(driver, number, index))
    device = {
        "id": f"cuda:{index}",
        "kind": "cuda",
        "model": model if model.startswith("nvidia-") else f"nvidia-{model}",
        "name": called,
        "uuid": _uuid(driver, index),
        "pci_id": "",
        "properties": properties,
        "comparable": {
            "model": called,
            "memory_gib": str((memory.value + (1 << 29)) >> 30),
        },
        "recorded": {"host": system.nodename, "kernel": system.release},
    }
    Gpu(device["uuid"]).describe(device)
    return device


def _killed_by_opening(name: str) -> str:
    """As killed_by_opening in harness/base."""
    opening = [sys.executable, "-IS", "-c", f"import ctypes; ctypes.CDLL({name!r})"]
    try:
        ended = subprocess.run(
            opening,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=_PATIENCE_S,
        )
    except subprocess.TimeoutExpired:
        return ""
    number = -ended.returncode
    if number not in _FAULTS:
        return ""
    return f"{signal.Signals(number).name} ({signal.strsignal(number)})"


def devices() -> tuple[list[dict], str]:
    """All GPUs, or none with the reason. Also none where no library could put arrays there."""
    if not (libraries.is_there("torch") or libraries.is_there("cupy")):
        return [], libraries.missing("torch or CuPy")
    for part in ("libcuda.so.1", "libnvidia-ml.so.1"):
        if killer := _killed_by_opening(part):
            return [], (
                f"the NVIDIA driver is broken: its {part} kills what opens it by {killer}; "
                "install it again"
            )
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError as error:
        return [], f"no NVIDIA driver: {error}"
    count = ctypes.c_int()
    status = driver.cuInit(0) or driver.cuDeviceGetCount(ctypes.byref(count))
    if status != 0:
        return [], f"the NVIDIA driver answers with error {status}"
    if count.value == 0:
        return [], "the NVIDIA driver shows no GPU"
    return [_device(driver, index) for index in range(count.value)], ""
