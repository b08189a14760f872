#!/usr/bin/env python3
"""A worker that has as many GPUs of one model as it is told, which are none: for tests of whole
runs on several devices. Times are played; `--slow N` makes those of GPU N 5% longer, `--crash N`
ends the worker at each case of GPU N, `--seconds N` is what a case but the first takes,
`--launched` makes them cases of several ranks, `--peers` those of the suite `second` cases that use
another GPU, too."""

import json
import random
import statistics
import sys
import time

answers, sys.stdout = sys.stdout, sys.stderr
BUILD = {"worker": "several-gpus", "commit": "unknown", "dirty": False, "compiler": "", "flags": ""}
BUILD |= {"cuda": "", "code_hash": ""}
PEER = {"second": "peer=1,"} if "--peers" in sys.argv else {}
NAMES = [
    f"{suite}/played/f32/{PEER.get(suite, '')}n={n}"
    for suite in ("first", "second")
    for n in range(1, 7)
]


def option(name, otherwise):
    return int(sys.argv[sys.argv.index(name) + 1]) if name in sys.argv else otherwise


GPUS, SLOW, CRASH = option("--gpus", 3), option("--slow", -1), option("--crash", -1)
SECONDS = option("--seconds", 0)


def case(name):
    suite, variant, dtype, problem = name.split("/")
    described = {"suite": suite, "variant": variant, "dtype": dtype, "options": []}
    fields = [field.split("=") for field in problem.split(",")]
    return described | {"problem": fields, "device_kind": "cuda"}


def device(number):
    described = {"id": f"cuda:{number}", "kind": "cuda", "model": "synthetic-gpu", "name": "Played"}
    described |= {"uuid": f"GPU-{number}", "pci_id": ""}
    return described | {"properties": {}, "comparable": {}, "recorded": {}}


class Worker:
    measured = 0

    def hello(self, request):
        launcher = "mpirun" if "--launched" in sys.argv else ""
        return {"reply": "hello", "protocol": 1, "build": BUILD, "launcher": launcher}

    def list(self, request):
        return {"reply": "list", "cases": [case(name) for name in NAMES]}

    def devices(self, request):
        return {"reply": "devices", "devices": [device(i) for i in range(GPUS)], "unavailable": []}

    def prepare(self, request):
        self.request, self.gpu = request, int(request["device"].removeprefix("cuda:"))
        if self.gpu == CRASH:
            sys.exit(3)
        self.random = random.Random(f"{request['seed']} {self.gpu} {request['case']}")
        self.ns = 1e5 * (1.05 if self.gpu == SLOW else 1) * self.random.gauss(1, 0.002)
        return {"reply": "prepare", "outcome": "ok", "reason": ""}

    def sample(self, request):
        self.measured += 1
        time.sleep(SECONDS if self.measured > 1 else 0)
        self.samples = [self.ns * self.random.gauss(1, 0.001) for _ in range(20)]
        return {"reply": "sample", "samples_ns": self.samples}

    def finish(self, request):
        measured = {"case": self.request["case"], "outcome": "ok", "reason": ""}
        measured |= {"median_ns": statistics.median(self.samples), "samples_ns": self.samples}
        measured |= {"executions_per_sample": 1, "verification": {"error": 0, "tolerance": 0}}
        measured |= {"launch": "graph", "cache": "cold", "buffer_sets": 1}
        measured |= {f"{part}_ns": 0 for part in ("prepare", "verify", "warmup", "timed", "total")}
        return {"reply": "finish", "measurement": measured | {"seed": self.request["seed"]}}


worker = Worker()
for line in sys.stdin:
    request = json.loads(line)
    if request["request"] == "bye":
        break
    print(json.dumps(getattr(worker, request["request"])(request)), file=answers, flush=True)
