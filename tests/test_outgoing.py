"""Requests that the table sends: nothing goes over the internet in the clear, and pauses spread the tables out."""

from __future__ import annotations

import contextlib
import itertools
import socket
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from companion.errors import DeviceError
from companion.outgoing import LONGEST_PAUSE_S, TIMEOUT_S, DeliveryThread, check_address, pause_s, send_json
from tests.waiting import until


def test_outgoing_request_retry_pauses_are_random_and_capped() -> None:
    assert all(pause_s(failures) <= LONGEST_PAUSE_S for failures in range(1, 60))
    assert len({pause_s(20) for _ in range(20)}) > 10


@pytest.mark.parametrize(
    "good",
    ["https://league.example", "http://192.168.1.4:8080", "http://localhost:1", "http://pi.local", "http://nas:8123"],
)
def test_a_league_address_with_https_or_in_the_local_network_is_accepted(good: str) -> None:
    check_address("[league] server", good)


@pytest.mark.parametrize(
    "bad",
    [
        "http://league.example",
        "http://134744072",
        "http://",
        "ftp://x",
        "league.example",
        "https://",
        "file:///etc/passwd",
        "https://[HOST]/x",
        "https://a:99999",
    ],
)
def test_a_malformed_or_public_http_league_address_is_refused(bad: str) -> None:
    with pytest.raises(DeviceError, match=r"\[league\] server is no address"):
        check_address("[league] server", bad)


@pytest.mark.parametrize(
    "bad", ["https://[::1/hook", "https://a:x/", "https://a:99999/", "https://a..b/", "https://a b/", "https://a/tür"]
)
def test_a_webhook_url_with_a_malformed_host_port_or_path_is_refused(bad: str) -> None:
    with pytest.raises(DeviceError, match=r"is no address .* in ASCII letters"):
        check_address("[webhook] url", bad)


@pytest.mark.parametrize("bad", ["http://hooks.example/T0/secret", "https://user:secret@hooks.example/", "https://@a/"])
def test_the_error_for_a_refused_webhook_url_does_not_contain_its_secret(bad: str) -> None:
    with pytest.raises(DeviceError, match="without user and password") as refused:
        check_address("[webhook] url", bad)
    assert "secret" not in str(refused.value)


class _StoppedAtClear(threading.Event):
    """An event that stops a delivery thread each time before it is cleared."""

    stop: Callable[[], None]

    def clear(self) -> None:
        """Stop the thread, then clear the event."""
        self.stop()
        super().clear()


class _Idle(DeliveryThread):
    """A delivery thread with nothing to deliver, which is stopped just before it clears its wake."""

    def __init__(self) -> None:
        super().__init__("idle")
        self._wake = event = _StoppedAtClear()
        event.stop = self.stop

    def _deliver(self, stopped: threading.Event) -> None:
        """Deliver nothing."""


def test_a_delivery_thread_ends_if_stopped_just_before_it_clears_its_wake_event() -> None:
    thread = _Idle()
    thread.start()
    assert until(lambda: not thread.alive(), 10)


@pytest.mark.parametrize("status", ["200 OK", "503 Busy"])
def test_outgoing_request_with_a_torn_chunked_answer_is_a_connection_error(status: str) -> None:
    torn = f"HTTP/1.1 {status}\r\nTransfer-Encoding: chunked\r\n\r\n64\r\nonly this".encode()
    with socket.create_server(("127.0.0.1", 0)) as server, ThreadPoolExecutor(1) as pool:

        def answer() -> None:
            link, _ = server.accept()
            with link:
                received = b""
                while not received.endswith(b"{}"):  # unread bytes would reset the connection
                    received += link.recv(65536)
                link.sendall(torn)

        answered = pool.submit(answer)
        with pytest.raises(ConnectionError, match="torn"):
            send_json("PUT", f"http://127.0.0.1:{server.getsockname()[1]}", b"{}", {})
        answered.result()


def test_outgoing_request_to_a_port_nobody_listens_on_says_connection_refused() -> None:
    with socket.socket() as unserved:
        unserved.bind(("127.0.0.1", 0))  # and does not listen
        with pytest.raises(ConnectionError, match=r"^Connection refused$"):
            send_json("PUT", f"http://127.0.0.1:{unserved.getsockname()[1]}", b"{}", {})


@pytest.mark.parametrize("begun", [b"HTTP/1.1 200 OK\r\nX: ", b"HTTP/1.1 200 OK\r\n\r\n"], ids=["header", "body"])
def test_an_outgoing_request_times_out_though_the_answer_never_stops_trickling(
    monkeypatch: pytest.MonkeyPatch, begun: bytes
) -> None:
    """The webhook waited for the end of such an answer for hours, and `/healthz` called it well."""
    times_s = itertools.chain((0.0, 0.0), itertools.repeat(2 * TIMEOUT_S))  # the request, a first read, a later one
    monkeypatch.setattr("companion.outgoing.monotonic", times_s.__next__)
    with socket.create_server(("127.0.0.1", 0)) as server, ThreadPoolExecutor(1) as pool:

        def answer() -> None:
            link, _ = server.accept()
            with link:
                link.sendall(begun)
                with contextlib.suppress(ConnectionError):  # the table has closed the connection
                    while True:
                        link.sendall(b" ")

        answered = pool.submit(answer)
        with pytest.raises(TimeoutError, match="takes too long"):
            send_json("PUT", f"http://127.0.0.1:{server.getsockname()[1]}", b"{}", {})
        answered.result()
