"""What a kernel returns: arrays that hold their values already, one or several."""

from collections.abc import Iterator

import numpy as np

from ridgeline import libraries
from ridgeline.failures import wrong

# Exactly these: a class made from one may compute its value when it is looked at.
_NUMBERS = {bool, int, float, complex, *np.sctypeDict.values()}


def _leaves(value: object) -> Iterator[object]:
    if isinstance(value, tuple | list):
        for each in value:
            yield from _leaves(each)
    elif isinstance(value, dict):
        for each in value.values():
            yield from _leaves(each)
    else:
        yield value


def arrays(value: object) -> list[object]:
    """The arrays of an output, in order; a number counts as one. Throws CaseFailed when there are
    none, or when something is no array that holds its values."""
    found = []
    for leaf in _leaves(value):
        if leaf is None:
            continue
        if type(leaf) in _NUMBERS:
            leaf = np.asarray(leaf)
        if libraries.of(leaf) is None:
            if isinstance(leaf, np.ndarray) and leaf.dtype.kind not in libraries.NUMBERS:
                raise wrong(f"the output holds {leaf.dtype}, which cannot be compared as numbers")
            raise wrong(
                f"the callable returned an object of {type(leaf).__module__}."
                f"{type(leaf).__qualname__}, which may compute its values only when it is looked "
                "at; return arrays of NumPy, torch or CuPy that hold them, or plain numbers"
            )
        found.append(leaf)
    if not found:
        raise wrong("the callable returned nothing: return the output, so that it can be compared")
    return found


def check_own_memory(output: list[object], inputs: list[object]) -> None:
    """Throws CaseFailed when an output is an input, or a view of one: nothing was computed."""
    for array in output:
        library = libraries.of(array)
        for each in inputs:
            if library is libraries.of(each) and library.overlap(array, each):
                raise wrong(
                    "the callable returned one of its inputs, or a view of it; an output has "
                    "memory of its own, and inputs stay as they are"
                )


def snapshot(output: list[object]) -> list[object]:
    """A copy as it is now, on the device; on a GPU in the order of the current stream."""
    return [libraries.of(array).snapshot(array) for array in output]


def poison(output: list[object]) -> None:
    for array in output:
        if not libraries.of(array).writeable(array):
            raise wrong(
                "the callable returned an array that cannot be written, so what it holds later "
                "could not be told from what it holds now; return one that can"
            )
        libraries.of(array).poison(array)


def nbytes(output: list[object]) -> int:
    return sum(libraries.of(array).nbytes(array) for array in output)
