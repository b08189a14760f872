"""Posts one message to an address that is a secret: it appears in no log, no record, no list of
processes and no error, and the programs that a night starts are not given it.

What happened is one of SENT, FAILED (it did not arrive, so that it may be sent again) and UNKNOWN
(it may have arrived, so that it may not)."""

import functools
import http.client
import os
import socket
import ssl
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from pathlib import Path

from . import document

ADDRESS = "RIDGELINE_WEBHOOK_URL"  # of the environment
SENT, FAILED, UNKNOWN = "sent", "failed", "unknown"
STEP_S = 20.0  # to connect, and for an answer to go on
LIMIT_S = 60.0  # in all


class NoAddress(Exception):
    """There is no address to post to; the message says why, and never what it is."""


def take_address() -> str:
    """Out of the environment, so that no program that is started from here has it."""
    return os.environ.pop(ADDRESS, "")


def read_address(path: str) -> str:
    try:
        return document.read(Path(path)).strip()
    except OSError as error:
        raise NoAddress(f"the webhook's address is not in {path}: {error.strerror}") from None
    except document.Odd as error:
        raise NoAddress(f"the webhook's address is not in {path}: {error}") from None


def checked(address: str) -> str:
    try:
        parts = urllib.parse.urlsplit(address)
        well = parts.scheme in ("https", "http") and parts.hostname and parts.port != 0
    except ValueError:
        well = False
    if not well or not address.isascii() or not address.isprintable() or " " in address:
        raise NoAddress("the webhook's address is no https:// or http:// address")
    if parts.username is not None:
        raise NoAddress("the webhook's address has a user's name, which is not sent")
    return address


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Another address did not ask for the message, and is not told it."""

    def redirect_request(self, *_: object) -> None:
        return None


def _handlers(connected: Callable[[], object]) -> list[urllib.request.BaseHandler]:
    """For http and https; `connected` is called when there is a connection."""

    def of(kind: type) -> type:
        class Told(kind):
            def connect(self) -> None:
                super().connect()
                connected()

        return Told

    class Plain(urllib.request.HTTPHandler):
        def http_open(self, request: urllib.request.Request) -> http.client.HTTPResponse:
            return self.do_open(of(http.client.HTTPConnection), request)

    class Encrypted(urllib.request.HTTPSHandler):
        def https_open(self, request: urllib.request.Request) -> http.client.HTTPResponse:
            context = ssl.create_default_context()
            kind = functools.partial(of(http.client.HTTPSConnection), context=context)
            return self.do_open(kind, request)

    return [Plain(), Encrypted(), _NoRedirect()]


def post(
    address: str,
    body: bytes,
    stopped: Callable[[], object] = lambda: False,
    limit_s: float = LIMIT_S,
) -> tuple[str, str]:
    """What happened, and why in words that hold nothing of the address or the answer. Ends after
    `limit_s`, whatever the other side does, and when `stopped`."""
    attempt = _Attempt(address, body)
    # The system's look-up of names cannot be interrupted: who waits for it is left behind.
    thread = threading.Thread(target=attempt.carry_out, daemon=True)
    thread.start()
    deadline = time.monotonic() + limit_s
    while thread.is_alive():
        thread.join(0.1)
        if stopped() or time.monotonic() > deadline:
            why = "the night was interrupted" if stopped() else f"no end of it in {limit_s:.0f} s"
            return attempt.ended or attempt.cut_off(why)
    return attempt.ended or (UNKNOWN, "an unexpected error")


class _Attempt:
    def __init__(self, address: str, body: bytes) -> None:
        self.address, self.body = address, body
        self.connected = False
        self.ended: tuple[str, str] | None = None

    def cut_off(self, why: str) -> tuple[str, str]:
        return (UNKNOWN, f"{why}, and it may have arrived") if self.connected else (FAILED, why)

    def carry_out(self) -> None:
        try:
            self.ended = self._post()
        except urllib.error.HTTPError as error:
            self.ended = (FAILED, _refused(error.code))
            error.close()
        except urllib.error.URLError as error:  # before all of it was sent
            self.ended = (FAILED, _in_words(error.reason))
        except (OSError, http.client.HTTPException) as error:  # no answer, or none of HTTP
            self.ended = self.cut_off(_in_words(error))
        except Exception as error:
            # Its words may hold the address.
            self.ended = self.cut_off(f"an unexpected {type(error).__name__}")

    def _post(self) -> tuple[str, str]:
        request = urllib.request.Request(
            self.address,
            data=self.body,
            headers={"Content-Type": "application/json", "User-Agent": "ridgeline-nightly"},
            method="POST",
        )
        opener = urllib.request.build_opener(*_handlers(self._note_connection))
        # What it answers beside its status is not read: it may be endless, and may repeat secrets.
        opener.open(request, timeout=STEP_S).close()
        return SENT, ""

    def _note_connection(self) -> None:
        self.connected = True


def _refused(code: int) -> str:
    if 300 <= code < 400:
        return f"it was answered {code}, a redirect, which is not followed"
    return f"it was answered {code} ({http.client.responses.get(code, 'an unknown code')})"


def _in_words(error: object) -> str:
    if isinstance(error, socket.gaierror):
        return "its host is not found"
    if isinstance(error, ssl.SSLCertVerificationError):
        return "its host's certificate is not trusted"
    if isinstance(error, TimeoutError):
        return f"no answer in {STEP_S:.0f} s"
    if isinstance(error, http.client.RemoteDisconnected):
        return "the connection was closed without an answer"
    if isinstance(error, OSError) and error.errno and error.strerror:
        return os.strerror(error.errno)
    return f"{type(error).__name__}" if isinstance(error, Exception) else "no connection"
