"""The conversation with `ridgeline`: docs/worker-protocol.md."""

import json
import re
import sys
from math import isfinite, isnan
from pathlib import Path
from typing import IO

from ridgeline import cases, cpu_facts, cuda_facts, libraries, loading
from ridgeline.cases import Case
from ridgeline.clocks import Stopwatch
from ridgeline.cpu_timing import OnCpu
from ridgeline.experiment import Experiment, Plan
from ridgeline.failures import CaseFailed, Refused, is_out_of_memory, sentence, shown, wrong
from ridgeline.nvml import Gpu
from ridgeline.spread import median, relative_half_width
from ridgeline.telemetry import Sensors, cpu_reader

PROTOCOL = 1


def _error(message: str, advice: str = "", exit_code: int = 70, cause: str = "") -> dict:
    answer = {"reply": "error", "message": message[:7000], "advice": advice, "exit_code": exit_code}
    return answer | ({"cause": cause} if cause else {})


def _placed(failed: CaseFailed, case: Case) -> str:
    """The reason, with the line of the case's function."""
    begins = case.place.partition(":")[0]
    return failed.reason if failed.reason.startswith(begins) else f"{case.place}: {failed.reason}"


def _offset(layout: int) -> int:
    """Bytes by which a layout moves inputs, as in ridgeline-suites; 0 for none."""
    return 256 * (1 + layout % 256) if layout else 0


class Worker:
    """Serves the cases of one file. `failure`: why the file could not be loaded."""

    def __init__(self, file: Path, loaded: loading.Loaded | None, failure: Refused | None):
        self._file, self._loaded, self._failure = file, loaded, failure
        self._devices: list[dict] | None = None
        self._missing = ""
        self._experiment: Experiment | None = None
        self._total_ns = 0.0

    # -- requests, by name -----------------------------------------------------------------------

    def hello(self, request: dict) -> dict:
        if request.get("protocol") != PROTOCOL:
            asked = request.get("protocol")
            return _error(
                f"this worker speaks protocol {PROTOCOL}, but protocol {asked} was asked for",
                exit_code=69,
            )
        if self._failure is not None:
            raise self._failure
        versions = loading.versions()
        torch = sys.modules.get("torch")
        build = {
            "worker": re.sub(r"[^A-Za-z0-9_.:+-]", "_", self._file.name)[:100],
            "commit": "unknown",
            "dirty": False,
            "compiler": f"Python {versions.pop('python')}",
            "flags": ", ".join(f"{name} {version}" for name, version in versions.items()),
            "cuda": str(getattr(getattr(torch, "version", None), "cuda", None) or ""),
            "code_hash": self._loaded.code_hash,
        }
        return {
            "reply": "hello",
            "protocol": PROTOCOL,
            "build": build,
            "launcher": "",
            "features": ["layout"],
        }

    def list(self, request: dict) -> dict:
        listed = [each.listed(kind) for each in cases.all_cases() for kind in each.kinds]
        return {"reply": "list", "cases": listed}

    def devices(self, request: dict) -> dict:
        self._find_devices()
        missing = [{"kind": "cuda", "reason": self._missing}] if self._missing else []
        return {"reply": "devices", "devices": self._devices, "unavailable": missing}

    def _find_devices(self) -> None:
        if self._devices is None:
            kinds = {kind for each in cases.all_cases() for kind in each.kinds}
            gpus, self._missing = cuda_facts.devices() if "cuda" in kinds else ([], "")
            self._devices = gpus + [cpu_facts.device()]

    def prepare(self, request: dict) -> dict:
        self._experiment = None
        self._loaded.watch.restore()  # what an earlier case has replaced is no fault of this one
        watch = Stopwatch()
        case, device = self._wanted(request)
        absent = [each for each in case.requires if not libraries.is_there(each)]
        if absent:
            return self._prepared("unavailable", libraries.missing(absent[0]))
        plan = Plan(
            case,
            request["device"],
            request["seed"],
            request["cache"] == "hot",
            request["launch"] == "single",
            request["warmup_budget_ns"],
            request["sample_floor_ns"],
            _offset(request.get("layout", 0)),
        )
        try:
            timing, sensors, cache_bytes = self._instruments(device, plan)
            experiment = Experiment(plan, timing, sensors, cache_bytes)
            experiment.prepare()
            self._check_replaced()
        except CaseFailed as failed:
            failed = self._by_what_was_replaced(failed)
            return self._prepared(failed.outcome, _placed(failed, case))
        self._experiment = experiment
        self._total_ns = watch.ns()
        return self._prepared("ok", "")

    @staticmethod
    def _prepared(outcome: str, reason: str) -> dict:
        return {"reply": "prepare", "outcome": outcome, "reason": reason}

    def sample(self, request: dict) -> dict:
        if self._experiment is None:
            raise Refused("no case is prepared")
        watch = Stopwatch()
        taken = self._experiment.sample(
            request["target"], request["min_samples"], request["max_samples"], request["budget_ns"]
        )
        self._total_ns += watch.ns()
        return {"reply": "sample", "samples_ns": taken}

    def finish(self, request: dict) -> dict:
        if self._experiment is None or not self._experiment.samples:
            raise Refused("no case was sampled")
        watch, experiment = Stopwatch(), self._experiment
        outcome, reason = "ok", ""
        try:
            experiment.finish()
            self._check_replaced()
        except CaseFailed as failed:
            failed = self._by_what_was_replaced(failed)
            outcome, reason = failed.outcome, _placed(failed, experiment.plan.case)
        self._total_ns += watch.ns()
        self._experiment = None
        return {"reply": "finish", "measurement": self._measurement(experiment, outcome, reason)}

    # -- their parts -----------------------------------------------------------------------------

    def _check_replaced(self) -> None:
        changed = loading.replaced(self._loaded.watch, self._file)
        if changed:
            raise wrong(changed)

    def _by_what_was_replaced(self, failed: CaseFailed) -> CaseFailed:
        """An output that is wrong says little where what compares it was replaced."""
        changed = loading.replaced(self._loaded.watch, self._file)
        return wrong(changed) if changed and failed.outcome == "wrong_result" else failed

    def _wanted(self, request: dict) -> tuple[Case, dict]:
        self._find_devices()
        device = next((each for each in self._devices if each["id"] == request["device"]), None)
        if device is None:
            why = f": {self._missing}" if self._missing else ""
            raise Refused(f"there is no device {request['device']}{why}", exit_code=69)
        for case in cases.all_cases():
            if case.name == request["case"] and device["kind"] in case.kinds:
                return case, device
        raise Refused(f"there is no case {request['case']!r} in {shown(self._file)}")

    @staticmethod
    def _instruments(device: dict, plan: Plan):
        if device["kind"] == "cpu":
            cache = cpu_facts.last_level_cache()
            reader = cpu_reader(cpu_facts.cpus()[0])
            return OnCpu(0 if plan.hot else cache, plan.single), Sensors(reader), cache
        cache = int(device["properties"]["l2_bytes"])
        from ridgeline.cuda_timing import OnTorchCuda

        if not libraries.is_there("torch"):
            raise CaseFailed("unavailable", libraries.missing("torch, which times on GPUs,"))
        import torch

        if not torch.cuda.is_available():
            raise CaseFailed("unavailable", f"torch {torch.__version__} was built without CUDA")
        timing = OnTorchCuda(plan.device, cache, plan.single)
        return timing, Sensors(Gpu(device["uuid"]).read), cache

    def _measurement(self, experiment: Experiment, outcome: str, reason: str) -> dict:
        plan, right = experiment.plan, outcome == "ok"
        said = {
            "case": plan.case.name,
            "outcome": outcome,
            "reason": reason[:7000],
            "samples_ns": experiment.samples if right else [],
            "executions_per_sample": experiment.order.executions,
            "launch": experiment.timing.launch,
            "cache": "hot" if plan.hot else "cold",
            "buffer_sets": len(experiment.sets),
            "seed": plan.seed,
            "settled": experiment.settled,
            "prepare_ns": experiment.prepare_ns,
            "verify_ns": experiment.judge.wall_ns,
            "warmup_ns": experiment.warmup_ns,
            "timed_ns": experiment.timed_ns,
            "total_ns": self._total_ns,
            "telemetry": experiment.sensors.summary(),
        }
        found = experiment.judge.found
        if found is not None and (right or not found.right):
            error = found.error
            shown_error = error if isfinite(error) else "nan" if isnan(error) else "inf"
            said["verification"] = {
                "error": shown_error,
                "tolerance": found.tolerance,
                "checked": "whole",
            }
        if right:
            said["median_ns"] = median(experiment.samples)
            spread = relative_half_width(experiment.samples)
            if spread is not None:
                said["relative_spread"] = spread
        for what in ("flops", "bytes"):
            value = getattr(plan.case, what)
            if value is not None:
                said[what] = value
        return said


def answer(worker: Worker, request: dict) -> dict:
    """One request's answer; whatever goes wrong is an answer, too, that names the file's line."""
    kind = request.get("request")
    known = ("hello", "list", "devices", "prepare", "sample", "finish")
    if kind not in known:
        return _error(f"unknown request {kind!r}", exit_code=64)
    folder, place = worker._file.parent, shown(worker._file)
    try:
        return getattr(worker, kind)(request)
    except Refused as refused:
        return _error(str(refused), refused.advice, refused.exit_code, refused.cause)
    except (Exception, SystemExit) as error:
        cause = "out_of_memory" if is_out_of_memory(error) else ""
        code = 69 if cause or isinstance(error, ImportError) else 70
        return _error(sentence(error, folder, place), "", code, cause)


def serve(worker: Worker, requests: IO[str], answers: IO[str]) -> None:
    for line in requests:
        request = json.loads(line)
        if request.get("request") == "bye":
            return
        print(json.dumps(answer(worker, request), allow_nan=False), file=answers, flush=True)
