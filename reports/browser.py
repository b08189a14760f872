"""A real browser, without a window, for tests and studies of pages: the system's Chromium or
Chrome, driven by Playwright. Everything that goes wrong on a page is collected.

`python -m reports.browser` says which browser there is, or why there is none."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

PROGRAMS = ("chromium", "google-chrome", "chrome")
LONGEST_MS = 30_000  # of a step on a page; machines of tests are busy
LOADED = ("file:", "data:")  # schemes that need no network
_VIOLATIONS = """addEventListener("securitypolicyviolation", (event) =>
    console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`));"""
# A page tells some of what went wrong, as a refusal of its policy, only once its queue is empty.
_IDLE = "() => new Promise((idle) => requestIdleCallback(idle, { timeout: 5000 }))"


def program() -> str:
    """Its path, or nothing. A snap sees no files in /tmp, where tests have theirs."""
    found = filter(None, map(shutil.which, PROGRAMS))
    return next((path for path in found if not path.startswith("/snap/")), "")


def missing() -> str:
    """Why no page can be opened here, or nothing."""
    if not importlib.util.find_spec("playwright"):
        return "no Playwright; ci/setup --dev installs it"
    if not program():
        return f"none of {', '.join(PROGRAMS)}; ci/setup --dev installs one on Debian"
    return ""


@contextlib.contextmanager
def started() -> Iterator[Browser]:
    """Afterwards no process of the browser is left: other tests look for what is left of theirs."""
    from playwright.sync_api import sync_playwright

    as_root = ["--no-sandbox"] if os.geteuid() == 0 else []  # Chromium has none for root
    before = _children()
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program(), args=as_root)
        try:
            yield browser
        finally:
            browser.close()
    deadline = time.monotonic() + LONGEST_MS / 1000
    while (left := _children() - before) and time.monotonic() < deadline:
        for pid in left:  # orphans may have fallen to this process
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
        time.sleep(0.01)


def _children() -> set[int]:
    """The processes whose parent is this one."""
    files = Path("/proc/self/task").glob("*/children")
    return {int(pid) for file in files for pid in file.read_text(encoding="ascii").split()}


class Watch:
    """What went wrong on pages: complaints of the browser, exceptions, dialogs, requests that leave
    the machine, and what the pages' policy refused."""

    def __init__(self) -> None:
        self.problems: list[str] = []

    def over(self, context: BrowserContext) -> None:
        context.on("console", self._console)
        context.on("weberror", lambda raised: self.problems.append(f"exception: {raised.error}"))
        context.on("dialog", self._dialog)
        context.on("request", lambda request: self._request(request.url))
        context.add_init_script(_VIOLATIONS)

    def _console(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.problems.append(f"{message.type}: {message.text}")

    def _dialog(self, dialog: Any) -> None:
        self.problems.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _request(self, url: str) -> None:
        if not url.startswith(LOADED):
            self.problems.append(f"request: {url}")


@contextlib.contextmanager
def opened(browser: Browser, path: Path, fragment: str = "", **context: Any) -> Iterator[Page]:
    """The page of this file in a context of its own; at the end nothing may have gone wrong on it,
    nor on any page that it led to. `context` is what Playwright's new_context takes."""
    watch = Watch()
    with contextlib.closing(browser.new_context(**context)) as made:
        watch.over(made)
        made.set_default_timeout(LONGEST_MS)
        page = made.new_page()
        page.goto(path.as_uri() + fragment)
        yield page
        if context.get("java_script_enabled", True):
            page.evaluate(_IDLE)
    assert not watch.problems, "\n".join(watch.problems)


if __name__ == "__main__":
    print(program() if not missing() else f"tests of pages are skipped: {missing()}")
