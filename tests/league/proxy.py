"""A network between tables and server that can be cut, or lose answers: a TCP proxy in threads."""

from __future__ import annotations

import contextlib
import socket
import threading
from typing import Literal

from tests.league.services import LOOPBACK

Way = Literal["open", "cut", "deaf"]
"""All passes; nobody is reached; requests arrive, but their answers are lost."""


class Network:
    """Forwards connections to a port of this machine, which may change."""

    def __init__(self) -> None:
        self.way: Way = "open"
        self.to_port = 0
        self._listening = socket.create_server((LOOPBACK, 0))
        self.port: int = self._listening.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def address(self) -> str:
        return f"http://{LOOPBACK}:{self.port}"

    def close(self) -> None:
        self._listening.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                link, _ = self._listening.accept()
                threading.Thread(target=self._forward, args=(link,), daemon=True).start()

    def _forward(self, link: socket.socket) -> None:
        with link, contextlib.suppress(OSError):
            if self.way == "cut":
                return
            with socket.create_connection((LOOPBACK, self.to_port), timeout=30) as server:
                up = threading.Thread(target=self._pump, args=(link, server), daemon=True)
                up.start()
                answer = server.recv(65536)
                while answer:
                    if self.way != "open":
                        return  # what was asked is done; nobody hears of it
                    link.sendall(answer)
                    answer = server.recv(65536)

    def _pump(self, link: socket.socket, server: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while content := link.recv(65536):
                if self.way == "cut":
                    break
                server.sendall(content)
            server.shutdown(socket.SHUT_WR)
