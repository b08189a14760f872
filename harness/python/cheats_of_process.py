"""Files that change what measures: each the only one of its process. The name, what the reason must
say, and the file."""

from harness.python.kernel_files import scale

HONEST = "def launch(): return x * 2"
NOTHING = "def launch(): return np.zeros_like(x)"


def after(body: str, lines: str) -> str:
    return scale(body) + lines


# kind: {disguise: (what the reason says, the file)}
OF_THE_PROCESS = {
    "a patched timer": {
        "a patched timer": (
            "replaced time.perf_counter_ns",
            "import time\ntime.perf_counter_ns = lambda: 0\n" + scale("def launch(): return x * 2"),
        ),
        "a patched clock of the package": (
            "replaced ridgeline.",
            scale("def launch(): return x * 2")
            + "\nimport ridgeline.cpu_timing\nridgeline.cpu_timing.now_ns = lambda: 0\n",
        ),
        "a patched stopwatch": (
            "replaced ridgeline.",
            after(
                HONEST,
                "\nfrom ridgeline.clocks import Stopwatch\nStopwatch.ns = lambda self: 1.0\n",
            ),
        ),
    },
    "a patched comparison": {
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
        "a tolerance": (
            "replaced ridgeline.",
            after(NOTHING, "\nimport ridgeline.dtypes as d\nd.TOLERANCE['f32'] = 1.0\n"),
        ),
        "a verdict": (
            "replaced ridgeline.",
            after(NOTHING, "\nimport ridgeline.comparison as c\nc.Found.right = True\n"),
        ),
        "a mean that is used in NumPy": (
            "replaced numpy.",
            after(NOTHING, "\nimport numpy._core._methods as m\nm._mean = lambda *a, **k: 1e30\n"),
        ),
        "another adaptor": (
            "replaced ridgeline.libraries._made",
            after(
                NOTHING,
                "\nimport ridgeline.libraries as l\nclass L(l.OnNumPy): pass\n"
                "l._made['numpy'] = L()\n",
            ),
        ),
        "what sorts samples": (
            "replaced builtins.sorted",
            after(
                HONEST,
                "\nimport builtins\nold = sorted\n"
                "builtins.sorted = lambda v, **k: old([each / 2 for each in v], **k)\n",
            ),
        ),
        "what imports": (
            "by which its kernels are measured",
            after(
                HONEST,
                "\nimport builtins\nold = __import__\n"
                "builtins.__import__ = lambda *a, **k: old(*a, **k)\n",
            ),
        ),
        "a limit": (
            "replaced ridgeline.recall.FACTOR",
            after(HONEST, "\nimport ridgeline.recall as r\nr.FACTOR = 1e9\n"),
        ),
    },
    "chance that can be foreseen": {
        "bits of the system": (
            "replaced random._urandom",
            after(HONEST, "\nimport random\nrandom._urandom = lambda n: bytes(n)\n"),
        ),
        "a draw": (
            "replaced secrets.randbelow",
            after(HONEST, "\nimport secrets\nsecrets.randbelow = lambda n: 0\n"),
        ),
        "a generator": (
            "SystemRandom",
            after(HONEST, "\nimport random\nrandom.SystemRandom.getrandbits = lambda self, k: 1\n"),
        ),
    },
    "invented times": {
        "in what is written": (
            "replaced json.dumps",
            after(
                HONEST,
                "\nimport json\nold = json.dumps\njson.dumps = lambda *a, **k: old(*a, **k)\n",
            ),
        ),
        "in how it is written": (
            "replaced builtins.print",
            after(
                HONEST,
                "\nimport builtins\nold = print\nbuiltins.print = lambda *a, **k: old(*a, **k)\n",
            ),
        ),
        "in a batch": (
            "replaced ridgeline.",
            after(
                HONEST, "\nimport ridgeline.cpu_timing as t\nt.Batch.ns = property(lambda s: 1.0)\n"
            ),
        ),
    },
    "code of the file that runs when the timing has ended": {
        "by sys.setprofile": (
            "replaced the function of sys.setprofile",
            scale(
                """
import sys
y = np.empty_like(x)
def hook(frame, event, what):
    if frame.f_code.co_name == "outputs_seen" and event == "call":
        np.multiply(x, 2, out=y)
def launch():
    sys.setprofile(hook)
    return y
"""
            ),
        ),
        "by sys.settrace": (
            "replaced the function of sys.settrace",
            scale(
                """
import sys
y = np.empty_like(x)
def hook(frame, event, what):
    if frame.f_code.co_name == "outputs_seen":
        np.multiply(x, 2, out=y)
def launch():
    sys.settrace(hook)
    return y
"""
            ),
        ),
        "by a hook that takes itself back": (
            "work went on when its time had been taken",
            scale(
                """
import sys
y = np.empty_like(x)
ends = ("outputs_seen", "_sometimes", "_not_seen", "_no_sample")
def hook(frame, event, what):
    if frame.f_code.co_name in ends and event == "call":
        sys.setprofile(None)
        for _ in range(200):
            np.multiply(x, 2, out=y)
def launch():
    sys.setprofile(hook)
    return y
"""
            ),
        ),
        "by a hook that takes itself back, but for one time of twelve": (
            "work went on when its time had been taken",
            scale(
                """
import sys
y = np.empty_like(x)
ends = ("outputs_seen", "_sometimes", "_not_seen", "_no_sample")
calls = [0]
def hook(frame, event, what):
    if frame.f_code.co_name in ends and event == "call":
        sys.setprofile(None)
        for _ in range(200):
            np.multiply(x, 2, out=y)
def launch():
    calls[0] += 1
    if calls[0] % 12 == 0:
        return x * 2
    sys.setprofile(hook)
    return y
"""
            ),
        ),
        "by a handler of a signal": (
            "element",
            scale(
                """
import signal
y = np.empty_like(x)
signal.signal(signal.SIGALRM, lambda *_: np.multiply(x, 2, out=y))
def launch():
    signal.setitimer(signal.ITIMER_REAL, 0.001)
    return y
"""
            ),
        ),
        "by a hook of audits": (
            "element",
            scale(
                """
import sys
y, todo = np.empty_like(x), []
def hook(event, what):
    if todo:
        todo.clear()
        np.multiply(x, 2, out=y)
sys.addaudithook(hook)
def launch():
    todo.append(1)
    return y
"""
            ),
        ),
        "by an object that is let go": (
            "element",
            scale(
                """
y = np.empty_like(x)
class Later:
    def __del__(self): np.multiply(x, 2, out=y)
def launch():
    circle = [Later()]
    circle.append(circle)
    return y
"""
            ),
        ),
        "by the collector of garbage": (
            "element",
            scale(
                """
import gc
y = np.empty_like(x)
def work(phase, info):
    if phase == "start":
        np.multiply(x, 2, out=y)
gc.callbacks.append(work)
gc.set_threshold(1, 1, 1)
def launch():
    gc.enable()
    return y
"""
            ),
        ),
    },
}
