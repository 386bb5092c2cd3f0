"""All errors that the project raises on purpose, each with a message for people, and the reasons to doubt a reading."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from enum import StrEnum


class Doubt(StrEnum):
    """Why people are asked about a throw: the reader does not trust its reading, or the table its interpretation."""

    COUNT = "count"
    """The number of dice differs from the expected one; or, if it is unknown, one more or fewer is nearly as likely."""
    UNREAD = "unread"
    """A die has no confident value."""
    OBJECT = "object"
    """Something of a die's size differs from the empty tray and is no detected die: an object, a die, light, shadow."""
    DISAGREE = "disagree"
    """The detector and the classifier, or several frames, give different values for one die."""
    CUT_OFF = "cut_off"
    """A die, or a die-sized object, crosses the edge of the visible area."""
    COCKED = "cocked"
    """A die leans or lies on another: two faces overlap, or a face has a size that no flat die has."""
    MOVED = "moved"
    """Dice changed places; they may have been thrown or only pushed."""
    FOUND = "found"
    """Dice were in the tray when the table started; they may have been thrown meanwhile."""
    UNSURE = "unsure"
    """The dice can be more than one legal throw."""


class CompanionError(Exception):
    """Something went wrong that a person can be told in one sentence, with the next step."""


class RulesError(CompanionError, ValueError):
    """A transcript's header is wrong, odds are not known for a game, or (as a subclass) one of its lines is refused."""

    code = "rules"


class IllegalAction(RulesError):
    """A well-formed line that the rules or the state of the game refuse."""

    code = "illegal_action"


class WalkoverUsed(IllegalAction):
    """A player's return to a tournament, refused because a later match was played on the walkover."""

    code = "walkover_used"


class NotationError(RulesError):
    """A line that is not in the notation of transcripts."""

    code = "notation"


class StaleAction(RulesError):
    """A command that was made for an older snapshot of the table than the newest."""

    code = "stale"


class SetupError(CompanionError):
    """Settings that can't work: all that is wrong with them, told at once.

    Attributes:
        problems: One sentence for each thing that is wrong, with the nearest known key where there is one.
    """

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(self.problems))


class PinNeeded(SetupError):
    """A setting that may damage hardware was changed without the PIN."""


class DeviceError(CompanionError):
    """A part is ill: a camera, a strip, a button, a disk.

    Attributes:
        what: What is wrong, one sentence.
        cure: What to do about it, one sentence.
    """

    def __init__(self, what: str, cure: str) -> None:
        self.what = what
        self.cure = cure
        super().__init__(f"{what} {cure}")


@contextmanager
def explained(what: str, cure: str) -> Iterator[None]:
    """Context manager: turn an OSError into a DeviceError, with the system's reason in brackets after `what`.

    `what` is a sentence without its full stop, `cure` a whole one.

    >>> with explained("The list can't be read", "Name another."):
    ...     open("/no/such/list")
    Traceback (most recent call last):
    companion.errors.DeviceError: The list can't be read (No such file or directory). Name another.
    """
    try:
        yield
    except OSError as refused:
        raise DeviceError(f"{what} ({refused.strerror or refused}).", cure) from None


class PictureError(CompanionError):
    """A file that can't be read as a picture or a video, or a picture that can't be written."""


def counted(number: int, one: str, more: str = "") -> str:
    """Return a number with its noun: `one` after 1, else `more`; without `more` it is `one` with an s.

    >>> counted(1, "game"), counted(0, "game"), counted(2, "die is", "dice are")
    ('1 game', '0 games', '2 dice are')
    """
    return f"{number} {one if number == 1 else more or one + 's'}"


def cause(failure: BaseException) -> str:
    """Return an exception's type and message, for a log or a health sentence; the type alone if it has no message.

    >>> cause(ValueError("no pins")), cause(TimeoutError())
    ('ValueError: no pins', 'TimeoutError')
    """
    return f"{type(failure).__name__}: {failure}".removesuffix(": ")


def nearest(word: str, known: Iterable[str]) -> str:
    """Return the end of an error message about an unknown word: the most similar known word.

    If none is similar, the text lists all known words; if `known` is empty, it says that none is known.

    >>> nearest("camara", ["camera", "strip"])
    "; did you mean 'camera'?"
    """
    words = list(known)
    close = get_close_matches(word[:64], words, n=1)
    if close:
        return f"; did you mean {close[0]!r}?"
    return f"; known: {', '.join(words)}." if words else "; none is known."
