"""Matches, walkovers and standings of 1,000 random tournaments against an oracle that works them out another way."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest

from companion.errors import RulesError
from companion.tournaments import Draw, Match, Result, check, matches_of, next_pair, standings
from companion.tournaments.pairings import bracket

NAMES = [f"p{number}" for number in range(20)]
Played = Result[str, int]


def random_draw(chance: random.Random) -> Draw[str]:
    players = tuple(chance.sample(NAMES[:16], chance.randint(2, 12)))
    handicaps = {player: chance.randint(0, 30) for player in players if chance.random() < 0.3}
    left = frozenset(player for player in players if chance.random() < chance.choice((0, 0.1, 0.4)))
    return Draw(chance.choice(("knockout", "round_robin")), players, handicaps, left)


def random_result(chance: random.Random, number: int, pair: tuple[str, str]) -> Played:
    scores = (chance.randint(80, 121), chance.randint(80, 121))
    shared = scores[0] == scores[1]
    won = (0.5, 0.5) if shared else (float(scores[0] > scores[1]), float(scores[0] < scores[1]))
    return Result(number, pair, scores, won, forfeit=chance.random() < 0.1)


def evening(draw: Draw[str], chance: random.Random) -> list[Played]:
    """Return results of an evening: mostly what is due, sometimes friendlies, also with people who do not take part."""
    results = list[Played]()
    for number in range(chance.randint(0, 90)):
        pair = next_pair(matches_of(draw, results))
        if pair is None or chance.random() < 0.3:
            pool = NAMES if chance.random() < 0.2 else draw.players
            pair = (chance.choice(pool), chance.choice(pool))
        if pair[0] != pair[1]:
            pair = pair if chance.random() < 0.5 else (pair[1], pair[0])
            results.append(random_result(chance, number, pair))
    return results


# -- the oracle -------------------------------------------------------------------------------------------------------
def winner_of(result: Played, handicaps: dict[str, int]) -> str | None:
    """Return who won a game with handicaps; None for a shared win."""
    one, other = result.players
    if handicaps.get(one, 0) == handicaps.get(other, 0) or result.forfeit:
        ahead = result.won[0] - result.won[1]
    else:
        ahead = result.scores[0] + handicaps.get(one, 0) - result.scores[1] - handicaps.get(other, 0)
    return None if ahead == 0 else one if ahead > 0 else other


Told = dict[tuple[int, frozenset[str]], tuple[str | None, int | None]]
"""By round and pair: the winner, and the game; winner None for a shared win, "" while nothing is decided."""


def told_knockout(draw: Draw[str], results: list[Played]) -> Told:
    """Seeds meet so that their numbers add up to the same: place i of n meets place n - 1 - i, the winner gets i."""
    size = 1
    while size < len(draw.players):
        size *= 2
    seats: list[Any] = [*draw.players, *[None] * (size - len(draw.players))]
    seen = dict.fromkeys(draw.players, -1)
    told: Told = {}
    number = 0
    while len(seats) > 1:
        number += 1
        through: list[Any] = []
        for place in range(len(seats) // 2):
            one, other = seats[place], seats[-1 - place]
            if None in (one, other):
                through.append(other if one is None else one)
                continue
            if "?" in (one, other):
                through.append("?")
                continue
            games = [
                each
                for each in results
                if {*each.players} == {one, other}
                and each.game > max(seen[one], seen[other])
                and winner_of(each, dict(draw.handicaps)) is not None
            ]
            if games:
                winner = winner_of(games[0], dict(draw.handicaps))
                assert winner is not None
                told[number, frozenset((one, other))] = (winner, games[0].game)
                seen[winner] = games[0].game
                through.append(winner)
                continue
            here = [player for player in (one, other) if player not in draw.left]
            if len(here) == 2:
                told[number, frozenset((one, other))] = ("", None)
                through.append("?")
            else:
                winner = here[0] if here else None
                told[number, frozenset((one, other))] = (winner, None)
                if winner is not None:
                    seen[winner] = max(seen[one], seen[other])
                through.append(winner)
        seats = through
    return told


def told_robin(draw: Draw[str], results: list[Played]) -> Told:
    told: Told = {}
    for one, other in itertools.combinations(draw.players, 2):
        games = [each for each in results if {*each.players} == {one, other}]
        here = [player for player in (one, other) if player not in draw.left]
        if games:
            told[0, frozenset((one, other))] = (winner_of(games[0], dict(draw.handicaps)), games[0].game)
        elif len(here) == 2:
            told[0, frozenset((one, other))] = ("", None)
        else:
            told[0, frozenset((one, other))] = (here[0] if here else None, None)
    return told


def in_oracles_form(matches: list[Match[str, int]], rounds: bool) -> Told:
    """Return matches in the oracle's form; without `rounds` all in round 0."""
    told: Told = {}
    for match in matches:
        one, other = match.players
        if one is None or other is None:
            assert match.won is None
            continue
        if match.won is None:
            decided: tuple[str | None, int | None] = ("", None)
        else:
            winner = None if match.won[0] == match.won[1] else one if match.won[0] > match.won[1] else other
            decided = (winner, match.game)
        told[match.round if rounds else 0, frozenset((one, other))] = decided
    return told


def better(draw: Draw[str], told: Told, results: list[Played], one: str, other: str) -> bool:
    """Whether one player of a round robin stands above another, by the tie-breaks one after the other."""
    by_game = {each.game: each for each in results}

    def won(player: str, against: set[str]) -> float:
        score = 0.0
        for (_, pair), (winner, game) in told.items():
            if player in pair and pair - {player} <= against:
                score += 1 if winner == player else 0.5 if winner is None and game is not None else 0
        return score

    def points(player: str) -> int:
        total = 0
        for (_, pair), (_, game) in told.items():
            if player in pair and game is not None:
                result = by_game[game]
                for name, score in zip(result.players, result.scores, strict=True):
                    value = score + draw.handicaps.get(name, 0)
                    total += value if name == player else -value
        return total

    everyone = set(draw.players)
    if won(one, everyone) != won(other, everyone):
        return won(one, everyone) > won(other, everyone)
    level = {each for each in everyone if won(each, everyone) == won(one, everyone)}
    if won(one, level) != won(other, level):
        return won(one, level) > won(other, level)
    return points(one) > points(other)


def out_in(draw: Draw[str], told: Told, player: str) -> int:
    """Return the round in which a player went out of a knockout, 99 for one who is in; 100 less for who gave it up."""
    mine = {number: decided for (number, pair), decided in told.items() if player in pair and decided[0] != ""}
    out = min((number for number, (winner, _) in mine.items() if winner != player), default=99)
    winner, game = mine[max(mine)] if mine else (None, None)
    to_its_end = game is not None and (winner != player or 2 ** max(mine) >= len(draw.players))
    return out if to_its_end or player not in draw.left else out - 100


# -- claims -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("block", range(10))
def test_1000_random_tournaments_have_the_matches_and_standings_of_a_test_oracle(block: int) -> None:
    for seed in range(100 * block, 100 * block + 100):
        chance = random.Random(seed)
        draw = random_draw(chance)
        results = evening(draw, chance)
        matches = matches_of(draw, results)
        knockout = draw.form == "knockout"
        told = told_knockout(draw, results) if knockout else told_robin(draw, results)
        assert in_oracles_form(matches, knockout) == told, seed
        rows = {row.player: row for row in standings(draw, matches)}
        assert set(rows) == set(draw.players)
        for one, other in itertools.permutations(draw.players, 2):
            above = (
                out_in(draw, told, one) > out_in(draw, told, other)
                if knockout
                else better(draw, told, results, one, other)
            )
            assert above == (rows[one].place < rows[other].place), (seed, one, other)
        for player, row in rows.items():
            others = (each for each in rows.values() if each.place < row.place)
            assert row.place == 1 + sum(1 for _ in others), (seed, player)


@pytest.mark.parametrize("count", range(2, 33))
def test_a_knockout_of_n_has_n_minus_1_matches_and_byes_for_top_seeds(count: int) -> None:
    players = tuple(range(count))
    line = bracket(players)
    pairs = list(zip(line[::2], line[1::2], strict=True))
    byes = {one if other is None else other for one, other in pairs if None in (one, other)}
    assert byes == set(range(len(line) - count)), "the byes go to the first players"
    half = len(line) // 2
    assert (0 in line[:half]) != (1 in line[:half]), "the first two can meet in the final only"
    draw, results = Draw("knockout", players), list[Result[int, int]]()
    while (pair := next_pair(matches_of(draw, results))) is not None:
        results.append(Result(len(results), pair, (121, 60), (1.0, 0.0)))
    matches = matches_of(draw, results)
    assert len(matches) == len(results) == count - 1
    assert standings(draw, matches)[0].place == 1
    assert [row.place for row in standings(draw, matches)].count(1) == 1


def test_a_knockout_final_is_replayed_if_a_correction_changes_a_semifinal_winner() -> None:
    draw = Draw("knockout", ("Ann", "Ben", "Cid", "Dee"))
    first = [
        Result(1, ("Ann", "Dee"), (121, 90), (1.0, 0.0)),
        Result(2, ("Ben", "Cid"), (121, 90), (1.0, 0.0)),
        Result(3, ("Ann", "Ben"), (121, 90), (1.0, 0.0)),
    ]
    assert next_pair(matches_of(draw, first)) is None
    corrected = [first[0], Result(2, ("Ben", "Cid"), (100, 121), (0.0, 1.0)), first[2]]
    assert next_pair(matches_of(draw, corrected)) == ("Ann", "Cid")
    assert next_pair(matches_of(draw, first[:1] + first[2:])) == ("Ben", "Cid"), "a withdrawn game is to be played"


@pytest.mark.parametrize("left", ["Ann", "Ann Ben", "Ann Ben Cid"])
def test_who_leaves_a_knockout_ranks_below_everyone_who_stayed(left: str) -> None:
    """With the other half gone, too, a player who had left won the tournament."""
    draw = Draw("knockout", ("Ann", "Ben", "Cid", "Dee"), left=frozenset(left.split()))
    matches = matches_of(draw, [Result(1, ("Ann", "Dee"), (121, 90), (1.0, 0.0))])
    order = [row.player for row in standings(draw, matches)]
    assert set(order[: 4 - len(draw.left)]) == {*draw.players} - draw.left


def test_standings_of_a_knockout_stay_the_same_if_players_leave_after_their_last_game() -> None:
    players = ("Ann", "Ben", "Cid", "Dee")
    played = [
        Result(1, ("Ann", "Dee"), (121, 90), (1.0, 0.0)),
        Result(2, ("Ben", "Cid"), (121, 90), (1.0, 0.0)),
        Result(3, ("Ann", "Ben"), (121, 90), (1.0, 0.0)),
    ]
    draws = Draw("knockout", players), Draw("knockout", players, left=frozenset(players[:3]))
    one, other = (standings(draw, matches_of(draw, played)) for draw in draws)
    assert one == other


def test_a_shared_win_is_replayed_in_a_knockout_and_halved_in_round_robin() -> None:
    shared = [Result(1, ("Ann", "Ben"), (121, 121), (0.5, 0.5))]
    assert next_pair(matches_of(Draw("knockout", ("Ann", "Ben")), shared)) == ("Ann", "Ben")
    assert matches_of(Draw("round_robin", ("Ann", "Ben")), shared)[0].won == (0.5, 0.5)


def test_a_handicap_changes_the_winner_of_a_tournament_match_unless_the_game_is_forfeited() -> None:
    draw = Draw("knockout", ("Ann", "Ben"), {"Ben": 20})
    close = Result(1, ("Ben", "Ann"), (105, 121), (0.0, 1.0))
    assert matches_of(draw, [close])[0].won == (0.0, 1.0)
    left = Result(1, ("Ben", "Ann"), (105, 121), (0.0, 1.0), forfeit=True)
    assert matches_of(draw, [left])[0].won == (1.0, 0.0)


@pytest.mark.parametrize(
    ("draw", "says"),
    [
        (Draw("knockout", ("Ann",)), "2 to 16 players, not 1"),
        (Draw("knockout", tuple(NAMES)), "2 to 16 players, not 20"),
        (Draw("knockout", ("Ann", "Ann")), "twice"),
        (Draw("knockout", ("Ann", "Ben"), {"Cid": 5}), "Cid has a handicap"),
        (Draw("knockout", ("Ann", "Ben"), {"Ben": -5}), "not -5"),
        (Draw("swiss", ("Ann", "Ben")), "no form 'swiss'"),  # type: ignore[arg-type]
    ],
)
def test_a_tournament_with_invalid_players_handicap_or_format_is_refused(draw: Draw[str], says: str) -> None:
    with pytest.raises(RulesError, match=says):
        check(draw, 16)
