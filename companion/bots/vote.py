"""What would you have done? After a game, phones vote on the costliest decisions before the answer is shown."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import msgspec

from companion.errors import IllegalAction, RulesError
from companion.games.advice.luck import Option, story_of, value_taken
from companion.games.advice.odds import option_line, values_of
from companion.games.advice.reasons import reasons_for
from companion.games.engine.game import State, Throw
from companion.games.engine.transcript import Transcript
from companion.games.registry import game_named
from companion.table.evening.game_record import PlayedGame
from companion.table.state import TableState

Json = dict[str, Any]
MAX_OPTIONS = 4
"""Number of the best options that a vote question about a finished game lists. The option that was taken is added if it
is not one of them. Higher: the list does not fit on a phone. Lower: voters have less to choose from."""
MAX_VOTERS = 200
"""Most phones that can vote on a question; others are refused. Higher: a guest can fill more memory.

It is the number of visitors that the pages are made for."""


@dataclass(frozen=True, slots=True)
class VoteQuestion:
    """A decision to vote on.

    Attributes:
        state: The position before it.
        player: Name of the player who decided.
        options: Options with their values, in the order in which they are shown.
        best: Index of the best option.
        taken: Index of the option that was taken.
        reasons: Phrases that explain the best option, as JSON values.
        goal: Unit of the values: `win`, `games` or `points`.
        photo: Number of the latest throw before it, which names its photo; None without a photo.
    """

    state: State
    player: str
    options: tuple[tuple[Option, float], ...]
    best: int
    taken: int
    reasons: tuple[Json, ...]
    goal: str
    photo: int | None


@dataclass(slots=True)
class _Ballot:
    """Questions of one game, and the votes for each as option by voter; changed as votes come in."""

    transcript: Transcript
    questions: tuple[VoteQuestion, ...]
    voters_wanted: int
    votes: list[dict[str, int]] = field(default_factory=list)
    shown: list[bool] = field(default_factory=list)


class Vote:
    """Collects votes on the costliest decisions of the finished game on the table. Thread-safe.

    An answer is shown when as many phones have voted as people played, or when a player asks for it.

    Args:
        state: Returns the table's current state.
    """

    def __init__(self, state: Callable[[], TableState]) -> None:
        self._state, self._lock = state, threading.Lock()
        self._ballot: _Ballot | None = None

    def view(self, voter: str = "") -> Json:
        """Return the questions on the finished game's costliest decisions, with the answers that may be shown.

        Args:
            voter: Identity of the phone that asks; its own votes are marked. "" for none.

        Returns:
            `wanted`: votes after which an answer is shown. `questions`: for each `player`, `photo`, `scores` and
            `turn_points` before the decision, `dice`, `kept`, `options` (lines), `votes` (their number), `mine` (index
            of this phone's vote or None) and `shown`. Once it is shown also `values` (of the options, in the unit
            `goal`), `best` and `taken` (indexes of options), `counts` (votes for each option), `goal` and `reasons`.

        Raises:
            RulesError: No finished game whose decisions can be judged is on the table.
        """
        with self._lock:
            ballot = self._current()
            return {
                "wanted": ballot.voters_wanted,
                "questions": [self._question(ballot, place, voter) for place in range(len(ballot.questions))],
            }

    def cast(self, question: int, option: int, voter: str) -> None:
        """Store a phone's vote on a question; an earlier vote of the phone is replaced.

        The answer is shown from then on if as many phones have voted as people played.

        Args:
            question: Index of the question.
            option: Index of the option.
            voter: Identity of the phone.

        Raises:
            IllegalAction: There is no such question or option, the answer is shown already, or MAX_VOTERS other phones
                have voted.
            RulesError: No finished game whose decisions can be judged is on the table.
        """
        with self._lock:
            ballot = self._current()
            self._check(ballot, question)
            if not 0 <= option < len(ballot.questions[question].options):
                raise IllegalAction(f"Question {question} has no option {option}.")
            votes = ballot.votes[question]
            if ballot.shown[question]:
                raise IllegalAction("The answer to this question is shown already.")
            if voter not in votes and len(votes) >= MAX_VOTERS:
                raise IllegalAction(f"At most {MAX_VOTERS} phones can vote.")
            votes[voter] = option
            ballot.shown[question] = len(votes) >= ballot.voters_wanted

    def show(self, question: int) -> None:
        """Show the answer to a question to all phones from now on, which ends the vote on it.

        Raises IllegalAction for an unknown question, and RulesError without a finished game that can be judged.
        """
        with self._lock:
            ballot = self._current()
            self._check(ballot, question)
            ballot.shown[question] = True

    def _current(self) -> _Ballot:
        """Return the ballot of the game on the table: its questions, and the phones' votes so far.

        If the game is another one, or was corrected, since the ballot was made, a new one without votes replaces it.
        Raises RulesError if no finished game whose decisions can be judged is on the table.
        """
        game = self._state().record.game
        if game is None:
            raise RulesError("No game has been started yet.")
        if self._ballot is None or self._ballot.transcript is not game.transcript:
            questions = questions_of(game)
            people = len(game.header.players) - (game.terms.house is not None)
            count = len(questions)
            self._ballot = _Ballot(
                game.transcript, questions, max(1, people), [{} for _ in range(count)], [False] * count
            )
        return self._ballot

    @staticmethod
    def _check(ballot: _Ballot, question: int) -> None:
        """Raise IllegalAction unless the ballot has a question with that index."""
        if not 0 <= question < len(ballot.questions):
            raise IllegalAction(f"There is no question {question}; there are {len(ballot.questions)}.")

    @staticmethod
    def _question(ballot: _Ballot, place: int, voter: str) -> Json:
        """Return a question of the vote on a finished game's costliest decisions, as the JSON object for a phone.

        `Vote.view` explains the fields. Until the answer is shown, `values`, `best`, `taken`, `counts`, `goal` and
        `reasons` are left out.
        """
        question, votes = ballot.questions[place], ballot.votes[place]
        panels = game_named(ballot.transcript.header.game).panels(question.state)
        view: Json = {
            "player": question.player,
            "photo": question.photo,
            "scores": question.state.standing.view()["scores"],
            "turn_points": question.state.standing.turn_points,
            "dice": list(panels.dice),
            "kept": list(panels.kept),
            "options": [option_line(option) for option, _ in question.options],
            "votes": len(votes),
            "mine": votes.get(voter),
            "shown": ballot.shown[place],
        }
        if ballot.shown[place]:
            view |= {
                "values": [value for _, value in question.options],
                "best": question.best,
                "taken": question.taken,
                "counts": [list(votes.values()).count(option) for option in range(len(question.options))],
                "goal": question.goal,
                "reasons": list(question.reasons),
            }
        return view


def questions_of(game: PlayedGame) -> tuple[VoteQuestion, ...]:
    """Return the decisions of a finished game with the greatest regret as questions to vote on, in order of play.

    At most `luck.MAX_HIGHLIGHTS`; none if every decision was the best. Raises RulesError if the game is not finished, a
    player left it, or its values are not known.
    """
    transcript = game.transcript
    story, steps = story_of(transcript), transcript.steps
    questions = list[VoteQuestion]()
    for move in sorted(story.costliest, key=lambda each: each.line):
        before = steps[move.line - 2].state
        ranked = tuple(sorted(values_of(before, story.goal), key=lambda each: -each[1]))
        line = option_line(len(move.action.dice) if isinstance(move.action, Throw) else move.action)
        if all(option_line(option) != line for option, _ in ranked):  # a spending of an amount that is not listed
            after = steps[move.line - 1].state
            value = value_taken(ranked, before, move.action, after, story.goal)
            ranked = tuple(sorted((*ranked, (move.action, value)), key=lambda each: -each[1]))
        taken = next(place for place, (option, _) in enumerate(ranked) if option_line(option) == line)
        places = {*range(min(MAX_OPTIONS, len(ranked))), taken}
        shown = sorted((ranked[place] for place in places), key=lambda each: str(option_line(each[0])))
        reasons = tuple(msgspec.to_builtins(phrase) for phrase in reasons_for(before, story.goal, ranked))
        thrown = next((line.thrown for line in reversed(game.lines[: move.line - 2]) if line.thrown), None)
        photo = thrown.number if thrown and thrown.photo else None
        best, mine = shown.index(ranked[0]), shown.index(ranked[taken])
        questions.append(
            VoteQuestion(before, game.header.players[move.seat], tuple(shown), best, mine, reasons, story.goal, photo)
        )
    return tuple(questions)
