"""The board's view of a snapshot: pegs, mood and animations, whatever the players are called."""

from __future__ import annotations

import random
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.adapters.board_view import Lights, board_view
from companion.errors import RulesError
from companion.games import registry
from companion.games.engine.game import Stop, Throw
from companion.games.engine.notation import action_of, header_line, header_of, line_of
from companion.games.registry import GAMES
from companion.table.events import news_between
from companion.table.evolve import Record, evolve
from companion.table.journal import Entry
from companion.table.projection import snapshot_of
from companion.table.snapshot import News, Notice, Snapshot
from companion.table.state import TableState
from companion.table.tray.memory import Memory
from hardware.motion import shown
from hardware.view import Moment, Peg
from tests.conftest import EXPLORING
from tests.games.high import GAME as HIGH

THROW = {"throw": [5, 5, 2, 2, 1, 4, 6]}
POINT = {"do": "point", "value": 5}
STOP = {"do": "stop"}
SIXES: list[dict[str, Any]] = [{"throw": [6] * 7}, {"do": "point", "value": 6}]
NEARLY_WON: list[dict[str, Any]] = [*SIXES * 4, {"throw": [5, 2, 2, 3, 4, 6, 6]}, {"do": "point", "value": 6}]


class Told:
    """A table's record without a thread or a disk: each line's snapshot and its news."""

    def __init__(self, header: dict[str, Any]) -> None:
        header = header_line(header_of({"transcript": 1, **header}))
        self.record = Record()
        self.snapshot = Snapshot(number=0)
        self.news = News()
        self._enter("game", {"header": header, "sitting": 1, "horizon": 1})

    def play(self, *lines: dict[str, Any]) -> Told:
        for line in lines:
            self._enter("line", {"line": line, "source": "hand"})
        return self

    def _enter(self, kind: str, body: dict[str, Any]) -> None:
        entry = Entry(number=self.record.number + 1, kind=kind, body=body, wall_s=0.0, throw=None)
        self.record = evolve(self.record, entry)
        before, self.snapshot = self.snapshot, snapshot_of(TableState(self.record, Memory()))
        self.news = news_between(before, self.snapshot)


def crib(*players: str, **rules: bool) -> dict[str, Any]:
    return {"game": "crib_dice", "players": list(players or ("Ann", "Ben")), "rules": rules}


def moments_after(told: Told, line: dict[str, Any]) -> tuple[Moment, ...]:
    """The moments that the last line begins at 2 s."""
    lights = Lights()
    lights.follow(told.snapshot, told.news, 1.0)
    told.play(line)
    return tuple(m for m in lights.follow(told.snapshot, told.news, 2.0).moments if m.at_s == 2.0)


def test_the_led_track_shows_unbanked_points_only_for_the_player_whose_turn_it_is() -> None:
    told = Told(crib()).play(THROW, POINT, STOP, THROW, POINT, STOP, THROW, POINT)
    assert board_view(told.snapshot).pegs == (Peg(0, 2, 4), Peg(1, 2, 2))


def test_the_led_track_has_one_peg_for_both_players_of_a_crib_dice_team() -> None:
    told = Told(crib("Ann", "Ben", "Cat", "Dan", partners=True)).play(
        THROW, POINT, STOP, THROW, POINT, STOP, THROW, POINT
    )
    assert told.snapshot.state is not None
    assert told.snapshot.state["player"] == "Cat"
    assert board_view(told.snapshot).to_play == 0
    assert board_view(told.snapshot).pegs == (Peg(0, 2, 4), Peg(1, 2, 2))


def test_led_track_pegs_are_separate_if_a_name_is_part_of_another_name() -> None:
    told = Told(crib("Ann & Ben", "Ann", "Ben")).play(THROW, POINT, STOP, THROW, POINT)
    view = board_view(told.snapshot)
    assert (view.to_play, view.pegs) == (1, (Peg(0, 2, 2), Peg(1, 0, 2), Peg(2, 0, 0)))
    assert [moment.player for moment in moments_after(told, STOP)] == [1]


def test_a_newly_registered_game_gets_pegs_and_animations_for_the_led_track(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "GAMES", MappingProxyType({"high": HIGH}))
    told = Told({"game": "high", "players": ["Ann & Ben", "Ann"], "rules": {"twice": True}}).play({"throw": [4]})
    assert board_view(told.snapshot).pegs == (Peg(0, 0, 80), Peg(1, 0, 0))
    topped = moments_after(told, STOP)
    assert [(one.kind, one.player, one.from_hole, one.to_hole) for one in topped] == [
        ("fill", 0, 0, 80),
        ("flood", 0, 0, 80),
    ]
    assert (board_view(told.snapshot).to_play, board_view(told.snapshot).pegs[0]) == (1, Peg(0, 80, 80))


def test_without_a_game_the_led_tracks_display_state_is_idle() -> None:
    assert board_view(Snapshot(number=0)).mood == "idle"


def test_the_board_view_of_a_long_crib_dice_game_has_240_holes() -> None:
    assert board_view(Told(crib(long_game=True)).snapshot).holes == 240


def test_in_crapola_one_hole_of_the_led_track_is_125_points() -> None:
    told = Told({"game": "crapola", "players": ["Ann", "Ben"]})
    told.play({"throw": [1, 1, 1, 2, 3, 4]}, {"do": "keep", "dice": [1, 1, 1]}, STOP)
    assert [peg.banked for peg in board_view(told.snapshot).pegs] == [8, 0]


@pytest.mark.parametrize(("target", "hole"), [(15_000, 8), (1000, 120), (500, 240), (5000, 24)])
def test_a_hole_of_the_crapola_led_track_is_a_120th_of_the_target_points(target: int, hole: int) -> None:
    told = Told({"game": "crapola", "players": ["Ann", "Ben"], "rules": {"target": target}})
    told.play({"throw": [1, 1, 1, 2, 3, 4]}, {"do": "keep", "dice": [1, 1, 1]}, STOP)
    assert [peg.banked for peg in board_view(told.snapshot).pegs] == [hole, 0]


def test_a_notice_about_wrongly_kept_dice_selects_the_illegal_hold_display_of_the_leds() -> None:
    snapshot = Told(crib()).play(THROW).snapshot
    wrong = Snapshot(number=1, track=snapshot.track, sides=snapshot.sides, notice=Notice("illegal_hold", {}))
    assert board_view(wrong).mood == "illegal_hold"


def test_a_wipe_out_animation_on_the_led_track_drains_to_the_banked_hole() -> None:
    told = Told(crib()).play(THROW, POINT, STOP, THROW, POINT, STOP, THROW, POINT)
    threw, wiped = moments_after(told, {"throw": [2, 3, 3, 4, 6]})
    assert threw.kind == "run"
    assert (wiped.kind, wiped.at_s, wiped.player, wiped.from_hole, wiped.to_hole) == ("drain", 2.0, 0, 4, 2)


def test_after_a_wipe_out_the_led_of_the_turns_points_moves_only_backwards() -> None:
    told, lights = Told(crib()).play(*SIXES, THROW, POINT), Lights()
    lights.follow(told.snapshot, told.news, 1.0)
    told.play({"throw": [2, 3, 3, 4, 6]})
    view = lights.follow(told.snapshot, told.news, 2.0)
    ahead = [shown(view, 2.0 + step / 100)[0].provisional for step in range(200)]
    assert ahead == sorted(ahead, reverse=True)


def test_undoing_an_action_ends_its_led_animations() -> None:
    told, lights = Told(crib()).play(*SIXES), Lights()
    lights.follow(told.snapshot, told.news, 1.0)
    assert lights.follow(told.play(STOP).snapshot, told.news, 2.0).moments
    assert not lights.follow(told.play({"undo": 1}).snapshot, told.news, 2.1).moments


def test_a_crib_dice_bomb_moves_the_led_pegs_of_only_the_bomber_and_the_victim() -> None:
    """Ann's peg stays where it is, though Cat's stood there."""
    wiped: list[dict[str, Any]] = [THROW, POINT, {"throw": [2, 3, 3, 4, 6]}]
    told, lights = (
        Told(crib("Ann", "Ben", "Cat", bomb=True)).play(THROW, POINT, STOP, *SIXES, THROW, POINT, STOP),
        Lights(),
    )
    told.play(THROW, POINT, STOP, *wiped, *wiped, {"throw": [1, 1, 1, 1, 1, 1, 2]}, {"do": "point", "value": 1})
    lights.follow(told.snapshot, told.news, 1.0)
    view = lights.follow(told.play({"do": "bomb"}).snapshot, told.news, 5.0)
    ann, ben, cat = zip(*([peg.banked for peg in shown(view, 5.0 + step / 10)] for step in range(14)), strict=True)
    assert set(ann) == {2}
    assert (ben[0], ben[-1], cat[0], cat[-1]) == (32, 2, 2, 32)


def test_a_skunked_crib_dice_loser_gets_led_stripes_at_the_games_end() -> None:
    told = Told(crib(skunk=True)).play(*NEARLY_WON, STOP, THROW, POINT)
    assert [(moment.kind, moment.player) for moment in moments_after(told, STOP)] == [("fill", 1), ("stripes", 1)]
    assert board_view(told.snapshot).winners == (0,)


ODD_NAMES = ["Ann & Ben", "Ann", "Ben", "&", " & ", "12", "7", "\u05d0\u05d1\u05d9", "\u202eAnn", "\U0001f3b2"]
ODD_NAMES += ["\U0001f469\u200d\U0001f469\u200d\U0001f467", "Jos\u00e9", "Jose\u0301", "$&", "{player}", "x" * 24]


@pytest.mark.parametrize("game", GAMES)
@settings(max_examples=1000 if EXPLORING else 3, deadline=None)
@given(st.data())
def test_what_the_led_track_shows_does_not_depend_on_player_names(game: str, data: st.DataObject) -> None:
    anything = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=24)
    partners = game == "crib_dice" and data.draw(st.booleans())
    least, most = (4, 4) if partners else (2, 5)
    some = st.lists(st.one_of(st.sampled_from(ODD_NAMES), anything), min_size=least, max_size=most, unique=True)
    players = data.draw(some)
    rules = {"partners": True} if partners else {}
    plain = Told({"game": game, "players": [f"P{seat}" for seat in range(len(players))], "rules": rules})
    try:
        odd = Told({"game": game, "players": players, "rules": rules})
    except RulesError:
        return  # two teams would have one name
    generator, lights, others = random.Random(data.draw(st.integers(0, 2**32))), Lights(), Lights()
    for _ in range(400):
        plain_game, odd_game = plain.record.game, odd.record.game
        assert plain_game is not None
        assert odd_game is not None
        state = plain_game.transcript.state
        if state.standing.over:
            break
        line = some_line(state, generator)
        plain.play(line)
        odd.play({**line, "on": players[int(line["on"][1:])]} if "on" in line else line)
        assert lights.follow(odd.snapshot, odd.news, 1.0) == others.follow(plain.snapshot, plain.news, 1.0)
        assert odd.snapshot.track == plain.snapshot.track
        assert [event.side for event in odd.snapshot.events] == [event.side for event in plain.snapshot.events]
        now, names = odd_game.transcript.state, [side.name for side in odd.snapshot.sides]
        assert odd.snapshot.state is not None
        assert plain.snapshot.state is not None
        assert list(odd.snapshot.state["scores"]) == names
        assert [*odd.snapshot.state["scores"].values()] == [*plain.snapshot.state["scores"].values()]
        assert set(names) == set(now.standing.sides)


def some_line(state: Any, generator: random.Random) -> dict[str, Any]:
    """Anything that is allowed; stops often enough for games to end."""
    options = state.options()
    stops = [option for option in options if isinstance(option, Stop)]
    if stops and state.standing.turn_points > 4 and generator.random() < 0.6:
        return line_of(stops[0])
    if state.throw_sizes and (not options or generator.random() < 0.6):
        return line_of(Throw(tuple(generator.choices(range(1, 7), k=generator.choice(state.throw_sizes)))))
    line = line_of(generator.choice(options))
    assert action_of(line)
    return line
