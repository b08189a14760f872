"""A worker program and what is asked of it, as docs/worker-protocol.md has it, for studies that
need other requests than `ridgeline` makes."""

import json
import os
import select
import signal
import subprocess
import time

from ci.night import program
from ci.studies.in_turns import Missing

MOST_ANSWERED = 16 * program.MIB


class Worker:
    """`with Worker(command, environment) as worker`: worker.ask("hello", protocol=1). What it says
    beside its answers goes to the standard error."""

    def __init__(self, command: list[str], environment: dict[str, str] | None = None) -> None:
        self.name = command[0]
        try:
            self.child = program.start(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env={**os.environ, **(environment or {})},
            )
        except OSError as error:
            raise Missing(f"{self.name}: {error.strerror}") from error
        self.said = b""  # and not yet read
        self.still = False

    def __enter__(self) -> "Worker":
        return self

    def __exit__(self, *_: object) -> None:
        program.end(self.child, 0)

    def ask(self, request: str, limit_s: float = 60.0, **fields: object) -> dict:
        """Its answer. Raises Missing when that is an error, or does not come."""
        line = json.dumps({"request": request, **fields}) + "\n"
        try:
            self.child.stdin.write(line.encode())
            self.child.stdin.flush()
            answer = json.loads(self.line(time.monotonic() + limit_s))
        except (OSError, ValueError) as error:
            raise Missing(f"{self.name} did not answer {request}: {error}") from error
        if answer.get("reply") != request:
            raise Missing(f"{self.name} answered {request}: {answer.get('message')}")
        return answer

    def line(self, deadline: float) -> bytes:
        """The next one. Raises OSError when there is none by then."""
        while b"\n" not in self.said:
            left = max(0.0, deadline - time.monotonic())
            if not select.select([self.child.stdout], [], [], left)[0]:
                raise OSError("its time was over")
            chunk = os.read(self.child.stdout.fileno(), 65536)
            if not chunk:
                raise OSError("it has ended")
            self.said += chunk
            if len(self.said) > MOST_ANSWERED:
                raise OSError("it says more than an answer has")
        line, _, self.said = self.said.partition(b"\n")
        return line

    def stand_still(self) -> None:
        """All of its threads and children, before this returns and until `go_on`."""
        if not self.still:
            os.killpg(self.child.pid, signal.SIGSTOP)
            # One that has ended instead is left to who reads its answer.
            os.waitid(os.P_PID, self.child.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
            self.still = True

    def go_on(self) -> None:
        os.killpg(self.child.pid, signal.SIGCONT)
        self.still = False
