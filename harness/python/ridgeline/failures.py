"""What goes wrong, as one sentence that begins with the line of the user's file."""

import traceback
from pathlib import Path


class Refused(Exception):
    """A request that cannot be served: the protocol's `error`.

    `exit_code` is 64 for what makes no sense, 69 for what is missing, 70 for everything else;
    `cause` is "out_of_memory" or empty."""

    def __init__(self, message: str, advice: str = "", exit_code: int = 64, cause: str = ""):
        super().__init__(message)
        self.advice, self.exit_code, self.cause = advice, exit_code, cause


class CaseFailed(Exception):
    """How a case ends that cannot be timed: an outcome of the protocol, with its reason."""

    def __init__(self, outcome: str, reason: str):
        super().__init__(reason)
        self.outcome, self.reason = outcome, reason


def wrong(reason: str) -> CaseFailed:
    return CaseFailed("wrong_result", reason)


def nothing_to_verify(who_has: str) -> CaseFailed:
    """Of an output without elements, which is right whatever a kernel does."""
    return CaseFailed(
        "unsupported",
        f"{who_has} no elements, so there is nothing to verify and no work to time: give the case "
        "a larger shape, or leave it out",
    )


def shown(file: Path) -> str:
    """A file as people call it: relative to where they are, when it lies below."""
    try:
        return str(file.relative_to(Path.cwd()))
    except (ValueError, OSError):
        return str(file)


def line_in(error: BaseException, folder: Path) -> str:
    """`mine.py:7`: the innermost line of a file in `folder` that the error passed; empty when it
    passed none."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{shown(Path(error.filename))}:{error.lineno or 1}"  # 0 of what is not decoded
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if Path(frame.filename).is_relative_to(folder):
            return f"{shown(Path(frame.filename))}:{frame.lineno}"
    return ""


def sentence(error: BaseException, folder: Path, otherwise: str) -> str:
    """`mine.py:7: ZeroDivisionError: division by zero`. `otherwise`: the place that is named when
    the error passed no line of the user's folder."""
    said = str(error.msg if isinstance(error, SyntaxError) else error).strip()
    first = said.splitlines()[0][:600] if said else "no message"
    return f"{line_in(error, folder) or otherwise}: {type(error).__name__}: {first}"


def is_out_of_memory(error: BaseException) -> bool:
    return isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError"
