"""The tables' place in a document."""

from pathlib import Path


def markers(device_kind: str) -> tuple[str, str]:
    """Of each kind of device its own: a study of one leaves the tables of the others alone."""
    name = "calibration" if device_kind == "cpu" else f"calibration {device_kind}"
    return f"<!-- {name} begin -->", f"<!-- {name} end -->"


BEGIN, END = markers("cpu")


class PublishError(Exception):
    """The document has no place for the tables."""


def publish(document: Path, text: str, device_kind: str = "cpu") -> None:
    """Puts the text between the document's markers of the kind of device. Raises PublishError unless there is one pair
    of them."""
    begin, end = markers(device_kind)
    try:
        old = document.read_text(encoding="utf-8")
    except OSError as error:
        raise PublishError(f"{document} cannot be read: {error.strerror}") from error
    if old.count(begin) != 1 or old.count(end) != 1 or old.index(begin) > old.index(end):
        raise PublishError(f"{document} needs one line {begin} and, after it, one line {end}")
    if begin in text or end in text:
        raise PublishError("the text holds a marker itself")
    before, rest = old.split(begin)
    after = rest.split(end)[1]
    try:
        document.write_text(f"{before}{begin}\n\n{text}\n{end}{after}", encoding="utf-8")
    except OSError as error:
        raise PublishError(f"{document} cannot be written: {error.strerror}") from error
