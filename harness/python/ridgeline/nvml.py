"""NVML by ctypes: what a GPU says of its settings, clocks, power and neighbours. Without the
library, or what a function of it refuses, values are absent."""

import ctypes
import os
from contextlib import suppress

from ridgeline.clocks import now_ns

_SM, _MEMORY = 1, 2
_NEIGHBOURS_NS = 1e9  # between two looks at the processes of the machine
# Bits of nvmlClocksEventReasons; of those in the second set samples are invalid.
_REASONS = {
    0x001: "gpu_idle",
    0x002: "applications_clocks_setting",
    0x004: "sw_power_cap",
    0x008: "hw_slowdown",
    0x010: "sync_boost",
    0x020: "sw_thermal_slowdown",
    0x040: "hw_thermal_slowdown",
    0x080: "hw_power_brake_slowdown",
    0x100: "display_clock_setting",
}
_BY_HARDWARE = 0x008 | 0x020 | 0x040 | 0x080


class _Process(ctypes.Structure):
    _fields_ = [
        ("pid", ctypes.c_uint),
        ("memory", ctypes.c_ulonglong),
        ("gpu_instance", ctypes.c_uint),
        ("compute_instance", ctypes.c_uint),
    ]


def _load():
    with suppress(OSError):
        library = ctypes.CDLL("libnvidia-ml.so.1")
        if library.nvmlInit_v2() == 0:
            return library
    return None


def plain(number: float) -> str:
    """As C++ prints a double: 700, 700.5."""
    return repr(number).removesuffix(".0")


class Gpu:
    """A GPU by its UUID."""

    def __init__(self, uuid: str):
        self._library, self._handle = _load(), ctypes.c_void_p()
        self._asked_ns, self._others = 0, None
        if self._library is None:
            return
        by_uuid = self._library.nvmlDeviceGetHandleByUUID
        if by_uuid(uuid.encode(), ctypes.byref(self._handle)) != 0:
            self._library = None

    def _ask(self, function: str, *before, kind=ctypes.c_uint):
        if self._library is None or not hasattr(self._library, function):
            return None
        value = kind()
        given = [ctypes.c_int(each) for each in before]
        status = getattr(self._library, function)(self._handle, *given, ctypes.byref(value))
        return value.value if status == 0 else None

    def _mode(self, function: str) -> str | None:
        if self._library is None or not hasattr(self._library, function):
            return None
        now, pending = ctypes.c_uint(), ctypes.c_uint()
        asked = getattr(self._library, function)
        status = asked(self._handle, ctypes.byref(now), ctypes.byref(pending))
        return ("on" if now.value else "off") if status == 0 else None

    def driver(self) -> str | None:
        text = ctypes.create_string_buffer(96)
        if self._library is None or self._library.nvmlSystemGetDriverVersion(text, 95) != 0:
            return None
        return text.value.decode(errors="replace")

    def describe(self, device: dict) -> None:
        """Adds to `comparable` and `recorded` what ridgeline-suites says there."""
        driver = self.driver()
        if driver:
            device["recorded"]["driver"] = driver
            device["comparable"]["driver_branch"] = driver.split(".")[0]
        limit = self._ask("nvmlDeviceGetEnforcedPowerLimit")
        clock = self._ask("nvmlDeviceGetApplicationsClock", _SM)
        for key, value in [
            ("ecc", self._mode("nvmlDeviceGetEccMode")),
            ("mig", self._mode("nvmlDeviceGetMigMode")),
            ("power_limit_w", plain(limit * 1e-3) if limit is not None else None),
            ("application_sm_clock_mhz", str(clock) if clock is not None else None),
        ]:
            if value is not None:
                device["comparable"][key] = value

    def read(self) -> dict:
        """A reading, as telemetry.Sensors takes it."""
        power = self._ask("nvmlDeviceGetPowerUsage")
        reading = {
            "sm_clock_mhz": self._ask("nvmlDeviceGetClockInfo", _SM),
            "memory_clock_mhz": self._ask("nvmlDeviceGetClockInfo", _MEMORY),
            "power_w": power * 1e-3 if power is not None else None,
            "temperature_c": self._ask("nvmlDeviceGetTemperature", 0),
            "other_processes": self._neighbours(),
        }
        mask = self._ask("nvmlDeviceGetCurrentClocksEventReasons", kind=ctypes.c_ulonglong)
        if mask is None:
            name = "nvmlDeviceGetCurrentClocksThrottleReasons"
            mask = self._ask(name, kind=ctypes.c_ulonglong)
        if mask is not None:
            reading["throttle"] = ",".join(name for bit, name in _REASONS.items() if mask & bit)
            reading["throttled_by_hardware"] = bool(mask & _BY_HARDWARE)
        return {key: value for key, value in reading.items() if value is not None}

    def _neighbours(self) -> int | None:
        """Compute processes of others on the GPU; None where the ids are not of this machine."""
        if self._library is None or now_ns() - self._asked_ns < _NEIGHBOURS_NS:
            return self._others
        self._asked_ns, self._others = now_ns(), None
        function = getattr(self._library, "nvmlDeviceGetComputeRunningProcesses_v3", None)
        processes, count = (_Process * 256)(), ctypes.c_uint(256)
        if function is None or function(self._handle, ctypes.byref(count), processes) != 0:
            return None
        pids = [processes[i].pid for i in range(count.value)]
        if os.getpid() not in pids:
            self._others = 0 if len(pids) <= 1 else None
        else:
            root = _root_of_ridgeline()
            self._others = sum(not _descends(pid, root) for pid in pids)
        return self._others


def _parent(pid: int) -> tuple[int, bool]:
    """A process's parent, and whether it is one of Ridgeline's programs."""
    try:
        with open(f"/proc/{pid}/stat", errors="replace") as file:  # noqa: PTH123 - many, quickly
            name, _, rest = file.read().partition("(")[2].rpartition(")")
        return int(rest.split()[1]), name.startswith("ridgeline")
    except (OSError, ValueError, IndexError):
        return 0, False


def _root_of_ridgeline() -> int:
    root = above = os.getpid()
    for _ in range(64):
        above = _parent(above)[0]
        if above <= 1:
            break
        if _parent(above)[1]:
            root = above
    return root


def _descends(pid: int, root: int) -> bool:
    for _ in range(64):
        if pid == root:
            return True
        if pid <= 1:
            return False
        pid = _parent(pid)[0]
    return False
