"""What the study says of the machine: enough to judge the numbers by, nothing that names it."""

import os
import re
from pathlib import Path


def facts() -> dict[str, str | int | float]:
    """Without host names. What cannot be read is left out."""
    found: dict[str, str | int | float] = {"cores": len(os.sched_getaffinity(0))}
    model = re.search(r"^model name\s*:\s*(.+)$", _read("/proc/cpuinfo"), re.MULTILINE)
    if model:
        found["cpu"] = model[1].strip()
    if re.search(r"^flags\s*:.*\bhypervisor\b", _read("/proc/cpuinfo"), re.MULTILINE):
        found["virtual"] = "yes"
    memory = re.search(r"^MemTotal:\s*(\d+) kB", _read("/proc/meminfo"), re.MULTILINE)
    if memory:
        found["memory_gib"] = round(int(memory[1]) / 2**20, 1)
    caches = sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*/size"))
    if caches:
        found["last_level_cache"] = _read(str(caches[-1])).strip()
    return found


def gpu_facts(device: dict) -> dict[str, str]:
    """Of a worker's word on a GPU, what its times depend on; not its UUID, its bus or its host."""
    properties, comparable, recorded = (
        device.get(name) or {} for name in ("properties", "comparable", "recorded")
    )
    kept = {
        "gpu": device.get("name"),
        **{
            name: properties.get(name)
            for name in ("capability", "sms", "l2_bytes", "max_sm_clock_mhz")
        },
        **{name: properties.get(name) for name in ("max_memory_clock_mhz", "memory_bus_bits")},
        **{
            f"gpu_{name}": comparable.get(name)
            for name in ("memory_gib", "power_limit_w", "ecc", "mig")
        },
        "application_sm_clock_mhz": comparable.get("application_sm_clock_mhz"),
        **{name: recorded.get(name) for name in ("driver", "cuda_driver")},
    }
    return {name: str(value) for name, value in kept.items() if value is not None}


def load() -> float:
    """Processes that wanted a core, on average over the last minute."""
    return round(os.getloadavg()[0], 2)


def _read(path: str) -> str:
    try:
        return Path(path).read_text(errors="replace")
    except OSError:
        return ""
