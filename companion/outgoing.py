"""Sending to servers: a background thread, allowed addresses, one request with its limits, pauses between attempts."""

from __future__ import annotations

import contextlib
import http.client
import io
import ipaddress
import logging
import random
import re
import threading
import urllib.error
import urllib.request
from abc import ABC, abstractmethod
from collections.abc import Mapping
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

from companion.errors import CompanionError, DeviceError, cause

log = logging.getLogger(__name__)

TIMEOUT_S = 10.0
"""Longest wait, in seconds, to connect to a webhook's or league's server, and for each read of its answer. No read may
begin later than this after the request, so a whole answer takes less than twice as long. Shorter: slow servers fail;
longer: a dead one is noticed later."""
FIRST_PAUSE_S, LONGEST_PAUSE_S = 1.0, 300.0
"""Base and limit, in seconds, of the random pause after failed deliveries (`pause_s`). After n failures in a row it is
at most the base times 2 ** n. Higher: what waits arrives later after an outage; lower: more attempts."""
MAX_ANSWER_BYTES = 64 * 1024
"""Most bytes that are read of a webhook's or league's answer. Higher: a faulty server fills more of the table's memory.
Lower: a long answer is cut off."""


class BackgroundThread(ABC):
    """A daemon thread that waits for work and is woken for it. `start` and `stop` may be called repeatedly.

    A subclass implements `_run`, waits on `_wake` and returns once the event that `_run` was given is set.

    Args:
        name: Name of the thread.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._wake, self._stopped = threading.Event(), threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Start the thread, unless it runs. After `stop` a new thread starts, even if the old one has not ended yet."""
        if self._stopped.is_set() or not self.alive():
            self._stopped = threading.Event()
            self._thread = threading.Thread(target=self._run, args=(self._stopped,), name=self._name, daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Tell the thread to end, without waiting for it."""
        self._stopped.set()
        self._wake.set()

    def alive(self) -> bool:
        """Return whether the thread runs."""
        return self._thread is not None and self._thread.is_alive()

    @abstractmethod
    def _run(self, stopped: threading.Event) -> None:
        """Do the subclass's work in the thread, and return once `stopped` is set."""


class DeliveryThread(BackgroundThread):
    """A background thread that delivers what waits. After a failure it pauses, longer each time, and tries again.

    A subclass implements `_deliver` and sets `_state`, which `health` returns. A CompanionError becomes the sentence.

    Args:
        name: Name of the thread, as the subject of a sentence.
    """

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._state = (True, "nothing was sent yet")

    def health(self) -> tuple[bool, str]:
        """Return (does the server take everything, a sentence): what waits or is refused, and why."""
        return self._state

    @abstractmethod
    def _deliver(self, stopped: threading.Event) -> None:
        """Deliver what waits, until `stopped` is set. To be called again later, it raises OSError or CompanionError."""

    def _run(self, stopped: threading.Event) -> None:
        """Call `_deliver` at the start, at each wake-up, and `pause_s(failures)` seconds after a failure.

        `failures` is the number of failures in a row. The call returns once `stopped` is set; no failure ends it.
        `health` reports each failure; for an OSError, `_deliver` has already set the sentence that `health` returns.
        """
        failures = 0
        while not stopped.is_set():
            self._wake.clear()
            try:
                self._deliver(stopped)
                failures = 0
            except OSError as away:  # `_deliver` has set what health says
                failures += 1
                log.info("the %s can't deliver: %s", self._name, away)
            except CompanionError as ill:
                failures += 1
                self._state = False, str(ill)
            except Exception as fault:  # the thread must outlive a fault in itself
                failures += 1
                log.exception("the %s failed", self._name)
                self._state = False, f"The {self._name} failed ({cause(fault)}). Update pegpip."
            if not stopped.is_set():  # `stop` may have come just before the wake was cleared
                self._wake.wait(pause_s(failures) if failures else None)


def check_address(setting: str, address: str) -> None:
    """Raise DeviceError unless `address` is an https URL, or an http URL of a local host.

    A host is local if it is a private IP address, or a name that ends in .local, .lan or .home.arpa. So is a name
    without a dot that begins with a letter, such as `localhost`. No name is looked up. A URL with spaces or non-ASCII
    letters, with user and password, or with an impossible host or port, is refused too. The error names the `setting`,
    not the address, which may hold a secret.
    """
    with contextlib.suppress(ValueError):  # of a bracket, port or host that can't be
        parts = urlsplit(address)
        host, port = parts.hostname or "", parts.port
        known = parts.scheme == "https" or (parts.scheme == "http" and _is_local(host))
        known = known and "@" not in parts.netloc  # a user and password, which the sender would take for the host
        if host.encode("idna") and known and port != 0 and re.fullmatch("[!-~]+", address):
            return
    cure = "Write https://... in ASCII letters, without user and password; http:// for a server in the local network."
    raise DeviceError(f"{setting} is no address to send to.", cure)


def pause_s(failures: int) -> float:
    """Return a random pause in seconds before the next attempt after some failures in a row.

    Exponential back-off with full jitter: 0.1 to FIRST_PAUSE_S * 2 ** failures, at most LONGEST_PAUSE_S.
    """
    return random.uniform(0.1, min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2 ** min(failures, 10)))


def send_json(method: str, address: str, body: bytes, headers: Mapping[str, str]) -> tuple[int, bytes]:
    """Send JSON to a server, and return the status and the first MAX_ANSWER_BYTES of the answer.

    An error status is returned like any other. Redirects are not followed. Connecting to an address, and each read of
    the answer, takes at most TIMEOUT_S. A read that begins more than TIMEOUT_S after the request fails, so the whole
    answer takes less than twice that.

    Args:
        method: `PUT` or `POST`.
        address: An address that `check_address` allows.
        body: The JSON.
        headers: More headers.

    Raises:
        OSError: The server can't be reached, does not answer in time, or its answer breaks off in the header or
            between chunks. An answer shorter than its `Content-Length` is returned as it is, without an error.
    """
    request = urllib.request.Request(address, body, {"Content-Type": "application/json", **headers}, method=method)  # noqa: S310
    try:
        with _OPENER.open(request, timeout=TIMEOUT_S) as answer:
            content = b""
            while len(content) < MAX_ANSWER_BYTES and (part := answer.read1(MAX_ANSWER_BYTES - len(content))):
                content += part
            return answer.status, content
    except urllib.error.URLError as away:  # its text is one for programmers: <urlopen error [Errno 111] ...>
        raise ConnectionError(getattr(away.reason, "strerror", None) or str(away.reason)) from None
    except http.client.HTTPException as torn:
        raise ConnectionError(f"the answer was torn ({type(torn).__name__})") from None


class _AnyStatus(urllib.request.HTTPErrorProcessor):
    """Leaves each status to the caller, also a redirect: `check_address` has not seen where it leads."""

    def http_response(self, request: urllib.request.Request, response: http.client.HTTPResponse) -> Any:
        """Return the answer as it came; the base class raises an error or follows a redirect."""
        return response

    https_response = http_response


class _TimedReads(io.RawIOBase):
    """The bytes that `raw` yields within TIMEOUT_S from now on; a later read raises TimeoutError."""

    def __init__(self, raw: io.RawIOBase) -> None:
        self._raw, self._until_s = raw, monotonic() + TIMEOUT_S

    def readable(self) -> bool:
        """Return True, as BufferedReader needs it."""
        return True

    def readinto(self, buffer: Any) -> int | None:
        """Read what has come into a buffer, and return its number of bytes."""
        if monotonic() > self._until_s:
            raise TimeoutError("its answer takes too long")
        return self._raw.readinto(buffer)

    def close(self) -> None:
        """Close `raw`, too."""
        self._raw.close()
        super().close()


class _TimedResponse(http.client.HTTPResponse):
    """An answer whose status, headers and body must all have come within TIMEOUT_S."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.fp = io.BufferedReader(_TimedReads(self.fp.detach()))


class _Http(http.client.HTTPConnection):
    """A connection with a limit on the time of the whole answer."""

    response_class = _TimedResponse


class _Https(http.client.HTTPSConnection):
    """A TLS connection with a limit on the time of the whole answer."""

    response_class = _TimedResponse


class _TimedHandler(urllib.request.HTTPHandler, urllib.request.HTTPSHandler):
    """Opens http and https addresses by connections that limit the time of the whole answer."""

    def http_open(self, request: urllib.request.Request) -> http.client.HTTPResponse:
        """Send a request by HTTP, and return the answer."""
        return self.do_open(_Http, request)

    def https_open(self, request: urllib.request.Request) -> http.client.HTTPResponse:
        """Send a request by HTTPS, and return the answer."""
        return self.do_open(_Https, request)


_OPENER = urllib.request.build_opener(_AnyStatus, _TimedHandler)


def _is_local(host: str) -> bool:
    """Return whether a host is this machine or in the local network, as is a name without a dot."""
    try:
        return ipaddress.ip_address(host).is_private
    except ValueError:
        return (host[:1].isalpha() and "." not in host) or host.endswith((".local", ".lan", ".home.arpa"))
