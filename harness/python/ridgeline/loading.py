"""Loads the user's file: once, with its folder to import from, and under watch."""

import ast
import hashlib
import importlib.util
import sys
from dataclasses import dataclass
from pathlib import Path

from ridgeline import cases, libraries, unchanged
from ridgeline.failures import Refused, line_in, sentence, shown
from ridgeline.time_limit import TooLong, at_most

MOST_BYTES = 16 << 20
MOST_SECONDS = 50  # to be loaded; `ridgeline` waits for 60 s and knows no line
_LIBRARIES = ("torch", "cupy")


@dataclass
class Loaded:
    file: Path
    code_hash: str
    watch: unchanged.Watch


def _source(file: Path) -> bytes:
    try:
        if file.stat().st_size > MOST_BYTES:
            raise Refused(f"{shown(file)} is larger than {MOST_BYTES >> 20} MiB, so no file to run")
        return file.read_bytes()
    except OSError as error:
        raise Refused(f"cannot read {shown(file)}: {error.strerror}") from error


def _imported(source: bytes) -> list[str]:
    """Libraries that the file imports anywhere. Nothing of a file that is not Python: it will say
    so when it is loaded."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return []
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names.add((node.module or "").partition(".")[0])
    if "triton" in names:
        names.add("torch")
    return [name for name in _LIBRARIES if name in names]


def _code_hash(file: Path, source: bytes) -> str:
    """Of the file, of the modules beside it that it has loaded, and of all versions."""
    digest = hashlib.md5(source, usedforsecurity=False)
    beside = {
        Path(module.__file__)
        for module in list(sys.modules.values())
        if isinstance(getattr(module, "__file__", None), str)
        and Path(module.__file__).suffix in (".py", ".so")
        and Path(module.__file__).is_relative_to(file.parent)
    }
    for each in sorted(beside - {file}):
        if not each.is_relative_to(Path(__file__).parent) and "site-packages" not in each.parts:
            digest.update(each.read_bytes())
    for name, version in versions().items():
        digest.update(f"{name} {version}\n".encode())
    return digest.hexdigest()


def versions() -> dict[str, str]:
    """Of Python and of the libraries that are loaded."""
    found = {"python": sys.version.split()[0]}
    for name in ("numpy", "torch", "triton", "cupy", "numba", "ridgeline"):
        module = sys.modules.get(name)
        if module is not None:
            found[name] = str(getattr(module, "__version__", "unknown"))
    return found


def load(path: str) -> Loaded:
    """Throws Refused with the file's line when it cannot be loaded, or has no case."""
    file = Path(path).resolve()
    source = _source(file)
    unchanged.load_first(_imported(source))
    libraries.library("numpy")  # there before the file, so that it is watched, too
    watch = unchanged.Watch()
    sys.dont_write_bytecode = True  # nothing appears beside the user's file
    sys.path.insert(0, str(file.parent))
    sys.argv = [str(file)]
    spec = importlib.util.spec_from_file_location("ridgeline_file", file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        with at_most(MOST_SECONDS):
            spec.loader.exec_module(module)
    except Refused:
        raise
    except TooLong as error:
        raise Refused(
            f"{line_in(error, file.parent) or shown(file)}: the file still runs after "
            f"{MOST_SECONDS:g} s, and its cases are known only when it has come to its end",
            "work that takes long belongs into the functions of cases",
        ) from error
    except SystemExit as error:
        raise Refused(f"{sentence(error, file.parent, shown(file))}: it ends Python") from error
    except Exception as error:
        raise Refused(
            sentence(error, file.parent, shown(file)),
            exit_code=69 if isinstance(error, ModuleNotFoundError) else 64,
        ) from error
    if not cases.all_cases():
        raise Refused(
            f"{shown(file)} has no case",
            "write @rl.case(shapes=...) above a function that prepares one: docs/own-kernels.md",
        )
    changed = replaced(watch, file)
    if changed:
        raise Refused(changed)
    return Loaded(file, _code_hash(file, source), watch)


def replaced(watch: unchanged.Watch, file: Path) -> str:
    """What the file has put something else into the place of, in a sentence; empty when nothing."""
    changed = watch.changed()
    if not changed:
        return ""
    return f"{shown(file)} has replaced {changed}, by which its kernels are measured"
