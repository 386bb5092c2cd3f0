"""Values of every option in random states, compared with the naive odds."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from companion.games.advice.odds import options
from companion.games.engine.game import Enter, Keep, State, Throw
from tests.games.naive_odds import CrapolaTurn, crag_values, crapola_values, crib_values
from tests.games.playing import begun, some_action

CRIB_RULES = ["piddle_points", "bomb", "double_fuchle", "skunk", "bumping", "find_a_loser", "long_game", "pandemonium"]


def in_words(line: dict[str, Any]) -> str:
    """Return a transcript line in words: `throw 5`, `keep [1, 5]`, `stop`."""
    if "throw" in line:
        return f"throw {line['throw']}"
    rest = {"point": line.get("value"), "keep": line.get("dice"), "score": line.get("category")}.get(line["do"])
    return line["do"] if rest is None else f"{line['do']} {rest}"


def told(state: State, goal: str = "points") -> dict[str, float]:
    return {in_words(option["line"]): option["value"] for option in options(state, goal)}


def agrees(state: State, wanted: dict[str, float], goal: str = "points") -> int:
    """Assert that a state's options have the wanted values; return how many options it has."""
    found = told(state, goal)
    assert found.keys() == wanted.keys(), state.view()
    for line, value in wanted.items():
        assert found[line] == pytest.approx(value, abs=1e-6), (line, state.view())
    return len(wanted)


def states(state: State, generator: random.Random, most: int = 400) -> Iterator[State]:
    for _ in range(most):
        yield state
        if state.standing.over:
            return
        state = state.after(some_action(state, generator))


@pytest.mark.parametrize("seed", range(6))
def test_crib_dice_option_values_equal_those_of_a_naive_reference_in_random_games(seed: int) -> None:
    generator = random.Random(seed)
    rules = {key: generator.random() < 0.5 for key in CRIB_RULES}
    rules["partners"] = partners = seed % 3 == 2
    game = begun("crib_dice", generator.choice([4, 6]) if partners else generator.randint(2, 5), rules=rules)
    assert sum(agrees(state, crib_values(state.view(), rules)) for state in states(game.state, generator)) > 100


@pytest.mark.parametrize("strict", [False, True])
def test_crag_option_values_late_in_random_games_equal_a_naive_calculation(strict: bool) -> None:
    generator, rules, compared = random.Random(strict), {"thirteen_without_double": strict}, 0
    for players in (1, 2, 3):
        for state in states(begun("crag", players, rules=rules).state, generator):
            view = state.view()
            again = any(event.code == "kept" for event in state.events)
            if not view["over"] and len(view["sheets"][view["player"]]) >= 9:
                compared += agrees(state, crag_values({**view, "kept_nothing": again}, rules))
    assert compared > 100


CRAPOLA_RULES = [{}, {"entry": 0, "target": 6000}, {"entry": 500, "target": 3000, "reversal": False}, {"entry": 1330}]


@pytest.mark.parametrize("rules", CRAPOLA_RULES)
def test_crapola_option_values_equal_those_of_a_naive_reference_in_random_games(rules: dict[str, Any]) -> None:
    generator, size, compared = random.Random(len(rules)), 0, 0
    for players in (2, 10):
        state: State = begun("crapola", players, rules=rules).state
        for _ in range(150):
            compared += agrees(state, crapola_values(state.view(), rules, size))
            if state.standing.over:
                break
            action = some_action(state, generator)
            after = state.after(action)
            if isinstance(action, Throw) and not size:
                size = len(action.dice)
            if after.standing.to_play != state.standing.to_play or not isinstance(action, Throw | Keep | Enter):
                size = 0
            state = after
    assert compared > 100


@pytest.mark.parametrize("players", [2, 3])
def test_last_turn_win_chances_in_crapola_agree_with_an_independent_simple_computation(players: int) -> None:
    generator, met = random.Random(players), 0
    rules = {"entry": 200, "target": 1200, "spend": False}
    for _ in range(5):
        before, opened = None, None
        for state in states(begun("crapola", players, rules=rules).state, generator):
            view = state.view()
            if view["over"]:
                break
            if view["last_round"] and opened is None:
                opened = before
            before, mine = view["player"], view["scores"][view["player"]]
            turns = state.totals.due  # type: ignore[attr-defined]
            if view["last_round"] and len(turns) == 1:
                others = {name: total for name, total in view["scores"].items() if name != view["player"]}
                high = max(others.values())
                level = 0.0 if others.get(opened) == high else 1 / (1 + list(others.values()).count(high))

                def share(points: int, ahead: int = mine - high, level: float = level) -> float:
                    return 1.0 if ahead + points > 0 else level if ahead + points == 0 else 0.0

                lost, cap = share(0), max(high - mine, view["turn_points"]) + 6000

                def turn(size: int, least: int, share: Any = share, lost: float = lost, cap: int = cap) -> CrapolaTurn:
                    return CrapolaTurn(size, least, lambda points: share(points) - lost, cap=cap)

                wanted = {line: lost + value for line, value in crapola_values(view, rules, 6, cache(turn)).items()}
                agrees(state, wanted, "win")
                met += 1
    assert met > 3
