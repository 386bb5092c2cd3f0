"""Random legal play, acted out in a tray, is interpreted as exactly its transcript."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.games.engine.game import Bomb, Keep, NamePoint, Stop
from tests.table.acting import Asked, Mime

TURNS = 12
CRIB: dict[str, Any] = {"transcript": 1, "game": "crib_dice", "players": ["Ann", "Ben", "Cat"]}
ADVANCED = {**CRIB, "rules": {"piddle_points": True, "bomb": True, "double_fuchle": True, "bumping": True}}
CRAG: dict[str, Any] = {"transcript": 1, "game": "crag", "players": ["Ann", "Ben"]}
CRAPOLA: dict[str, Any] = {"transcript": 1, "game": "crapola", "players": ["Ann", "Ben", "Cat"], "rules": {"entry": 0}}


def roll(mime: Mime, count: int) -> list[int]:
    """Return random values that are often alike, so that long turns happen."""
    favourite = mime.random.randint(1, 6)
    return [favourite if mime.random.random() < 0.35 else mime.random.randint(1, 6) for _ in range(count)]


def play_crib_dice(mime: Mime) -> None:
    for _ in range(TURNS * 6):
        state = mime.state
        if state.standing.over:
            return
        if "point" in state.decisions:
            point = mime.random.choice(state.options())
            assert isinstance(point, NamePoint)
            count = state.view()["dice"].count(point.value)
            mime.meant.append(point)
            mime.state = state.after(point)
            mime.move_aside([point.value] * count)
        elif "bomb" in state.decisions and mime.random.random() < 0.5:
            mime.say(Bomb())
        elif "stop" in state.decisions and mime.random.random() < 0.35:
            stop_crib_dice(mime)
        else:
            throw_crib_dice(mime)


def stop_crib_dice(mime: Mime) -> None:
    if mime.state.throw_sizes == (7,):
        mime.say(Stop())  # an empty tray could as well be a hand about to throw seven
        return
    mime.meant.append(Stop())
    mime.state = mime.state.after(Stop())
    mime.see()
    mime.lift_out()


def throw_crib_dice(mime: Mime) -> None:
    before = mime.state.view()
    (size,) = mime.state.throw_sizes
    borrowed = before["frozen"] == 6 and size == 2
    if borrowed:
        mime.tray.kept.pop()
    mime.throw(*roll(mime, size), fresh=size == 7)
    after = mime.state.view()
    if after["player"] == before["player"] and not borrowed and size < 7 and after["frozen"] > before["frozen"]:
        mime.move_aside([before["point"]] * min(after["frozen"] - before["frozen"], 2))


def play_crag(mime: Mime) -> None:
    for _ in range(TURNS * 3):
        state = mime.state
        keeps = [option for option in state.options() if isinstance(option, Keep)]
        if keeps and mime.random.random() < 0.7:
            keep = mime.random.choice(keeps)
            mime.move_aside(keep.dice)
            mime.meant.append(keep)
            mime.state = state.after(keep)
            mime.throw(*roll(mime, 3 - len(keep.dice)), fresh=False)
        elif "score" in state.decisions:
            mime.say(next(option for option in state.options() if not isinstance(option, Keep)))
        elif not state.standing.over:
            mime.throw(*roll(mime, 3), fresh=True)


def play_crapola(mime: Mime) -> None:
    for _ in range(TURNS * 3):
        state = mime.state
        if state.standing.over:
            return
        if "keep" not in state.decisions:
            mime.throw(*roll(mime, mime.random.choice(state.throw_sizes)), fresh=True)
            continue
        keep = mime.random.choice(state.options())
        assert isinstance(keep, Keep)
        mime.move_aside(keep.dice)
        mime.meant.append(keep)
        mime.state = state.after(keep)
        all_free = not mime.state.view()["dice"]
        if mime.random.random() < 0.4 and not all_free:
            mime.meant.append(Stop())
            mime.state = mime.state.after(Stop())
            mime.see()
            mime.lift_out()
        else:
            mime.throw(*roll(mime, mime.state.throw_sizes[0]), fresh=all_free)


GAMES = [(CRIB, play_crib_dice), (ADVANCED, play_crib_dice), (CRAG, play_crag), (CRAPOLA, play_crapola)]


@pytest.mark.parametrize(("header", "play"), GAMES, ids=["crib_dice", "advanced", "crag", "crapola"])
@pytest.mark.parametrize("sloppy", [False, True], ids=["tidy", "sloppy"])
@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 2**32))
def test_the_tray_interpreter_understands_every_action_of_random_play_before_its_first_question(
    header: dict[str, Any], play: Any, sloppy: bool, seed: int
) -> None:
    mime = Mime(header, seed, sloppy)
    try:
        play(mime)
        mime.see()
    except Asked:
        # A player must answer what the dice do not show; every line before that question must be right.
        assert told(mime.understood) == told(mime.meant[: len(mime.understood)])
    else:
        assert told(mime.understood) == told(mime.meant)


@pytest.mark.parametrize(("header", "play"), GAMES, ids=["crib_dice", "advanced", "crag", "crapola"])
def test_the_tray_interpreter_asks_players_in_at_most_1_of_60_tidy_games(header: dict[str, Any], play: Any) -> None:
    """Tidy players do not knock the table, and the tray is observed after each of their actions."""
    asked = 0
    for seed in range(60):
        try:
            play(Mime(header, seed, sloppy=False))
        except Asked:
            asked += 1
    assert asked <= 1


def told(lines: list[Any]) -> list[Any]:
    return [(type(line), sorted(line.dice)) if hasattr(line, "dice") else line for line in lines]
