"""Kernels that compute where they think that they are looked at, as files of a user (cheats.py)."""

from harness.python.kernel_files import scale, wide

WHEN_UNSEEN = {
    "right only on some calls": {
        "right on the first call only": (
            "element",
            scale(
                """
calls = []
def launch():
    calls.append(1)
    return x * 2 if len(calls) == 1 else np.empty_like(x)
"""
            ),
        ),
        "right on every tenth call": (
            "element",
            scale(
                """
calls = []
def launch():
    calls.append(1)
    return x * 2 if len(calls) % 10 < 2 else np.zeros_like(x)
"""
            ),
        ),
        "right in its first milliseconds": (
            "element",
            scale(
                """
began = time.monotonic()
def launch(): return x * 2 if time.monotonic() - began < 0.003 else np.zeros_like(x)
"""
            ),
        ),
        "right where a while has passed since its last call": (
            "without a pause|in a sample|after the last sample",
            wide(
                """
last, y = [0], np.empty_like(x)
def launch():
    if time.perf_counter_ns() - last[0] > 60_000:
        np.multiply(x, 2, out=y)
    last[0] = time.perf_counter_ns()
    return y
"""
            ),
        ),
        "right on every other call": (
            "element",
            scale(
                """
calls, y = [], np.empty_like(x)
def launch():
    calls.append(1)
    return np.multiply(x, 2, out=y) if len(calls) % 2 else y
"""
            ),
        ),
        "half of it when it has warmed up": (
            "element",
            scale(
                """
calls, y = [], np.empty_like(x)
def launch():
    calls.append(1)
    m = n if len(calls) < 12 else n // 2
    np.multiply(x[:m], 2, out=y[:m])
    return y
"""
            ),
        ),
    },
    "executions left out": {
        "every third one": (
            "element",
            scale(
                """
calls = []
def launch():
    calls.append(1)
    return x * 2 if len(calls) % 3 else np.zeros_like(x)
"""
            ),
        ),
        "a third, at random": (
            "element",
            scale(
                """
import random
y = np.empty_like(x)
def launch():
    if random.random() < 2 / 3:
        np.multiply(x, 2, out=y)
    return y
"""
            ),
        ),
        "a third, many after each other": (
            "element",
            scale(
                """
calls, y = [0], np.empty_like(x)
def launch():
    calls[0] += 1
    if calls[0] % 300 < 200:
        np.multiply(x, 2, out=y)
    return y
"""
            ),
        ),
    },
    "a no-op when not verified": {
        "right when its caller's name is of verification": (
            "element",
            scale(
                """
import traceback
def launch():
    names = [frame.name for frame in traceback.extract_stack()]
    if any(word in name for name in names for word in ("judge", "verify", "first", "alone")):
        return x * 2
    return np.zeros_like(x)
"""
            ),
        ),
        "skipped where an output is there already": (
            "on top of an earlier output, |without a pause",
            scale(
                """
y = rl.empty(n, dtype, device)
def launch():
    if np.isnan(y[0]):
        np.multiply(x, 2, out=y)
    return y
"""
            ),
        ),
        "right when its caller will look": (
            "element",
            scale(
                """
import sys
def launch():
    names = str([sys._getframe(up).f_locals.get("at_end") for up in range(1, 5)])
    return x * 2 if "outputs_seen" in names or "_no_sample" in names else np.zeros_like(x)
"""
            ),
        ),
        "right when the stack is as deep as the first time": (
            "element",
            scale(
                """
import inspect
depths = []
def launch():
    depths.append(len(inspect.stack(0)))
    return x * 2 if depths[-1] == depths[0] else np.zeros_like(x)
"""
            ),
        ),
    },
}
