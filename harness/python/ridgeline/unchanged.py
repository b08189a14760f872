"""Whether what measures is still what it was before the user's file was loaded.

A file runs in the process that times it, so it could put something else into the place of a clock
or of a function of this package. Both are compared by identity. What it does to memory that Python
does not show is not seen (docs/own-kernels.md)."""

import importlib
import sys
import types
from contextlib import suppress

_WATCHED = {
    "time": "time time_ns perf_counter perf_counter_ns monotonic monotonic_ns process_time sleep",
    "secrets": "randbits randbelow",
    "gc": "disable enable",
    "numpy": "asarray array array_equal isfinite abs square mean sqrt argmax where count_nonzero "
    "errstate zeros copyto ndarray float64",
    "builtins": "sum min max abs len zip all any float int type id isinstance sorted getattr",
    "torch": "Tensor from_numpy",
    "torch.cuda": "Event Stream synchronize CUDAGraph graph stream _sleep set_device",
}
_OWN = "ridgeline"


def _parts(value: object) -> tuple:
    """What identifies a function or a class: itself, and the code of its methods."""
    if isinstance(value, types.FunctionType):
        return (value, value.__code__, value.__defaults__)
    if isinstance(value, type) and getattr(value, "__module__", "").startswith(
        (_OWN, "torch.cuda")
    ):
        return (value, *(_parts(each) for each in vars(value).values() if callable(each)))
    return (value,)


def _same(before: tuple, now: tuple) -> bool:
    if len(before) != len(now):
        return False
    return all(
        _same(one, other) if isinstance(one, tuple) and isinstance(other, tuple) else one is other
        for one, other in zip(before, now, strict=True)
    )


class Watch:
    """Remembers what there is now."""

    def __init__(self) -> None:
        self._seen: dict[tuple[str, str], tuple] = {}
        for module in list(sys.modules):
            if module == _OWN or module.startswith(_OWN + "."):
                for name, value in vars(sys.modules[module]).items():
                    if callable(value) and not name.startswith("__"):
                        self._seen[module, name] = _parts(value)
        for module, names in _WATCHED.items():
            if module in sys.modules:
                for name in names.split():
                    value = getattr(sys.modules[module], name, None)
                    if value is not None:
                        self._seen[module, name] = _parts(value)

    def changed(self) -> str:
        """The first name that means something else by now, as `time.perf_counter_ns`; empty when
        none does."""
        for (module, name), before in self._seen.items():
            there = sys.modules.get(module)
            if there is None or not _same(before, _parts(getattr(there, name, None))):
                return f"{module}.{name}"
        return ""


def load_first(modules: list[str]) -> None:
    """Imports these, where they can be, so that Watch sees them as they are."""
    for module in modules:
        with suppress(Exception):  # the file says so itself when it needs it
            importlib.import_module(module)
