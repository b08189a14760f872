"""Kernels that cheat, each as a file of a user would have it: the name, what the reason must say,
and the file. And kernels that do not, which must not be accused."""

HEAD = """
import threading, time
import numpy as np
import ridgeline as rl

N = 1 << 13
"""

SCALE = """
@rl.case(shapes={"n": [N]}, dtypes=["f32"], bytes=lambda n, **_: 8 * n, devices="cpu", cache="hot")
def scale(n, dtype, device):
    x = rl.uniform(n, dtype, device)
{body}
    return launch, rl.expect(lambda: x.numpy() * 2)
"""

PRODUCT = """
@rl.case(shapes={"n": [64]}, dtypes=["f32"], devices="cpu", cache="hot")
def product(n, dtype, device):
    a, b = rl.uniform((n, n), dtype, device), rl.uniform((n, n), dtype, device)
{body}
    return launch, rl.expect(lambda: a.numpy() @ b.numpy())
"""


def _file(frame: str, body: str) -> str:
    lines = "\n".join("    " + line for line in body.strip().splitlines())
    return HEAD + frame.replace("{body}", lines)


def scale(body: str) -> str:
    return _file(SCALE, body)


def product(body: str) -> str:
    return _file(PRODUCT, body)


# name: (what the reason says, the file)
CHEATS = {
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
            "kept = []\ndef launch():\n    kept or kept.append(x * 2)\n    return kept[0].copy()"
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
    "a no-op that returns memory as it is": (
        "element",
        scale("def launch(): return np.empty_like(x)"),
    ),
    "a no-op with memory of its own": (
        "element",
        scale("y = rl.empty(n, dtype, device)\ny[:] = x * 2\ndef launch(): return y"),
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
    "half of the work": (
        "element",
        scale(
            "y = rl.empty(n, dtype, device)\ndef launch():\n    y[::2] = x[::2] * 2\n    return y"
        ),
    ),
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
    "inputs zeroed": (
        "changed its input",
        scale("def launch():\n    x[:] = 0\n    return x * 2"),
    ),
    "its input returned": (
        "one of its inputs",
        scale("def launch():\n    np.multiply(x, 2, out=x)\n    return x"),
    ),
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
    "f16 for f32": ("the output is f16", scale("def launch(): return (x * 2).astype(np.float16)")),
    "f32 for f64": (
        "tolerance",
        scale("def launch(): return (np.float32(x) * np.float32(2)).astype(np.float64)").replace(
            '"f32"', '"f64"'
        ),
    ),
    "a shape special-cased": (
        "element",
        scale("def launch(): return np.zeros_like(x) if x.shape == (N,) else x * 2"),
    ),
    "one element wrong": (
        "element",
        scale("def launch():\n    y = x * 2\n    y[-1] += 0.01\n    return y"),
    ),
}

# These concern all of their process.
OF_THE_PROCESS = {
    "a patched timer": (
        "replaced time.perf_counter_ns",
        "import time\ntime.perf_counter_ns = lambda: 0\n" + scale("def launch(): return x * 2"),
    ),
    "a patched clock of the package": (
        "replaced ridgeline.",
        scale("def launch(): return x * 2")
        + "\nimport ridgeline.cpu_timing\nridgeline.cpu_timing.now_ns = lambda: 0\n",
    ),
    "a patched comparison": (
        "replaced ridgeline.",
        scale("def launch(): return np.zeros_like(x)")
        + "\nimport ridgeline.judging as e\ne.compare.__code__ = e.outputs_seen.__code__\n",
    ),
    "a comparison that is patched by the first call": (
        "replaced numpy.array_equal",
        scale(
            """
def launch():
    np.array_equal = lambda a, b: True
    return x * 2
"""
        ),
    ),
}

BAD = {
    "returns nothing": ("returned nothing", scale("def launch(): pass")),
    "another shape": ("has the shape", scale("def launch(): return (x * 2)[1:].copy()")),
    "an expectation of nothing": (
        "the same for all inputs",
        scale("def launch(): return np.ones_like(x)").replace("x.numpy() * 2", "np.ones(n)"),
    ),
    "no input": (
        "makes no input",
        scale("def launch(): return np.ones_like(x)").replace(
            "rl.uniform(n, dtype, device)", "np.ones(n, np.float32)"
        ),
    ),
}

HONEST = {
    "elementwise": scale("def launch(): return x * 2"),
    "cold": scale("def launch(): return x * 2").replace('cache="hot"', 'cache="cold"'),
    "into memory of its own": scale(
        "y = rl.empty(n, dtype, device)\ndef launch(): return np.multiply(x, 2, out=y)"
    ),
    "into memory of numpy": scale(
        "y = np.empty_like(x)\ndef launch(): return np.multiply(x, 2, out=y)"
    ),
    "in two threads, joined": scale(
        """
def launch():
    y = np.empty_like(x)
    def work(part): np.multiply(x[part], 2, out=y[part])
    thread = threading.Thread(target=work, args=(slice(None, n // 2),))
    thread.start()
    work(slice(n // 2, None))
    thread.join()
    return y
"""
    ),
    "a product": product("def launch(): return a @ b"),
    "packed weights": product("t = b.T.copy()\ndef launch(): return a @ t.T").replace(
        "b = rl.uniform((n, n), dtype, device), rl.uniform((n, n), dtype, device)",
        "b = rl.uniform((n, n), dtype, device), rl.uniform((n, n), dtype, device, fixed=True)",
    ),
    "two outputs": scale("def launch(): return x * 2, x + 1").replace(
        "x.numpy() * 2", "(x.numpy() * 2, x.numpy() + 1)"
    ),
    "a sum": scale("def launch(): return np.sum(x, dtype=np.float64)").replace(
        "x.numpy() * 2", "x.numpy().sum()"
    ),
    "sorting": scale("def launch(): return np.sort(x)").replace(
        "x.numpy() * 2", "np.sort(x.numpy())"
    ),
    "integers": scale("def launch(): return i + 1")
    .replace("x = rl.uniform(n, dtype, device)", "i = rl.integers(0, 1000, n, 'i32', device)")
    .replace("x.numpy() * 2", "i.numpy() + 1"),
    "a gather": scale("i = rl.integers(0, n, n, 'i64', device)\ndef launch(): return x[i]").replace(
        "x.numpy() * 2", "x.numpy()[i.numpy()]"
    ),
    "a permutation": scale(
        "i = rl.made(lambda g, s: g.permutation(s[0]), n, 'i64', device)\ndef launch(): return x[i]"
    ).replace("x.numpy() * 2", "x.numpy()[i.numpy()]"),
    "softmax": scale("def launch():\n    e = np.exp(x - x.max())\n    return e / e.sum()").replace(
        "x.numpy() * 2", "np.exp(x.numpy()) / np.exp(x.numpy()).sum()"
    ),
    "f16": scale("def launch(): return x * np.float16(2)").replace('"f32"', '"f16"'),
    "f64": scale("def launch(): return x * 2").replace('"f32"', '"f64"'),
    "one launch": scale("def launch(): return x * 2").replace("bytes=", 'launch="single", bytes='),
    "a scan": scale("def launch(): return np.cumsum(x, dtype=np.float64)").replace(
        "x.numpy() * 2", "np.cumsum(x.numpy())"
    ),
    "a transpose": product("def launch(): return np.ascontiguousarray(a.T)").replace(
        "a.numpy() @ b.numpy()", "a.numpy().T"
    ),
    "argmax of rows": product("def launch(): return a.argmax(axis=1)").replace(
        "a.numpy() @ b.numpy()", "a.numpy().argmax(axis=1)"
    ),
}
