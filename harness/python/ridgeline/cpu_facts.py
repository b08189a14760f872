"""The CPU as `ridgeline-suites` describes it, so that results of both lie in one file and can be
compared. A test sets the two side by side."""

import os
import re
from pathlib import Path

_MASK = (1 << 64) - 1


def _first_line(file: str) -> str:
    try:
        return Path(file).read_text(errors="replace").split("\n", 1)[0].strip(' \t\r"')
    except OSError:
        return ""


def _value_of(file: str, key: str) -> str:
    try:
        text = Path(file).read_text(errors="replace")
    except OSError:
        return ""
    for line in text.splitlines():
        name, separator, value = re.match(r"([^:=]*)([:=]?)(.*)", line).groups()
        if separator and name.strip(' \t\r"') == key:
            return value.strip(' \t\r"')
    return ""


def slug(name: str) -> str:
    """Words of a model's name: "AMD EPYC" is "amd-epyc"."""
    text = ""
    for c in name:
        if c.isascii() and c.isalnum():
            text += c.lower()
        elif c == "+":
            text += "plus"
        elif text and not text.endswith("-"):
            text += "-"
    return text[:-1] if text.endswith("-") else text


def _clean(name: str) -> str:
    noise = r"\((r|tm|c)\)|@.*$| with .*$|\b(cpu|processor)\b|\b[0-9]+-core\b"
    return " ".join(re.sub(noise, " ", name, flags=re.IGNORECASE).split())


def _size(text: str) -> int:
    number, unit = re.match(r"(\d*)(.*)", text).groups()
    scale = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}.get(unit, 0)
    return int(number or 0) * scale


def _cpus_of(text: str) -> list[int]:
    cpus: list[int] = []
    for part in filter(None, text.split(",")):
        first, _, last = part.partition("-")
        if not first.isdigit() or not (last or first).isdigit():
            break
        cpus += range(int(first), int(last or first) + 1)
    return cpus


def cpus() -> list[int]:
    """One logical CPU of each core that this process may use, at most OMP_NUM_THREADS."""
    taken: set[int] = set()
    chosen = []
    for cpu in sorted(os.sched_getaffinity(0)):
        if cpu in taken:
            continue
        chosen.append(cpu)
        siblings = f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list"
        taken.update(_cpus_of(_first_line(siblings)))
    limit = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    return chosen[: int(limit)] if limit.isdigit() and int(limit) > 0 else chosen


def _caches(used: list[int]) -> tuple[int, int, int]:
    """L1 and L2 of the first core, and all of the last level together, in bytes."""
    l1 = l2 = last = level_of_last = 0
    seen: set[str] = set()
    for cpu in used:
        for index in range(8):
            folder = f"/sys/devices/system/cpu/cpu{cpu}/cache/index{index}"
            size = _size(_first_line(f"{folder}/size"))
            if size == 0 or _first_line(f"{folder}/type") == "Instruction":
                continue
            level = _size(_first_line(f"{folder}/level"))
            if cpu == used[0] and level == 1:
                l1 = size
            if cpu == used[0] and level == 2:
                l2 = size
            if level < level_of_last:
                continue
            if level > level_of_last:
                level_of_last, last = level, 0
                seen.clear()
            shared = _first_line(f"{folder}/shared_cpu_list")
            if shared not in seen:
                seen.add(shared)
                last += size
    return l1, l2, last


def _random_bits(seed: int, index: int) -> int:
    z = (seed * 0xD1342543DE82EF95 + (index + 1) * 0x9E3779B97F4A7C15) & _MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return z ^ (z >> 31)


def _uuid(host: str, name: str) -> str:
    """The machine id is confidential: 128 bits of it are folded into 64."""
    bits = 0x72696467656C696E
    for byte in f"{_first_line('/etc/machine-id') or host}/{name}".encode():
        bits = _random_bits(bits, byte)
    return f"CPU-{bits:016x}"


def _simd(flags: str, machine: str) -> str:
    words = flags.split()
    if machine == "aarch64":
        return "neon"
    if "avx512f" in words:
        return "avx512f"
    return "avx2" if "avx2" in words and "fma" in words else "sse2"


def last_level_cache() -> int:
    return _caches(cpus())[2]


def device() -> dict:
    """As the protocol's `devices` has it."""
    system = os.uname()
    used = cpus()
    l1, l2, last = _caches(used)
    name = _clean(_value_of("/proc/cpuinfo", "model name"))
    name = name or _clean(f"{system.machine} {_value_of('/proc/cpuinfo', 'CPU part')}")
    memory = _size(_value_of("/proc/meminfo", "MemTotal").split(" ")[0]) << 10
    flags = _value_of("/proc/cpuinfo", "flags")
    simd = _simd(flags, system.machine)
    comparable = {
        "model": name,
        "cores": str(len(used)),
        "memory_gib": str((memory + (1 << 29)) >> 30),
        "simd": simd,
    }
    governor = _first_line(f"/sys/devices/system/cpu/cpu{used[0]}/cpufreq/scaling_governor")
    if governor:
        comparable["governor"] = governor
    recorded = {
        "host": system.nodename,
        "kernel": system.release,
        "operating_system": _value_of("/etc/os-release", "PRETTY_NAME"),
        "microcode": _value_of("/proc/cpuinfo", "microcode"),
        "transparent_huge_pages": _first_line("/sys/kernel/mm/transparent_hugepage/enabled"),
        "boost": _first_line("/sys/devices/system/cpu/cpufreq/boost"),
        "virtual_machine": "yes" if "hypervisor" in flags.split() else "no",
    }
    return {
        "id": "cpu",
        "kind": "cpu",
        "model": f"cpu-{slug(name)}-{len(used)}c",
        "name": name,
        "uuid": _uuid(system.nodename, name),
        "pci_id": "",
        "properties": {
            "cores": str(len(used)),
            "l1_bytes": str(l1),
            "l2_bytes": str(l2),
            "last_level_cache_bytes": str(last),
            "simd": simd,
            "architecture": system.machine,
        },
        "comparable": comparable,
        "recorded": {key: value for key, value in recorded.items() if value},
    }
