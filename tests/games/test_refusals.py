"""Texts of refusals: what was tried, and what is allowed now."""

from __future__ import annotations

from typing import Any

import pytest

from companion.errors import IllegalAction
from companion.games.crag.scoring import CATEGORIES
from companion.games.engine.notation import action_of
from companion.games.engine.transcript import Transcript
from tests.games.playing import BOMB, STOP, begun, keep, point, score, spend, throw, told
from tests.games.test_crapola import bank as bank_crapola

ANY: list[dict[str, Any]] = [point(5), STOP, BOMB, keep(5), score("ones"), spend("Ben", 5)]


def refusal_of(transcript: Transcript, line: dict[str, Any]) -> str:
    with pytest.raises(IllegalAction) as refused:
        transcript.then(action_of(line))
    return str(refused.value)


@pytest.mark.parametrize("line", ANY)
@pytest.mark.parametrize(("game", "size"), [("crib_dice", 7), ("crag", 3), ("crapola", 6)])
def test_refusing_a_decision_before_the_throw_names_the_decision_and_the_number_of_dice_to_throw(
    game: str, size: int, line: dict[str, Any]
) -> None:
    """The refusal names the decision that was tried and how many dice must be thrown first."""
    wanted = f"'{line['do']}' can't be decided here; now: a throw of {size}."
    assert refusal_of(begun(game, rules={"spend": False} if game == "crapola" else {}), line) == wanted


def test_rules_engine_refusing_a_throw_lists_the_actions_allowed_now() -> None:
    naming = told("crib_dice", throw(5, 5, 2, 2, 1, 4, 6))
    assert refusal_of(naming, throw(1, 2)) == "A throw of 2 can't be made here; now: point."
    frozen = naming.then(action_of(point(5)))
    assert refusal_of(frozen, throw(1, 2)) == "A throw of 2 can't be made here; now: a throw of 5, stop."
    behind = told("crapola", *bank_crapola(6000), rules={"spend": False})
    assert refusal_of(behind, throw(1, 2)) == "A throw of 2 can't be made here; now: a throw of 6 or 7."


def test_a_throw_or_stop_in_a_finished_crag_game_is_refused_advising_undo() -> None:
    lines = [line for name in CATEGORIES for line in (throw(1, 1, 2), score(name))]
    over = told("crag", *lines, players=1)
    for line in (throw(1, 2, 3), STOP):
        assert refusal_of(over, line) == "The game is over; only an undo can follow."
