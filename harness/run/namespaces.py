"""Two hosts for tests, on this machine: network namespaces with names and addresses of their own
and a cable between them. Needs root and iproute2; nothing leaves the machine."""

import contextlib
import os
import shlex
import shutil
import socket
import subprocess
import threading
from pathlib import Path

import pytest

from harness.run.scripted_runs import left_behind

# A network for measuring devices (RFC 2544), which nobody routes.
ADDRESSES = ("198.18.0.1", "198.18.0.2")


class Hosts:
    """`first` and `second` name them. Programs on the second are started by a server, as sshd
    would, so that they do not end with whoever asked for them."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.first, self.second = (f"ridgeline{os.getpid()}{letter}" for letter in "ab")
        self.agent = folder / "agent"
        self.hostfile = folder / "hosts"
        self.hostfile.write_text("".join(f"{address} slots=1\n" for address in ADDRESSES))
        self.server = socket.socket(socket.AF_UNIX)
        self.started: list[subprocess.Popen] = []
        self.mends = True  # the cable, when a program is started on the second host

    def on_first(self, command: list[str]) -> list[str]:
        return self.on(self.first, 'exec "$@"', *command)

    @staticmethod
    def on(name: str, line: str, *arguments: str) -> list[str]:
        enter = ["ip", "netns", "exec", name, "unshare", "--uts"]
        return [*enter, "sh", "-c", f"hostname {name} && {line}", "sh", *arguments]

    def make(self) -> None:
        ip = ["ip"]
        for name in (self.first, self.second):
            call(*ip, "netns", "add", name)
        cable = ("type", "veth", "peer", "name", "eth0", "netns", self.second)
        call(*ip, "-n", self.first, "link", "add", "eth0", *cable)
        for name, address in zip((self.first, self.second), ADDRESSES, strict=True):
            call(*ip, "-n", name, "address", "add", f"{address}/30", "dev", "eth0")
            for link in ("lo", "eth0"):
                call(*ip, "-n", name, "link", "set", link, "up")
        self.serve()

    def serve(self) -> None:
        """Each connection brings a line for a shell on the second host, and ends with it."""
        (self.folder / "second").mkdir()
        path = self.folder / "server"
        self.server.bind(str(path))
        self.server.listen()
        threading.Thread(target=self.accept, daemon=True).start()
        # As mpirun calls it: the host, and the words of a line.
        self.agent.write_text(
            f"#!{shutil.which('python3')}\n"
            "import socket, sys\n"
            "server = socket.socket(socket.AF_UNIX)\n"
            f"server.connect({str(path)!r})\n"
            "server.sendall(' '.join(sys.argv[2:]).encode() + b'\\n')\n"
            "server.recv(1)\n"
        )
        self.agent.chmod(0o755)

    def accept(self) -> None:
        with contextlib.suppress(OSError):  # closed
            while True:
                connection, _ = self.server.accept()
                threading.Thread(target=self.start, args=(connection,), daemon=True).start()

    def start(self, connection: socket.socket) -> None:
        with connection:
            line = connection.makefile().readline()
            if self.mends:
                call("ip", "-n", self.second, "link", "set", "eth0", "up")
            environment = {"PATH": os.environ["PATH"], "TMPDIR": str(self.folder / "second")}
            child = subprocess.Popen(
                self.on(self.second, line.rstrip("\n")),
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            self.started.append(child)
            child.wait()

    def processes(self) -> list[str]:
        """What runs on the two hosts."""
        found = []
        for name in (self.first, self.second):
            for pid in call("ip", "netns", "pids", name).split():
                with contextlib.suppress(OSError):
                    words = Path(f"/proc/{pid}/cmdline").read_text().split("\0")
                    found.append(f"{name}: {shlex.join(words)[:200]}")
        return found

    def remove(self) -> None:
        """Ended orphans of the second host, which fall to this process, are reaped."""
        self.server.close()
        for child in self.started:
            child.kill()
            child.wait()
        for name in (self.first, self.second):
            for pid in call("ip", "netns", "pids", name, check=False).split():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(pid), 9)
            call("ip", "netns", "delete", name, check=False)
        left_behind(wait_s=5)


def call(*command: str, check: bool = True) -> str:
    return subprocess.run(command, check=check, capture_output=True, text=True, timeout=60).stdout


@contextlib.contextmanager
def two_hosts(folder: Path):
    """Skips the test where there cannot be any."""
    if os.geteuid() != 0:
        pytest.skip("network namespaces need root")
    if shutil.which("ip") is None:
        pytest.skip("ip not found, which makes network namespaces (iproute2)")
    hosts = Hosts(folder)
    try:
        try:
            hosts.make()
        except subprocess.CalledProcessError as failed:
            pytest.skip(f"no network namespaces here: {shlex.join(failed.cmd)}: {failed.stderr}")
        yield hosts
    finally:
        hosts.remove()
