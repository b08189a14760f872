"""Inputs of kernels: made from a seed, and made anew, whole or in part, between launches.

A kernel gets its arrays once. What they hold changes under it, by seeds that nobody knew when it
was prepared: an output that was computed before is then wrong."""

import secrets
from collections.abc import Callable
from contextlib import contextmanager
from sys import getrefcount

import numpy as np

from ridgeline import libraries
from ridgeline.dtypes import COMPLEX, HELD_AS, is_float, rounded
from ridgeline.failures import Refused

MOST_TAKEN = 4

Shape = int | tuple[int, ...]


def _nothing() -> None:
    pass


def _references(values: list) -> list[int]:
    return [getrefcount(each) for each in values]


_UNUSED = _references([object()])[0]  # of what nothing but the list holds
_taken: list[np.ndarray] = []  # the newest arrays that `_memory` gave


def _memory(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """An array that nobody holds, where there is one: of new memory, each page is cleared first,
    which takes several times as long as writing it."""
    for each, references in zip(_taken, _references(_taken), strict=True):
        if each.shape == shape and each.dtype == dtype and references == _UNUSED:
            return each
    _taken.insert(0, np.empty(shape, dtype))
    del _taken[MOST_TAKEN:]
    return _taken[0]


class Input:
    """An array of a kernel, with what it must hold, on the host."""

    changes_partly = True  # a few elements can be made anew alone

    def __init__(self, library, make: Callable, shape: Shape, dtype: str, place, seed, fixed):
        self._library, self._make, self._dtype, self.fixed = library, make, dtype, fixed
        self._shape = (shape,) if isinstance(shape, int) else tuple(shape)
        self._host = self._made(seed)
        self._filled: dict[int, object] = {}  # what changed elements were when all were made
        device, offset = place
        self.array = library.put(self._host, dtype, device, self.values, offset)

    def _made(self, seed) -> np.ndarray:
        generator = np.random.Generator(np.random.SFC64(seed))
        return rounded(self._make(generator, self._shape), self._dtype).reshape(self._shape)

    def values(self) -> np.ndarray:
        """What it holds, for an expectation: floats in f64. Never read from the kernel's memory."""
        kind = np.float64 if is_float(self._dtype) else self._host.dtype
        wide = _memory(self._host.shape, np.dtype(kind))
        np.copyto(wide, self._host)
        return wide

    def refill(self) -> None:
        """Makes all of it anew, unless it is fixed, by a seed of this moment."""
        if self.fixed:
            return
        self._host = self._made(secrets.randbits(64))
        self._filled = {}
        self._library.write(self.array, self._host)

    def change_some(self) -> None:
        """Makes a few elements anew: so few that nothing can tell which without reading all."""
        self.changing()()

    def changing(self, count: int = 8) -> Callable:
        """As `change_some`, but the kernel's memory changes when the result is called, which takes
        no longer than the array's library needs. Until then it holds what it should not."""
        if self.fixed or self._host.size == 0:
            return _nothing
        generator = np.random.Generator(np.random.SFC64(secrets.randbits(64)))
        places = np.unique(generator.integers(0, self._host.size, count))
        new = rounded(self._make(generator, places.shape), self._dtype)
        flat = self._host.reshape(-1)
        for place in places.tolist():
            self._filled.setdefault(place, flat[place])
        flat[places] = new
        return self._library.replacing(self.array, places, new)

    def swap_as_filled(self) -> None:
        """Puts back on the host, not into the kernel's memory, what has been changed since all was
        made; once more undoes that."""
        flat = self._host.reshape(-1)
        now = {place: flat[place] for place in self._filled}
        for place, value in self._filled.items():
            flat[place] = value
        self._filled = now

    def intact(self) -> bool:
        """Whether the kernel has left it as it was."""
        return np.array_equal(self._library.look(self.array), self._host)

    @property
    def nbytes(self) -> int:
        return self._library.nbytes(self.array)


class Made(Input):
    """An input by a function of the user, whose elements may belong together."""

    changes_partly = False


class Making:
    """The inputs of one call of a user's function, in the order made."""

    def __init__(self, seed: int, device: str, offset: int):
        self.device, self.offset, self.inputs = device, offset, []
        self._seeds = np.random.SeedSequence(seed)

    def add(self, kind, make, shape, dtype, device, fixed, library) -> object:
        if dtype not in HELD_AS:
            raise Refused(f"there is no type {dtype!r}; there are {', '.join(HELD_AS)}")
        chosen = libraries.chosen(device, library)
        seed = self._seeds.spawn(1)[0]
        self.inputs.append(kind(chosen, make, shape, dtype, (device, self.offset), seed, fixed))
        return self.inputs[-1].array


_current: Making | None = None


@contextmanager
def making(seed: int, device: str, offset: int):
    global _current
    _current = Making(seed, device, offset)
    try:
        yield _current
    finally:
        _current = None


def _add(kind, make, shape, dtype, device, fixed, library):
    if _current is None:
        raise Refused("inputs are made in a function below @rl.case, before it returns")
    return _current.add(kind, make, shape, dtype, device or _current.device, fixed, library)


def uniform(shape: Shape, dtype: str = "f32", device: str = "", *, fixed=False, library=""):
    """An input of uniform values in [-1, 1); of integers, all values of the type.

    Between launches it is given other values, unless it is `fixed`: only what the function derives
    from it while preparing (packed weights) needs that. `library` is "numpy", "torch" or "cupy"."""

    def make(generator, shape):
        kind = HELD_AS[dtype]
        if dtype == "bool":
            return generator.integers(0, 2, shape).astype(np.bool_)
        if not is_float(dtype):
            limits = np.iinfo(kind)
            return generator.integers(limits.min, limits.max, shape, kind, endpoint=True)
        real = np.float64 if dtype == "f64" else np.float32
        values = generator.random(shape, real)
        values *= real(2)
        values -= real(1)
        return values

    return _add(Input, make, shape, dtype, device, fixed, library)


def normal(shape: Shape, dtype: str = "f32", device: str = "", *, fixed=False, library=""):
    """An input of normal values with mean 0 and deviation 1; else as `uniform`."""

    def make(generator, shape):
        return generator.standard_normal(shape, np.float64 if dtype == "f64" else np.float32)

    return _add(Input, make, shape, dtype, device, fixed, library)


def integers(low: int, high: int, shape: Shape, dtype="i64", device="", *, fixed=False, library=""):
    """An input of integers from `low` to `high` - 1; else as `uniform`."""

    def make(generator, shape):
        return generator.integers(low, high, shape)

    return _add(Input, make, shape, dtype, device, fixed, library)


def made(
    make: Callable, shape: Shape, dtype: str = "f32", device: str = "", *, fixed=False, library=""
):
    """An input that `make(generator, shape)` gives, of NumPy's generator: for what is neither
    uniform nor normal, as permutations; else as `uniform`."""
    return _add(Made, make, shape, dtype, device, fixed, library)


def empty(shape: Shape, dtype: str = "f32", device: str = "", *, library: str = ""):
    """Memory for a kernel that writes into what it is given: the kernel returns it as its output.
    It holds no numbers. `dtype` may be "c64" or "c128", too."""
    if _current is None:
        raise Refused("memory is taken in a function below @rl.case, before it returns")
    kinds = HELD_AS | COMPLEX
    if dtype not in kinds:
        raise Refused(f"there is no type {dtype!r}; there are {', '.join(kinds)}")
    device = device or _current.device
    chosen = libraries.chosen(device, library)
    size = (shape,) if isinstance(shape, int) else tuple(shape)
    array = chosen.put(np.zeros(size, kinds[dtype]), dtype, device, None, _current.offset)
    chosen.poison(array)
    return array
