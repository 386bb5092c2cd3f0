"""Games for tests: transcripts of given lines, generated headers, and random play that reaches rare states."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import strategies as st

from companion.games.crapola.scoring import points_of
from companion.games.engine.game import Action, Bomb, Keep, State, Throw
from companion.games.engine.notation import action_of, header_of
from companion.games.engine.transcript import Transcript
from companion.games.registry import game_named

CRIB_SWITCHES = [
    "piddle_points",
    "bomb",
    "double_fuchle",
    "skunk",
    "bumping",
    "find_a_loser",
    "long_game",
    "partners",
    "pandemonium",
]
ADVANCED = dict.fromkeys(CRIB_SWITCHES[:5], True)
NAMES = ["Ann", "Ben", "Cat", "Dan", "Eve", "Fay", "Gus", "Hal", "Ida", "Jim"]


def told(game: str, *lines: dict[str, Any], players: int = 2, **more: Any) -> Transcript:
    """Return the transcript of a game with `players` players after the given lines."""
    transcript = begun(game, players, **more)
    for line in lines:
        transcript = transcript.then(action_of(line))
    return transcript


def begun(game: str, players: int = 2, header: dict[str, Any] | None = None, **more: Any) -> Transcript:
    return Transcript.begin(
        header_of({"transcript": 1, "game": game, "players": NAMES[:players]} | more | (header or {}))
    )


def claim(
    said: str,
    lines: list[dict[str, Any]],
    players: int = 2,
    first: str | None = None,
    rules: str | dict[str, Any] = "",
    **wanted: Any,
) -> Any:
    """Return the parameters of a test by what it shows: lines, set-up, and parts of the view after the lines.

    House rules that are on may be given as their names, with spaces between them.
    """
    switches = dict.fromkeys(rules.split(), True) if isinstance(rules, str) else rules
    return pytest.param(
        lines, {"players": players, "rules": switches} | ({"first": first} if first else {}), wanted, id=said
    )


def check(game: str, lines: list[dict[str, Any]], set_up: dict[str, Any], wanted: dict[str, Any]) -> None:
    """Compare parts of the view after the lines of a `claim`."""
    after = told(game, *lines, **set_up).view()
    assert {key: after[key] for key in wanted} == wanted


def scores(*values: Any) -> dict[str, Any]:
    """Return a value of each player, such as a score, by name."""
    return dict(zip(NAMES, values, strict=False))


def won(*winners: str, **games_lost: int) -> dict[str, Any]:
    """Return the outcome of a game; winners lose no game."""
    return {"winners": list(winners), "games_lost": dict.fromkeys(winners, 0) | games_lost}


def throw(*dice: int) -> dict[str, Any]:
    return {"throw": list(dice)}


def point(value: int) -> dict[str, Any]:
    return {"do": "point", "value": value}


def keep(*dice: int) -> dict[str, Any]:
    return {"do": "keep", "dice": list(dice)}


def score(category: str) -> dict[str, Any]:
    return {"do": "score", "category": category}


def spend(on: str, points: int) -> dict[str, Any]:
    return {"do": "spend", "on": on, "points": points}


STOP = {"do": "stop"}
BOMB = {"do": "bomb"}

# What a drawn header sets: fixed switches, and those that are drawn.
MIXES: dict[str, tuple[str, dict[str, Any], dict[str, st.SearchStrategy[Any]]]] = {
    "crib basic": ("crib_dice", {}, {}),
    "crib advanced": ("crib_dice", ADVANCED, {}),
    "crib find a loser": ("crib_dice", {**ADVANCED, "find_a_loser": True}, {}),
    "crib partners": ("crib_dice", {"partners": True}, {word: st.booleans() for word in CRIB_SWITCHES[:7]}),
    "crib pandemonium": ("crib_dice", {**ADVANCED, "pandemonium": True}, {}),
    "crib any": ("crib_dice", {}, {word: st.booleans() for word in CRIB_SWITCHES}),
    "crag": ("crag", {}, {"thirteen_without_double": st.booleans()}),
    "crapola": ("crapola", {}, {}),
    "crapola any": (
        "crapola",
        {},
        {
            "entry": st.sampled_from([0, 50, 500, 1000, 2000]),
            "target": st.sampled_from([1, 1000, 3000, 8000]),
            "reversal": st.booleans(),
            "spend": st.booleans(),
            "seventh_die": st.booleans(),
        },
    ),
}


@st.composite
def headers(draw: st.DrawFn, mix: str) -> dict[str, Any]:
    """Draw a header of a mix of house rules, as the first line of a transcript."""
    game, fixed, drawn = MIXES[mix]
    rules = {**fixed, **{word: draw(values) for word, values in drawn.items()}}
    most = {"crib_dice": 5, "crag": 4}.get(game, len(NAMES))
    least = game_named(game).min_players
    counts = st.sampled_from([4, 6]) if rules.get("partners") else st.integers(least, most)
    players = NAMES[: draw(counts)]
    header: dict[str, Any] = {"transcript": 1, "game": game, "players": players, "rules": rules}
    who = draw(st.sampled_from([None, "roll", *players]))
    if who == "roll":
        header["roll_off"] = True
    elif who is not None:
        header["first"] = who
    return header


def some_dice(count: int, generator: random.Random, wanted: int, unlucky: bool) -> tuple[int, ...]:
    """Return fair dice, dice that often show `wanted`, or for an unlucky player mostly a throw of no use."""
    luck = generator.random()
    if luck < (0.75 if unlucky else 0.1):
        wrong = [face for face in (2, 3, 4, 6, 2, 3) if face != wanted]
        return tuple(wrong[place % len(wrong)] for place in range(count))
    if luck < 0.6:
        return tuple(wanted if generator.random() < 0.75 else generator.randint(1, 6) for _ in range(count))
    return tuple(generator.randint(1, 6) for _ in range(count))


def some_action(state: State, generator: random.Random, unlucky: str = "") -> Action:
    """Return a random legal action. Bombs and stops are frequent enough for games to end.

    The player named `unlucky` wipes out and craps out most of the time.
    """
    options = state.options()
    bombs = [option for option in options if isinstance(option, Bomb)]
    if bombs and generator.random() < 0.6:
        return bombs[0]
    if state.decisions == ("keep",) and generator.random() < 0.7:
        keeps = [option for option in options if isinstance(option, Keep)]
        return max(keeps, key=lambda option: points_of(option.dice) or 0)
    bad_luck = state.standing.player == unlucky
    decide = {("stop",): 0.1 if bad_luck else 0.45, ("bomb", "stop"): 0.3, ("spend",): 0.08}
    if state.throw_sizes and (not options or generator.random() > decide.get(state.decisions, 1.0)):
        wanted = state.view().get("point") or generator.choice([1, 1, 1, 2, 3, 4, 5, 6])
        return Throw(some_dice(generator.choice(state.throw_sizes), generator, wanted, bad_luck))
    return generator.choice(options)


def worth_of(options_: list[dict[str, Any]], line: dict[str, Any]) -> float:
    """Return the value of the option with this line among the options of `companion.games.advice.odds`."""
    worth: float = next(option["value"] for option in options_ if option["line"] == line)
    return worth
