"""Callables that hold NumPy's own arrays where they held those of `rl.uniform`.

What is called on a subclass of NumPy's array takes longer: a product of one element 0.97 us in
place of 0.31, a function of Numba three times as long. So `.numpy()` is there while a case is
prepared and for its expectation, and is gone in what is timed."""

import dis
import inspect
from collections.abc import Iterator
from types import CellType, CodeType, FunctionType

import numpy as np

from ridgeline.libraries import Array


def with_plain_arrays(call: object, maker: object = None) -> object:
    """`call`, or the same function over the same memory, without an `Array` among the variables of
    its closure and its defaults, and so for functions among these. Variables that one of these
    functions, or one within `maker`, assigns anew stay as they are: others may see that."""
    code = getattr(inspect.unwrap(maker), "__code__", None)
    codes = [*(_within(code) if code else []), *_codes_below(call, set())]
    return _plain(call, set().union(*map(_assigned, codes)), {})


def _codes_below(value: object, seen: set[int]) -> Iterator[CodeType]:
    """Of a function, and of those that it holds."""
    if type(value) is not FunctionType or id(value) in seen:
        return
    seen.add(id(value))
    yield value.__code__
    for each in _held(value):
        yield from _codes_below(each, seen)


def _held(call: FunctionType) -> list[object]:
    cells = [each.cell_contents for each in call.__closure__ or () if not _is_empty(each)]
    return [*cells, *(call.__defaults__ or ()), *(call.__kwdefaults__ or {}).values()]


def _plain(value: object, kept: set[str], made: dict[int, object]) -> object:
    """`made`: what has been made of which object, so that one stays one."""
    if type(value) is Array:
        return made.setdefault(id(value), value.view(np.ndarray))
    if type(value) is not FunctionType:
        return value
    if id(value) not in made:
        made[id(value)] = value  # where it calls itself
        made[id(value)] = _rebuilt(value, kept, made)
    return made[id(value)]


def _rebuilt(call: FunctionType, kept: set[str], made: dict[int, object]) -> FunctionType:
    def new(value: object) -> object:
        return _plain(value, kept, made)

    cells = [
        cell if name in kept or _is_empty(cell) else _cell(cell, new(cell.cell_contents))
        for name, cell in zip(call.__code__.co_freevars, call.__closure__ or (), strict=True)
    ]
    defaults = tuple(map(new, call.__defaults__ or ()))
    of_words = {word: new(value) for word, value in (call.__kwdefaults__ or {}).items()}
    held = (
        *(call.__closure__ or ()),
        *(call.__defaults__ or ()),
        *(call.__kwdefaults__ or {}).values(),
    )
    if all(
        one is other
        for one, other in zip(held, (*cells, *defaults, *of_words.values()), strict=True)
    ):
        return call
    rebuilt = FunctionType(
        call.__code__, call.__globals__, call.__name__, defaults or None, tuple(cells) or None
    )
    rebuilt.__kwdefaults__ = of_words or None
    rebuilt.__dict__.update(call.__dict__)
    rebuilt.__qualname__, rebuilt.__module__ = call.__qualname__, call.__module__
    return rebuilt


def _cell(cell: CellType, value: object) -> CellType:
    return cell if value is cell.cell_contents else CellType(value)


def _is_empty(cell: CellType) -> bool:
    try:
        return cell.cell_contents is None
    except ValueError:  # nothing has been assigned yet
        return True


def _within(code: CodeType) -> list[CodeType]:
    """All code of functions that are declared in it."""
    inner = [each for each in code.co_consts if isinstance(each, CodeType)]
    return inner + [each for one in inner for each in _within(one)]


def _assigned(code: CodeType) -> set[str]:
    """Its free variables that it, or a function within it, assigns or deletes."""
    here = {
        each.argval
        for each in dis.get_instructions(code)
        if each.opname in ("STORE_DEREF", "DELETE_DEREF") and each.argval in code.co_freevars
    }
    return here.union(*map(_assigned, _within(code)))
