"""The parts that solve Crib Dice between two: batches of turns, how they end, what leads to the fixed point."""

from __future__ import annotations

import bisect
import itertools
import random
from collections import Counter
from functools import cache

import numpy as np
import pytest

from companion.games.crib_dice.odds import turn_value as odds
from companion.games.crib_dice.odds import two_sides as duel
from companion.games.crib_dice.odds.backward_induction import Floats, Turns, evaluate, fresh_throws, offers
from companion.games.crib_dice.odds.turn_value import TurnValues, first_throws, piddle_ends, roll_ends
from companion.games.crib_dice.scoring import MAX_SET_SCORE as REACH
from companion.games.crib_dice.scoring import set_score
from companion.games.solving import crib_dice as solve
from companion.games.solving import crib_dice_duel as solve_duel
from companion.games.solving.__main__ import run_solver
from companion.games.solving.crib_dice_duel import AndersonMixing, Duel, InterpolatedDuel, Policy, fixed_point
from companion.games.solving.crib_dice_outcomes import Outcomes

PEGS, TOP = 11, 50


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """A track of ten holes."""
    sizes = {"PEGS": PEGS, "TOP": TOP, "GAPS": TOP + 2 * REACH + 1, "SHAPE": (2, PEGS, PEGS, 3, 3), "TOPS": (TOP, PEGS)}
    for name, value in sizes.items():
        monkeypatch.setattr(solve_duel, name, value)


# --- turns


def test_only_the_highest_set_of_a_size_is_offered_if_values_rise() -> None:
    first = (1, 7, 13, 19, 25, 31)  # rows of sets of a size
    for rows, _ in offers():
        assert len({bisect.bisect(first, row) for row in rows}) == len(rows)
    assert dict(offers())[36,] > dict(first_throws())[(2, 6),] > 0, "a pair of 6s among lower pairs"
    assert sum(chance for _, chance in offers()) == pytest.approx(1)


@pytest.mark.parametrize("piddle_points", [False, True])
def test_turns_of_a_batch_are_those_that_are_walked_through_one_by_one(
    piddle_points: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    generator, top = np.random.default_rng(3), 60
    monkeypatch.setattr(odds, "RICH", top)
    bank = np.sort(generator.random((top + 2 * REACH + 1, top)), axis=0)
    bank[top:] = 1.0  # from there on it stops
    lost, starts = generator.random(top) * 0.3, np.arange(top)
    turns = evaluate(Turns(piddle_points, bank, lost), starts)
    ends = Outcomes(piddle_points, turns, starts, top)
    for peg in (0, 30, 59):

        def worth(points: int, peg: int = peg) -> float:
            return float(bank[min(peg + points, len(bank) - 1), peg])

        one = TurnValues(piddle_points, worth, float(lost[peg]), lambda points: 1.0)
        fresh = [one.fresh(gathered) for gathered in range(top - peg)]
        assert turns.fresh[peg:top, peg] == pytest.approx(fresh, abs=1e-12)
        assert fresh_throws(piddle_points, bank[:, peg], float(lost[peg]), peg)[: -REACH - 1] == pytest.approx(fresh)
        banked, wiped = walked(one, piddle_points, top - peg)
        assert ends.banked[:, peg] == pytest.approx([banked[hole - peg] for hole in range(top)], abs=1e-12)
        assert ends.wiped[peg] == pytest.approx(wiped, abs=1e-12)


def walked(worth: TurnValues, piddle_points: bool, holes: int) -> tuple[Counter[int], float]:
    """How often a turn banks so many points, and wipes out; one that comes further than so many holes is still on."""
    fresh, banked, wiped = Counter({0: 1.0}), Counter[int](), 0.0
    for gathered in range(holes):
        held = Counter[tuple[int, int]]()
        for offer, share in first_throws():
            held[max(offer, key=lambda one: worth.held(gathered, *one))] += fresh[gathered] * share
        for frozen, point in itertools.product(range(2, 8), range(1, 7)):
            chance, stop = held[frozen, point], gathered + set_score(frozen, point)
            if worth.bank(stop) >= worth.thrown(gathered, frozen, point):
                banked[stop] += chance
            elif frozen == 7:
                fresh[stop] += chance
            elif frozen >= 5:
                for hits, share in piddle_ends(piddle_points):
                    fresh[gathered + set_score(min(7, frozen + hits), point)] += chance * share
                wiped += chance * (1 - sum(share for _, share in piddle_ends(piddle_points)))
            else:
                for hits, share in roll_ends(frozen, point):
                    held[frozen + hits, point] += chance * share
                wiped += chance * (1 - sum(share for _, share in roll_ends(frozen, point)))
    return banked, wiped


# --- the game


@pytest.mark.usefixtures("short")
@pytest.mark.parametrize("piddle_points", [False, True])
def test_a_short_track_is_solved_to_the_best_turns(piddle_points: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    game, policies, precisions = Duel(piddle_points), list[Policy](), list[str]()
    best_values = game.best_values

    def noted(values: Floats) -> Floats:
        precisions.append(values.dtype.name)
        return best_values(values)

    monkeypatch.setattr(game, "best_values", noted)

    def policy(duel: Duel, values: Floats) -> Policy:
        policies.append(Policy(duel, values))
        return policies[-1]

    monkeypatch.setattr(solve_duel, "Policy", policy)
    steps = list(itertools.islice(solve_duel.solved(game), 7))
    values, residual = steps[-1]
    assert residual <= solve_duel.RESIDUAL
    wanted = (2e-3, 2e-4, 1e-5, 1e-7, 4e-9, 1e-10)
    assert all(found <= enough for (_, found), enough in zip(steps, wanted, strict=True)), "as quickly as it did"
    assert len(policies) == 2, "the last steps keep an old one"
    assert precisions == sorted(precisions), "single precision first"
    assert {"float32", "float64"} == set(precisions)
    assert np.abs(InterpolatedDuel(game).solved() - values).max() <= 2.4e-3
    generator = random.Random(6)
    for _ in range(60):
        order, mover, other, mine, theirs = (generator.randrange(count) for count in values.shape)
        bank, lost = aims(piddle_points, values, order, mover, other, mine, theirs)
        best = fresh_throws(piddle_points, bank, lost, mover)[0]
        assert values[order, mover, other, mine, theirs] == pytest.approx(best, abs=1e-9)


def aims(
    piddle_points: bool, values: Floats, order: int, mover: int, other: int, mine: int, theirs: int
) -> tuple[Floats, float]:
    """What it is worth in that state to bank, by hole, and to wipe out."""
    bank = np.ones((TOP if order == 0 else PEGS) + 2 * REACH + 1)
    bank[:PEGS] = 1 - values[1 - order, other, :, theirs, 0]
    if order == 0:
        bank[PEGS:] = [1 - last_turn(piddle_points, hole - other) for hole in range(PEGS, len(bank))]
    fuchled = mine == 2
    lost = 1 - values[1 - order, other, 0 if fuchled else mover, theirs, 0 if fuchled else mine + 1]
    return bank, float(lost)


@pytest.mark.usefixtures("short")
def test_a_rough_turn_is_worth_what_lies_between_those_of_the_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solve_duel, "INTERPOLATED_TOLERANCE", 1e-11)
    values, generator = InterpolatedDuel(Duel(True)).solved(), random.Random(7)
    nodes = np.cos(np.pi * (np.arange(solve_duel.NODES) + 0.5) / solve_duel.NODES)
    for _ in range(40):
        order, mover, other, mine, theirs = (generator.randrange(count) for count in values.shape)
        bank, lost = aims(True, values, order, mover, other, mine, theirs)
        found = [fresh_throws(True, bank, (1 + node) / 2, mover)[0] for node in nodes.tolist()]
        between = np.polynomial.Polynomial.fit(nodes, found, solve_duel.NODES - 1, domain=[-1, 1])
        assert values[order, mover, other, mine, theirs] == pytest.approx(between(2 * lost - 1), abs=1e-9)


@pytest.mark.usefixtures("short")
@pytest.mark.parametrize("piddle_points", [False, True])
def test_a_last_turn_wins_as_often_as_one_that_is_played_for_just_that(piddle_points: bool) -> None:
    found = solve_duel.last_turn_wins(piddle_points)
    assert len(found) == solve_duel.GAPS
    for gap in (0, 1, 40, solve_duel.GAPS - 2, solve_duel.GAPS - 1):
        assert found[gap] == pytest.approx(last_turn(piddle_points, gap))


@pytest.mark.usefixtures("short")
def test_banks_are_told_to_where_a_turn_that_stops_can_come() -> None:
    game = Duel(False)
    for order, top in enumerate((TOP, PEGS)):
        bank, _ = game.payoffs(some_values(), order, np.arange(2))
        assert len(bank) == top + 2 * REACH + 1
        assert np.isfinite(bank).all()


@cache
def last_turn(piddle_points: bool, gap: int) -> float:
    """The chance to win with one turn that levels by banking so many points, half a win."""
    points = np.arange(gap + 2 * REACH + 2)
    return float(fresh_throws(piddle_points, (points > gap) + (points == gap) / 2, 0.0, 0)[0])


def some_values() -> Floats:
    """Chances to win that rise with the mover's peg and fall with the other's."""
    noise = np.random.default_rng(8).random((2, PEGS, PEGS, 3, 3)) * 0.02
    pegs = np.arange(PEGS)
    return noise + (0.5 + (pegs[:, np.newaxis] - pegs) * 0.03)[..., np.newaxis, np.newaxis]


@pytest.mark.usefixtures("short")
@pytest.mark.parametrize("every", [1, 5])
def test_a_policy_says_what_becomes_of_the_best_turns(every: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solve_duel, "PEG_STEP", every)
    game, values = Duel(True), some_values()
    policy, best = Policy(game, values), game.best_values(values)
    banked, wiped = policy._banked.astype(float), policy._wiped.astype(float)
    for (order, mover, other, mine, theirs), worth in np.ndenumerate(best[1:, :, ::every]):
        order, other = 1, other * every
        at = order, mover, other, theirs, mine
        after = 1 - values[0, other, :, theirs, 0]
        lost = 1 - (values[0, other, mover, theirs, mine + 1] if mine < 2 else values[0, other, 0, theirs, 0])
        past = 1 - banked[at].sum() - wiped[at]  # there the second to play has won
        assert banked[at] @ after + wiped[at] * lost + past == pytest.approx(worth, abs=1e-5)
    between = np.array([1, 2, 3, 4, 6, 7, 8, 9]) if every == 5 else np.array([1, 2])
    for known in (policy._banked, policy._wiped):
        low, high = known[:, :, between // every * every], known[:, :, -(-between // every) * every]
        share = (between % every / every).reshape(-1, *[1] * (known.ndim - 3))
        assert known[:, :, between] == pytest.approx((1 - share) * low + share * high, abs=1e-6)


@pytest.mark.usefixtures("short")
def test_changes_make_up_for_what_is_missing_under_a_policy() -> None:
    policy, shape = Policy(Duel(False), some_values()), (2, PEGS, PEGS, 3, 3)
    missing = np.random.default_rng(9).random(shape) - 0.5
    found = policy.corrections(missing)
    wanted = np.empty(shape)
    for (order, mover, other, mine, theirs), lacking in np.ndenumerate(missing):
        at = order, mover, other, theirs, mine
        after = found[1 - order, other, :, theirs, 0]
        lost = found[1 - order, other, mover, theirs, mine + 1] if mine < 2 else found[1 - order, other, 0, theirs, 0]
        wanted[order, mover, other, mine, theirs] = lacking - policy._banked[at] @ after - policy._wiped[at] * lost
    assert found == pytest.approx(wanted, abs=0.5 * solve_duel.CORRECTION_TOLERANCE)


def test_columns_are_those_of_pegs_on_the_track() -> None:
    each = solve_duel.FUCHLE * solve_duel.NODES
    found = [solve_duel._columns(*pegs) for pegs in ((-5, -1), (-5, 0), (3, 5), (119, 200), (121, 130), (4, 3))]
    assert found == [None, slice(0, each), slice(3 * each, 6 * each), slice(119 * each, 121 * each), None, None]


@pytest.mark.parametrize("piddle_points", [False, True])
def test_the_table_of_the_game_between_two_holds_what_it_converges_to(
    piddle_points: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Known:
        """In place of `Duel`: its last turns are known."""

        def __init__(self, rule: bool) -> None:
            assert rule == piddle_points
            self.last = np.array([0.5, 0.25])

    steps = (np.full((2, 1), 0.125), 1e-5), (np.array([[1.0], [0.75]]), 1e-10)
    monkeypatch.setattr(solve, "Duel", Known)
    monkeypatch.setattr(solve, "solved", lambda _: iter(steps))
    come = list[float]()
    found = run_solver(solve.TABLES[duel.table_of(piddle_points)], come.append)
    assert np.frombuffer(found, "<u4") * duel.UNIT == pytest.approx([1.0, 0.75, 0.5, 0.25], abs=duel.UNIT)
    assert come == pytest.approx([0.5, 1.0, 1.0]), "by the digits that are right, of ten"


# --- the fixed point


def test_anderson_mixing_of_one_number_is_the_secant_method() -> None:
    mixing, at = AndersonMixing(memory=2), [np.array([1.0]), np.array([3.0]), np.array([2.5])]
    changes = [np.array([1.0]), np.array([-0.5]), np.array([0.125])]
    assert mixing.next(at[0], changes[0]) == 2.0
    assert mixing.next(at[1], changes[1]) == pytest.approx(3 - 0.5 * 2 / 1.5)
    assert mixing.next(at[2], changes[2]) == pytest.approx(2.5 + 0.125 * 0.5 / 0.625)


def test_mixing_finds_where_a_change_vanishes() -> None:
    matrix, asked = np.array([[0.9, 0.05], [0.1, 0.8]]), list[Floats]()

    def change(at: Floats) -> Floats:
        asked.append(at)
        wanted: Floats = matrix @ at + 1.0 - at
        return wanted

    found = fixed_point(change, np.zeros(2), 1e-12, 20)
    assert found == pytest.approx(np.linalg.solve(np.identity(2) - matrix, np.ones(2)))
    assert len(asked) == 4, "of two numbers it needs three changes, and one to see that it is there"


def test_a_fixed_point_is_looked_for_so_often_and_so_closely() -> None:
    asked = list[float]()

    def change(at: Floats) -> Floats:
        asked.append(float(at[0]))
        return np.array([0.25]) if len(asked) % 2 else np.array([0.5])

    assert fixed_point(change, np.zeros(1), 0.25) == 0.0
    assert asked == [0.0], "near enough at once"
    asked.clear()
    fixed_point(change, np.zeros(1), 0.1, 3)
    assert asked == [0.0, 0.25, pytest.approx(-0.25)]
