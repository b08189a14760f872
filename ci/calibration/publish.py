"""The tables' place in a document."""

from pathlib import Path

BEGIN, END = "<!-- calibration begin -->", "<!-- calibration end -->"


class PublishError(Exception):
    """The document has no place for the tables."""


def publish(document: Path, text: str) -> None:
    """Puts the text between the document's markers. Raises PublishError unless there is one pair of them."""
    try:
        old = document.read_text(encoding="utf-8")
    except OSError as error:
        raise PublishError(f"{document} cannot be read: {error.strerror}") from error
    if old.count(BEGIN) != 1 or old.count(END) != 1 or old.index(BEGIN) > old.index(END):
        raise PublishError(f"{document} needs one line {BEGIN} and, after it, one line {END}")
    if BEGIN in text or END in text:
        raise PublishError("the text holds a marker itself")
    before, rest = old.split(BEGIN)
    after = rest.split(END)[1]
    try:
        document.write_text(f"{before}{BEGIN}\n\n{text}\n{END}{after}", encoding="utf-8")
    except OSError as error:
        raise PublishError(f"{document} cannot be written: {error.strerror}") from error
