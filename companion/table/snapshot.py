"""The snapshot: the whole table as everyone sees it, one frozen and numbered value."""

from __future__ import annotations

from typing import Any

import msgspec

from companion.errors import Doubt
from companion.games.engine.event import Tone
from companion.games.engine.views.board import Track
from companion.games.engine.views.panels import Panels
from companion.games.engine.views.phrase import Phrase
from companion.table.terms import USUAL, Terms
from companion.tournaments import Match, Placing

Notice = Phrase
"""A notice of what the table sees or waits for: a code with arguments, which pages turn into words.

Waiting: `throw` {player, sizes, decisions}, `decide` {player, decisions}, `clear_tray` {player, sizes}, `banking`
{after_s}, `restored` {scores, player}. Waiting for a decision of one game alone: `choose_point` {player, values},
`freeze` {player, value, missing, sizes}, `choose_entry` {player, kept, again}, `choose_keep` {player, dice,
for_example}, `hold` {player, dice, points, turn_points, sizes, decisions}, `hold_on` {as hold, least}
before a stop is legal: the first bank takes `least` points.

Where all dice may be thrown again, an empty tray does not bank; only the button or a phone does. `hold_all` {as hold}:
the last dice are in the keep zone. `again_or_bank` {player, sizes}: dice are in the tray. `throw_or_bank` {player,
sizes}: the tray is empty.

In the bot's turn: `house_decides` {player}. `house_awaits` {player, count, staying}: a person must throw `count` dice
for it. `house_throws` {as house_awaits}: it throws them itself. `house_awaits_on`, `house_throws_on` {as
house_awaits}: for a throw beside dice that stay in the tray.

Wrong: `illegal_hold` {player?, reason, dice, value?, values?}. Its `reason` is `pair_needed`, `one_value`,
`all_of_value` {missing}, `not_the_point`, `too_many`, `not_of_throw` or `does_not_score`. `changed` {was, kept}.
`count` {wanted, seen, kept}. `unclear` {code: a doubt's}. `decide_first` {player, decisions, seen}: dice were thrown
before a decision that must come first. `ill` {what, cure}.
"""


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """A question about a doubtful reading, whose `id` an answer must carry: the values read die by die, and the photo.

    `code` is the doubt's, and `wanted` are the numbers of dice that the rules allow, ascending. Values, boxes in pixels
    of the photo, and confidences, 0 to 1, are in one order. `photo` is a path (`/api/question.jpg?id=3`), or None.
    """

    id: int
    code: Doubt
    wanted: tuple[int, ...]
    values: tuple[int, ...]
    boxes_xywh: tuple[tuple[int, int, int, int], ...]
    confidences: tuple[float, ...]
    photo: str | None


class Thrown(msgspec.Struct, frozen=True, kw_only=True):
    """A throw: its number (unique in the data folder), the player, the values and how it was entered.

    `boxes` are the dice in the photo as read, outside the keep zone: x, y, width and height in pixels, and the value.
    """

    number: int
    player: str
    values: tuple[int, ...]
    source: str  # camera, answered (the camera asked), hand, corrected
    photo: bool
    boxes: tuple[tuple[int, int, int, int, int], ...] = ()


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """An event of the game, for the log, the lights and the voice.

    Attributes:
        number: Number of the journal entry that caused it.
        code: Key of its text: `game_started`, `game_over`, `undone`, `corrected`, `abandoned`, or the game's own.
        args: Arguments of its text; `player` and `on` are names.
        side: Index in `Snapshot.sides` of the side that the event belongs to.
        tones: Notes that the loudspeaker and the phones play.
        called: Whether the voice reads it out.
        cheered: Whether the pub's screen shows it full-size for a moment.
        replayed: Whether the pub's screen then shows its throw again, in slow motion.
        words: Its English text, if no catalogue has one.
    """

    number: int
    code: str
    args: dict[str, Any]
    side: int | None = None
    tones: tuple[Tone, ...] = ()
    called: bool = False
    cheered: bool = False
    replayed: bool = False
    words: str | None = None


class News(msgspec.Struct, frozen=True):
    """News of a snapshot, sent once to every subscriber: new events, oldest first, and whether one is taken back."""

    events: tuple[Event, ...] = ()
    taken_back: bool = False


class Side(msgspec.Struct, frozen=True):
    """A side of the current game: a player or a team, with its colour (0 to 9) and its banked score.

    Attributes:
        ahead: Score if the turn were banked now.
        back: Hole of the back peg: where the peg was before its last gain.
        games_lost: Games lost by this game, once it is over.
    """

    name: str
    colour: int
    score: int
    ahead: int
    back: int = 0
    to_play: bool = False
    won: bool = False
    games_lost: int = 0


class Highlight(msgspec.Struct, frozen=True, kw_only=True):
    """A highlight of a game: its kind (`best_turn`, `dearest_loss`), side, points and last throw, if it has a photo."""

    kind: str
    side: int
    points: int
    throw: int | None


class Sitting(msgspec.Struct, frozen=True, kw_only=True):
    """The sitting so far: games played, games won and lost by name, who is ahead, and each player's colour (0 to 9).

    A win that n sides share counts 1/n. `ahead` names who has won most games; of those who has lost the fewest.
    """

    games: int = 0
    games_won: dict[str, float] = {}
    games_lost: dict[str, int] = {}
    ahead: tuple[str, ...] = ()
    colours: dict[str, int] = {}


class Offer(msgspec.Struct, frozen=True, kw_only=True):
    """A correction of throw `throw` that must be confirmed (`ConfirmCorrection`), because later lines become illegal.

    Its values `was` would become `values`. `dropped` are the lines that would be dropped, oldest first:
    `{"line": {...}, "why": "..."}`.
    """

    id: int
    throw: int
    was: tuple[int, ...]
    values: tuple[int, ...]
    dropped: tuple[dict[str, Any], ...]


class TournamentView(msgspec.Struct, frozen=True, kw_only=True):
    """The tournament at this table: its draw, its matches in the order to be played, and its standings, best first.

    `form` is `knockout` or `round_robin`, and `handicaps` are points by name. `left` are the players who have left.
    `next` is the transcript header of the next game, or None. It is over when every match has a result.
    """

    form: str
    game: str
    players: tuple[str, ...]
    handicaps: dict[str, int]
    left: tuple[str, ...]
    next: dict[str, Any] | None
    over: bool
    matches: tuple[Match[str, int], ...]
    standings: tuple[Placing[str], ...]


class TrayPlan(msgspec.Struct, frozen=True):
    """Number of dice that both zones of the tray should hold now (None: any), and whether all are thrown next."""

    dice: int | None = None
    fresh: bool = True


class Snapshot(msgspec.Struct, frozen=True, kw_only=True):
    """Public state of the whole table at one moment. Values of dice are those of the last reading, by zone.

    Attributes:
        number: Number of the journal's last entry; a command must name it. Survives a restart.
        pulse: Version of this value, from 0 at each start; grows with every visible change.
        game: Name of the current game as in a header; None before the first game.
        state: State of the game as `pegpip replay --json` prints it, with `line`.
        sides: Players or teams, in seat order.
        phase: `ready`, `settling`, `read`, `asking` or `over`.
        question: Question to answer before play goes on, while `phase` is `asking`.
        notice: Code of what the table sees or waits for.
        options: Decision lines that are legal now.
        option_points: For each option the turn's points after it, or the points that it banks.
        rule_of_thumb: Choice of the rule of thumb: an option, or `{"throw": 4}`; None in a serious game.
        safe_chance: Exact probability that the next throw does not end the turn without points, when one is legal.
        throws: Last throws of this game, oldest first, as the last events; `GET /api/throws` has all of them.
        race: Every change of a score since the start, oldest first: index of the side, and its score after it.
        highlights: Best turn and costliest loss, once the game is over.
        correction: Correction that must be confirmed.
        choice: Line that the bank button plays now, where there are several; the next button selects another.
        next_starter: Name of the player who starts the next game; None until this one is over.
    """

    number: int
    pulse: int = 0
    game: str | None = None
    header: dict[str, Any] | None = None
    state: dict[str, Any] | None = None
    sides: tuple[Side, ...] = ()
    track: Track | None = None
    panels: Panels = Panels()
    phase: str = "over"
    question: Question | None = None
    notice: Phrase | None = None
    tray: TrayPlan = TrayPlan()
    thrown: tuple[int, ...] = ()
    kept: tuple[int, ...] = ()
    options: tuple[dict[str, Any], ...] = ()
    option_points: tuple[int, ...] = ()
    rule_of_thumb: dict[str, Any] | None = None
    safe_chance: float | None = None
    throws: tuple[Thrown, ...] = ()
    events: tuple[Event, ...] = ()
    race: tuple[tuple[int, int], ...] = ()
    highlights: tuple[Highlight, ...] = ()
    sitting: Sitting = Sitting()
    correction: Offer | None = None
    choice: dict[str, Any] | None = None
    abandoned: bool = False
    next_starter: str | None = None
    terms: Terms = USUAL
    tournament: TournamentView | None = None
