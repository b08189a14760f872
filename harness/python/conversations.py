"""Talks to the package as `ridgeline` does, case by case, for tests."""

import json
import os
import subprocess
import sys
from pathlib import Path

PACKAGE = Path(__file__).parent


# Each file has a process of its own, which is a copy of one that has imported the package.
_IN_COPIES = """
import os, sys
from ridgeline.__main__ import main
for file in sys.argv[2:]:
    if os.fork() == 0:
        os.dup2(os.open(sys.argv[1], os.O_RDONLY), 0)
        os.dup2(os.open(file + ".answers", os.O_WRONLY | os.O_CREAT), 1)
        code = main([file, "--worker"])
        sys.stdout.flush()
        os._exit(code)
    os.wait()
"""


def told(requests: list[dict], files: list[Path]) -> list[list[dict]]:
    """The answers to the requests, of a worker for each file."""
    asked = files[0].with_suffix(".requests")
    asked.write_text("".join(json.dumps(each) + "\n" for each in requests))
    subprocess.run(
        [sys.executable, "-c", _IN_COPIES, asked, *files],
        stderr=subprocess.DEVNULL,
        cwd=files[0].parent,
        env={**os.environ, "PYTHONPATH": str(PACKAGE), "PYTHONSAFEPATH": "1"},
        check=True,
    )
    answers = [Path(f"{file}.answers").read_text().splitlines() for file in files]
    return [[json.loads(line) for line in lines] for lines in answers]


def preparing(case: str, options: dict) -> dict:
    return {
        "request": "prepare",
        "case": case,
        "device": "cpu",
        "seed": 42,
        "cache": options.get("cache", "cold"),
        "launch": options.get("launch", "graph"),
        "input": "uniform",
        "warmup_budget_ns": 1e6,
        "sample_floor_ns": 2e6,
    }


SAMPLING = {
    "request": "sample",
    "target": 0.5,
    "min_samples": 8,
    "max_samples": 20,
    "budget_ns": 1e8,
}


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
        name = "/".join([case["suite"], case["variant"], case["dtype"], ",".join(words)])
        prepared = self.ask(**preparing(name, options) | changes)
        if prepared["reply"] == "error":
            return {"outcome": "crashed", "reason": prepared["message"]}
        if prepared["outcome"] != "ok":
            return prepared
        sampled = self.ask(**SAMPLING)
        assert sampled["reply"] == "sample", sampled
        finished = self.ask(request="finish")
        assert finished["reply"] == "finish", finished
        measurement = finished["measurement"]
        if measurement["outcome"] == "ok":
            assert measurement["samples_ns"] == sampled["samples_ns"]
        return measurement
