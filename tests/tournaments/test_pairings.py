"""Pairings against an oracle: every pair once, nobody twice a round, byes shared out."""

from __future__ import annotations

import itertools

import pytest

from companion.tournaments.pairings import round_robin

NAMES = [f"p{number}" for number in range(40)]


@pytest.mark.parametrize("count", range(2, 33))
def test_a_round_robin_pairs_every_two_players_once_and_no_player_twice_in_a_round(count: int) -> None:
    """The first places are shared out too: each player has half of them, give or take one."""
    names = NAMES[:count]
    rounds = round_robin(names)
    assert len(rounds) == count - 1 + count % 2
    assert sorted(tuple(sorted(pair)) for pairs in rounds for pair in pairs) == sorted(
        tuple(sorted(pair)) for pair in itertools.combinations(names, 2)
    )
    for pairs in rounds:
        playing = [name for pair in pairs for name in pair]
        assert len(playing) == len(set(playing)) == count - count % 2, "one bye a round when the number is odd"
    homes = {name: sum(pair[0] == name for pairs in rounds for pair in pairs) for name in names}
    assert all(abs(2 * homes[name] - (count - 1)) <= 2 for name in names)
