"""A table running as a process of its own, spoken to over HTTP as a phone would."""

from __future__ import annotations

import http.cookiejar
import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.system.forked import Forked
from tests.waiting import PATIENCE_S, until

PEGPIP = str(Path(sys.executable).with_name("pegpip"))
"""The installed program, which imports all that it needs when it is started."""


def pegpip(*words: str, through: Sequence[str] = ()) -> subprocess.CompletedProcess[str]:
    """Run a command of `pegpip` to its end, without the settings of the person who runs the tests.

    `play` is forked from a process that has loaded it; the other commands are started anew. `through` is a command that
    runs the program, such as `setpriv` with its options.
    """
    env = {**os.environ, "XDG_CONFIG_HOME": "/no/settings"}
    if words[0] == "play" and not through:
        played = Forked(words, env)
        printed, errors = played.communicate(timeout=600)
        return subprocess.CompletedProcess(words, played.wait(0), printed, errors)
    command = [*through, PEGPIP, *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=600, check=False, env=env)


class Running:
    """`pegpip play` on a free port of this machine, with its own data folder.

    It is forked from a process that has loaded the program. A `program`, such as `(PEGPIP,)`, is started anew instead:
    by tests of the start itself, of the interpreter's end, and of memory.
    """

    def __init__(
        self,
        data: Path,
        *options: str,
        program: Sequence[str] = (),
        env: Mapping[str, str] | None = None,
    ) -> None:
        words = ["play", "--host", "127.0.0.1", "--port", "0", "--data", str(data), *options]
        environment = {
            "XDG_STATE_HOME": str(data.parent / "state"),
            **os.environ,
            "XDG_CONFIG_HOME": str(data / "no-settings"),
            **(env or {}),
        }
        self.process: subprocess.Popen[str] | Forked
        self.process = _started([*program, *words], environment) if program else Forked(words, environment)
        self.page = self.pin = ""
        self.said: list[str] = []
        assert self.process.stdout is not None
        while not self.pin:
            line = self.process.stdout.readline()
            if not line:
                raise AssertionError(f"pegpip play ended: {self.process.communicate(timeout=PATIENCE_S)[1]}")
            self.said.append(line.rstrip("\n"))
            word, _, rest = line.partition(": ")
            if word == "page":
                self.page = rest.strip()
            elif word == "PIN":
                self.pin = rest.strip()
        jar = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        self._phone = urllib.request.build_opener(jar)

    def ask(self, path: str, body: Any = None, headers: Sequence[tuple[str, str]] = ()) -> tuple[int, Any]:
        """GET, or POST a JSON body (bytes go as they are); the status and the decoded answer."""
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        request = urllib.request.Request(self.page.rstrip("/") + path, data)
        request.add_header("Content-Type", "application/json")
        for name, value in headers:
            request.add_header(name, value)
        try:
            with self._phone.open(request, timeout=PATIENCE_S) as answer:
                return answer.status, _decoded(answer.read())
        except urllib.error.HTTPError as refused:
            return refused.code, _decoded(refused.read())

    def pair(self) -> None:
        status, answer = self.ask("/api/pair", {"pin": self.pin})
        assert status == 200, answer

    def state(self) -> dict[str, Any]:
        state: dict[str, Any] = self.ask("/api/state")[1]
        return state

    def news(self, patience_s: float = PATIENCE_S) -> Iterator[dict[str, Any]]:
        """Yield each snapshot of the event stream, the newest first; raise TimeoutError after `patience_s` seconds."""
        ends_s = time.monotonic() + patience_s
        with self._phone.open(self.page + "api/events", timeout=patience_s) as stream:
            for line in stream:  # also heartbeats, so the socket alone never times out
                if time.monotonic() > ends_s:
                    raise TimeoutError(f"what was waited for has not come in {patience_s} s")
                if line.startswith(b"data:"):
                    yield json.loads(line[5:])

    def until(self, path: str, met: Callable[[Any], bool], patience_s: float = PATIENCE_S) -> Any:
        """Ask `path` until `met` holds for the answer or `patience_s` seconds are over; return the last answer."""
        answers = list[Any]()

        def answered() -> bool:
            answers[:] = [self.ask(path)[1]]
            return met(answers[0])

        until(answered, patience_s)
        return answers[0]

    def agree(self, question: dict[str, Any]) -> None:
        """A paired phone takes the dice of a question as they were read; a count that does not fit as all ones."""
        values, wanted = question["values"], question["wanted"]
        fitting = values if len(values) in wanted else [1] * wanted[-1]
        self.ask("/api/answers", {"question": question["id"], "values": fitting})

    def play(self, line: dict[str, Any]) -> dict[str, Any]:
        status, answer = self.ask("/api/lines", {"number": self.state()["number"], "line": line})
        assert status == 200, (line, answer)
        after: dict[str, Any] = answer
        return after

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.ended()

    def stop(self, by: int = signal.SIGINT) -> int:
        self.process.send_signal(by)
        return self.ended()

    def ended(self) -> int:
        """Wait for the end of the process; return its exit status."""
        try:
            self.process.communicate(timeout=PATIENCE_S)
        finally:
            self.process.kill()
        return self.process.wait(0)

    def __enter__(self) -> Running:
        return self

    def __exit__(self, *raised: object) -> None:
        if self.process.poll() is None:
            self.kill()


def _started(command: Sequence[str], env: Mapping[str, str]) -> subprocess.Popen[str]:
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env)


def _decoded(raw: bytes) -> Any:
    try:
        return json.loads(raw)
    except ValueError:
        return raw
