"""The snapshot: the whole table as everyone sees it, one frozen and numbered value."""

from __future__ import annotations

from typing import Any

import msgspec

from companion.games.engine.views.board import Track
from companion.games.engine.views.panels import Panels
from companion.games.engine.views.phrase import Phrase
from companion.table.terms import USUAL, Terms

Notice = Phrase
"""What the table sees or waits for, as a code with arguments; pages turn it into words.

Waiting: `throw` {player, sizes, decisions}, `decide` {player, decisions}, `choose_point` {player, values},
`freeze` {player, value, missing, sizes}, `choose_entry` {player, kept, again}, `choose_keep` {player, dice,
for_example}, `hold` {player, dice, points, turn_points, sizes, decisions}, `hold_on` {as hold} where a stop is not
allowed yet, `clear_tray` {player, sizes}, `banking`
{after_s}, `restored` {scores, player}. Where all dice may be thrown again an empty tray can't bank, only the button
or a phone: `hold_all` {as hold} with the last of them in the keep zone, `again_or_bank` {player, sizes} while dice
lie there, `throw_or_bank` {player, sizes} once none does. In the house's turn `house_decides` {player},
`house_awaits` {player, count, staying} where somebody must throw so many for it, `house_throws` {as house_awaits}
where it does so itself; `house_awaits_on` {as house_awaits} and `house_throws_on` {as house_awaits} where dice stay.
Wrong: `illegal_hold` {player?, reason, dice, value?, values?}, with `reason` one of `pair_needed`, `one_value`,
`all_of_value` {missing}, `not_the_point`, `too_many`, `not_of_throw`, `does_not_score`; `changed` {was, kept};
`count` {wanted, seen, kept}; `unclear` {code: a doubt's}; `decide_first` {player, decisions, seen}: dice were
thrown before a decision that must come first; `ill` {what, cure}.
"""


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """A question about a doubtful reading: the values read die by die, and the photo.

    Attributes:
        id: Number of the question; an answer must carry it.
        code: Code of the doubt.
        wanted: Numbers of dice that the rules allow, ascending.
        values: Values read, in the order of `boxes_xywh`.
        boxes_xywh: Boxes in pixels of the photo.
        confidences: Confidences, 0 to 1, in the same order.
        photo: Path of the photo under the site's root (`/api/question.jpg?id=3`), or None.
    """

    id: int
    code: str
    wanted: tuple[int, ...]
    values: tuple[int, ...]
    boxes_xywh: tuple[tuple[int, int, int, int], ...]
    confidences: tuple[float, ...]
    photo: str | None


class Thrown(msgspec.Struct, frozen=True, kw_only=True):
    """A throw: its number (unique in the data folder), the player, the values and how it was entered."""

    number: int
    player: str
    values: tuple[int, ...]
    source: str  # camera, answered (the camera asked), hand, corrected
    photo: bool


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """Something that happened, for the log, the lights and the voice.

    Attributes:
        number: Number of the journal entry that caused it.
        code: The key of its text: `game_started`, `game_over`, `undone`, `corrected`, `abandoned`, or the game's own.
        args: Arguments of its text; `player` and `on` are names.
        side: Index in `Snapshot.sides` of the side it is about.
        moment: Kind of its light and sound.
        called: Whether the voice calls it out.
        cheered: Whether it fills the pub's screen for a moment.
        words: Its English text, if no catalogue has one.
    """

    number: int
    code: str
    args: dict[str, Any]
    side: int | None = None
    moment: str | None = None
    called: bool = False
    cheered: bool = False
    words: str | None = None


class News(msgspec.Struct, frozen=True):
    """What is new in a snapshot; sent once to every subscriber.

    Attributes:
        events: New events, oldest first.
        taken_back: Whether an earlier event is no longer true.
    """

    events: tuple[Event, ...] = ()
    taken_back: bool = False


class Side(msgspec.Struct, frozen=True):
    """A side of the current game: a player or a team.

    Attributes:
        name: Name of the player or team.
        colour: Index into the palette, 0 to 9.
        score: Banked score.
        ahead: Score if the turn were banked now.
        back: Hole of the back peg: where the peg was before its last gain.
        to_play: Whether it is this side's turn.
        won: Whether it has won.
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
    """A highlight of a game: its kind (`best_turn`, `dearest_loss`), side, points and last throw with a photo."""

    kind: str
    side: int
    points: int
    throw: int | None


class Sitting(msgspec.Struct, frozen=True, kw_only=True):
    """The sitting so far: games played, games lost by name, and the colour (0 to 9) of each player."""

    games: int = 0
    games_lost: dict[str, int] = {}
    colours: dict[str, int] = {}


class Offer(msgspec.Struct, frozen=True, kw_only=True):
    """A correction that must be confirmed, because later lines would become illegal and be dropped.

    Attributes:
        id: Number that `ConfirmCorrection` must carry.
        throw: Number of the throw.
        was: Its present values.
        values: Its corrected values.
        dropped: Lines that would be dropped, oldest first: `{"line": {...}, "why": "..."}`.
    """

    id: int
    throw: int
    was: tuple[int, ...]
    values: tuple[int, ...]
    dropped: tuple[dict[str, Any], ...]


class TrayPlan(msgspec.Struct, frozen=True):
    """What the tray should hold now.

    Attributes:
        dice: Number of dice in both zones together; None if the rules leave it open.
        fresh: Whether the next throw uses all dice, including those still in the tray.
    """

    dice: int | None = None
    fresh: bool = True


class Snapshot(msgspec.Struct, frozen=True, kw_only=True):
    """The whole table.

    Attributes:
        number: Of the journal's last entry; what a command must name. It survives a restart.
        pulse: Grows whenever anything shown here changes, the number or not; starts at 0 with the program.
        game: Its name as in a header; None before the first game.
        header: The transcript header of the game that is on.
        state: The game's state as `pegpip replay --json` prints it, with `line`.
        sides: Who plays against whom, in the order of the seats.
        track: Where their pegs stand.
        panels: What a page shows beside them.
        phase: `ready`, `settling`, `read`, `asking` or `over`.
        question: What must be settled before play goes on, while `phase` is `asking`.
        notice: What the table sees or waits for.
        tray: What the tray is to hold now.
        thrown: Values that lie in the throw zone as last seen.
        kept: Values that lie in the keep zone as last seen.
        options: Decision lines that would be accepted now.
        option_points: What each of them brings, in their order: the points of the turn after it, or banked by it.
        rule_of_thumb: What somebody would do who plays by one: an option, or `{"throw": 4}`; None in a serious game.
        safe_chance: Exact chance that the next throw is no wipe-out, when a throw is allowed.
        throws: The last throws of this game, oldest first; `GET /api/throws` has all of them.
        events: The last things that happened, oldest first.
        race: Every change of a score since the start, oldest first: the side and its score after it.
        highlights: What the game is remembered by, once it is over.
        sitting: Games lost this evening.
        correction: A correction that waits to be confirmed.
        choice: The line that the bank button plays now, where there are several; the next button goes on to another.
        abandoned: Whether the game was ended without a result.
        next_starter: Who starts when the next game is called; None until this one is over.
        terms: What is agreed on the game besides its rules: whom the house plays, whether it is serious, which dice.
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
