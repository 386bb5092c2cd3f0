"""Remarks of the house: one line after a decision that cost much or a risk that paid, worded anew each time."""

from __future__ import annotations

import contextlib
import random
import threading
from collections.abc import Callable
from itertools import pairwise
from typing import Any, Literal

import msgspec

from companion.errors import RulesError
from companion.games.advice.luck import is_best_to_win, regret_of, value_taken
from companion.games.advice.odds import option_line, values_in_points
from companion.games.engine.game import State, Throw
from companion.games.engine.roll_off import RollOff
from companion.games.engine.transcript import Transcript
from companion.games.registry import game_named
from companion.table.evening.game_record import PlayedGame, reopened
from companion.table.settings import TableSettings
from companion.table.state import TableState

Json = dict[str, Any]
Kind = Literal["cost", "won"]
NOTABLE_COST = 0.02
"""Least regret of a decision that gets a remark, as a share of the track's points. Higher: fewer remarks.

Lower: more remarks, which nag."""
NOTABLE_GAIN = 0.04
"""Least gain of a throw over its expected points that gets a remark, as a share of the track's length in points.
Higher: fewer remarks; lower: more, which nag. Above NOTABLE_COST, as gains are more frequent than regrets."""
WORDINGS = 20
"""Number of texts that each language has for each kind of remark on a throw or decision. Each is used once a sitting,
so it also limits the remarks of a kind. Higher: the catalogues lack texts; lower: fewer remarks."""


class Remark(msgspec.Struct, frozen=True):
    """A comment on one line of a game.

    Attributes:
        kind: `cost`: a decision with regret. `won`: a throw within a turn that gained much.
        wording: Number of its text, from 0 to `WORDINGS` - 1.
        player: Name of the player who made the line.
        points: Expected points lost or gained, rounded.
        better: The best option of a costly decision as a transcript line, or `{"throw": n}`.
    """

    kind: Kind
    wording: int
    player: str
    points: int
    better: Json | None = None


class Remarks:
    """Finds what deserves a remark in the current game. Thread-safe; never blocks the table's writer.

    Args:
        state: Returns the table's current state.
        settings: Returns the table's settings: whether the house makes remarks, and its name.
    """

    def __init__(self, state: Callable[[], TableState], settings: Callable[[], TableSettings]) -> None:
        self._state, self._settings = state, settings
        self._lock = threading.Lock()
        self._sitting: int | None = None
        self._judged: dict[int, Remark | None] = {}
        self._made: dict[Kind, int] = {"cost": 0, "won": 0}

    def newest(self) -> Json:
        """Return the remark about the newest line of the game on the table, as JSON values.

        Judges all lines that were not judged yet.

        Returns:
            `number` of the table's last entry. `remark`: the fields of `Remark`, whose text the page looks up, or None.
            `by`: name of the bot in this game, else the setting `house_name`, else the table's name.

            `remark` is None if the last entry is no line, or a line without a remark. Without a game or a line, in
            tournament mode, and with remarks turned off, `remark` is None and `by` is never the bot.
        """
        record, settings = self._state().record, self._settings()
        game, name = record.game, settings.house_name or settings.name
        if game is None or game.terms.serious or not settings.remarks or not game.lines:
            return {"number": record.number, "remark": None, "by": name}
        with self._lock:
            if game.sitting != self._sitting:
                self._sitting, self._judged, self._made = game.sitting, {}, {"cost": 0, "won": 0}
                for earlier in record.games[:-1]:  # after a restart: what was said this evening is not said again
                    if earlier.sitting == game.sitting:
                        self._judge(reopened(earlier))
            self._judge(game)
            newest = game.lines[-1].number
            remark = self._judged[newest] if newest == record.number else None
        by = game.terms.house.player if game.terms.house else name
        return {"number": record.number, "remark": msgspec.to_builtins(remark), "by": by}

    def _judge(self, game: PlayedGame) -> None:
        """Decide whether each transcript line of a game deserves a remark, and keep the answers in memory.

        Lines that were judged before are left as they are. Lines of the bot, and lines that deserve no remark, get
        None. Once all texts for a kind of remark are used, lines of that kind get None, too. Each remark uses up one
        text for the sitting.
        """
        house = game.terms.house.player if game.terms.house else None
        for line, (before, after) in zip(game.lines, pairwise(game.transcript.steps), strict=True):
            if line.number not in self._judged:
                player = before.state.standing.player
                self._judged[line.number] = self._remark(player, after) if player and player != house else None

    def _remark(self, player: str, transcript: Transcript) -> Remark | None:
        """Return a remark about the last line of a transcript, and count its wording as used.

        `player` is the name of the player who made the line.

        None if the line is not notable, if the values of its options are not known, or if all wordings of its kind are
        used.
        """
        found = None
        with contextlib.suppress(RulesError):  # nothing is known about what options are worth
            found = notable(transcript)
        if found is None or self._made[found[0]] == WORDINGS:
            return None
        kind, points, better = found
        wording = random.Random(f"{self._sitting} {kind}").sample(range(WORDINGS), WORDINGS)[self._made[kind]]
        self._made[kind] += 1
        return Remark(kind, wording, player, points, better)


def notable(transcript: Transcript) -> tuple[Kind, int, Json | None] | None:
    """Return why the last line of a transcript deserves a remark, judged by expected points; None if it does not.

    - `won`: a throw whose gain over its expected points is at least the share NOTABLE_GAIN of the track's points. The
      turn goes on, and the throw is not the turn's first line, where nothing was at risk.
    - `cost`: any other line whose choice, such as to throw, has a regret of at least the share NOTABLE_COST of the
      track's points. Where win probabilities are exact, the choice was not the best for the win, either.

    None for a line of the roll-off and for a header alone. Raises RulesError if the expected points of the options are
    not known.

    Returns:
        The kind, `won` or `cost`; the points gained or lost, rounded; and for `cost` the best option, else None.
        The option is `{"throw": n}` for throwing n dice, or the transcript line of a decision.
    """
    action, earlier = transcript.last, transcript.before
    if action is None or earlier is None or isinstance(earlier.state, RollOff):
        return None
    before, after = earlier.state, transcript.state
    values = values_in_points(before)
    track = game_named(before.standing.header.game).track(before)
    length = track.holes * track.points_per_hole
    best, cost, better = regret_of(values, value_taken(values, before, action, after, "points"))
    begun = earlier.before is not None and _same_turn(earlier.before.state, before)
    if isinstance(action, Throw) and begun and _same_turn(before, after):
        gain = max(value for _, value in values_in_points(after)) - (best - cost)
        if gain >= NOTABLE_GAIN * length:
            return "won", round(gain), None
    if better is None or cost < NOTABLE_COST * length or is_best_to_win(before, action, after):
        return None
    return "cost", round(cost), option_line(better)


def _same_turn(one: State, other: State) -> bool:
    """Whether two states of a game are in the same turn; false if `one` is a roll-off or `other` is the end."""
    return not isinstance(one, RollOff) and not other.standing.over and one.standing.turn == other.standing.turn
