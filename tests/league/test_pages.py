"""The league's pages: names are only names, answers carry an ETag, and each game can be replayed."""

from __future__ import annotations

import csv
import io
import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, cast
from uuid import UUID

import msgspec
import pytest
import uvicorn
from click.testing import CliRunner, Result
from psycopg_pool import PoolTimeout
from werkzeug.test import TestResponse

from companion.errors import CompanionError
from companion.league import admin, fixtures
from companion.league.commands import command
from companion.league.database import as_owner, opened
from companion.league.key import name_of
from companion.league.server import application, serve
from companion.service.addresses import bound
from companion.tournaments import Draw
from tests.known import known
from tests.league.conftest import League, new_league
from tests.league.playing import Pub, outbox_of, sent
from tests.league.services import LOOPBACK, Postgres
from web.catalogue import say

HOSTILE = "<b onclick=x>&\"'"


@dataclass
class Season:
    """A league with a season, in which three games were played at one table."""

    league: League
    game: str
    number: int

    def get(self, path: str, **headers: str) -> TestResponse:
        return self.league.app.test_client().get(path, headers=headers, buffered=True)

    def text(self, path: str) -> str:
        got = self.get(path)
        assert got.status_code == 200, (path, got.status_code)
        return got.get_data(as_text=True)

    def json(self, path: str) -> Any:
        return self.get(path).get_json()

    @property
    def path(self) -> str:
        """Address of the page of the season's standings."""
        return f"/seasons/{self.number}/crapola"

    def players(self) -> dict[str, int]:
        """Return the number of each player in the standings by name."""
        return {row["name"]: row["player"] for row in self.json(f"/api{self.path}")}


def organise(url: str, *words: str) -> Result:
    """Run a command of `pegpip league` on a database."""
    return CliRunner().invoke(command, [*words, "--database", url], standalone_mode=False)


def refused(url: str, *words: str) -> str:
    """Run a command of `pegpip league` that is refused, and return why."""
    refusal = organise(url, *words).exception
    assert isinstance(refusal, CompanionError)
    return str(refusal)


@contextmanager
def played_season(postgres: Postgres, folder: Path) -> Iterator[Season]:
    with new_league(postgres) as league:
        with as_owner(league.url) as connection:
            number = admin.add_season(connection, "Autumn", date(2020, 1, 1), date(2040, 1, 1))
        key, pub = league.table(), Pub(folder, seed=5)
        for players in (("Ann", "Ben"), ("Ann", HOSTILE), ("=cmd()", "Ben")):
            pub.play(*players)
        for message in sent(outbox_of(pub)):
            assert league.put(msgspec.structs.replace(message, table=name_of(key)), key)[0] == 200
        pub.stop()
        league.rate()
        yield Season(league, str(UUID(message.game)), number)


@pytest.fixture(scope="module")
def season(postgres: Postgres, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Season]:
    """Return a season to read."""
    with played_season(postgres, tmp_path_factory.mktemp("season")) as made:
        yield made


@pytest.fixture
def own_season(postgres: Postgres, tmp_path: Path) -> Iterator[Season]:
    """Return a season to change."""
    with played_season(postgres, tmp_path) as made:
        yield made


def test_league_standings_are_served_as_page_csv_and_json(season: Season) -> None:
    path = season.path
    page = season.text(path)
    assert "Autumn" in page
    assert page.count('scope="row"') == 4
    rows = list(csv.DictReader(io.StringIO(season.text(path + ".csv"))))
    assert {row["name"] for row in rows} == {"Ann", "Ben", "'=cmd()", HOSTILE}
    told = season.json(f"/api{path}")
    assert [row["player"] for row in told] == [int(row["player"]) for row in rows]
    assert sum(row["won"] for row in told) == 3
    assert [row["won"] for row in told] == sorted((row["won"] for row in told), reverse=True)
    by_rating = season.json(f"/api{path}?by=rating")
    lower = [row["mu"] - 3 * row["sigma"] for row in by_rating]
    assert lower == sorted(lower, reverse=True)
    assert len(set(lower)) > 1


def test_league_pages_escape_markup_in_a_player_name(season: Season) -> None:
    for path in (season.path, "/players", f"/players/{season.players()[HOSTILE]}"):
        page = season.text(path)
        assert "<b onclick" not in page
        assert "&lt;b onclick=x&gt;" in page


def test_a_league_game_page_has_one_list_item_per_transcript_line(season: Season) -> None:
    told = season.json(f"/api/games/{season.game}")
    lines = told["transcript"].count("\n") - 1
    page = season.text(f"/games/{season.game}")
    assert page.split('id="moves"')[1].split("</ol>")[0].count("<li>") == lines


def test_an_unchanged_league_page_is_answered_with_304_and_no_body(season: Season) -> None:
    for path in ("/", season.path, f"/games/{season.game}", "/api/seasons", "/players"):
        first = season.get(path)
        again = season.get(path, If_None_Match=first.headers["ETag"])
        assert (again.status_code, again.get_data()) == (304, b""), path


def test_the_league_server_sends_answers_without_nagles_delay(league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    found = []

    def run(_: uvicorn.Server, sockets: list[socket.socket]) -> None:
        found.append(sockets[0].getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))

    monkeypatch.setattr(uvicorn.Server, "run", run)
    with bound(LOOPBACK, 0) as listening:
        serve(opened(league.url), listening)
    assert found[0], "a socket inherits it from the one that listens"


@pytest.mark.parametrize(("accepted", "language"), [("de-AT, en", "de"), ("fi", "fi"), ("zz", "en")])
def test_league_pages_are_in_the_browsers_language_or_else_english(
    season: Season, accepted: str, language: str
) -> None:
    for path in ("/", season.path, f"/games/{season.game}", "/players", "/nowhere"):
        got = season.get(path, Accept_Language=accepted)
        page = got.get_data(as_text=True)
        assert f'<html lang="{language}"' in page
        assert say(language, "league.seasons") in page
        assert path == "/nowhere" or "Accept-Language" in got.headers["Vary"], "a cache keeps each language"


def test_league_pages_load_from_their_own_host_only(season: Season) -> None:
    for path in ("/", season.path, f"/games/{season.game}", "/players"):
        got = season.get(path)
        assert "default-src 'none'; script-src 'self'" in got.headers["Content-Security-Policy"]
        loaded = re.findall(r"""\b(?:src|href|action)=["']?([^"' >]+)""", got.get_data(as_text=True))
        assert any(address.startswith("/league/league.css") for address in loaded), path
        assert all(re.match(r"/(?!/)|[#?]", address) for address in loaded), (path, loaded)
    for text in (got.get_data(as_text=True), season.text("/league/league.js"), season.text("/league/league.css")):
        assert re.findall(r"https?://|url\(|@import|\bimport\b", text) == []


@pytest.mark.parametrize(
    "path",
    ["/seasons/99/crapola", "/games/" + "0" * 32, "/players/99999999999999", "/players/-1", "/league/../server.py",
     "/api/games/" + "0" * 8 + "-0000-0000-0000-" + "0" * 12, "/nowhere", "/seasons/1/%00", "/seasons/1/%00.csv",
     "/api/seasons/1/%00/games"],
)  # fmt: skip
def test_an_unknown_league_address_gets_404_without_a_traceback(season: Season, path: str) -> None:
    got = season.get(path)
    assert got.status_code == 404
    assert "Traceback" not in got.get_data(as_text=True)


@pytest.mark.parametrize(
    "name",
    [
        "%",
        "_",
        "'; DROP TABLE games --",
        "\x00",
        "\ud83d".encode("utf-8", "surrogatepass").decode("latin-1"),
        "A" * 500,
    ],
)
def test_a_league_player_search_has_no_wildcards_and_ignores_a_nul_character(season: Season, name: str) -> None:
    got = season.league.app.test_client().get("/players", query_string={"name": name})
    assert got.status_code == 200
    assert (">Ann</a>" in got.get_data(as_text=True)) == (name == "\x00"), "what PostgreSQL can't store is left out"


@pytest.mark.parametrize("name", ["ann", "AN"])
def test_the_league_player_search_ignores_upper_and_lower_case(season: Season, name: str) -> None:
    page = season.text(f"/players?name={name}")
    assert ">Ann</a>" in page
    assert ">Ben</a>" not in page


def test_merged_league_players_share_one_standings_row_and_player_page(own_season: Season) -> None:
    players = own_season.players()
    with as_owner(own_season.league.url) as connection:
        admin.merge(connection, players["=cmd()"], players["Ann"])
    own_season.league.rate()
    after = {row["name"]: row for row in own_season.json(f"/api{own_season.path}")}
    assert after.keys() == {"Ann", "Ben", HOSTILE}
    assert after["Ann"]["games"] == 3
    assert own_season.json(f"/api/players/{players['=cmd()']}")["id"] == players["Ann"]


def test_merging_two_league_players_who_played_each_other_is_refused(season: Season) -> None:
    players = season.players()
    with as_owner(season.league.url) as connection, pytest.raises(Exception, match="played against each other"):
        admin.merge(connection, players["Ben"], players["Ann"])


def test_a_league_round_robin_counts_played_games_and_a_walkover_for_a_withdrawal(own_season: Season) -> None:
    """A withdrawn player's open match is a walkover for the opponent."""
    players = own_season.players()
    ann, ben, other = players["Ann"], players["Ben"], players["=cmd()"]
    with as_owner(own_season.league.url) as connection:
        robin = fixtures.plan_tournament(
            connection, own_season.number, "crapola", Draw("round_robin", (ann, ben, other), {ben: 5})
        )
    told = own_season.json(f"/api/tournaments/{robin}")
    played = {frozenset(match["players"]) for match in told["matches"] if match["game"]}
    assert played == {frozenset((ann, ben)), frozenset((ben, other))}
    assert sum(row["won"] for row in told["standings"]) == 2
    page = own_season.text(f"/tournaments/{robin}")
    assert "to play" in page
    assert f"/tournaments/{robin}" in own_season.text(own_season.path)
    with as_owner(own_season.league.url) as connection:
        fixtures.withdraw(connection, robin, ann)
    told = own_season.json(f"/api/tournaments/{robin}")
    walkover = next(match for match in told["matches"] if match["game"] is None)
    assert walkover["won"][walkover["players"].index(other)] == 1
    assert "walkover for" in own_season.text(f"/tournaments/{robin}")


def test_a_tournament_counts_games_from_midnight_utc_of_its_first_day(own_season: Season) -> None:
    players = own_season.players()
    pair = Draw("knockout", (players["Ann"], players["Ben"]))
    with as_owner(own_season.league.url) as connection:
        for zone in ("Etc/GMT+12", "Etc/GMT-14"):
            connection.execute("SELECT set_config('TimeZone', %s, false)", (zone,))
            day, next_day = (
                fixtures.plan_tournament(connection, own_season.number, "crapola", pair, date(2026, 11, at))
                for at in (20, 21)
            )
            for time in ("00:30", "23:30"):
                connection.execute("UPDATE games SET played_at = %s", (f"2026-11-20 {time}+00",))
                counted = [known(fixtures.tournament(connection, cup))["matches"][0].game for cup in (day, next_day)]
                assert [game is not None for game in counted] == [True, False], (zone, time)


def test_the_final_of_a_three_player_league_knockout_is_winner_against_bye_player(own_season: Season) -> None:
    """Also refused: a draw with an unknown player or with one alone, and a merge of two people in the draw."""
    players = own_season.players()
    ann, ben, other = players["Ann"], players["Ben"], players["=cmd()"]
    with as_owner(own_season.league.url) as connection:
        cup = fixtures.plan_tournament(connection, own_season.number, "crapola", Draw("knockout", (other, ann, ben)))
        late = fixtures.plan_tournament(
            connection, own_season.number, "crapola", Draw("knockout", (ann, ben)), date(2039, 1, 1)
        )
        for wrong in (Draw("knockout", (ann, 999)), Draw("knockout", (ann,))):
            with pytest.raises(CompanionError, match=r"999|2 to 64"):
                fixtures.plan_tournament(connection, own_season.number, "crapola", wrong)
        with pytest.raises(CompanionError, match="both in tournament"):
            admin.merge(connection, other, ann)
    told = own_season.json(f"/api/tournaments/{cup}")
    first, final = told["matches"]
    assert (set(first["players"]), first["game"] is not None) == ({ann, ben}, True)
    winner = first["players"][first["won"].index(1)]
    assert set(final["players"]) == {winner, other}
    assert "still open" not in own_season.text(f"/tournaments/{cup}")
    assert own_season.json(f"/api/tournaments/{late}")["matches"][0]["won"] is None, "earlier games do not count"


NAMES = "refuses this: The name of a table, a pub or a season has 1 to 60 characters."


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["season", "Winter", "2030-01-01", "2031-01-01"], "refuses this: These days overlap another season's."),
        (["season", "Autumn", "2051-01-01", "2052-01-01"], "refuses this: There is a season of this name already."),
        (["season", "Winter", "2051-01-01", "2051-01-01"], "ends after the day on which it starts."),
        (["add-table", "ab" * 32, "\udcff", "The Lion"], "'\\udcff' is no text in UTF-8"),
        (["remove-table", "\udcff"], "'\\udcff' is no text in UTF-8"),
        (["add-table", "ab" * 32, "", "The Lion"], NAMES),
        (["add-table", "ab" * 32, "x" * 61, "The Lion"], NAMES),
        (["add-table", "ab" * 32, "Table 9", ""], NAMES),
        (["add-table", "ab" * 32, "Table 9", "x" * 61], NAMES),
    ],
)
def test_league_commands_refuse_invalid_season_dates_or_names_with_a_reason(
    season: Season, words: list[str], why: str
) -> None:
    assert why in refused(season.league.url, *words)


@pytest.mark.parametrize(("host", "shown"), [("::1", "[::1]"), ("127.0.0.1", "127.0.0.1")])
def test_league_serve_prints_a_url_with_an_ipv6_host_in_brackets(
    monkeypatch: pytest.MonkeyPatch, host: str, shown: str
) -> None:
    monkeypatch.setattr("companion.league.database.opened", lambda _url: None)
    monkeypatch.setattr("companion.league.server.serve", lambda _pool, _listening: None)
    done = organise("postgresql://127.0.0.1:1/away", "serve", "--host", host, "--port", "0")
    assert re.fullmatch(rf"league: http://{re.escape(shown)}:\d+/\n", done.output)


@pytest.mark.parametrize("host", ["192.0.2.7", "no.invalid", LOOPBACK])
def test_league_serve_explains_a_host_or_port_that_it_cannot_use(host: str) -> None:
    with bound(LOOPBACK, 0) as taken:
        why = refused("any", "serve", "--host", host, "--port", str(taken.getsockname()[1]))
    assert "Choose another --host or --port" in why


@pytest.mark.parametrize("words", [["refused"], ["migrate"]])
@pytest.mark.parametrize("url", ["no-url", "postgresql://[::1/x", "postgresql://127.0.0.1:1/x"])
def test_league_commands_report_an_unusable_database_as_a_device_error(words: list[str], url: str) -> None:
    assert "Check --database" in refused(url, *words)


def test_league_commands_on_an_empty_database_say_to_run_pegpip_league_migrate(postgres: Postgres) -> None:
    """The command also says so to a database user who may not make tables."""
    url = postgres.made("league_empty")
    try:
        assert "Run `pegpip league migrate`" in refused(url, "add-table", "ab" * 32, "One", "Lion")
        assert "not set up. Run `pegpip league migrate`" in refused(url, "serve", "--port", "0")
        with as_owner(url) as connection:
            connection.execute("DROP ROLE IF EXISTS guest; CREATE ROLE guest LOGIN")
        assert "permission denied" in refused(postgres.url("league_empty", "guest"), "migrate")
    finally:
        postgres.drop("league_empty")


def test_league_migrate_on_a_newer_database_says_to_update_pegpip(league: League) -> None:
    with as_owner(league.url) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    assert "Update pegpip" in refused(league.url, "migrate")


def test_league_tables_of_one_name_and_pub_show_the_beginning_of_their_keys(league: League) -> None:
    alike = [name_of(league.table("One", "The Lion")) for _ in range(2)]
    other = name_of(league.table("Two", "The Lion"))
    page = league.app.test_client().get("/").get_data(as_text=True)
    assert all(f"key {key[:8]}…" in page for key in alike)
    assert other[:8] not in page


def test_a_league_without_its_database_answers_503_in_html_for_pages_and_in_json_for_apis() -> None:
    class Gone:
        def connection(self) -> None:
            raise PoolTimeout

    client = application(cast(Any, Gone())).test_client()
    for path in ("/", "/players", "/seasons/1/crag"):
        got = client.get(path, headers={"Accept-Language": "de"})
        assert (got.status_code, got.headers["Retry-After"], got.mimetype) == (503, "2", "text/html")
        assert say("de", "league.again") in got.get_data(as_text=True)
    for path in ("/api/seasons", "/healthz"):
        got = client.get(path)
        assert (got.status_code, got.mimetype) == (503, "application/json")
