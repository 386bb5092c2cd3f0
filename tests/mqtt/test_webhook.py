"""The webhook: great moments arrive once, signed, in order, however often the server fails."""

from __future__ import annotations

import base64
import http.server
import threading
from collections.abc import Callable, Iterator, Mapping

import msgspec
import pytest

from companion.errors import DeviceError
from companion.mqtt.webhook import MAX_WAITING, Webhook, key_of, signature
from companion.table.snapshot import Event, News, Snapshot
from tests.waiting import until

SECRET = "whsec_" + base64.b64encode(b"s" * 24).decode()
WON = Event(number=7, code="game_over", args={"winners": ["Ann"]})
DULL = Event(number=8, code="threw", args={"player": "Ann"})


class Server:
    """Stands in for the server: keeps what it gets and answers as the test says."""

    def __init__(self) -> None:
        self.got: list[tuple[Mapping[str, str], bytes]] = []
        self.status: Callable[[], int] = lambda: 204

    def post(self, method: str, address: str, body: bytes, headers: Mapping[str, str]) -> tuple[int, bytes]:
        assert (method, address) == ("POST", "https://chat.example/hook")
        self.got.append((headers, body))
        return self.status(), b"so it is"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Server:
    made = Server()
    monkeypatch.setattr("companion.mqtt.webhook.send_json", made.post)
    return made


@pytest.fixture
def webhook(server: Server) -> Iterator[Webhook]:
    made = Webhook("https://chat.example/hook", SECRET, lambda: "The Lion", lambda event: f"{event.code}!")
    made.start()
    yield made
    made.stop()


def happens(webhook: Webhook, *events: Event, number: int = 7) -> None:
    webhook.hear(Snapshot(number=number, game="crapola"), News(events))


def test_the_webhook_posts_a_win_signed_and_skips_an_ordinary_event(webhook: Webhook, server: Server) -> None:
    happens(webhook, DULL, WON)
    assert until(lambda: webhook.health() == (True, "the webhook has every message"))
    ((headers, body),) = server.got
    told = msgspec.json.decode(body)
    assert (told["type"], told["text"], told["data"]["table"]) == ("game.game_over", "game_over!", "The Lion")
    name, seconds = headers["webhook-id"], headers["webhook-timestamp"]
    assert headers["webhook-signature"] == signature(key_of(SECRET), name, seconds, body)


def test_the_webhook_retries_in_order_with_an_unchanged_message_id(webhook: Webhook, server: Server) -> None:
    answers = iter([503, 429])

    def status() -> int:
        try:
            return next(answers)
        except StopIteration:
            return 200

    server.status = status
    happens(webhook, WON)
    assert until(lambda: len(server.got) >= 1)
    happens(webhook, WON, number=9)
    assert until(lambda: webhook.health()[0])
    assert until(lambda: len(server.got) == 4)
    names = [headers["webhook-id"] for headers, _ in server.got]
    assert names[0] == names[1] == names[2] != names[3]


def test_an_unreachable_webhook_server_shows_in_health_and_is_retried(webhook: Webhook, server: Server) -> None:
    away = threading.Event()
    away.set()

    def status() -> int:
        if away.is_set():
            raise ConnectionRefusedError("nobody there")
        return 200

    server.status = status
    happens(webhook, WON)
    assert until(lambda: "nobody there" in webhook.health()[1])
    away.clear()
    assert until(lambda: webhook.health()[0])
    assert len(server.got) > 1
    assert len({headers["webhook-id"] for headers, _ in server.got}) == 1


def test_a_webhook_message_answered_404_shows_in_health_and_is_not_resent(
    webhook: Webhook, server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    server.status = lambda: 404
    happens(webhook, WON)
    assert until(lambda: "404" in webhook.health()[1])
    assert "so it is" not in webhook.health()[1] + caplog.text, "the answer may quote the secret URL"
    happens(webhook, WON, number=9)
    assert until(lambda: len(server.got) == 2)
    assert len({headers["webhook-id"] for headers, _ in server.got}) == 2


def test_a_full_webhook_queue_drops_its_oldest_messages(server: Server) -> None:
    webhook = Webhook("https://chat.example/hook", "", lambda: "The Lion", str)
    for number in range(MAX_WAITING + 50):
        happens(webhook, WON, number=number)
    webhook.start()
    assert until(lambda: len(server.got) == MAX_WAITING)
    numbers = [int(headers["webhook-id"].split("_")[2]) for headers, _ in server.got]
    assert numbers == list(range(50, MAX_WAITING + 50)), "the newest are kept, in order"
    assert all("webhook-signature" not in headers for headers, _ in server.got)
    webhook.stop()


@pytest.mark.parametrize(
    ("url", "secret", "why"),
    [
        ("http://chat.example", "", r"\[webhook\] url"),
        ("https://chat.example", "no base64!", "no base64"),
        ("https://chat.example", "Schlüssel", "no base64"),
    ],
)
def test_a_webhook_with_a_plain_http_address_or_bad_secret_is_refused(url: str, secret: str, why: str) -> None:
    with pytest.raises(DeviceError, match=why):
        Webhook(url, secret, lambda: "The Lion", str)


def test_the_webhook_follows_no_redirect_and_reports_it_as_a_refusal() -> None:
    paths: list[str] = []

    class Elsewhere(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            paths.append(self.path)
            self.send_response(307)
            self.send_header("Location", "/elsewhere")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Stay silent."""

    with http.server.HTTPServer(("127.0.0.1", 0), Elsewhere) as serving:
        threading.Thread(target=serving.serve_forever, daemon=True).start()
        webhook = Webhook(f"http://127.0.0.1:{serving.server_port}/hook", SECRET, lambda: "The Lion", str)
        webhook.start()
        happens(webhook, WON)
        assert until(lambda: "refuses messages (307)" in webhook.health()[1]), webhook.health()
        webhook.stop()
        serving.shutdown()
    assert paths == ["/hook"]
