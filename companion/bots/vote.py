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


@dataclass(slots=True)
class VoteQuestion:
    """A decision to vote on, with the votes so far; `votes` and `shown` change, the rest stays.

    Attributes:
        state: The position before it.
        player: Name of the player who decided.
        options: Options with their values, in the order in which they are shown.
        best: Index of the best option.
        taken: Index of the option that was taken.
        reasons: Phrases that explain the best option, as JSON values.
        goal: Unit of the values: `win`, `games` or `points`.
        photo: Number of the latest throw before it, which names its photo; None without a photo.
        votes: Index of the chosen option by voter.
        shown: Whether the answer is shown, which ends the vote.
    """

    state: State
    player: str
    options: tuple[tuple[Option, float], ...]
    best: int
    taken: int
    reasons: tuple[Json, ...]
    goal: str
    photo: int | None
    votes: dict[str, int] = field(default_factory=dict)
    shown: bool = False

    def view(self, voter: str) -> Json:
        """Return the question as a JSON object for one voter's phone: position, options and the voter's own vote.

        `voter` is the phone's identity. `Vote.view` lists the keys. Until the answer is shown, these are left out:
        votes for each option, values, goal, best option, option taken, and reasons.
        """
        panels = game_named(self.state.standing.header.game).panels(self.state)
        view: Json = {
            "player": self.player,
            "photo": self.photo,
            "scores": self.state.standing.view()["scores"],
            "turn_points": self.state.standing.turn_points,
            "dice": list(panels.dice),
            "kept": list(panels.kept),
            "options": [option_line(option) for option, _ in self.options],
            "votes": len(self.votes),
            "mine": self.votes.get(voter),
            "shown": self.shown,
        }
        if self.shown:
            view |= {
                "values": [value for _, value in self.options],
                "best": self.best,
                "taken": self.taken,
                "counts": [list(self.votes.values()).count(option) for option in range(len(self.options))],
                "goal": self.goal,
                "reasons": list(self.reasons),
            }
        return view


class Vote:
    """Collects votes on the costliest decisions of the finished game on the table. Thread-safe.

    An answer is shown when as many phones have voted as people played, or when a player asks for it. If the game is
    corrected or another one is played, the vote starts anew. `state` returns the table's current state.
    """

    def __init__(self, state: Callable[[], TableState]) -> None:
        self._state, self._lock = state, threading.Lock()
        self._transcript: Transcript | None = None
        self._questions: tuple[VoteQuestion, ...] = ()
        self._wanted = 1

    def view(self, voter: str = "") -> Json:
        """Return the questions on the finished game's costliest decisions, with the answers that may be shown.

        `voter` is the identity of the phone that asks, whose own votes are marked; "" for none. Raises RulesError if no
        finished game whose decisions can be judged is on the table.

        Returns:
            `wanted`: votes after which an answer is shown. `questions`: a list of objects. Each has `player`,
            `photo` (number of the last throw before the decision; None without a photo of it), `scores` and
            `turn_points` before the decision, `dice`, `kept`, `options` (lines), `votes` (their number), `mine`
            (index of the option that this phone voted for, or None) and `shown`, whether the answer is shown. A
            shown question also has the `values` of the options, their unit `goal`, `best` and `taken` (indexes of
            options), `counts` (votes for each option) and `reasons`.
        """
        with self._lock:
            questions = self._current()
            return {"wanted": self._wanted, "questions": [question.view(voter) for question in questions]}

    def cast(self, question: int, option: int, voter: str) -> None:
        """Store a phone's vote on a question; an earlier vote of the phone is replaced.

        Once as many phones have voted on the question as people played, its answer is shown. `question` and `option`
        are indices, `voter` is the identity of the phone.

        Raises:
            IllegalAction: There is no such question or option, the answer is shown already, or MAX_VOTERS other
                phones have voted on this question.
            RulesError: No finished game whose decisions can be judged is on the table.
        """
        with self._lock:
            asked = self._asked(question)
            if not 0 <= option < len(asked.options):
                raise IllegalAction(f"Question {question} has no option {option}.")
            if asked.shown:
                raise IllegalAction("The answer to this question is shown already.")
            if voter not in asked.votes and len(asked.votes) >= MAX_VOTERS:
                raise IllegalAction(f"At most {MAX_VOTERS} phones can vote.")
            asked.votes[voter] = option
            asked.shown = len(asked.votes) >= self._wanted

    def show(self, question: int) -> None:
        """Show the answer to a question to all phones from now on, which ends the vote on it.

        Raises IllegalAction for an unknown question, and RulesError without a finished game that can be judged.
        """
        with self._lock:
            self._asked(question).shown = True

    def _current(self) -> tuple[VoteQuestion, ...]:
        """Return the questions of the game on the table; the caller holds the lock.

        If the game has changed since the last call, the questions are made anew, without votes. `_wanted`, the votes
        after which an answer is shown, becomes the number of human players, at least 1. Raises RulesError if there is
        no game, or it is not finished or can't be judged.
        """
        game = self._state().record.game
        if game is None:
            raise RulesError("No game has been started yet.")
        if self._transcript is not game.transcript:
            self._questions, self._transcript = questions_of(game), game.transcript
            self._wanted = max(1, len(game.header.players) - (game.terms.house is not None))
        return self._questions

    def _asked(self, place: int) -> VoteQuestion:
        """Return the question with this index. Raises IllegalAction if there is none, else as `_current`."""
        questions = self._current()
        if not 0 <= place < len(questions):
            raise IllegalAction(f"There is no question {place}; there are {len(questions)}.")
        return questions[place]


def questions_of(game: PlayedGame) -> tuple[VoteQuestion, ...]:
    """Return the decisions of a finished game with the greatest regret as questions to vote on, in order of play.

    There are at most `luck.MAX_HIGHLIGHTS`; none if no option would have been better. Raises RulesError if the game is
    not finished, a player left it, or the values of the game's options are not known.
    """
    transcript = game.transcript
    story, steps = story_of(transcript), transcript.steps
    questions = list[VoteQuestion]()
    for move in sorted(story.costliest, key=lambda each: each.line):
        before, after = steps[move.line - 2].state, steps[move.line - 1].state
        known = values_of(before, story.goal)
        option = len(move.action.dice) if isinstance(move.action, Throw) else move.action
        # An amount that was spent may not be among the options listed.
        values = {**dict(known), option: value_taken(known, before, move.action, after, story.goal)}
        ranked = tuple(sorted(values.items(), key=lambda each: -each[1]))
        taken = (option, values[option])
        shown = sorted({*ranked[:MAX_OPTIONS], taken}, key=lambda each: str(option_line(each[0])))
        reasons = tuple(msgspec.to_builtins(phrase) for phrase in reasons_for(before, story.goal, ranked))
        thrown = next((line.thrown for line in reversed(game.lines[: move.line - 2]) if line.thrown), None)
        photo = thrown.number if thrown and thrown.photo else None
        best, mine, player = shown.index(ranked[0]), shown.index(taken), game.header.players[move.seat]
        questions.append(VoteQuestion(before, player, tuple(shown), best, mine, reasons, story.goal, photo))
    return tuple(questions)
