"""Talks to the package as `ridgeline` does, case by case, for tests."""

import json
import os
import subprocess
import sys
from pathlib import Path

PACKAGE = Path(__file__).parent


class Conversation:
    """`with Conversation(file) as worker`: worker.ask(request="hello", protocol=1)."""

    def __init__(self, file: Path):
        self._file = file

    def __enter__(self):
        self._process = subprocess.Popen(
            [sys.executable, "-m", "ridgeline", self._file, "--worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            cwd=self._file.parent,
            env={**os.environ, "PYTHONPATH": str(PACKAGE), "PYTHONSAFEPATH": "1"},
        )
        return self

    def __exit__(self, *_):
        self._process.stdin.close()
        self._process.kill()
        self._process.wait()
        self._process.stdout.close()

    def ask(self, **request) -> dict:
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, f"the worker has ended instead of answering {request}"
        return json.loads(line)

    def measure(self, case: dict, **changes) -> dict:
        """The measurement of a listed case; of one that ended before, its outcome and reason."""
        options = dict(case["options"])
        words = [f"{key}={value}" for key, value in case["problem"] + case["options"]]
        prepared = self.ask(
            request="prepare",
            case="/".join([case["suite"], case["variant"], case["dtype"], ",".join(words)]),
            device="cpu",
            **{
                "seed": 42,
                "cache": options.get("cache", "cold"),
                "launch": options.get("launch", "graph"),
                "input": "uniform",
                "warmup_budget_ns": 1e6,
                "sample_floor_ns": 2e6,
                **changes,
            },
        )
        if prepared["reply"] == "error":
            return {"outcome": "crashed", "reason": prepared["message"]}
        if prepared["outcome"] != "ok":
            return prepared
        sampled = self.ask(
            request="sample", target=0.5, min_samples=8, max_samples=20, budget_ns=1e8
        )
        assert sampled["reply"] == "sample", sampled
        finished = self.ask(request="finish")
        assert finished["reply"] == "finish", finished
        measurement = finished["measurement"]
        if measurement["outcome"] == "ok":
            assert measurement["samples_ns"] == sampled["samples_ns"]
        return measurement
