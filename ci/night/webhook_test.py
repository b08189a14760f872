"""Posting to servers that answer, and to those that do not as they should."""

import http.server
import socket
import threading
import time

import pytest

from ci.night import webhook
from ci.night.webhook import FAILED, SENT, UNKNOWN, post

SECRET = "xoxsecretxox"


class Server:
    """On this machine alone; remembers what it was sent."""

    def __init__(self, code=200, delay_s=0.0, headers=(), endless=False):
        requests = self.requests = []
        arrived = self.arrived = threading.Event()
        ended = self.ended = threading.Event()

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                length = int(self.headers["Content-Length"])
                body = self.rfile.read(length)
                kind = self.headers["Content-Type"]
                requests.append({"path": self.path, "type": kind, "body": body})
                arrived.set()
                ended.wait(delay_s)
                self.send_response(code)
                for name, value in headers:
                    self.send_header(name, value)
                self.end_headers()
                while endless and not ended.is_set():
                    self.wfile.write(b"x" * 65536)

            do_GET = do_POST

            def log_message(self, *_):
                pass

        class Quiet(http.server.ThreadingHTTPServer):
            def handle_error(self, *_):  # a client that has gone away
                pass

        self.server = Quiet(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.02,))

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()

    def address(self, path=SECRET):
        return f"http://127.0.0.1:{self.server.server_port}/{path}"

    def wait_for_request(self):
        assert self.arrived.wait(30)


@pytest.mark.parametrize("code", [200, 202, 204])
def test_what_is_taken_is_sent(code):
    with Server(code) as server:
        assert post(server.address(), b'{"a": 1}') == (SENT, "")
        (request,) = server.requests
        assert request["body"] == b'{"a": 1}'


@pytest.mark.parametrize("code", [400, 404, 429, 500, 503, 599])
def test_what_is_refused_may_be_sent_again(code):
    with Server(code) as server:
        what, why = post(server.address(), b"{}")
        assert what == FAILED and f"it was answered {code}" in why


@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(code):
    with Server() as other, Server(code, headers=[("Location", other.address("b"))]) as server:
        what, why = post(server.address(), b"{}")
        assert (what, "a redirect, which is not followed" in why) == (FAILED, True)
        assert other.requests == []
        assert SECRET not in why


def test_a_huge_answer_is_not_read():
    with Server(endless=True) as server:
        began = time.process_time()
        assert post(server.address(), b"{}") == (SENT, "")
        assert time.process_time() - began < 5


def test_a_slow_answer_is_not_waited_for_and_not_sent_again():
    with Server(delay_s=60) as server:
        what, why = post(server.address(), b"{}", limit_s=0.5)
        assert what == UNKNOWN
        assert "may have arrived" in why
        assert len(server.requests) == 1


def test_an_interrupted_night_does_not_wait():
    with Server(delay_s=60) as server:
        what, why = post(server.address(), b"{}", stopped=server.arrived.is_set)
        assert (what, "interrupted" in why) == (UNKNOWN, True)


def listening():
    listener = socket.create_server(("127.0.0.1", 0))
    return listener, f"http://127.0.0.1:{listener.getsockname()[1]}/{SECRET}"


@pytest.mark.parametrize(
    ("answer", "words"),
    [(b"", "closed without an answer"), (b"\x00\xff no HTTP\r\n\r\n", "may have arrived")],
)
def test_what_is_no_answer_may_have_arrived(answer, words):
    listener, address = listening()

    def serve():
        connection, _ = listener.accept()
        received = b""
        while not received.endswith(b"{}"):
            received += connection.recv(65536)
        connection.sendall(answer)
        connection.close()

    thread = threading.Thread(target=serve)
    thread.start()
    what, why = post(address, b"{}")
    thread.join()
    listener.close()
    assert (what, words in why) == (UNKNOWN, True), why
    assert SECRET not in why


def test_a_server_that_is_down_or_not_to_be_found_is_said():
    listener, address = listening()
    listener.close()
    assert post(address, b"{}") == (FAILED, "Connection refused")
    what, why = post(f"https://host.invalid/{SECRET}", b"{}")
    assert (what, why) == (FAILED, "its host is not found")


def test_without_a_network_nothing_is_sent(monkeypatch):
    def unreachable(*_, **__):
        raise OSError(101, f"Network is unreachable for {SECRET}")

    monkeypatch.setattr(socket, "create_connection", unreachable)
    assert post(f"https://127.0.0.1/{SECRET}", b"{}") == (FAILED, "Network is unreachable")


def test_a_name_that_is_looked_up_for_ever_ends_too(monkeypatch):
    ended = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: ended.wait(60))
    what, why = post(f"https://host.invalid/{SECRET}", b"{}", limit_s=0.3)
    ended.set()
    assert (what, "no end of it" in why) == (FAILED, True)


def test_a_host_that_speaks_no_tls_is_no_leak():
    with Server() as server:
        what, why = post(server.address().replace("http:", "https:"), b"{}")
        assert what == FAILED and SECRET not in why


def test_the_address_is_taken_out_of_the_environment(monkeypatch):
    monkeypatch.setenv(webhook.ADDRESS, "https://host/" + SECRET)
    assert webhook.take_address() == "https://host/" + SECRET
    assert webhook.ADDRESS not in webhook.os.environ
