"""The HTTP contract (docs/reference/commands-and-http.md): what each address answers, and with which status."""

from __future__ import annotations

import gzip
from pathlib import Path

import flask
import pytest

from companion.errors import DeviceError
from companion.games.registry import GAMES
from tests.web.pub import HEADER, PIN, Pub, observation, opened
from web.catalogue import LANGUAGES
from web.guard import COOKIE, TOKEN_DAYS
from web.pages import Addresses
from web.pairing.roles import ANYONE, Role
from web.routes import Routes


def test_state_api_gives_an_unpaired_phone_the_newest_game_state(pub: Pub) -> None:
    number = pub.start()
    told = pub.stranger().get("/api/state").json
    assert (told["number"], told["game"], told["phase"], told["question"]) == (number, "crib_dice", "ready", None)
    assert told["state"]["scores"] == {"Ann": 0, "Ben": 0}
    none = {"games": 0, "games_won": {}, "games_lost": {}, "ahead": []}
    assert told["sitting"] == {**none, "colours": {"Ann": 0, "Ben": 1}}


def test_posting_a_throw_to_the_lines_api_returns_the_state_after_that_throw(pub: Pub) -> None:
    number, host = pub.start(), pub.host()
    answer = host.post("/api/lines", json={"number": number, "line": {"throw": [5, 5, 2, 2, 1, 4, 6]}})
    assert answer.status_code == 200
    assert answer.json["number"] > number
    assert answer.json["state"]["decisions"] == ["point"]
    assert answer.json == host.get("/api/state").json


def test_a_game_action_with_an_outdated_state_number_is_refused_with_409_and_changes_nothing(pub: Pub) -> None:
    number, host = pub.start(), pub.host()
    line = {"number": number, "line": {"throw": [5, 5, 2, 2, 1, 4, 6]}}
    assert host.post("/api/lines", json=line).status_code == 200
    before = host.get("/api/state").json
    again = host.post("/api/lines", json=line)
    assert (again.status_code, again.json["error"]) == (409, "stale")
    assert host.get("/api/state").json == before


def test_the_message_that_refuses_a_move_from_an_outdated_page_advises_to_look_again_only_once(pub: Pub) -> None:
    """The message already ends with that advice, so none is added."""
    number, host = pub.start(), pub.host()
    refused = host.post("/api/lines", json={"number": number - 1, "line": {"throw": [5, 5, 2, 2, 1, 4, 6]}})
    assert refused.json["message"].lower().count("look") == 1


@pytest.mark.parametrize(
    ("line", "code"),
    [({"do": "stop"}, "illegal_action"), ({"throw": [1, 2]}, "illegal_action"), ({"jump": 1}, "notation")],
)
def test_post_api_lines_answers_422_with_a_reason_to_a_bad_transcript_line(pub: Pub, line: object, code: str) -> None:
    number, host = pub.start(), pub.host()
    answer = host.post("/api/lines", json={"number": number, "line": line})
    assert (answer.status_code, answer.json["error"]) == (422, code)
    assert len(answer.json["message"]) > 10


def test_a_new_game_with_an_unknown_house_rule_is_refused_with_422(pub: Pub) -> None:
    answer = pub.host().post("/api/games", json={**HEADER, "rules": {"bom": True}})
    assert (answer.status_code, answer.json["error"]) == (422, "rules")
    assert "bomb" in answer.json["message"]


def test_posting_corrected_values_of_a_throw_replaces_its_dice(pub: Pub) -> None:
    number, host = pub.start(), pub.host()
    thrown = host.post("/api/lines", json={"number": number, "line": {"throw": [5, 5, 2, 2, 1, 4, 6]}}).json
    address = f"/api/throws/{thrown['throws'][0]['number']}"
    after = host.post(address, json={"number": thrown["number"], "values": [5, 5, 5, 2, 1, 4, 6]})
    assert after.status_code == 200
    assert after.json["state"]["dice"] == [1, 2, 4, 5, 5, 5, 6]


def test_only_a_paired_phone_can_answer_a_question_about_doubtful_dice(pub: Pub) -> None:
    pub.start()
    asked = pub.table.submit(observation([5, 5, 2, 2, 1, 4, 6], doubt="disagree")).question
    assert asked is not None
    body = {"question": asked.id, "values": [5, 5, 2, 2, 1, 4, 6]}
    assert pub.stranger().post("/api/answers", json=body).status_code == 401
    after = pub.host().post("/api/answers", json=body)
    assert after.status_code == 200, after.text
    assert after.json["state"]["dice"] == [1, 2, 2, 4, 5, 5, 6]


def test_api_board_returns_the_led_strips_newest_frame(pub: Pub) -> None:
    assert pub.stranger().get("/api/board").json == {"leds": [[0, 0, 0], [12, 8, 1], [255, 120, 0]], "milliamps": 42}


def test_a_throws_photo_is_a_jpeg_and_a_missing_photo_answers_404(pub: Pub) -> None:
    photo = pub.stranger().get("/api/throws/1.jpg")
    assert (photo.status_code, photo.mimetype, photo.data[:2]) == (200, "image/jpeg", b"\xff\xd8")
    missing = pub.stranger().get("/api/throws/2.jpg")
    assert (missing.status_code, missing.json["error"]) == (404, "no_photo")


def test_healthz_gives_an_overall_status_and_a_finding_for_the_camera(pub: Pub) -> None:
    told = pub.stranger().get("/healthz").json
    assert told["status"] == "ok"
    assert set(told["parts"]["camera"]) == {"ok", "says"}


def test_the_openapi_description_matches_every_served_route(pub: Pub, tmp_path: Path) -> None:
    (tmp_path / "all").mkdir()
    with opened(tmp_path / "all", evening=True, review=True, voice=True) as everything:
        for each in (pub, everything):
            described_as_served(each)


def described_as_served(pub: Pub) -> None:
    told = pub.stranger().get("/api/openapi.json").json
    described = {path.replace("{throw}", "<n>").replace("{game}", "<n>") for path in told["paths"]}
    api = ("/api/", "/healthz", "/metrics")
    rules = {rule.rule for rule in pub.app.url_map.iter_rules() if rule.rule.startswith(api)}
    served = {
        rule.replace("<int:throw>", "<n>").replace("<int:number>", "<n>").replace("<int:game>", "<n>") for rule in rules
    }
    assert served - described == {"/api/openapi.json"}
    assert described - served == set()


@pytest.mark.parametrize("path", ["/", "/control", "/tv", "/tray", "/help"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_main_web_pages_are_served_in_every_language(pub: Pub, path: str, language: str) -> None:
    answer = pub.stranger().get(path, headers={"Accept-Language": language})
    assert answer.status_code == 200
    assert f'<html lang="{language}"' in answer.text


def test_with_a_real_camera_the_tray_page_and_its_api_answer_404(pub: Pub, tmp_path: Path) -> None:
    folder = tmp_path / "real"
    folder.mkdir()
    with opened(folder, tray=None) as real:
        assert real.stranger().get("/tray").status_code == 404
        assert real.stranger().get("/api/tray").status_code == 404


def test_the_virtual_tray_needs_pairing_except_on_the_tables_machine(pub: Pub) -> None:
    assert pub.stranger().post("/api/tray/throw", json={}).status_code == 401
    here = pub.stranger("127.0.0.1")
    assert here.post("/api/tray/throw", json={"ids": [0, 1], "strength": 0.5}).status_code == 200
    assert here.post("/api/tray/move", json={"id": 3, "x_mm": 12.5, "y_mm": 200}).status_code == 200
    assert pub.tray.done == [("throw", (0, 1), 0.5), ("move", 3, 12.5, 200.0)]
    missing = here.post("/api/tray/lift", json={"ids": [42]})
    assert (missing.status_code, missing.json["error"]) == (422, "no_such_die")


def test_a_pin_pairs_a_phone_and_scripts_cannot_read_its_cookie(pub: Pub) -> None:
    client = pub.stranger()
    answer = client.post("/api/pair", json={"pin": PIN, "name": "Ann's phone"})
    cookie = answer.headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert client.get("/api/phones").json["phones"] == [{"id": 1, "name": "Ann's phone", "role": "owner", "you": True}]


def test_pair_api_renews_the_cookie_of_a_paired_display_that_polls_it(pub: Pub) -> None:
    screen = pub.paired(Role.SCREEN)
    renewed = screen.get("/api/pair").headers["Set-Cookie"]
    assert renewed.startswith(f"{COOKIE}={screen.get_cookie(COOKIE).value};")
    assert f"Max-Age={TOKEN_DAYS * 86_400};" in renewed
    assert "Set-Cookie" not in pub.stranger().get("/api/pair").headers


def test_openapi_lists_refusals_409_422_and_503_of_each_table_command(pub: Pub) -> None:
    """Stale 409, against the rules or for an unknown throw 422, a full disk or a table in safe mode 503."""
    host = pub.host()
    paths = host.get("/api/openapi.json").json["paths"]
    commands = [
        each["post"] for path, each in paths.items() if "Snapshot" in str(each.get("post", {}).get("responses"))
    ]
    assert len(commands) == 14
    for each in commands:
        assert {"409", "422", "503"} <= each["responses"].keys(), each["summary"]
    pub.table.stop()
    assert host.post("/api/games", json=HEADER).status_code == 503


def test_openapi_lists_refusal_404_of_each_route_with_a_number_in_its_path(pub: Pub) -> None:
    """A number below 0 is no route: it is answered 404."""
    paths = pub.host().get("/api/openapi.json").json["paths"]
    routes = [each["responses"] for path, methods in paths.items() if "{" in path for each in methods.values()]
    assert routes
    assert all("404" in responses for responses in routes)


def test_an_error_that_a_web_route_does_not_declare_is_logged_with_traceback(caplog: pytest.LogCaptureFixture) -> None:
    def fail() -> None:
        raise DeviceError("The disk is full.", "Delete photos.")

    made, app = Routes("disk"), flask.Flask(__name__)
    made.get("/listed", "Fail as listed", roles=ANYONE, refused=(503,))(fail)
    made.get("/unlisted", "Fail", roles=ANYONE)(fail)
    app.register_blueprint(made.blueprint)
    answers = [app.test_client().get(path) for path in ("/listed", "/unlisted")]
    assert {(each.status_code, each.text) for each in answers} == {
        (503, '{"error":"ill","message":"The disk is full. Delete photos."}')
    }
    logged = [(record.levelname, bool(record.exc_info)) for record in caplog.records if record.name == "web.routes"]
    assert logged == [("WARNING", False), ("ERROR", True)]


def test_the_web_app_manifest_is_standalone_and_its_icons_are_served(pub: Pub) -> None:
    client = pub.stranger()
    told = client.get("/manifest.webmanifest").json
    assert (told["start_url"], told["display"]) == ("/", "standalone")
    for icon in told["icons"]:
        answer = client.get(icon["src"])
        assert (answer.status_code, answer.mimetype) == (200, icon["type"])


def test_static_files_are_gzipped_and_cached_as_immutable(pub: Pub) -> None:
    client = pub.stranger()
    address = client.get("/").text.split('rel="stylesheet" href="')[1].split('"')[0]
    squeezed = client.get(address, headers={"Accept-Encoding": "gzip"})
    assert squeezed.headers["Content-Encoding"] == "gzip"
    assert "immutable" in squeezed.headers["Cache-Control"]
    assert len(squeezed.data) < len(client.get(address).data) / 2
    assert client.get("/static/old/shared/look.css").headers["Cache-Control"] == "no-cache"
    assert client.get("/static/old/../app.py").status_code == 404


@pytest.mark.parametrize("path", ["/", "/api/state", "/metrics", "/qr/page.svg", "/api/throws/2.jpg", "/nowhere"])
def test_responses_forbid_caching_except_throw_photos_cached_for_an_hour(pub: Pub, path: str) -> None:
    assert pub.stranger().get(path).headers["Cache-Control"] == "no-store"
    assert pub.stranger().get("/api/throws/1.jpg").headers["Cache-Control"] == "private, max-age=3600"


def test_a_question_photo_may_be_cached_only_if_its_url_contains_the_question_id(pub: Pub) -> None:
    pub.start()
    pub.table.submit(observation([]))
    question = pub.table.submit(observation([5, 5, 2, 2, 1, 4, 6], doubt="disagree", at_s=100.0)).question
    assert question is not None
    for query, control in (("", "no-store"), (f"?id={question.id}", "private, max-age=3600")):
        answer = pub.stranger().get(f"/api/question.jpg{query}")
        assert (answer.status_code, answer.headers["Cache-Control"]) == (200, control)


def test_a_page_is_gzipped_for_browsers_that_accept_it(pub: Pub) -> None:
    plain, squeezed = pub.stranger().get("/"), pub.stranger().get("/", headers={"Accept-Encoding": "gzip"})
    assert squeezed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(squeezed.data) == plain.data
    assert len(squeezed.data) < len(plain.data) / 2


def test_without_wifi_only_the_page_address_has_an_svg_qr_code(pub: Pub) -> None:
    assert pub.stranger().get("/qr/page.svg").mimetype == "image/svg+xml"
    assert pub.paired(Role.SCREEN).get("/qr/wifi.svg").status_code == 404


def test_pages_show_the_new_address_after_the_tables_address_changes(tmp_path: Path) -> None:
    """Its Wi-Fi comes up after its start."""
    now = [Addresses("http://127.0.0.1:8000/")]
    with opened(tmp_path, addresses=lambda: now[-1]) as pub:
        screen = pub.paired(Role.SCREEN)
        before = screen.get("/qr/page.svg").data
        now.append(Addresses("http://192.168.4.7:8000/", wifi="WIFI:T:WPA;S:The Plough;P:six of one;;"))
        assert screen.get("/qr/page.svg").data != before
        assert all("192.168.4.7:8000" in screen.get(path).text for path in ("/tv", "/help"))
        assert screen.get("/qr/wifi.svg").status_code == 200


def test_the_tv_and_help_pages_show_the_wifi_qr_code_before_the_page_address_qr_code(tmp_path: Path) -> None:
    wifi = Addresses("http://192.168.4.1:8000/", wifi="WIFI:T:WPA;S:The Plough;P:six of one;;")
    with opened(tmp_path, addresses=wifi) as pub:
        screen = pub.paired(Role.SCREEN)
        assert screen.get("/qr/wifi.svg").mimetype == "image/svg+xml"
        for path in ("/tv", "/help"):
            page = screen.get(path).text
            assert 0 < page.index("/qr/wifi.svg") < page.index("/qr/page.svg")
            assert "six of one" not in page


def test_the_setup_page_says_how_many_phones_the_hotspot_can_serve_if_known(tmp_path: Path) -> None:
    for number, phones in enumerate((7, None)):
        addresses = Addresses("http://10.42.0.1:8000/", phones=phones)
        with opened(tmp_path / str(number), addresses=addresses, settings=object()) as pub:
            page = pub.stranger().get("/setup").text
            assert ("holds about 7 phones" in page) is (phones == 7)


def test_unpaired_and_player_phones_are_refused_the_wifi_qr_code(tmp_path: Path) -> None:
    wifi = Addresses("http://192.168.4.1:8000/", wifi="WIFI:T:WPA;S:The Plough;P:six of one;;")
    with opened(tmp_path, addresses=wifi) as pub:
        assert pub.stranger().get("/qr/wifi.svg").status_code == 401
        player = pub.paired(Role.PLAYER)
        assert player.get("/qr/wifi.svg").status_code == 403
        pages = [client.get(path).text for client in (pub.stranger(), player) for path in ("/tv", "/help")]
        assert not any("wifi.svg" in page for page in pages)


def test_pages_show_the_tables_name_escaped(tmp_path: Path) -> None:
    with opened(tmp_path, name="The <Plough>") as pub:
        for path in ("/", "/control", "/tv", "/tray", "/help"):
            page = pub.stranger().get(path).text
            assert ("The &lt;Plough&gt;" in page, "<Plough>" in page) == (True, False), path


def test_the_tv_page_has_an_area_for_score_sheets_only_in_crag(pub: Pub) -> None:
    for game in GAMES:
        pub.start(game=game)
        assert ('class="sheets"' in pub.stranger().get("/tv").text) == (game == "crag")
