"""Whether what measures is still what it was before the user's file was loaded.

A file runs in the process that times it, so it could put something else into the place of a clock
or of a function of this package. Both are compared by identity. What it does to memory that Python
does not show is not seen (docs/own-kernels.md)."""

import importlib
import sys
import types
from contextlib import suppress

# Names by module; without one, all that can be called.
_WATCHED = {
    "time": "",
    "secrets": "",
    "random": "",
    "os": "urandom",
    "gc": "",
    "json": "",
    "json.encoder": "",
    "math": "",
    "numpy": "",
    "numpy._core._methods": "",
    "numpy._core.fromnumeric": "",
    "numpy._core.numeric": "",
    "builtins": "",
    "torch": "Tensor from_numpy",
    "torch.cuda": "Event Stream synchronize CUDAGraph graph stream _sleep set_device",
}
_OWN = "ridgeline"
_OF_PYTHON = ("__dict__", "__weakref__", "__doc__", "__annotations__")


def _parts(value: object) -> tuple:
    """What identifies a function or a class: itself, and the code of its methods."""
    if isinstance(value, types.FunctionType):
        return (value, value.__code__, value.__defaults__, value.__kwdefaults__)
    if isinstance(value, type):
        module = str(getattr(value, "__module__", ""))
        if module.partition(".")[0] == _OWN:
            held = [each for name, each in vars(value).items() if name not in _OF_PYTHON]
            return (value, *map(_parts, held))
        if module.startswith(("torch.cuda", "random", "json")):
            return (value, *(_parts(each) for each in list(vars(value).values()) if callable(each)))
        return (value,)
    if isinstance(value, property):
        return (value, value.fget and _parts(value.fget))
    below = getattr(value, "__wrapped__", None)  # NumPy's functions in Python
    return (value, _parts(below)) if isinstance(below, types.FunctionType) else (value,)


def _same(before: tuple, now: tuple) -> bool:
    if len(before) != len(now):
        return False
    return all(
        _same(one, other) if isinstance(one, tuple) and isinstance(other, tuple) else one is other
        for one, other in zip(before, now, strict=True)
    )


def _put_back(parts: tuple) -> None:
    """The code of the functions among `parts`."""
    if isinstance(parts[0], types.FunctionType):
        parts[0].__code__, parts[0].__defaults__, parts[0].__kwdefaults__ = parts[1:]
        return
    for each in parts:
        if isinstance(each, tuple) and each:
            _put_back(each)


class Watch:
    """Remembers what there is now."""

    def __init__(self) -> None:
        self._seen: dict[tuple[str, str], tuple] = {}
        # Tables of this package as they are and were: what is in one stays, more may come.
        self._tables: dict[tuple[str, str], tuple[dict, dict]] = {}
        for module in list(sys.modules):
            if module == _OWN or module.startswith(_OWN + "."):
                for name, value in vars(sys.modules[module]).items():
                    if not name.startswith("__"):
                        self._seen[module, name] = _parts(value)
                    if isinstance(value, dict):
                        self._tables[module, name] = (value, dict(value))
        for module, names in _WATCHED.items():
            if module in sys.modules:
                there = vars(sys.modules[module])
                for name in names.split() or [each for each in there if callable(there[each])]:
                    value = there.get(name)
                    if value is not None and not name.startswith("__"):
                        self._seen[module, name] = _parts(value)
        self._hooks = (sys.getprofile(), sys.gettrace())

    def restore(self) -> None:
        """Puts back what has been replaced, for the cases to come; `changed` tells what remains."""
        for (module, name), before in self._seen.items():
            there = sys.modules.get(module)
            if there is not None and not _same(before, _parts(getattr(there, name, None))):
                with suppress(Exception):  # of whatever stands in the place of a module
                    _put_back(before)
                    setattr(there, name, before[0])
        for now, before in self._tables.values():
            now.update(before)
        if self._hooks[0] is not sys.getprofile():
            sys.setprofile(self._hooks[0])
        if self._hooks[1] is not sys.gettrace():
            sys.settrace(self._hooks[1])

    def changed(self) -> str:
        """The first name that means something else by now, as `time.perf_counter_ns`; empty when
        none does."""
        for (module, name), before in self._seen.items():
            there = sys.modules.get(module)
            if there is None or not _same(before, _parts(getattr(there, name, None))):
                return f"{module}.{name}"
        for (module, name), (now, before) in self._tables.items():
            if any(key not in now or now[key] is not value for key, value in before.items()):
                return f"{module}.{name}"
        if self._hooks[0] is not sys.getprofile():
            return "the function of sys.setprofile"
        if self._hooks[1] is not sys.gettrace():
            return "the function of sys.settrace"
        return ""


def load_first(modules: list[str]) -> None:
    """Imports these, where they can be, so that Watch sees them as they are."""
    for module in modules:
        with suppress(Exception):  # the file says so itself when it needs it
            importlib.import_module(module)
