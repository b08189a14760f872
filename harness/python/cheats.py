"""Kernels that cheat, each as a file of a user would have it, in several disguises: the name, what
the reason must say, and the file. What concerns all of a process is in cheats_of_process.py."""

from harness.python.kernel_files import product, scale, wide

# kind: {disguise: (what the reason says, the file)}
CHEATS = {
    "remembered output": {
        "computed while preparing": (
            "remembered",
            scale("y = x * 2\ndef launch(): return y.copy()"),
        ),
        "remembered after the first call": (
            "element",
            scale("kept = []\ndef launch():\n    kept or kept.append(x * 2)\n    return kept[0]"),
        ),
        "remembered as a copy": (
            "remembered",
            scale(
                "kept = []\ndef launch():\n    kept or kept.append(x * 2)\n"
                "    return kept[0].copy()"
            ),
        ),
        "remembered while the first element stays": (
            "remembered",
            scale(
                """
kept = {}
def launch():
    if kept.get("first") != x[0]:
        kept.update(first=x[0].copy(), y=x * 2)
    return kept["y"].copy()
"""
            ),
        ),
        "remembered by all of its inputs": (
            "remembered",
            product(
                """
kept = {}
def launch():
    key = a.tobytes() + b.tobytes()
    if key not in kept:
        kept.clear()
        kept[key] = sum(a[:, i, None] * b[i] for i in range(n))
    return kept[key].copy()
"""
            ),
        ),
        "repaired where inputs have changed": (
            "results are remembered",
            product(
                """
seen, y = [np.zeros_like(a), np.zeros_like(b)], np.zeros_like(a)
def launch():
    rows = np.flatnonzero((a != seen[0]).any(axis=1))
    columns = np.flatnonzero((b != seen[1]).any(axis=0))
    if len(rows) + len(columns) > 20:
        y[:] = sum(np.outer(a[:, i], b[i]) for i in range(n))
    else:
        y[rows] = a[rows] @ b
        y[:, columns] = a @ b[:, columns]
    seen[0][:], seen[1][:] = a, b
    return y.copy()
"""
            ),
        ),
    },
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
            "without a pause",
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
    },
    "started and not waited for": {
        "started and not waited for": (
            "not waited for",
            scale(
                """
def launch():
    y = np.empty_like(x)
    def work():
        time.sleep(0.002)
        np.multiply(x, 2, out=y)
    threading.Thread(target=work).start()
    return y
"""
            ),
        ),
        "started in a pool": (
            "not waited for",
            scale(
                """
from concurrent.futures import ThreadPoolExecutor
pool = ThreadPoolExecutor(1)
def launch():
    y = np.empty_like(x)
    pool.submit(lambda: (time.sleep(0.002), np.multiply(x, 2, out=y)))
    return y
"""
            ),
        ),
        "started in another process": (
            "element",
            scale(
                """
import mmap, os
def launch():
    memory = mmap.mmap(-1, x.nbytes)
    y = np.frombuffer(memory, np.float32)
    if os.fork() == 0:
        time.sleep(0.001)
        np.multiply(x, 2, out=y)
        os._exit(0)
    return y
"""
            ).replace('cache="hot"', 'cache="hot", launch="single"'),
        ),
    },
    "lazy": {
        "computed when looked at": (
            "only when it is looked at",
            scale(
                """
class Lazy:
    def __array__(self, dtype=None, copy=None):
        return x * 2
def launch(): return Lazy()
"""
            ),
        ),
        "an array that computes when looked at": (
            "only when it is looked at",
            scale(
                """
class Lazy(np.ndarray):
    pass
def launch(): return np.empty_like(x).view(Lazy)
"""
            ),
        ),
        "a generator": (
            "only when it is looked at",
            scale("def launch(): return (x * 2 for _ in range(1))"),
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
            "on top of an earlier output, ",
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
    "earlier memory, or inputs changed": {
        "a no-op that returns memory as it is": (
            "element",
            scale("def launch(): return np.empty_like(x)"),
        ),
        "a no-op with memory of its own": (
            "element",
            scale("y = rl.empty(n, dtype, device)\ny[:] = x * 2\ndef launch(): return y"),
        ),
        "inputs zeroed": (
            "changed its input",
            scale("def launch():\n    x[:] = 0\n    return x * 2"),
        ),
        "its input returned": (
            "one of its inputs",
            scale("def launch():\n    np.multiply(x, 2, out=x)\n    return x"),
        ),
        "a view of its input, that cannot be written": (
            "one of its inputs",
            scale(
                """
calls = []
def launch():
    calls.append(1)
    if len(calls) == 1:
        return np.array(x)
    view = np.asarray(x)[:]
    view.flags.writeable = False
    return view
"""
            ).replace("x.numpy() * 2", "x.numpy()"),
        ),
    },
    "a lesser type": {
        "TF32 for f32": (
            "tolerance",
            product(
                """
def cut(v): return (np.asarray(v).view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)
def launch(): return cut(a) @ cut(b)
"""
            ),
        ),
        "bf16 for f32": (
            "tolerance",
            scale(
                """
def cut(v): return (np.asarray(v).view(np.uint32) & np.uint32(0xFFFF0000)).view(np.float32)
def launch(): return cut(x) * 2
"""
            ),
        ),
        "f16 for f32": (
            "the output is f16",
            scale("def launch(): return (x * 2).astype(np.float16)"),
        ),
        "f32 for f64": (
            "tolerance",
            scale(
                "def launch(): return (np.float32(x) * np.float32(2)).astype(np.float64)"
            ).replace('"f32"', '"f64"'),
        ),
    },
    "a shape special-cased": {
        "a shape special-cased": (
            "element",
            scale("def launch(): return np.zeros_like(x) if x.shape == (N,) else x * 2"),
        ),
        "a table of outputs by shape": (
            "element",
            scale("known = {(N,): x * 2}\ndef launch(): return np.array(known.get(x.shape, x))"),
        ),
        "a tail left out where the size divides": (
            "element",
            scale(
                """
def launch():
    y = np.zeros_like(x)
    end = n - 8 if n % 64 == 0 else n
    np.multiply(x[:end], 2, out=y[:end])
    return y
"""
            ),
        ),
    },
    "an early exit": {
        "half of the work": (
            "element",
            scale(
                "y = rl.empty(n, dtype, device)\n"
                "def launch():\n    y[::2] = x[::2] * 2\n    return y"
            ),
        ),
        "one element wrong": (
            "element",
            scale("def launch():\n    y = x * 2\n    y[-1] += 0.01\n    return y"),
        ),
        "what lies between samples of its output": (
            "element",
            scale("def launch():\n    y = np.zeros_like(x)\n    y[::7] = x[::7] * 2\n    return y"),
        ),
    },
}
