"""Runs real gates between calibration workers, and reads what they have measured."""

import contextlib
import hashlib
import json
import math
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from ci.night import program
from ci.studies.calibration.busy import one_core_busy
from ci.studies.calibration.journal import MEASURED, TIMES, check_gate
from ci.studies.calibration.plan import Cell, Profile

WORKER = "ridgeline-calibration-worker"
PROFILE = """description = "a study of the gate"
processes = 1
budget = "60s"
case_timeout = "20s"

[sampling]
target = 0.01
unstable = 0.5
min_samples = 10
max_samples = 500
warmup = "{warm_up}"
sample_floor = "500us"

[{device_kind}]
cases = ["calibration"]
"""
WARM_UP = {"cpu": "10ms", "cuda": "30ms"}  # a GPU's clocks have to rise
KEPT = (  # of a verdict
    *("case", "verdict", "reason", "ratio", "ratio_low", "ratio_high", "pairs", "dropped"),
    *("noise", "smallest_effect", "p_value", "level", "tail", "tail_suspected"),
)
GATE_MAY_TAKE = 4  # times its budget, and a minute: after that it hangs


class GateFailed(Exception):
    """A gate that did not end as one: nothing of it is counted."""


_NOT_UNDERSTOOD = (
    *(OSError, subprocess.SubprocessError, program.TooMuch),
    *(ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError),
)


@contextlib.contextmanager
def _understood(complaint: str) -> Iterator[None]:
    """What goes wrong within is a GateFailed that says so."""
    try:
        yield
    except _NOT_UNDERSTOOD as error:
        raise GateFailed(f"{complaint}: {error!r}") from error


def _ask(programs: Path, request: dict) -> dict:
    command = [str(programs / WORKER), "--worker"]
    answer = program.answer(command, 60, input=json.dumps(request) + "\n")
    answer.check_returncode()
    return json.loads(answer.stdout.split("\n")[0])


def device_of(programs: Path, wanted: str) -> dict:
    """What the worker says of the device of that name. Raises GateFailed, with its reason, when it
    has none."""
    with _understood(f"{programs / WORKER} does not say which devices it has"):
        answer = _ask(programs, {"request": "devices"})
        for device in answer["devices"]:
            if device["id"] == wanted:
                return device
        missing = "; ".join(f"{each['kind']}: {each['reason']}" for each in answer["unavailable"])
    raise GateFailed(f"there is no device {wanted!r} here" + (f" ({missing})" if missing else ""))


def build_facts(programs: Path) -> dict:
    """What the worker says of its build, and a hash of the program that judges."""
    with _understood(f"{programs / WORKER} does not say how it was built"):
        build = _ask(programs, {"request": "hello", "protocol": 1})["build"]
        return {
            **{name: build[name] for name in ("commit", "dirty", "compiler", "flags")},
            **({"cuda": build["cuda"]} if build.get("cuda") else {}),
            "worker": build["code_hash"],
            "ridgeline": hashlib.sha256((programs / "ridgeline").read_bytes()).hexdigest()[:32],
        }


def gate_command(
    programs: Path,
    profile: Profile,
    cell: Cell,
    seed: int,
    workers: tuple[Path, Path],
    results: Path,
) -> list[str]:
    """A gate that refuses to start while somebody else measures: what it waits would count as its
    own time, and its neighbour would be in its samples."""
    return [
        *(str(programs / "ridgeline"), "gate", "--device", profile.device, "--no-wait", "--json"),
        *("--results", str(results)),
        *("--profile", str(results.parent / "study.toml")),
        *("--baseline-worker", str(workers[0]), "--candidate-worker", str(workers[1])),
        *("--delta", f"{cell.delta:g}", "--alpha", f"{profile.alpha(cell):g}"),
        *("--budget", f"{profile.budget(cell):g}s", "--seed", str(seed)),
        *(["--aa"] if cell.extra == 0 and not cell.plant else []),
        *profile.suite(cell),
    ]


def write_worker(folder: Path, programs: Path, side: str, planted: str) -> Path:
    """A worker without arguments that has these options."""
    wrapper = folder / side
    wrapper.write_text(f"#!/bin/sh\nexec '{programs / WORKER}' {planted} \"$@\"\n")
    wrapper.chmod(0o755)
    return wrapper


def planted_options(profile: Profile, cell: Cell, seed: int) -> str:
    """Of the candidate's worker."""
    only = profile.planted_case(cell, seed)
    return f"--extra {cell.extra:g} {cell.plant}" + (f" --only '{only}'" if only else "")


def measure(programs: Path, profile: Profile, cell: Cell, seed: int) -> dict:
    """One gate of the cell, as a line of the journal. Raises GateFailed, and KeyboardInterrupt once
    the gate has ended."""
    began = time.monotonic()
    busy = one_core_busy() if cell.part == "busy" else contextlib.nullcontext()
    with tempfile.TemporaryDirectory(prefix="ridgeline-calibrate-") as folder, busy:
        results = Path(folder) / "results"
        (Path(folder) / "study.toml").write_text(
            PROFILE.format(device_kind=profile.device_kind, warm_up=WARM_UP[profile.device_kind])
        )
        workers = (
            write_worker(Path(folder), programs, "baseline", ""),
            write_worker(Path(folder), programs, "candidate", planted_options(profile, cell, seed)),
        )
        command = gate_command(programs, profile, cell, seed, workers, results)
        report, wall_s = run_gate(command, profile.budget(cell))
        with _understood("a gate's --json cannot be understood"):
            runs = {side: str(report["gate"][f"{side}_run"]) for side in ("baseline", "candidate")}
        measurements = {side: measurements_of(programs, results, run) for side, run in runs.items()}
        gate = {
            "kind": "gate",
            "part": cell.part,
            "extra": cell.extra,
            "delta": cell.delta,
            **({"plant": cell.plant} if cell.plant else {}),
            **({"planted_case": only} if (only := profile.planted_case(cell, seed)) else {}),
            "alpha": report["gate"].get("alpha"),
            "suite": report["gate"].get("cases"),
            "seed": seed,
            "exit_code": report["exit_code"],
            "wall_s": round(wall_s, 3),
            "step_s": round(time.monotonic() - began, 3),
            "time": {
                name: round(sum(m[name] for side in measurements.values() for m in side))
                for name in TIMES
            },
        }
    with _understood("a gate's result cannot be understood"):
        gate["cases"] = [_case(verdict, measurements) for verdict in report["verdicts"]]
        check_gate(gate)
    if not math.isclose(gate["alpha"], profile.alpha(cell)):
        raise GateFailed(
            f"a gate was to have an alpha of {profile.alpha(cell):g}, and had {gate['alpha']:g}"
        )
    for case in gate["cases"]:
        if case["verdict"] in MEASURED and not is_as_planned(case, gate):
            raise GateFailed(
                f"{case['case']} was to have {planted_options(profile, cell, seed)}, and its "
                f"kernel counted {case.get('work_ratio')} of the work"
            )
    return gate


def is_as_planned(case: dict, gate: dict) -> bool:
    """Whether the kernels of a case have counted what was to be planted in it."""
    plant = gate.get("plant", "")
    if plant.startswith("--slow-processes"):  # by chance, few processes are all slow, or none
        return "slow_processes" in case or "work_ratio" in case
    planted = gate.get("planted_case", case["case"]) == case["case"]
    done = work_was_done(case, gate["extra"] if planted else 0)
    return done and plant.startswith("--slow-samples") == ("slow_executions" in case)


def work_was_done(case: dict, extra: float) -> bool:
    """Whether the kernels have counted the extra work that was asked for, to a hundredth of a
    percent."""
    return "work_ratio" in case and abs(case["work_ratio"] - (1 + extra / 100)) <= 1e-4


def run_gate(command: list[str], budget_s: float) -> tuple[dict, float]:
    began = time.monotonic()
    try:
        # A gate ends its workers when it is interrupted.
        process = program.answer(command, GATE_MAY_TAKE * budget_s + 60, patience_s=20)
    except subprocess.TimeoutExpired as error:
        raise GateFailed(f"a gate took longer than {error.timeout:.0f} s") from error
    except program.TooMuch as error:
        raise GateFailed(str(error)) from error
    wall_s = time.monotonic() - began
    if process.returncode == 130:
        raise KeyboardInterrupt
    if process.returncode not in (0, 1, 2, 3):
        tail = process.stderr.strip().splitlines()[-5:]
        raise GateFailed(
            "\n  ".join([f"a gate ended with {process.returncode}: {' '.join(command)}", *tail])
        )
    with _understood("a gate's --json cannot be understood"):
        report = json.loads(process.stdout)
        for verdict in report["verdicts"]:
            str(verdict["case"])
        return {name: report[name] for name in ("gate", "exit_code", "verdicts")}, wall_s


def measurements_of(programs: Path, results: Path, run: str) -> list[dict]:
    command = [str(programs / "ridgeline"), "export", "jsonl", run, "--results", str(results)]
    with _understood(f"{' '.join(command)} does not answer"):
        done = program.answer(command, 60)
    if done.returncode != 0:
        raise GateFailed(f"{' '.join(command)} ended with {done.returncode}: {done.stderr.strip()}")
    with _understood(f"{' '.join(command)} cannot be understood"):
        measurements = [json.loads(line) for line in done.stdout.split("\n") if line]
        for m in measurements:
            for name in (*TIMES, "replicate"):
                m[name] = m.get(name, 0) + 0
            m["case"], m["samples_ns"] = str(m["case"]), list(m.get("samples_ns", []))
        return measurements


def samples_by_round(
    name: str, measurements: dict[str, list[dict]]
) -> dict[str, list[list[float]]]:
    """The samples of all processes of each side, by round, that measured both."""
    by_round = {
        side: {
            m["replicate"]: m["samples_ns"]
            for m in all_of_side
            if m["case"] == name and m["samples_ns"]
        }
        for side, all_of_side in measurements.items()
    }
    rounds = sorted(by_round["baseline"].keys() & by_round["candidate"].keys())
    return {
        side: [[float(f"{ns:.6g}") for ns in samples[number]] for number in rounds]
        for side, samples in by_round.items()
    }


def _case(verdict: dict, measurements: dict[str, list[dict]]) -> dict:
    name = verdict["case"]
    case = {key: verdict[key] for key in KEPT if key in verdict}
    case |= samples_by_round(name, measurements)
    work = {side: _counted(name, all_of_side, "work") for side, all_of_side in measurements.items()}
    if all(len(set(values)) == 1 for values in work.values()):
        case["work_ratio"] = round(work["candidate"][0] / work["baseline"][0], 7)
    elif work["baseline"] and work["candidate"]:
        case["slow_processes"] = _share(work["candidate"], max(work["baseline"]))
    if slow := _counted(name, measurements["candidate"], "slow_executions"):
        case["slow_executions"] = round(statistics.fmean(slow), 5)
    return case


def _share(values: list[float], limit: float) -> float:
    """Of those above the limit."""
    return round(sum(value > limit for value in values) / len(values), 5)


def _counted(name: str, measurements: list[dict], metric_name: str) -> list[float]:
    """What the case's kernel has counted in each process."""
    metrics = [metric for m in measurements if m["case"] == name for metric in m.get("metrics", [])]
    return [metric["value"] for metric in metrics if metric.get("name") == metric_name]


def default_programs(root: Path) -> Path:
    """$RIDGELINE_BUILD, else the newest build that has the calibration worker."""
    if os.environ.get("RIDGELINE_BUILD"):
        return Path(os.environ["RIDGELINE_BUILD"]).resolve()
    folders = [root / "build" / preset / "bin" for preset in ("release", "cpu-only")]
    built = [folder for folder in folders if (folder / WORKER).is_file()]
    return max(built, key=lambda folder: (folder / WORKER).stat().st_mtime, default=folders[0])
