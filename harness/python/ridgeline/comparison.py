"""Outputs beside what was expected, in f64."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite, isnan, sqrt

import numpy as np

from ridgeline import libraries
from ridgeline.dtypes import PRECISION, TOLERANCE
from ridgeline.failures import wrong

BLOCK = 1 << 16  # elements that are compared at once


@dataclass
class Expectation:
    """What `rl.expect` gives: a function that computes the output again, plainly and in f64."""

    compute: object
    tolerance: float | None = None


def expect(compute, tolerance: float | None = None) -> Expectation:
    """The output that a kernel must have: `compute()` gives it, from `x.numpy()` of the inputs,
    which are f64.

    `tolerance` replaces that of the case's type: of |got - expected| / (|expected| + rms)."""
    if not callable(compute):
        raise TypeError("rl.expect takes a function that computes what is expected")
    if tolerance is not None and not 0 <= tolerance < 1:
        raise TypeError(f"a tolerance is at least 0 and below 1, not {tolerance!r}")
    return Expectation(compute, tolerance)


@dataclass
class Found:
    """How far an output was off. `error` may be NaN or infinite."""

    error: float
    tolerance: float
    where: str = ""  # the worst element, in words

    @property
    def right(self) -> bool:
        return self.error <= self.tolerance  # false for NaN


def expected_arrays(value: object) -> list[np.ndarray]:
    """The arrays of an expectation, on the host, floats in f64. They may be the user's own. Throws
    CaseFailed when they cannot be compared: NaN is what poisoned memory holds."""
    parts = value if isinstance(value, tuple | list) else [value]
    found = []
    for part in parts:
        library = libraries.of(part)
        plain = library.look(part) if library else np.asarray(part)
        if plain.dtype.kind not in libraries.NUMBERS:
            raise wrong(f"the expectation holds {plain.dtype}, which cannot be compared as numbers")
        if plain.dtype.kind in "fc":
            plain = plain.astype(
                np.complex128 if plain.dtype.kind == "c" else np.float64, copy=False
            )
            _check_no_nan(_parts(plain))
        found.append(plain)
    return found


def _parts(values: np.ndarray) -> np.ndarray:
    """All in a row; of complex numbers the real and the imaginary parts in turn."""
    row = np.ascontiguousarray(values).reshape(-1)
    return row.view(row.real.dtype) if row.dtype.kind == "c" else row


def _check_no_nan(want: np.ndarray) -> None:
    with np.errstate(invalid="ignore"):
        least = want.min(initial=0.0)
    if isnan(least):
        raise wrong(
            "the expectation has NaN, which is also what memory holds that nobody wrote: "
            "take inputs whose right output has none"
        )


def check_types(output: list[object], dtype: str) -> None:
    """Throws CaseFailed when an output is of a coarser type than the case names."""
    for array in output:
        name = libraries.dtype_name(array)
        if dtype in PRECISION and name in PRECISION and PRECISION[name] < PRECISION[dtype]:
            raise wrong(f"the output is {name}, and the case is {dtype}")


def tolerance_of(wanted: float | None, dtype: str, got_type: str) -> float:
    if wanted is not None:
        return wanted
    if got_type not in PRECISION:
        return 0.0  # integers are equal
    return TOLERANCE.get(dtype, TOLERANCE.get(got_type, 0.0))


def _blocks(size: int) -> Iterator[slice]:
    """Parts that stay in a cache: a temporary of the size of an output costs a page fault for each
    of its pages, which takes far longer than computing."""
    return (slice(begin, begin + BLOCK) for begin in range(0, size, BLOCK))


def _rms(want: np.ndarray) -> float:
    """Of its finite elements; 0 where there are none."""
    count, largest, squares = 0, 0.0, 0.0
    for block in _blocks(want.size):
        finite = want[block]
        most = float(np.abs(finite).max())
        if not isfinite(most):
            finite = finite[np.isfinite(finite)]
            most = float(np.abs(finite).max(initial=0.0))
        count += finite.size
        if most > 0:  # beside the largest so far, so that no square overflows
            before, largest = largest, max(largest, most)
            scaled = finite / largest
            squares = squares * (before / largest) ** 2 + float(scaled @ scaled)
    return largest * sqrt(squares / count) if count else 0.0


def _worst_float(got: np.ndarray, want: np.ndarray) -> tuple[float, int]:
    """The largest error and its place; NaN and infinity are larger than any number, and NaN is
    right nowhere."""
    scale = _rms(want) or 1.0
    worst, place = -1.0, 0
    for block in _blocks(want.size):
        one, other = got[block].astype(np.float64), want[block]
        with np.errstate(all="ignore"):
            error = np.abs(one - other) / (np.abs(other) + scale)
        if not isfinite(error.max()):
            error[~np.isfinite(other)] = np.inf
            error[one == other] = 0.0
        here = int(np.argmax(error))  # the first NaN, where there is one
        if not error[here] <= worst and isfinite(worst):
            worst, place = float(error[here]), block.start + here
    return worst, place


def _difference(got: np.ndarray, want: np.ndarray) -> tuple[float, str]:
    if got.size == 0:
        return 0.0, ""
    is_complex = want.dtype.kind == "c"
    got, want = _parts(got), _parts(want)
    if want.dtype.kind == "f":
        worst, place = _worst_float(got, want)
        of = f"element {place}"
        if is_complex:
            of = f"the {('real', 'imaginary')[place % 2]} part of element {place // 2}"
        return worst, f"{of} is {got[place]:.9g} and should be {want[place]:.9g}"
    differs = got != want
    count = int(np.count_nonzero(differs))
    if not count:
        return 0.0, ""
    place = int(np.argmax(differs))
    said = f"element {place} is {got[place]} and should be {want[place]}"
    return float("inf"), f"{count} elements differ: {said}"


def compare(
    output: list[object], want: list[np.ndarray], dtype: str, tolerance: float | None
) -> Found:
    """The worst of all arrays. Throws CaseFailed when their number or shapes differ."""
    if len(output) != len(want):
        raise wrong(f"the callable returned {len(output)} arrays, and {len(want)} are expected")
    worst: Found | None = None
    for array, expected in zip(output, want, strict=True):
        got = libraries.of(array).look(array)
        if got.shape != expected.shape:
            raise wrong(
                f"the output has the shape {got.shape}, and the expected one {expected.shape}"
            )
        if (got.dtype.kind == "c") != (expected.dtype.kind == "c"):
            raise wrong(f"the output holds {got.dtype}, and the expectation {expected.dtype}")
        limit = tolerance_of(tolerance, dtype, libraries.dtype_name(array))
        error, where = _difference(got, expected)
        found = Found(error, limit, where)
        if worst is None or not found.right or found.error > worst.error:
            worst = found
        if not found.right:
            break
    assert worst is not None
    return worst
