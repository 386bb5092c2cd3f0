"""Messages to systemd, read from a real datagram socket."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from companion.service.sd_notify import notify, watchdog_s


def test_systemd_notify_sends_ready_to_the_socket_in_notify_socket(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "notify"
    monkeypatch.setenv("NOTIFY_SOCKET", str(path))
    notify("READY=1")  # before there is a socket: nobody hears it
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(str(path))
        listener.settimeout(60)
        notify("READY=1")
        assert listener.recv(64) == b"READY=1"


def test_the_systemd_watchdog_interval_is_half_of_its_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WATCHDOG_USEC", "10000000")
    assert watchdog_s() == 5.0
    monkeypatch.delenv("WATCHDOG_USEC")
    assert watchdog_s() is None
