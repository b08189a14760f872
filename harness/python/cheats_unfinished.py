"""Kernels that leave work for later, or undone, as files of a user (cheats.py)."""

from harness.python.kernel_files import product, scale

UNFINISHED = {
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
        "the last of four parts not waited for": (
            "not waited for",
            scale(
                """
from concurrent.futures import ThreadPoolExecutor
pool, part = ThreadPoolExecutor(1), n // 4
def work(y, i):
    time.sleep(0.0005)
    np.multiply(x[i * part :][:part], 2, out=y[i * part :][:part])
def launch():
    y = np.empty_like(x)
    parts = [pool.submit(work, y, i) for i in range(4)]
    [each.result() for each in parts[:3]]
    return y
"""
            ),
        ),
        "when nobody has called for a while": (
            "not waited for",
            scale(
                """
y, last, todo = np.empty_like(x), [0.0], []
def work():
    while True:
        time.sleep(0.0005)
        if todo and time.perf_counter() - last[0] > 0.001:
            todo.clear()
            np.multiply(x, 2, out=y)
threading.Thread(target=work, daemon=True).start()
def launch():
    last[0] = time.perf_counter()
    todo.append(1)
    return y
"""
            ),
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
        "a number that computes when looked at": (
            "only when it is looked at",
            scale(
                """
import numbers
class Lazy(numbers.Number):
    __hash__ = None
    def __array__(self, dtype=None, copy=None):
        return x * 2
def launch(): return Lazy()
"""
            ),
        ),
        "a generator": (
            "only when it is looked at",
            scale("def launch(): return (x * 2 for _ in range(1))"),
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
