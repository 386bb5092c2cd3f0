"""The page of a table under trial: where an update looks for it, and which answers count as healthy."""

from __future__ import annotations

import http.server
import threading
from pathlib import Path

import pytest

from companion.appliance.trial import entry_of, page_of
from companion.service.addresses import published
from web.serving.settings import WebSettings


def test_update_looks_for_the_page_at_the_running_port_or_the_settings_port_or_the_default(tmp_path: Path) -> None:
    file = tmp_path / "pegpip.toml"
    assert page_of(file) == f"http://127.0.0.1:{WebSettings().port}"
    file.write_text("[web]\nport = 81\nof_a_later_release = 1\n")
    assert page_of(file) == "http://127.0.0.1:81"
    with published(tmp_path, 8001):
        assert page_of(file) == "http://127.0.0.1:8001"
    file.write_text("[web]\nhost = '127.0.0.2'\n")
    assert page_of(file) == f"http://127.0.0.2:{WebSettings().port}"
    file.write_text("[web]\nhost = '192.0.2.7'\n")  # another machine's: a service serves all its own instead
    assert page_of(file) == f"http://127.0.0.1:{WebSettings().port}"
    large = "[web]\nport = 123456789012345678901"
    for broken in (
        "[web\n",
        "[web]\nhost = 7",
        large,
        "[web]\nhost = '\\u0000'",
        "[web]\nport = " + "[" * 9_000,
    ):
        file.write_text(broken)
        assert page_of(file) == f"http://127.0.0.1:{WebSettings().port}"


WELL = '{"parts": {"table": {"ok": true}, "journal": {"ok": true}, "pages": {"ok": true}, "camera": {"ok": false}}}'


@pytest.mark.parametrize(
    ("body", "number"),
    [
        (WELL, 41),
        (WELL.replace("true", "false", 1), None),
        ("[]", None),
        ("[" * 9_000, None),
        ("no JSON", None),
        ('{"parts": []}', None),
        ('{"parts": "none"}', None),
        ('{"parts": {"table": 1}}', None),
        ('{"parts": {}}', None),
        ("\xff", None),
    ],
)
def test_update_takes_only_a_healthz_answer_of_healthy_table_journal_and_pages_as_healthy(
    body: str, number: int | None
) -> None:
    """Root asks the service, or another program that has the port."""

    class Answer(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b'{"number": 41}' if self.path == "/api/state" else body.encode("latin-1"))

        def log_message(self, *_: object) -> None: ...

    with http.server.HTTPServer(("127.0.0.1", 0), Answer) as server:
        threading.Thread(target=server.serve_forever).start()
        entry = entry_of(f"http://127.0.0.1:{server.server_port}")
        server.shutdown()
    assert entry == number
