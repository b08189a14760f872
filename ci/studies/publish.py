"""The place of generated tables in a document."""

from pathlib import Path


def markers(name: str) -> tuple[str, str]:
    return f"<!-- {name} begin -->", f"<!-- {name} end -->"


class PublishError(Exception):
    """The document has no place for the tables."""


def _with(document: Path, text: str, name: str) -> tuple[str, str]:
    """The document as it is, and with the text between its markers of that name. Raises
    PublishError unless there is one pair of them."""
    begin, end = markers(name)
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
    return old, f"{before}{begin}\n\n{text}\n{end}{after}"


def is_published(document: Path, text: str, name: str) -> bool:
    """Whether `publish` would change nothing. Raises PublishError like it."""
    old, new = _with(document, text, name)
    return old == new


def publish(document: Path, text: str, name: str) -> None:
    """Puts the text between the document's markers of that name. Raises PublishError unless there
    is one pair of them."""
    _, new = _with(document, text, name)
    try:
        document.write_text(new, encoding="utf-8")
    except OSError as error:
        raise PublishError(f"{document} cannot be written: {error.strerror}") from error
