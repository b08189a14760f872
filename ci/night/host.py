"""Whether the machine around the device is fit: room on the disk and in memory, and who else uses
the processors."""

import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

from .finding import NOTE, UNFIT, UNKNOWN, Preflight

GIB = 1 << 30
MEMORY_FREE = 2 * GIB
WATCHED_S = 3.0  # for how long the processors are watched
BUSY_SHARE = 0.10  # of all processors, by others
STOLEN_SHARE = 0.02  # by the hypervisor
SHOWN = 3  # busy processes


def look_at_disk(folder: Path, least_free: int, preflight: Preflight) -> None:
    try:
        place = folder.resolve()
        while not place.exists():
            place = place.parent
        free = shutil.disk_usage(place).free
    except (OSError, RuntimeError) as error:  # as of links in a circle
        seen = f"{folder} cannot be looked at: {error}"
        why = "a full disk ends the night in the middle, and keeps its results from being written"
        preflight.add("disk", UNKNOWN, seen, why, "choose another folder with --results")
        return
    preflight.looked_at["disk free"] = f"{free / GIB:.1f} GiB"
    if free < least_free:
        asked = f"{least_free / GIB:.1f} GiB are asked for"
        seen = f"{free / GIB:.1f} GiB are free where {folder} is, {asked}"
        why = "a full disk ends the night in the middle, and keeps its results from being written"
        do = "make room: remove old reports and exports, or `ridgeline prune`"
        preflight.add("disk", UNFIT, seen, why, do)


def look_at_memory(preflight: Preflight) -> None:
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        free = next(
            int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:")
        )
    except (OSError, ValueError, StopIteration):
        return
    preflight.looked_at["memory available"] = f"{free / GIB:.1f} GiB"
    if free < MEMORY_FREE:
        seen = f"{free / GIB:.1f} GiB are available"
        why = "workers would be killed or swapped out, which their times cannot tell"
        do = "end what uses it (ps --sort=-rss), or add memory"
        preflight.add("memory", UNFIT, seen, why, do)


def processor_times(root: Path) -> tuple[float, float, float]:
    """Seconds since the start of the machine, over all processors: busy, stolen, all. Source:
    proc(5), /proc/stat."""
    user, nice, system, idle, iowait, irq, softirq, steal = (
        int(word) for word in first_words(root / "stat")[1:9]
    )
    tick = os.sysconf("SC_CLK_TCK")
    busy = user + nice + system + irq + softirq
    return busy / tick, steal / tick, (busy + steal + idle + iowait) / tick


def first_words(path: Path) -> list[str]:
    with path.open() as file:
        return file.readline().split()


def process_times(root: Path) -> dict[int, tuple[str, str, float]]:
    """Name, start and processor seconds by pid, of what is visible. Source: proc(5),
    /proc/[pid]/stat."""
    tick = os.sysconf("SC_CLK_TCK")
    found = {}
    for folder in root.glob("[0-9]*"):
        try:
            text = (folder / "stat").read_text(errors="replace")
        except OSError:  # it has ended
            continue
        head, _, tail = text.rpartition(")")
        name, rest = head.partition("(")[2], tail.split()
        found[int(folder.name)] = name, rest[19], (int(rest[11]) + int(rest[12])) / tick
    return found


def cores_used(before: dict, after: dict, seconds: float) -> dict[str, float]:
    """By "name (pid 12)": two of process_times, so many seconds apart. Without this process
    itself."""
    used = {}
    for pid, (name, start, spent) in after.items():
        known = pid in before and before[pid][1] == start
        if pid != os.getpid():
            used[f"{name} (pid {pid})"] = (spent - (before[pid][2] if known else 0.0)) / seconds
    return used


def look_at_processors(
    measures_cpu: bool, preflight: Preflight, root: Path = Path("/proc")
) -> None:
    """Watches for a few seconds. A GPU needs one processor that is free to feed it, a CPU needs all
    of them."""
    try:
        busy, stolen, everything = processor_times(root)
        before = process_times(root)
        time.sleep(WATCHED_S)
        now = processor_times(root)
        after = process_times(root)
        load = first_words(root / "loadavg")[0]
    except (OSError, ValueError, IndexError) as error:
        seen = f"{root}/stat cannot be read: {error}"
        why = "other programs may take time from what is measured"
        preflight.add("processor load", UNKNOWN, seen, why, "look by hand: top")
        return
    span = max(now[2] - everything, 1e-9)
    cores = os.cpu_count() or 1
    used = cores_used(before, after, span / cores)
    busy, stolen = (now[0] - busy) / span, (now[1] - stolen) / span
    judge_processors(measures_cpu, cores, busy, stolen, f"load average {load}", used, preflight)


def judge_processors(
    measures_cpu: bool,
    cores: int,
    busy: float,
    stolen: float,
    load: str,
    used: dict[str, float],
    preflight: Preflight,
) -> None:
    """`busy`, `stolen`: shares of all `cores`; `used`: processors by name."""
    preflight.looked_at["processors busy"] = f"{busy:.0%} of {cores}, {stolen:.0%} stolen, {load}"
    busiest = sorted(used.items(), key=lambda item: -item[1])[:SHOWN]
    by = ", ".join(f"{name} {share:.1f}" for name, share in busiest if share >= 0.05)
    seen = (f"{busy * cores:.1f} of {cores} processors are busy; {load}") + (
        f"; most by {by}" if by else ""
    )
    end = "end it, or move the night to a quieter hour"
    if measures_cpu and busy > BUSY_SHARE:
        why = "what is measured shares processors, caches and memory bandwidth with it"
        preflight.add("processor load", UNFIT, seen, why, end)
    elif not measures_cpu and busy > 1 - 1.5 / cores:
        why = "the program that feeds the GPU needs a processor of its own"
        preflight.add("processor load", UNFIT, seen, why, end)
    elif not measures_cpu and busy > 0.5:
        why = "launches may come late, and short kernels feel it"
        preflight.add("processor load", NOTE, seen, why, "a quieter hour gives narrower intervals")
    if stolen > STOLEN_SHARE:
        seen = f"the hypervisor gave {stolen:.0%} of the processors' time to other machines"
        why = "times contain pauses that nothing here can see"
        do = "use a machine of its own, or one with pinned processors"
        preflight.add("stolen time", UNFIT if measures_cpu else NOTE, seen, why, do)


def look_at_quota(
    measures_cpu: bool, preflight: Preflight, root: Path = Path("/sys/fs/cgroup")
) -> None:
    """A container's quota stops its processes for the rest of a period once it is spent. Source:
    cgroup v2, cpu.max."""
    cores = len(os.sched_getaffinity(0))
    quota = min(quotas(root), default=None)
    if quota is None:
        return
    preflight.looked_at["processor quota"] = f"{quota:.2f} of {cores}"
    if quota < cores:
        seen = f"{quota:.2f} processors' time for {cores} processors"
        why = (
            "threads on all processors spend it early in each period, and are stopped for the rest"
        )
        do = "give the container whole processors (a cpuset) in place of a quota"
        preflight.add("processor quota", UNFIT if measures_cpu else NOTE, seen, why, do)


def quotas(root: Path) -> Iterator[float]:
    try:
        own = next(
            line[4:]
            for line in Path("/proc/self/cgroup").read_text(errors="replace").splitlines()
            if line.startswith("0::/")
        )
    except (OSError, StopIteration):
        own = ""
    folder = root / own
    for place in [folder, *folder.parents]:
        if place != root and root not in place.parents:
            return
        try:
            allowed, period = (place / "cpu.max").read_text().split()
            if allowed != "max":
                yield int(allowed) / int(period)
        except (OSError, ValueError):
            continue


def look_at_governors(preflight: Preflight, root: Path = Path("/sys/devices/system/cpu")) -> None:
    governors = set()
    for path in root.glob("cpu[0-9]*/cpufreq/scaling_governor"):
        try:
            governors.add(path.read_text().strip())
        except OSError:
            continue
    if not governors:
        return
    preflight.looked_at["governor"] = ", ".join(sorted(governors))
    if governors != {"performance"}:
        seen = f"processors run under {', '.join(sorted(governors))}"
        why = "clocks rise only some time after work has begun, so the first samples are slow"
        do = "cpupower frequency-set --governor performance"
        preflight.add("governor", NOTE, seen, why, do)
