"""The measurement of what approximations lose agrees with the odds where they are exact."""

from __future__ import annotations

import pytest

from companion.games.crag.odds.win import values_to_win
from companion.games.crag.scoring import CATEGORIES
from companion.games.crag.state import Crag
from companion.games.crib_dice.odds.two_sides import DuelRules
from tests.games.losses.crag import Ends
from tests.games.losses.crapola import Spending, residual
from tests.games.losses.crib_dice import by_table, header, loss
from tests.games.losses.measuring import points
from tests.games.playing import score, throw, told


def test_crag_endgame_solver_and_win_odds_agree_on_last_turn_options() -> None:
    filled = [line for category in CATEGORIES[:-1] for _ in range(2) for line in (throw(1, 1, 2), score(category))]
    state = told("crag", *filled, throw(2, 3, 6), score(CATEGORIES[-1]), throw(1, 4, 6)).state
    assert isinstance(state, Crag)
    found = dict(Ends().values(state))
    assert found, "else two empty ones would agree"
    assert found == pytest.approx(dict(values_to_win(state)))


def test_crib_dice_best_play_loses_no_win_chance_and_play_for_points_some() -> None:
    table = by_table(DuelRules())
    assert loss(header(2), table, table, 1) == ([0.0], [0.0] * len(loss(header(2), table, table, 1)[1]))
    assert loss(header(2), points, table, 1)[0][0] > 0


def test_stored_crapola_win_chances_agree_with_the_best_turn_recomputed_from_them() -> None:
    assert residual(2000, 3) < 1e-8


def test_solved_win_chances_in_crapola_to_300_are_not_lower_with_spending() -> None:
    """Win chances solved with spending are at least those without, and at least those of play by the latter."""
    game = Spending(300)
    assert (game.solved >= game.told - 1e-5).all()
    assert (game.played <= game.solved + 1e-5).all()
