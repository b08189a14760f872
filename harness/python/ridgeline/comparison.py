"""Outputs beside what was expected, in f64."""

from dataclasses import dataclass

import numpy as np

from ridgeline import libraries
from ridgeline.dtypes import PRECISION, TOLERANCE
from ridgeline.failures import wrong


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
    """The arrays of an expectation, on the host, floats in f64."""
    parts = value if isinstance(value, tuple | list) else [value]
    found = []
    for part in parts:
        library = libraries.of(part)
        plain = library.read(part) if library else np.asarray(part)
        if plain.dtype.kind not in "fiub":
            raise wrong(f"the expectation holds {plain.dtype}, which are not numbers")
        found.append(plain.astype(np.float64) if plain.dtype.kind == "f" else plain)
    return found


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


def _difference(got: np.ndarray, want: np.ndarray) -> tuple[float, str]:
    if got.size == 0:
        return 0.0, ""
    if want.dtype.kind != "f":
        differs = got.reshape(-1) != want.reshape(-1)
        count = int(np.count_nonzero(differs))
        if not count:
            return 0.0, ""
        place = int(np.argmax(differs))
        said = f"element {place} is {got.flat[place]} and should be {want.flat[place]}"
        return float("inf"), f"{count} elements differ: {said}"
    got = got.astype(np.float64).reshape(-1)
    want = want.reshape(-1)
    finite = np.isfinite(want)
    rms = float(np.sqrt(np.mean(np.square(want[finite])))) if finite.any() else 0.0
    with np.errstate(all="ignore"):
        error = np.abs(got - want) / (np.abs(want) + (rms or 1.0))
    same = (got == want) | (np.isnan(got) & np.isnan(want))
    error[same] = 0.0
    error[~finite & ~same] = np.inf
    place = int(np.argmax(np.where(np.isnan(error), np.inf, error)))
    worst = float(error[place])
    return worst, f"element {place} is {got[place]:.9g} and should be {want[place]:.9g}"


def compare(
    output: list[object], want: list[np.ndarray], dtype: str, tolerance: float | None
) -> Found:
    """The worst of all arrays. Throws CaseFailed when their number or shapes differ."""
    if len(output) != len(want):
        raise wrong(f"the callable returned {len(output)} arrays, and {len(want)} are expected")
    worst: Found | None = None
    for array, expected in zip(output, want, strict=True):
        got = libraries.of(array).read(array)
        if got.shape != expected.shape:
            raise wrong(
                f"the output has the shape {got.shape}, and the expected one {expected.shape}"
            )
        limit = tolerance_of(tolerance, dtype, libraries.dtype_name(array))
        error, where = _difference(got, expected)
        found = Found(error, limit, where)
        if worst is None or not found.right or found.error > worst.error:
            worst = found
        if not found.right:
            break
    assert worst is not None
    return worst
