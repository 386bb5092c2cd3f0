"""Rules that every game keeps, tested with random players over all mixes of house rules.

`PEGPIP_GAMES` is the number of games of each mix (20; `make conformance`: 2,000).
"""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable
from itertools import combinations_with_replacement
from typing import Any, get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from companion.errors import IllegalAction
from companion.games.crag import state as crag
from companion.games.crapola import state as crapola
from companion.games.crib_dice import state as crib_dice
from companion.games.engine.game import Action, Bomb, Enter, Keep, Leave, NamePoint, Spend, State, Stop, Throw, Undo
from companion.games.engine.notation import action_of, header_line, header_of, line_of, parse_line
from companion.games.engine.replay import replayed
from companion.games.engine.transcript import Transcript
from tests.games.naive_crag import SHEET, NaiveCrag
from tests.games.naive_crapola import NaiveCrapola
from tests.games.naive_crib_dice import NaiveCribDice, NaiveGame, Refused
from tests.games.playing import MIXES, begun, headers, some_action

GAMES_EACH = int(os.environ.get("PEGPIP_GAMES", "20"))
LONGEST = 20_000  # lines; random play ends long before
NAIVE: dict[str, Callable[[dict[str, Any]], NaiveGame]] = {
    "crib_dice": NaiveCribDice,
    "crag": NaiveCrag,
    "crapola": NaiveCrapola,
}

COMMON = {"game", "player", "round", "throw_sizes", "decisions", "turn_points", "scores", "over", "outcome"}
OWN = {
    "crib_dice": {"point", "frozen", "dice", "bombing", "wipeouts", "fuchled", "out", "finished"},
    "crag": {"dice", "rethrown", "sheets"},
    "crapola": {"kept", "dice", "on_board", "direction", "last_round"},
}


def examples(count: int) -> settings:
    """Return settings for that number of examples, the same each time unless the long run is asked for."""
    return settings(
        max_examples=count,
        deadline=None,
        database=None,
        derandomize=GAMES_EACH <= 100,
        suppress_health_check=list(HealthCheck),
    )


@pytest.mark.parametrize(
    ("game", "phases"), [("crib_dice", crib_dice.Phase), ("crag", crag.Phase), ("crapola", crapola.Phase)]
)
def test_random_play_of_each_game_reaches_every_turn_phase_and_no_other(game: str, phases: object) -> None:
    generator, met = random.Random(1), set[str]()
    start: Any = begun(game, rules={"bomb": True} if game == "crib_dice" else {}).state
    state = start
    for _ in range(1000):
        met.add((state if isinstance(state, crag.Crag) else state.turn).phase)
        state = start if state.standing.over else state.after(some_action(state, generator))
    assert met == set(get_args(phases))


def every_action(state: State, generator: random.Random) -> list[Action]:
    """Return actions to try: all points, entries and stops, many keeps, throws and spendings by size."""
    lying = state.view()["dice"]
    keeps = [Keep(dice) for size in range(4) for dice in combinations_with_replacement(range(1, 7), size)]
    keeps += [Keep(tuple(generator.sample(lying, size))) for size in range(len(lying) + 1) for _ in range(6)]
    keeps += [Keep((*lying, generator.randint(1, 6))), Keep((*lying[1:], generator.randint(1, 6)))]
    players = [*state.standing.header.players, "Nobody"]
    return [
        *(Throw((1,) * size) for size in range(9)),
        *(NamePoint(value) for value in range(1, 7)),
        Stop(),
        Bomb(),
        *keeps,
        *(Enter(category) for category in [*SHEET, "yacht"]),
        *(Leave(name) for name in players),
        *(Spend(name, points) for name in players for points in (-1, 0, 1, 2, 999, 1000, 1001, 10**20)),
    ]


def listed(state: State, action: Action) -> bool:
    """Return whether the state lists an action among those that it allows."""
    if isinstance(action, Throw):
        return len(action.dice) in state.throw_sizes
    if isinstance(action, Leave):
        there = {*state.standing.header.players} - {*state.view().get("left", [])}
        return not state.standing.over and action.player in there
    options = state.options()
    if isinstance(action, Keep):
        return any(isinstance(option, Keep) and option.dice == tuple(sorted(action.dice)) for option in options)
    if isinstance(action, Spend):
        amounts = [option.points for option in options if isinstance(option, Spend) and option.on == action.on]
        return bool(amounts) and min(amounts) <= action.points <= max(amounts)
    return action in options


def check_that_what_is_listed_is_what_is_taken(state: State, generator: random.Random) -> None:
    before = json.dumps(state.view())
    for action in every_action(state, generator):
        try:
            state.after(action)
            taken = True
        except IllegalAction:
            taken = False
        assert taken == listed(state, action), action
    for option in state.options():
        state.after(option)
    words = {line_of(option)["do"] for option in state.options()}
    assert tuple(sorted(words)) == state.decisions
    assert json.dumps(state.view()) == before


def check_what_is_kept(action: Action, before: dict[str, Any], after: dict[str, Any]) -> None:
    """Check what an action must leave unchanged, and sums that it must preserve."""
    was, now = before["scores"], after["scores"]
    mine = before["player"]
    if isinstance(action, Spend):
        assert {name: was[name] - now[name] for name in was} == {
            name: action.points if name in (mine, action.on) else 0 for name in was
        }
    elif isinstance(action, Leave):
        changed = {name: now[name] for name in was if was[name] != now[name]}
        assert not changed or (after["game"], *changed.values()) == ("crib_dice", 0)
    elif isinstance(action, Bomb):
        assert sorted(was.values()) == sorted(now.values())
    elif not isinstance(action, (Stop, Enter)):
        # A throw can end a turn with nothing: one peg may fall to the start, or an announced bomb swaps two.
        moved = [name for name in was if was[name] != now[name]]
        assert sorted(was.values()) == sorted(now.values()) or [now[name] for name in moved] == [0]
    assert set(was) == set(now)
    assert after["round"] >= before["round"]


def check_the_form_of(view: dict[str, Any]) -> None:
    assert set(view) == COMMON | OWN[view["game"]] | ({"left"} if view.get("left") else set())
    assert json.loads(json.dumps(view)) == view, "plain JSON values"
    assert view["decisions"] == sorted(view["decisions"])
    assert view["throw_sizes"] == sorted(view["throw_sizes"])
    assert view["dice"] == sorted(view["dice"])
    if view["over"]:
        assert (view["player"], view["throw_sizes"], view["decisions"]) == (None, [], [])
        assert (view["turn_points"], view["dice"]) == (0, [])
        assert set(view["outcome"]["games_lost"]) == set(view["scores"])
    else:
        assert view["outcome"] is None
        assert view["throw_sizes"] or view["decisions"], "something may always happen"


def some_line(state: State, generator: random.Random, unlucky: str, leaving: float) -> Action:
    """Return a random legal action, or with probability `leaving` that of a player who leaves."""
    if generator.random() < leaving:
        standing = state.standing
        return Leave(
            generator.choice([name for at, name in enumerate(standing.header.players) if at not in standing.left])
        )
    return some_action(state, generator, unlucky)


def check_undo(transcript: Transcript, following: Transcript) -> None:
    back = following.then(Undo(1))
    assert back.state == transcript.state
    assert back.lines_read == following.lines_read + 1
    assert back.line_count == transcript.line_count


@pytest.mark.parametrize("mix", MIXES)
def test_random_games_in_the_rules_engine_match_the_naive_rules_states(mix: str) -> None:
    """Undo restores a state, exactly the listed actions are accepted, and transcripts replay to the same views."""

    @examples(GAMES_EACH)
    @given(header=headers(mix), seed=st.integers(0, 2**32))
    def play(header: dict[str, Any], seed: int) -> None:
        generator = random.Random(seed)
        unlucky, leaving = generator.choice([*header["players"], ""]), generator.choice([0.0, 0.0, 0.005, 0.05])
        naive = NAIVE[header["game"]](header)
        transcript = Transcript.begin(header_of(header))
        views = [transcript.view()]
        while not transcript.state.standing.over and len(views) < LONGEST:
            state = transcript.state
            assert state.view() == naive.view()
            check_the_form_of(state.view())
            if generator.random() < 0.05:
                check_that_what_is_listed_is_what_is_taken(state, generator)
            action = some_line(state, generator, unlucky, leaving)
            naive.do(line_of(action))
            following = transcript.then(action)
            check_undo(transcript, following)
            check_what_is_kept(action, state.view(), following.state.view())
            transcript = following
            views.append(transcript.view())
        assert transcript.state.standing.over, "random play ends"
        assert transcript.then(Undo(1)).actions == transcript.actions[:-1]
        assert transcript.state.view() == naive.view()
        check_the_form_of(transcript.state.view())
        check_that_what_is_listed_is_what_is_taken(transcript.state, generator)
        lines = [header_line(transcript.header), *map(line_of, transcript.actions)]
        assert list(replayed("\n".join(map(json.dumps, lines)).encode())) == views

    play()


@pytest.mark.parametrize("mix", MIXES)
def test_the_rules_engine_and_the_naive_rules_refuse_the_same_lines(mix: str) -> None:
    @examples(max(10, GAMES_EACH // 10))
    @given(header=headers(mix), seed=st.integers(0, 2**32))
    def play(header: dict[str, Any], seed: int) -> None:
        generator = random.Random(seed)
        unlucky = generator.choice([*header["players"], ""])
        naive = NAIVE[header["game"]](header)
        state: State = Transcript.begin(header_of(header)).state
        for _ in range(150):
            for action in generator.sample(every_action(state, generator), 5):
                try:
                    following: State | None = state.after(action)
                except IllegalAction:
                    following = None
                if following is None:
                    with pytest.raises(Refused):
                        naive.do(line_of(action))
                else:
                    naive.do(line_of(action))
                    state = following
                assert state.view() == naive.view()
            if not state.standing.over:
                action = some_action(state, generator, unlucky)
                naive.do(line_of(action))
                state = state.after(action)

    play()


@pytest.mark.parametrize("mix", MIXES)
def test_game_actions_survive_writing_and_parsing_as_transcript_lines(mix: str) -> None:
    @examples(10)
    @given(header=headers(mix), seed=st.integers(0, 2**32))
    def play(header: dict[str, Any], seed: int) -> None:
        generator = random.Random(seed)
        checked = header_of(header)
        assert header_of(header_line(checked)) == checked
        for action in every_action(Transcript.begin(checked).state, generator):
            assert action_of(line_of(action)) == action
            assert parse_line(json.dumps(line_of(action))) == action

    play()
