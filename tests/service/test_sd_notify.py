"""Messages to systemd, read from a real datagram socket."""

from __future__ import annotations

import socket
from pathlib import Path

from companion.service.sd_notify import notify, watchdog_s


def test_systemd_notify_sends_ready_to_the_socket_in_notify_socket(tmp_path: Path) -> None:
    path = tmp_path / "notify"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(str(path))
        listener.settimeout(60)
        assert notify("READY=1", {"NOTIFY_SOCKET": str(path)})
        assert listener.recv(64) == b"READY=1"


def test_notify_returns_false_without_a_systemd_socket(tmp_path: Path) -> None:
    assert not notify("READY=1", {})
    assert not notify("READY=1", {"NOTIFY_SOCKET": str(tmp_path / "gone")})


def test_the_systemd_watchdog_is_notified_at_half_of_its_timeout() -> None:
    assert watchdog_s({"WATCHDOG_USEC": "10000000"}) == 5.0
    assert watchdog_s({}) is None
