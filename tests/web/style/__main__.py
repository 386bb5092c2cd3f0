"""`make style`: serve the page /style on this machine until Ctrl-C."""

from __future__ import annotations

import re
import tempfile
import threading
from contextlib import suppress
from pathlib import Path

import flask

from tests.web.pub import Pub, opened, served
from web import static_files

HERE = Path(__file__).parent
PORT = 8099
FILES = {
    "ICONS": "shared/icons.svg",
    "TOKENS": "shared/tokens.css",
    "LOOK": "shared/look.css",
    "EARLY": "shared/early.js",
    "TEXTS": "texts/en-scoreboard.json",
}
"""Static file of each word in the page that stands for its address."""


def with_style(pub: Pub) -> None:
    """Add /style and its script to the pages of a pub."""

    def shown() -> flask.Response | None:
        made = {"/style": page, "/style.js": script}.get(flask.request.path)
        return made() if made else None

    def page() -> flask.Response:
        start = re.search(r'id="start">(.*?)</script>', pub.stranger().get("/").text, re.DOTALL)
        assert start is not None, "every page has its start data"
        html = (HERE / "style.html").read_text(encoding="utf-8").replace("START", start[1])
        for word, file in FILES.items():
            html = html.replace(word, static_files.url(file))
        return flask.Response(html, mimetype="text/html")

    def script() -> flask.Response:
        return flask.Response((HERE / "style.js").read_text(encoding="utf-8"), mimetype="text/javascript")

    pub.app.before_request_funcs.setdefault(None, []).insert(0, shown)  # before the guard, which knows no such route


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder, opened(Path(folder)) as table:
        with_style(table)
        with served(table, ("127.0.0.1", PORT)) as address, suppress(KeyboardInterrupt):
            print(f"{address}/style")
            threading.Event().wait()
