"""What tests of pages in a browser share: one browser per file, and reports to open in it."""

from __future__ import annotations

import fcntl
import json
import os
import platform
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from reports import browser as pages
from reports import load, synthetic, synthetic_hostile, write
from reports.site_test import whole


def promised() -> bool:
    """Whether `ci/setup --dev` brings a browser here."""
    try:
        return platform.freedesktop_os_release()["ID"] == "debian"
    except OSError:
        return False


@pytest.fixture(scope="module")
def browser() -> Iterator[object]:
    """Where one is promised, a test without it fails: nothing is left out unseen."""
    if reason := pages.missing():
        (pytest.fail if promised() else pytest.skip)(reason)
    with pages.started() as made:
        yield made


@pytest.fixture(scope="session")
def report_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report with some of everything."""
    return _written(tmp_path_factory, "report", whole)


@pytest.fixture(scope="session")
def hostile_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same, by someone who wants pages to do what they should not."""
    return _written(tmp_path_factory, "hostile", lambda: synthetic_hostile.document(whole()))


def _written(
    factory: pytest.TempPathFactory, name: str, document: Callable[[], synthetic.Json]
) -> Path:
    """By the first process of the tests that asks for it, for all of them."""
    temporary = factory.getbasetemp()
    shared = temporary.parent if "PYTEST_XDIST_WORKER" in os.environ else temporary
    folder = shared / name
    with (shared / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "index.html").exists():
            source = shared / f"{name}.json"
            source.write_text(json.dumps(document()), encoding="utf-8")
            write.write(load.load(source), folder, formats=())
    return folder
