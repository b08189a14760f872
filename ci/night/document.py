"""What was written by others, or long ago, is looked at before it is used: JSON of programs and
records of nights, against types.

No package is needed, because a runner that only measures has none."""

import dataclasses
import json
import os
import stat
import types
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints, is_typeddict

LONGEST = 64 << 20  # bytes
LARGEST = 1 << 63


class Odd(ValueError):
    """A document is not what it should be; the message says where, and what was expected."""


def read(path: Path) -> str:
    """A file's text. Raises OSError, also for what is no file and would be waited for, and Odd when
    it is too long."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(descriptor, "rb") as file:  # noqa: PTH123  a descriptor has no Path
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(22, "it is no regular file", str(path))
        data = file.read(LONGEST + 1)
    if len(data) > LONGEST:
        raise Odd(f"it has more than {LONGEST >> 20} MiB")
    return data.decode(errors="replace")


def decode(text: str, kind: Any) -> Any:
    """The JSON document as `kind`: a dataclass, a TypedDict, list, dict, str, float, ... Raises
    Odd."""
    try:
        document = json.loads(text, parse_constant=_no_number)
    except RecursionError:
        raise Odd("it is nested too deeply") from None
    except ValueError as error:
        raise Odd(f"it is no JSON: {error}"[:300]) from None
    return check(document, kind)


def _no_number(word: str) -> float:
    raise ValueError(f"{word} is no number of JSON")


def check(value: Any, kind: Any, where: str = "the document") -> Any:
    """`value` as `kind`; of a TypedDict, keys that it does not name are left as they are."""
    origin, inner = get_origin(kind), get_args(kind)
    if kind is Any or (kind is Path and isinstance(value, Path)):  # which no JSON has
        return value
    if origin in (Union, types.UnionType):
        return _one_of(value, inner, where)
    if origin is Literal:
        if not any(value == each and type(value) is type(each) for each in inner):
            raise Odd(f"{where} is {_shown(value)}, not one of {', '.join(map(str, inner))}")
        return value
    if origin is list:
        _expect(value, list, where, "a list")
        return [check(one, inner[0], f"{where}[{at}]") for at, one in enumerate(value)]
    if origin is dict:
        _expect(value, dict, where, "an object")
        return {
            check(key, str, where): check(one, inner[1], _below(where, key))
            for key, one in value.items()
        }
    if is_typeddict(kind) or dataclasses.is_dataclass(kind):
        _expect(value, dict, where, "an object")
        return _fields(value, kind, where)
    return _plain(value, kind, where)


def _one_of(value: Any, kinds: tuple[Any, ...], where: str) -> Any:
    refusals = []
    for kind in kinds:
        try:
            return check(value, kind, where)
        except Odd as refusal:
            refusals.append(str(refusal))
    raise Odd(refusals[0])


def _fields(value: dict, kind: Any, where: str) -> Any:
    hints = get_type_hints(kind)
    if is_typeddict(kind):
        needed, made = kind.__required_keys__, dict(value)
    else:
        own = {field.name: field for field in dataclasses.fields(kind)}
        needed = {
            name
            for name, field in own.items()
            if field.default is field.default_factory is dataclasses.MISSING
        }
        made = {}
        if surprise := sorted(set(value) - set(own)):
            raise Odd(f"{where} has {_shown(surprise[0])}, which is not known")
    if missing := sorted(needed - set(value)):
        raise Odd(f"{where} has no {missing[0]}")
    for name in hints.keys() & value.keys():
        made[name] = check(value[name], hints[name], _below(where, name))
    return made if is_typeddict(kind) else kind(**made)


def _plain(value: Any, kind: Any, where: str) -> Any:
    if kind is float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise Odd(f"{where} is {_shown(value)}, not a number")
    elif kind in (bool, str, int, type(None)):
        names = {bool: "true or false", str: "text", int: "a whole number", type(None): "null"}
        if type(value) is not kind:
            raise Odd(f"{where} is {_shown(value)}, not {names[kind]}")
    else:
        raise TypeError(f"{kind} cannot be checked")
    if kind in (float, int) and not -LARGEST < value < LARGEST:
        raise Odd(f"{where} is too large a number")
    if kind is str:
        _sendable(value, where)
    return value


def _sendable(text: str, where: str) -> None:
    """Whether it can be an argument or a file's name: of surrogates only those that stand for
    bytes."""
    try:
        text.encode(errors="surrogateescape")
    except UnicodeEncodeError:
        raise Odd(f"{where} holds half a letter") from None
    if "\0" in text:
        raise Odd(f"{where} holds a NUL")


def _expect(value: Any, kind: type, where: str, words: str) -> None:
    if not isinstance(value, kind):
        raise Odd(f"{where} is {_shown(value)}, not {words}")


def _below(where: str, name: str) -> str:
    return name[:80] if where == "the document" else f"{where}.{name[:80]}"[-200:]


def _shown(value: Any) -> str:
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "an object"
    text = json.dumps(value) if isinstance(value, str | None | bool | float) else str(value)[:40]
    return text if len(text) <= 40 else text[:39] + "…"
