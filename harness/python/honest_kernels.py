"""Kernels that do not cheat, which must not be accused; and files that are mistaken."""

from harness.python.kernel_files import product, scale, wide

# name: (what the reason says, the file)
BAD = {
    "returns nothing": ("returned nothing", scale("def launch(): pass")),
    "another shape": ("has the shape", scale("def launch(): return (x * 2)[1:].copy()")),
    "an expectation of nothing": (
        "the same for all inputs",
        scale("def launch(): return np.ones_like(x)").replace("x.numpy() * 2", "np.ones(n)"),
    ),
    "an expectation of no number": (
        "the expectation has NaN",
        scale("def launch(): return x * np.float32(np.nan)").replace("* 2", "* np.nan"),
    ),
    "an expectation with some that are no numbers": (
        "the expectation has NaN",
        scale("def launch(): return np.where(x < -0.9, np.float32(np.nan), x * 2)").replace(
            "x.numpy() * 2", "np.where(x.numpy() < -0.9, np.nan, x.numpy() * 2)"
        ),
    ),
    "objects": ("holds object", scale("def launch(): return (x * 2).astype(object)")),
    "complex": ("holds complex64", scale("def launch(): return x * np.complex64(2j)")),
    "an expectation of objects": (
        "holds object",
        scale("def launch(): return x * 2").replace("x.numpy() * 2", "np.array([None] * n)"),
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
    "slower after a pause, as threads that sleep": wide(
        """
last = [0.0]
def launch():
    if time.perf_counter() - last[0] > 150e-6: time.sleep(2e-3)
    y = x * 2
    last[0] = time.perf_counter()
    return y
"""
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
    "a sum as a number of Python": scale(
        "def launch(): return float(np.sum(x, dtype=np.float64))"
    ).replace("x.numpy() * 2", "x.numpy().sum()"),
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
    "a view of memory of its own": product(
        "y = rl.empty((n, n), dtype, device)\n"
        "def launch():\n    np.add(a, b, out=y)\n    return y.T"
    ).replace("a.numpy() @ b.numpy()", "(a.numpy() + b.numpy()).T"),
    "in steps, in place": scale(
        """
y = rl.empty(n, dtype, device)
def launch():
    np.copyto(y, x)
    np.multiply(y, 4, out=y)
    np.divide(y, 2, out=y)
    return y
"""
    ),
    "by memory in between": scale(
        "t = np.empty_like(x)\ndef launch(): return np.add(x, x, out=t) + 0"
    ),
    "in a pool of threads": scale(
        """
from concurrent.futures import ThreadPoolExecutor
pool = ThreadPoolExecutor(2)
def launch():
    y = np.empty_like(x)
    halves = (slice(None, n // 2), slice(n // 2, None))
    list(pool.map(lambda part: np.multiply(x[part], 2, out=y[part]), halves))
    return y
"""
    ),
    "dropout by a seed": scale(
        """
def kept(): return np.random.default_rng(7).random(n) < 0.9
def launch(): return np.where(kept(), x, np.float32(0))
"""
    ).replace("x.numpy() * 2", "np.where(kept(), x.numpy(), 0)"),
    "a transform": scale("def launch(): return np.fft.rfft(x).real.astype(np.float64)")
    .replace('"f32"', '"f64"')
    .replace("lambda: x.numpy() * 2", "lambda: np.fft.rfft(x.numpy()).real, tolerance=1e-9"),
    "of sixteen elements": scale("def launch(): return x * 2").replace("[N]", "[16]"),
    "of a million elements": scale("def launch(): return x * 2").replace("[N]", "[128 * N]"),
    "what it is given, into memory of its own": scale("def launch(): return np.array(x)").replace(
        "x.numpy() * 2", "x.numpy()"
    ),
    "an expectation in memory of its own": scale(
        "w = np.empty(n)\ndef launch(): return x * 2"
    ).replace("x.numpy() * 2", "np.multiply(x.numpy(), 2, out=w)"),
    "a histogram": scale(
        "def count(v): return np.histogram(v, 16, (-1, 1))[0]\ndef launch(): return count(x)"
    ).replace("x.numpy() * 2", "count(x.numpy())"),
}
