"""What a device says of itself while a case is timed, as the field `telemetry` has it."""

from collections.abc import Callable
from pathlib import Path

from ridgeline.clocks import now_ns
from ridgeline.spread import median

INTERVAL_NS = 50e6


class Sensors:
    """Readings over the time of a measurement. `read_now` gives one as a dict of the fields of
    `telemetry`, without what the device cannot say."""

    def __init__(self, read_now: Callable[[], dict]):
        self._read_now, self._readings, self._last = read_now, [], 0

    def read(self) -> None:
        self._readings.append(self._read_now())
        self._last = now_ns()

    def poll(self) -> None:
        if not self._readings or now_ns() - self._last >= INTERVAL_NS:
            self.read()

    def summary(self) -> dict:
        """Clocks are the median of all readings, power and temperature the highest."""
        found: dict = {"throttle": "", "throttled_by_hardware": False}
        for field, made in [
            ("sm_clock_mhz", median),
            ("memory_clock_mhz", median),
            ("power_w", max),
            ("temperature_c", max),
            ("other_processes", max),
        ]:
            values = [reading[field] for reading in self._readings if field in reading]
            if values:
                found[field] = made(values)
        reasons = {word for each in self._readings for word in each.get("throttle", "").split(",")}
        found["throttle"] = ",".join(sorted(reasons - {""}))
        found["throttled_by_hardware"] = any(
            each.get("throttled_by_hardware", False) for each in self._readings
        )
        return found


def _number(file: Path, scale: float) -> float | None:
    try:
        value = float(file.read_text().split()[0]) * scale
    except (OSError, ValueError, IndexError):
        return None
    return value if value > 0 else None


def _clock_from_cpuinfo() -> float | None:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("cpu MHz"):
                return float(line.split(":")[1])
    except (OSError, ValueError, IndexError):
        pass
    return None


def cpu_reader(cpu: int) -> Callable[[], dict]:
    """Reads the clock of one core, and the package's temperature."""
    frequency = Path(f"/sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_cur_freq")
    scaled = frequency.exists()
    temperature = None
    for folder in sorted(Path("/sys/class/hwmon").glob("*")):
        try:
            driver = (folder / "name").read_text().strip()
        except OSError:
            continue
        if driver in ("k10temp", "zenpower", "coretemp"):
            temperature = folder / "temp1_input"

    def read() -> dict:
        reading = {}
        clock = _number(frequency, 1e-3) if scaled else _clock_from_cpuinfo()
        if clock:
            reading["sm_clock_mhz"] = clock
        degrees = _number(temperature, 1e-3) if temperature else None
        if degrees:
            reading["temperature_c"] = degrees
        return reading

    return read
