"""The decorator that makes cases of a function, and the list of all cases of a file."""

import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

from ridgeline.failures import Refused, shown

_WORD = re.compile(r"[A-Za-z0-9_.:+-]{1,100}")


@dataclass(frozen=True)
class Case:
    """One case of the protocol's `list`, and the function that prepares it."""

    suite: str
    variant: str
    dtype: str
    problem: tuple[tuple[str, object], ...]
    options: tuple[tuple[str, str], ...]
    kinds: tuple[str, ...]  # of devices: "cpu", "cuda"
    prepare: Callable = field(compare=False)
    place: str = field(compare=False, default="")  # "mine.py:3", of the function
    requires: tuple[str, ...] = ()
    flops: float | None = None
    bytes: float | None = None
    idea: str = ""

    @property
    def name(self) -> str:
        words = [f"{key}={value}" for key, value in self.problem + self.options]
        return "/".join([self.suite, self.variant, self.dtype] + [",".join(words)] * bool(words))

    def listed(self, kind: str) -> dict:
        said = {
            "suite": self.suite,
            "variant": self.variant,
            "dtype": self.dtype,
            "problem": [[key, str(value)] for key, value in self.problem],
            "options": [list(each) for each in self.options],
            "device_kind": kind,
            "idea": self.idea,
        }
        if self.flops is not None:
            said["flops"] = self.flops
        if self.bytes is not None:
            said["bytes"] = self.bytes
        return said


_cases: dict[str, Case] = {}


def all_cases() -> list[Case]:
    return list(_cases.values())


def _problems(shapes: Mapping | Iterable[Mapping], place: str) -> list[dict]:
    """A dict of lists stands for all their combinations, a list of dicts for itself."""
    if isinstance(shapes, Mapping):
        lists = [v if isinstance(v, list | tuple | range) else [v] for v in shapes.values()]
        return [dict(zip(shapes, values, strict=True)) for values in product(*lists)]
    problems = list(shapes) if isinstance(shapes, Iterable) else [None]
    if not all(isinstance(each, Mapping) for each in problems):
        raise Refused(
            f'{place}: shapes are a dict of lists, as {{"n": [1024, 4096]}}, or a list of dicts; '
            f"not {_brief(shapes)}"
        )
    return [dict(each) for each in problems]


def _words(what: str, given: object, place: str) -> tuple[str, ...]:
    """One word stands for itself."""
    if isinstance(given, str):
        return (given,)
    words = tuple(given) if isinstance(given, Iterable) else (None,)
    if not all(isinstance(each, str) for each in words):
        raise Refused(f"{place}: {what} is a word, or a list of words; not {_brief(given)}")
    return words


def _brief(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _work(what: str, given, problem: dict, dtype: str, place: str) -> float | None:
    """FLOP or bytes of one execution: a number, or a function of the shape and the type."""
    if given is None:
        return None
    try:
        value = float(given(**problem, dtype=dtype) if callable(given) else given)
    except Exception as error:
        raise Refused(f"{place}: {what} of {problem}: {type(error).__name__}: {error}") from error
    if not 0 <= value <= 1e30:
        raise Refused(f"{place}: {what} of {problem} is {value:g}, and must not be")
    return value


def _check_parameters(function: Callable, problem: dict, place: str) -> None:
    try:
        inspect.signature(function).bind(**problem, dtype="", device="")
    except TypeError as error:
        given = ", ".join([*problem, "dtype", "device"])
        raise Refused(
            f"{place}: {function.__name__} must take {given}, as shapes and the package give: "
            f"{error}"
        ) from error


def _add(case: Case) -> None:
    for what, word in [
        ("suite", case.suite),
        ("variant", case.variant),
        ("type", case.dtype),
        *[(f"shape {key}", str(value)) for key, value in case.problem],
        *[("name of a shape", key) for key, _ in case.problem],
    ]:
        if not _WORD.fullmatch(word):
            raise Refused(
                f"{case.place}: the {what} {word!r} is no word of letters, digits and _.:+-"
            )
    if case.name in _cases:
        raise Refused(
            f"{case.place}: the case {case.name} is there already, from {_cases[case.name].place}",
            "give one of them another suite or variant",
        )
    _cases[case.name] = case


def _place(function: Callable) -> str:
    code = function.__code__
    return f"{shown(Path(code.co_filename))}:{code.co_firstlineno}"


def case(
    shapes: Mapping | Iterable[Mapping],
    *,
    dtypes: Iterable[str] = ("f32",),
    bytes: object = None,
    flops: object = None,
    suite: str = "",
    variant: str = "",
    devices: Iterable[str] = ("cpu", "cuda"),
    cache: str = "cold",
    launch: str = "graph",
    requires: Iterable[str] = (),
) -> Callable:
    """Makes a case of the function below for each shape and type.

    The function prepares: it gets a shape's values, `dtype` and `device` by name, makes inputs, and
    returns what is timed, a callable without parameters that returns its output, and
    `rl.expect(...)`. `bytes` and `flops` are what one execution moves at least and computes: a
    number, or a function of the shape's values and `dtype`. `suite` names the question that several
    functions answer; the function's name is the `variant`, and the suite, too, without one.
    `requires` names modules without which the case is unavailable."""

    if inspect.isfunction(shapes):  # @rl.case alone
        raise Refused(f"{_place(shapes)}: write @rl.case(shapes=...), with what the shapes are")

    def add(function: Callable) -> Callable:
        place = _place(function)
        if cache not in ("cold", "hot") or launch not in ("graph", "single"):
            raise Refused(f"{place}: cache is cold or hot, and launch is graph or single")
        options = [("cache", cache)] if cache != "cold" else []
        options += [("launch", launch)] if launch != "graph" else []
        types, kinds = _words("dtypes", dtypes, place), _words("devices", devices, place)
        needed = _words("requires", requires, place)
        problems = _problems(shapes, place)
        for what, given in (("shapes", problems), ("dtypes", types), ("devices", kinds)):
            if not given:
                raise Refused(f"{place}: {what} is empty, so there is no case")
        for unknown in set(kinds) - {"cpu", "cuda"}:
            raise Refused(
                f"{place}: there is no kind of device {unknown!r}; there are cpu and cuda"
            )
        idea = (inspect.getdoc(function) or "").split("\n", 1)[0][:400]
        for dtype, problem in product(types, problems):
            _check_parameters(function, problem, place)
            _add(
                Case(
                    suite or function.__name__,
                    variant or function.__name__,
                    dtype,
                    tuple(problem.items()),
                    tuple(options),
                    kinds,
                    function,
                    place,
                    needed,
                    _work("flops", flops, problem, dtype, place),
                    _work("bytes", bytes, problem, dtype, place),
                    idea,
                )
            )
        return function

    return add
