#!/usr/bin/env python3
"""The smallest worker: one case, written in Python, on a device of its own."""

import json
import random
import statistics
import sys
import time

answers, sys.stdout = sys.stdout, sys.stderr  # nothing printed by accident can break the protocol

CASE = {
    "suite": "sorting",
    "variant": "python",
    "dtype": "f64",
    "problem": [["n", "10000"]],
    "options": [["cache", "hot"], ["launch", "single"]],
    "device_kind": "cpu",
}
NAME = "sorting/python/f64/n=10000,cache=hot,launch=single"
DEVICE = {
    "id": "cpu",
    "kind": "cpu",
    "model": "synthetic-python",
    "name": "Python's interpreter",
    "uuid": "python-0",
    "pci_id": "",
    "properties": {"version": sys.version.split()[0]},
    "comparable": {},
    "recorded": {},
}
BUILD = {
    "worker": "minimal-worker",
    "commit": "unknown",
    "dirty": False,
    "compiler": "",
    "flags": "",
    "cuda": "",
    "code_hash": "",
}


def sort_once():
    """Sorts a fresh list; returns the time in ns and whether the result is right."""
    values = [random.random() for _ in range(10000)]
    start = time.perf_counter_ns()
    result = sorted(values)
    elapsed = time.perf_counter_ns() - start
    in_order = all(a <= b for a, b in zip(result, result[1:], strict=False))
    return elapsed, in_order and len(result) == len(values)


def failure(message, exit_code):
    return {"reply": "error", "message": message, "advice": "", "exit_code": exit_code}


class Worker:
    def __init__(self):
        self.prepared = None  # the request that prepared the case
        self.samples = []

    def hello(self, request):
        if request["protocol"] != 1:
            asked = request["protocol"]
            return failure(f"this worker speaks protocol 1, but protocol {asked} was asked for", 69)
        return {"reply": "hello", "protocol": 1, "build": BUILD, "launcher": ""}

    def list(self, request):
        return {"reply": "list", "cases": [CASE]}

    def devices(self, request):
        return {"reply": "devices", "devices": [DEVICE], "unavailable": []}

    def prepare(self, request):
        if request["case"] != NAME:
            return failure(f"there is no case '{request['case']}'", 64)
        random.seed(request["seed"])
        if not sort_once()[1]:
            return {
                "reply": "prepare",
                "outcome": "wrong_result",
                "reason": "the list is not sorted",
            }
        self.prepared, self.samples = request, []
        return {"reply": "prepare", "outcome": "ok", "reason": ""}

    def sample(self, request):
        if self.prepared is None:
            return failure("no case is prepared", 64)
        taken, spent = [], 0
        while not taken or (len(taken) < request["min_samples"] and spent < request["budget_ns"]):
            taken.append(max(sort_once()[0], 1))
            spent += taken[-1]
        self.samples += taken
        return {"reply": "sample", "samples_ns": taken}

    def finish(self, request):
        if self.prepared is None or not self.samples:
            return failure("no case was sampled", 64)
        right = sort_once()[1]
        measurement = {
            "case": NAME,
            "outcome": "ok" if right else "wrong_result",
            "reason": "" if right else "the list is not sorted",
            "samples_ns": self.samples if right else [],
            "executions_per_sample": 1,
            "verification": {"error": 0 if right else "inf", "tolerance": 0},
            "launch": "single",
            "cache": "hot",
            "buffer_sets": 1,
            "seed": self.prepared["seed"],
            "prepare_ns": 0,
            "verify_ns": 0,
            "warmup_ns": 0,
            "timed_ns": sum(self.samples),
            "total_ns": sum(self.samples),
        }
        if right:
            measurement["median_ns"] = statistics.median(self.samples)
        self.prepared = None
        return {"reply": "finish", "measurement": measurement}


worker = Worker()
for line in sys.stdin:
    request = json.loads(line)
    kind = request.get("request")
    if kind == "bye":
        break
    known = kind in ("hello", "list", "devices", "prepare", "sample", "finish")
    answer = getattr(worker, kind)(request) if known else failure(f"unknown request {kind}", 64)
    print(json.dumps(answer), file=answers, flush=True)
