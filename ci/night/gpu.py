"""Whether a GPU is fit to be measured, by what nvidia-smi answers to queries.

Fields and their meanings: `nvidia-smi --help-query-gpu`. Reasons for lowered clocks: NVML API
reference, nvmlClocksEventReasons.
"""

import csv
import io
import math
import re
import subprocess
import time

from . import program
from .finding import NOTE, UNFIT, UNKNOWN, Preflight

FIELDS = (
    "name",
    "driver_version",
    "clocks_throttle_reasons.active",
    "utilization.gpu",
    "memory.used",
    "temperature.gpu",
    "temperature.gpu.tlimit",
    "power.limit",
    "power.default_limit",
    "enforced.power.limit",
    "clocks.max.sm",
    "clocks.applications.graphics",
    "clocks.default_applications.graphics",
    "ecc.mode.current",
    "ecc.mode.pending",
    "ecc.errors.uncorrected.volatile.total",
    "ecc.errors.corrected.volatile.total",
    "retired_pages.pending",
    "remapped_rows.pending",
    "remapped_rows.failure",
    "gpu_recovery_action",
    "persistence_mode",
    "compute_mode",
    "mig.mode.current",
    "mig.mode.pending",
    "pcie.link.width.current",
    "pcie.link.width.max",
)
ANSWER_S = 30  # a healthy driver answers within one or two
BUSY_PERCENT = 5
USED_MIB = 1024  # what the driver keeps for itself is below
HEADROOM_C = 10  # at rest, below the temperature at which clocks fall
HOT_C = 75  # at rest, where the driver does not say how much headroom there is

# What stands for a value that this GPU or driver does not have, in brackets or not.
ABSENT = {"", "N/A", "Not Supported", "Unknown Error", "Insufficient Permissions"}
NOT_KNOWN = "clocks, heat, errors and other users of the GPU are not known"
KEEP = "keep it from night to night"

SLOWED_BY_HARDWARE = {
    0x08: "hw_slowdown",
    0x20: "sw_thermal_slowdown",
    0x40: "hw_thermal_slowdown",
    0x80: "hw_power_brake_slowdown",
}
SLOWED_OTHERWISE = {0x02: "applications_clocks_setting", 0x04: "sw_power_cap", 0x10: "sync_boost"}


class NoAnswer(Exception):
    """nvidia-smi cannot be asked; the message says what was tried and what came back."""


class NotInstalled(NoAnswer):
    """There is none: that says nothing of the GPU."""


def ask(*arguments: str) -> str:
    """What nvidia-smi prints. Raises NoAnswer with its words when it is absent, fails, or does not
    end in time."""
    command = ["nvidia-smi", *arguments]
    try:
        done = program.answer(command, ANSWER_S)
    except FileNotFoundError:
        raise NotInstalled("nvidia-smi is not on the PATH") from None
    except subprocess.TimeoutExpired:
        raise NoAnswer(f"nvidia-smi did not answer within {ANSWER_S} s") from None
    except (OSError, program.TooMuch) as error:
        raise NoAnswer(f"nvidia-smi cannot be asked: {error}") from None
    if done.returncode != 0:
        words = " ".join((done.stdout + done.stderr).split())[:300]
        raise NoAnswer(f"nvidia-smi ended with {done.returncode}: {words or 'no words'}")
    return done.stdout


def rows(gpu: str, what: str, fields: list[str]) -> list[list[str]]:
    """The answer to a query of that name."""
    text = ask(f"--id={gpu}", f"--query-{what}={','.join(fields)}", "--format=csv,noheader,nounits")
    try:
        return [row for row in csv.reader(io.StringIO(text), skipinitialspace=True) if row]
    except csv.Error as error:  # a value of more than 128 KiB
        raise NoAnswer(f"nvidia-smi answered no table: {error}") from None


def query(gpu: str) -> dict[str, str]:
    """The fields that this GPU and driver know; drivers refuse a whole query for one field that
    they do not know."""
    wanted = list(FIELDS)
    while wanted:
        try:
            answer = rows(gpu, "gpu", wanted)
        except NoAnswer as refusal:
            unknown = re.search(r'Field "([^"]+)" is not a valid field', str(refusal))
            if not unknown or unknown[1] not in wanted:
                raise
            wanted.remove(unknown[1])
            continue
        if len(answer) != 1 or len(answer[0]) != len(wanted):
            raise NoAnswer(
                f"nvidia-smi answered {len(answer)} rows for one GPU, or not one value a field"
            )
        values = zip(wanted, answer[0], strict=True)
        return {name: value for name, value in values if value.strip("[]") not in ABSENT}
    return {}


def processes(gpu: str) -> list[str]:
    """Who computes on the GPU, one line each: `python3 (pid 12, 3000 MiB)`."""
    answer = rows(gpu, "compute-apps", ["process_name", "pid", "used_memory"])
    return [f"{row[0]} (pid {row[1]}, {row[2]} MiB)" for row in answer if len(row) == 3]


def look_at(gpu: str, preflight: Preflight) -> None:
    """`gpu`: what `nvidia-smi --id` takes. Never raises: what cannot be asked is a finding."""
    try:
        facts = query(gpu)
        # Perhaps by something that ends just now.
        if number(facts, "utilization.gpu", 0) >= BUSY_PERCENT:
            time.sleep(2)
            facts = query(gpu)
        neighbours = processes(gpu)
    except NotInstalled as reason:
        do = "install the driver's nvidia-smi"
        preflight.add("nvidia-smi", UNKNOWN, str(reason), NOT_KNOWN, do)
    except NoAnswer as reason:
        why = f"{NOT_KNOWN}, and a driver that does not answer is often one that has lost the GPU"
        do = "run nvidia-smi by hand; see dmesg for Xid messages; reset the GPU"
        preflight.add("nvidia-smi", UNFIT, str(reason), why, do)
    else:
        preflight.looked_at.update(facts)
        judge(facts, neighbours, preflight)


def number(facts: dict[str, str], name: str, otherwise: float) -> float:
    try:
        found = float(facts[name])
    except (KeyError, ValueError):
        return otherwise
    return found if math.isfinite(found) else otherwise


def judge(facts: dict[str, str], neighbours: list[str], preflight: Preflight) -> None:
    """Pure: findings from what was read. A fact that is absent gives none."""
    judge_clocks(facts, preflight)
    judge_neighbours(facts, neighbours, preflight)
    judge_heat_and_power(facts, preflight)
    judge_memory_errors(facts, preflight)
    judge_modes(facts, preflight)


def judge_clocks(facts: dict[str, str], preflight: Preflight) -> None:
    try:
        mask = int(facts.get("clocks_throttle_reasons.active", "0"), 16)
    except ValueError:
        mask = 0
    by_hardware = [name for bit, name in SLOWED_BY_HARDWARE.items() if mask & bit]
    otherwise = [name for bit, name in SLOWED_OTHERWISE.items() if mask & bit]
    if by_hardware:
        seen = f"clocks are held down at rest by {', '.join(by_hardware)}"
        why = "every time would be that of a slowed GPU"
        do = "look at fans, airflow and power cables, let it cool, then run ci/preflight again"
        preflight.add("throttling", UNFIT, seen, why, do)
    if otherwise:
        seen = f"clocks are held down at rest by {', '.join(otherwise)}"
        why = "times compare only with runs under the same setting"
        do = (
            "nvidia-smi -q -d CLOCK,PERFORMANCE shows the setting; keep it as it is from night to "
            "night"
        )
        preflight.add("clocks", NOTE, seen, why, do)
    clock = facts.get("clocks.applications.graphics")
    default = facts.get("clocks.default_applications.graphics")
    if clock and default and clock != default:
        seen = f"the application clock is {clock} MHz, by default {default} MHz"
        why = "times compare only with runs at the same clock"
        do = f"{KEEP}, or reset it: nvidia-smi --reset-applications-clocks"
        preflight.add("clocks", NOTE, seen, why, do)


def judge_neighbours(facts: dict[str, str], neighbours: list[str], preflight: Preflight) -> None:
    do = (
        "end it, or reserve the GPU for the night (a scheduler's exclusive job, a maintenance "
        "window)"
    )
    seen = ""
    if neighbours:
        more = f" and {len(neighbours) - 5} more" if len(neighbours) > 5 else ""
        seen = ", ".join(neighbours[:5]) + more
    else:
        if number(facts, "utilization.gpu", 0) >= BUSY_PERCENT:
            seen = f"the GPU is {facts['utilization.gpu']}% busy"
        elif number(facts, "memory.used", 0) > USED_MIB:
            seen = f"{facts['memory.used']} MiB of GPU memory are in use"
        seen += ", but no process is visible from here" if seen else ""
        do = f"look for it outside this container; {do}"
    if seen:
        why = "it takes execution units, bandwidth and power from what is measured"
        preflight.add("other processes", UNFIT, seen, why, do)


def judge_heat_and_power(facts: dict[str, str], preflight: Preflight) -> None:
    temperature = number(facts, "temperature.gpu", 0)
    headroom = number(facts, "temperature.gpu.tlimit", 999)
    if headroom <= HEADROOM_C or ("temperature.gpu.tlimit" not in facts and temperature >= HOT_C):
        left = f", {headroom:.0f} C below where clocks fall" if headroom < 999 else ""
        seen = f"{temperature:.0f} C at rest{left}"
        why = "it will throttle as soon as it works"
        do = "look at fans and airflow, or wait until it has cooled"
        preflight.add("temperature", UNFIT, seen, why, do)
    limit, default = number(facts, "power.limit", 0), number(facts, "power.default_limit", 0)
    enforced = number(facts, "enforced.power.limit", limit)
    if enforced < limit:
        seen = f"{enforced:.0f} W are enforced, {limit:.0f} W are set"
        why = (
            "the board or the machine allows less than was asked for, and may change it during "
            "the night"
        )
        do = "look at power supplies and at the machine's power management"
        preflight.add("power limit", UNFIT, seen, why, do)
    elif 0 < limit < default:
        seen = f"{limit:.0f} W, by default {default:.0f} W"
        why = "times compare only with runs at the same limit"
        do = f"{KEEP}, or reset it: nvidia-smi --power-limit={default:.0f}"
        preflight.add("power limit", NOTE, seen, why, do)


def judge_memory_errors(facts: dict[str, str], preflight: Preflight) -> None:
    why = "results may be wrong, and the driver spends time on correcting or isolating memory"
    reset = (
        "drain and reset the GPU (nvidia-smi --gpu-reset) or restart the machine; if it comes "
        "back, have it replaced"
    )
    if uncorrected := number(facts, "ecc.errors.uncorrected.volatile.total", 0):
        seen = f"{uncorrected:.0f} uncorrected since the driver was loaded"
        preflight.add("ECC errors", UNFIT, seen, why, reset)
    if corrected := number(facts, "ecc.errors.corrected.volatile.total", 0):
        seen = f"{corrected:.0f} corrected since the driver was loaded"
        sooner = "memory that often needs correcting fails sooner"
        preflight.add("ECC errors", NOTE, seen, sooner, "watch the number")
    for name, words in (
        ("retired_pages.pending", "memory pages wait to be retired"),
        ("remapped_rows.pending", "memory rows wait to be remapped"),
        ("remapped_rows.failure", "a memory row could not be remapped"),
    ):
        if facts.get(name) == "Yes":
            preflight.add("GPU memory", UNFIT, words, why, reset)
    if facts.get("gpu_recovery_action", "None") != "None":
        seen = f"the driver asks for the recovery action {facts['gpu_recovery_action']}"
        why = "the GPU is in a state that it does not leave by itself"
        preflight.add("GPU state", UNFIT, seen, why, reset)


def judge_modes(facts: dict[str, str], preflight: Preflight) -> None:
    for mode, name in (("ecc", "ECC"), ("mig", "MIG")):
        now, pending = facts.get(f"{mode}.mode.current"), facts.get(f"{mode}.mode.pending")
        if now and pending and now != pending:
            seen = f"{name} is {now.lower()}, and will be {pending.lower()} after the next reset"
            why = "times before and after are not comparable"
            preflight.add(name, NOTE, seen, why, "reset the GPU, or undo it")
    if facts.get("ecc.mode.current") == "Disabled":
        why = "bit errors go unseen, and memory is faster and larger than with ECC"
        preflight.add("ECC", NOTE, "off", why, f"{KEEP}, or turn it on: nvidia-smi --ecc-config=1")
    if facts.get("mig.mode.current") == "Enabled":
        why = "other instances share power and clocks with the one that is measured"
        do = "leave the other instances idle during the night"
        preflight.add("MIG", NOTE, "the GPU is divided", why, do)
    if facts.get("persistence_mode") == "Disabled":
        why = "the driver is loaded again for each process, and forgets settings in between"
        do = "start nvidia-persistenced, or nvidia-smi --persistence-mode=1"
        preflight.add("persistence mode", NOTE, "off", why, do)
    if facts.get("compute_mode") == "Prohibited":
        why = "no program may use the GPU, so nothing can be measured"
        preflight.add("compute mode", UNFIT, "prohibited", why, "nvidia-smi --compute-mode=0")
    if facts.get("compute_mode") == "Exclusive_Process":
        why = (
            "a gate that measures two builds in turn keeps a process of each on the GPU, which "
            "this mode refuses"
        )
        do = "for such gates: nvidia-smi --compute-mode=0"
        preflight.add("compute mode", NOTE, "exclusive", why, do)
    width = number(facts, "pcie.link.width.current", 0)
    widest = number(facts, "pcie.link.width.max", 0)
    if 0 < width < widest:
        seen = f"the link has {width:.0f} of {widest:.0f} lanes"
        why = "copies from and to the host are slower"
        preflight.add("PCIe", NOTE, seen, why, "reseat the card; see the slot's lanes")
