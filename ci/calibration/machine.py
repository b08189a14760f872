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


def load() -> float:
    """Processes that wanted a core, on average over the last minute."""
    return round(os.getloadavg()[0], 2)


def _read(path: str) -> str:
    try:
        return Path(path).read_text(errors="replace")
    except OSError:
        return ""
