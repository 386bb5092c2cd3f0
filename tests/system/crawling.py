"""A visitor without a token who tries every route and page of a running table, and keeps all that came back."""

from __future__ import annotations

import http.client
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

PAGES = (
    "/", "/control", "/tv", "/tray", "/help", "/evening", "/games/1", "/me", "/dice", "/learn", "/review",
    "/camera", "/calibrate", "/setup", "/settings", "/control?screen", "/qr/host.svg", "/qr/page.svg", "/qr/wifi.svg",
    "/manifest.webmanifest", "/nothing",
)  # fmt: skip
LINKS = re.compile(r"""(?:href|src)="(/[^"#]*)|["'`](/(?:api|qr|static)/[^"'`$\s]*)""")
PATIENCE_S = 120.0
BODIES: tuple[dict[str, Any], ...] = (
    {},
    {"first": "", "pin": ""},
    {"first": "0" * 32},
    {"id": 1},
    {"id": 1, "role": "owner"},
    {"screen": True, "name": "TV"},
    {"number": 0, "line": {"throw": [1]}},
    {"transcript": 1, "game": "crib_dice", "players": ["Eve"]},
    {"section": "web", "key": "port", "value": 8001},
)


@dataclass
class Crawler:
    """Asks one table from one address of this machine.

    Attributes:
        host: Address that is asked.
        port: Its port.
        source: Address of this machine that is asked from: what the table takes for the visitor's.
        answers: What came, by method and address: all bodies, and all headers, as text.
        cookies: Tokens that were given; they are sent from then on.
    """

    host: str
    port: int
    source: str
    answers: dict[str, str] = field(default_factory=dict)
    cookies: dict[str, str] = field(default_factory=dict)

    def ask(self, method: str, path: str, body: Any = None) -> tuple[int, str]:
        """Ask once; status and body. An event stream is read to its first event."""
        link = http.client.HTTPConnection(self.host, self.port, PATIENCE_S, (self.source, 0))
        headers = {"Content-Type": "application/json", "Host": f"{self.host}:{self.port}"}
        if self.cookies:
            headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        link.request(method, path, None if body is None else json.dumps(body), headers)
        answer = link.getresponse()
        streamed = "event-stream" in answer.headers.get("Content-Type", "")
        text = (answer.read1(1 << 20) if streamed else answer.read()).decode("utf-8", "replace")
        for cookie in answer.headers.get_all("Set-Cookie", []):
            name, _, value = cookie.split(";")[0].partition("=")
            self.cookies[name] = value
        link.close()
        self.answers[f"{method} {path} {body or ''}"] = f"{answer.status}\n{answer.headers}\n{text}"
        return answer.status, text

    def crawl(self) -> None:
        """GET every page, route and link, and whatever they link to; POST every body to every route."""
        described = json.loads(self.ask("GET", "/api/openapi.json")[1])["paths"]
        numbered = {path: re.sub(r"\{\w+\}", "1", path) for path in described}
        waiting = [*PAGES, *numbered.values(), "/api/events", "/api/pair/codes", "/api/settings", "/metrics"]
        seen: set[str] = set()
        while waiting:
            path = waiting.pop()
            if path not in seen:
                seen.add(path)
                waiting += list(_links(self.ask("GET", path)[1]))
        for path, methods in described.items():
            for body in BODIES if "post" in methods else ():
                self.ask("POST", numbered[path], body)


def _links(text: str) -> Iterator[str]:
    for groups in LINKS.findall(text):
        found = next(filter(None, groups))
        yield urlsplit(found)._replace(fragment="").geturl()
