"""What tests of pages in a browser share: one browser per session, and reports to open in it."""

from __future__ import annotations

import platform
from collections.abc import Iterator

import pytest

from reports import browser as pages


def promised() -> bool:
    """Whether `ci/setup --dev` brings a browser here."""
    try:
        return platform.freedesktop_os_release()["ID"] == "debian"
    except OSError:
        return False


@pytest.fixture(scope="session")
def browser() -> Iterator[object]:
    """Where one is promised, a test without it fails: nothing is left out unseen."""
    if reason := pages.missing():
        (pytest.fail if promised() else pytest.skip)(reason)
    with pages.started() as made:
        yield made
