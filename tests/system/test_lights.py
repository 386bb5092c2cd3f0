"""What the board is told for a snapshot: pegs, moods, moments."""

from __future__ import annotations

from typing import Any

from companion.adapters.lights import Lights, board_view
from companion.session.snapshot import Event, Notice, Snapshot
from hardware.view import Peg


def snapshot(number: int = 5, phase: str = "read", events: tuple[Event, ...] = (), **state: Any) -> Snapshot:
    whole = {"player": "Ann", "scores": {"Ann": 10, "Ben": 7}, "turn_points": 6, "outcome": None, **state}
    return Snapshot(number=number, game="crib_dice", header={"rules": {}}, state=whole, phase=phase, events=events)


def test_turn_points_run_ahead_of_the_player_on_turn_only() -> None:
    assert board_view(snapshot()).pegs == (Peg(0, 10, 16), Peg(1, 7, 7))


def test_a_team_on_turn_is_found_by_its_member() -> None:
    view = board_view(snapshot(player="Cat", scores={"Ann & Cat": 3, "Ben & Dan": 4}))
    assert view.to_play == 0
    assert view.pegs[0] == Peg(0, 3, 9)


def test_without_a_game_the_board_idles() -> None:
    assert board_view(Snapshot(number=0)).mood == "idle"


def test_a_long_game_has_240_holes() -> None:
    long = Snapshot(
        number=1, game="crib_dice", header={"rules": {"long_game": True}}, state=snapshot().state, phase="ready"
    )
    assert board_view(long).holes == 240


def test_crapola_runs_125_points_to_a_hole() -> None:
    scores = {"Ann": 15000, "Ben": 124}
    view = board_view(
        Snapshot(number=1, game="crapola", header={}, state={**(snapshot().state or {}), "scores": scores})
    )
    assert [peg.banked for peg in view.pegs] == [120, 0]


def test_a_forbidden_hold_is_shown() -> None:
    assert board_view(
        Snapshot(number=1, game="crib_dice", state=snapshot().state, notice=Notice("illegal_hold"))
    ).mood == ("illegal_hold")


def test_a_wipe_out_drains_from_the_second_peg_to_the_first() -> None:
    lights = Lights()
    lights.view(snapshot(number=5), 1.0)
    event = Event(number=6, code="wiped_out", args={"player": "Ann"})
    view = lights.view(snapshot(number=6, player="Ben", turn_points=0, events=(event,)), 2.0)
    (moment,) = view.moments
    assert (moment.kind, moment.at_s, moment.player, moment.from_hole, moment.to_hole) == ("wipe_out", 2.0, 0, 16, 10)


def test_a_skunked_loser_is_shown_when_the_game_ends() -> None:
    lights = Lights()
    lights.view(snapshot(number=5), 1.0)
    outcome = {"winners": ["Ann"], "games_lost": {"Ann": 0, "Ben": 2}}
    over = Event(number=6, code="game_over", args={})
    view = lights.view(
        snapshot(number=6, phase="over", player=None, turn_points=0, outcome=outcome, events=(over,)), 2.0
    )
    assert [(moment.kind, moment.player) for moment in view.moments] == [("skunk", 1)]
    assert view.winners == (0,)
