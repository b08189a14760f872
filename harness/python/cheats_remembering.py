"""Kernels that compute nothing of what they are given now, as files of a user (cheats.py)."""

from harness.python.kernel_files import product, scale

REMEMBERING = {
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
        "remembered by where its input lies": (
            "remembered",
            scale(
                """
kept = {}
def launch():
    if x.ctypes.data not in kept:
        kept[x.ctypes.data] = x * 2
    return kept[x.ctypes.data].copy()
"""
            ),
        ),
        "remembered by some elements of its input": (
            "remembered|in a sample|after the last sample",  # whichever sees it first
            scale(
                """
kept = {}
def launch():
    key = x[:: n // 64].tobytes()
    if key not in kept:
        kept.clear()
        kept[key] = x * 2
    return kept[key].copy()
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
}
