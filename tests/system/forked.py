"""Tables forked from a process that has loaded the program already, instead of each loading it anew."""

from __future__ import annotations

import atexit
import functools
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

SERVER = Path(__file__).with_name("fork_server.py")


class Forked:
    """A `pegpip` process of the fork server, with as much of `subprocess.Popen` as tests of a running table need.

    Attributes:
        pid: Its process id.
        returncode: Its exit status, or the negative number of the signal that ended it; None before that is known.
        stdout: What it prints, as a pipe. It holds 64 KiB that nobody has read; then the process waits.
        stderr: What it has written to standard error, as a file.
    """

    def __init__(self, words: Sequence[str], env: Mapping[str, str]) -> None:
        self._answers, answers = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        reading, writing = os.pipe()
        self.stdout = open(reading)  # noqa: SIM115
        self.stderr = tempfile.TemporaryFile("a+")  # noqa: SIM115
        request = {"words": list(words), "env": dict(env), "folder": os.getcwd()}
        files = [writing, self.stderr.fileno(), answers.fileno()]
        socket.send_fds(_server(), [json.dumps(request).encode()], files)
        os.close(writing)
        answers.close()
        self.pid = int(self._answers.recv(99))
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Return the exit status if the process has ended, else None."""
        try:
            return self.wait(0)
        except (TimeoutError, BlockingIOError):
            return None

    def wait(self, timeout: float) -> int:
        """Wait for the end of the process and return its exit status. Raises TimeoutError after `timeout` seconds."""
        if self.returncode is None:
            self._answers.settimeout(timeout)
            self.returncode = int(self._answers.recv(99))
            self._answers.close()
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send a signal to the process, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """End the process, unless it has ended."""
        self.send_signal(signal.SIGKILL)

    def communicate(self, timeout: float) -> tuple[str, str]:
        """Wait for the end of the process; return what it printed since the last reading, and its errors.

        Raises TimeoutError after `timeout` seconds.
        """
        self.wait(timeout)
        with self.stdout, self.stderr:
            self.stderr.seek(0)
            return self.stdout.read(), self.stderr.read()


@functools.cache
def _server() -> socket.socket:
    """Start the fork server, which ends with this process, and return the socket that takes its requests."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    command = [sys.executable, "-P", str(SERVER), str(theirs.fileno())]
    server = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, pass_fds=[theirs.fileno()])
    theirs.close()

    def end() -> None:
        ours.close()
        server.wait()

    atexit.register(end)
    return ours
