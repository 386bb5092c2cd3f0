"""The table's own voice: call-outs of what happened, spoken by `espeak-ng`; off until someone turns it on.

One voice in the room, from the table: phones' browsers block speech until they are touched. What a correction or an
undo made untrue is cut off in the middle of the word.
"""

from __future__ import annotations

import logging
import shutil
import subprocess
import threading
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from companion.errors import DeviceError
from companion.table.snapshot import Event, News, Notice, Snapshot
from web.catalogue import say

log = logging.getLogger(__name__)

PROGRAM = "espeak-ng"
LONGEST_S = 15.0
LOUDEST = 200
"""espeak-ng's amplitude goes from 0 to 200; it speaks with 100 unless told otherwise."""
USUAL_VOLUME = 0.5


class Spoken(Protocol):
    """Words being spoken."""

    def cut(self) -> None:
        """Be quiet at once."""


class Loudspeaker:
    """Speaks what each snapshot brought.

    Attributes:
        language: What it speaks; may be set at any time.
        volume: How loud, 0 to 1; the same.
    """

    def __init__(self, language: str = "en", speak: Callable[[str], Spoken] | None = None) -> None:
        self.language, self.volume = language, USUAL_VOLUME
        self._can_speak = speak is not None or shutil.which(PROGRAM) is not None
        self._speak = speak or (lambda words: espoken(words, self.language, self.volume))
        self._lock = threading.Lock()
        self._speaking: Spoken | None = None
        self._on = False
        self._notice: Notice | None = None

    @property
    def on(self) -> bool:
        """Whether it speaks."""
        return self._on

    @property
    def mute(self) -> DeviceError | None:
        """Why this machine can't speak; None when it can."""
        if self._can_speak:
            return None
        return DeviceError("The table can't speak: espeak-ng is missing.", "Install it: sudo apt install espeak-ng.")

    def turn(self, on: bool) -> None:
        """Let it speak, or be quiet at once. Raises DeviceError when this machine can't speak."""
        if on and (mute := self.mute) is not None:
            raise mute
        self._on = on
        if not on:
            self.hush()

    def hear(self, snapshot: Snapshot, news: News) -> None:
        """Speak what is new; what was being said gives way to it."""
        words = called(news.events, self.language) or self._asked_for(snapshot.notice)
        if news.taken_back or words:
            self.hush()
        if words and self._on:
            self._begin(words)

    def _asked_for(self, notice: Notice | None) -> str:
        """That somebody is to throw for the house, in words and once; empty for all else."""
        known, self._notice = self._notice, notice
        if notice is None or notice == known or not notice.code.startswith("house_awaits"):
            return ""
        args = {key: _plain(value) for key, value in notice.args.items()}
        return say(self.language, f"notice.{notice.code}", **args)

    def _begin(self, words: str) -> None:
        with self._lock:
            try:
                self._speaking = self._speak(words)
            except OSError as mute:
                log.warning("the table can't speak (%s): its voice is off", mute)
                self._on = False

    def hush(self) -> None:
        """Be quiet at once."""
        with self._lock:
            if self._speaking is not None:
                self._speaking.cut()
                self._speaking = None


class Speaking:
    """Words being spoken by a program that reads them from its standard input."""

    def __init__(self, program: subprocess.Popen[bytes], words: str) -> None:
        self._program = program
        threading.Thread(target=self._tell, args=(words,), name="voice", daemon=True).start()

    def _tell(self, words: str) -> None:
        try:
            self._program.communicate(words.encode(), timeout=LONGEST_S)
        except subprocess.TimeoutExpired:
            self.cut()
        except (BrokenPipeError, ValueError):
            log.debug("cut off while being told its words")

    def cut(self) -> None:
        """Be quiet at once."""
        self._program.kill()


def espoken(words: str, language: str, volume: float = USUAL_VOLUME) -> Speaking:
    """Begin to speak. The words go to standard input: a player's name is never an option of the program."""
    command = [PROGRAM, "-v", language, "-a", str(round(LOUDEST * volume)), "--stdin"]
    pipe = subprocess.PIPE
    quiet = subprocess.DEVNULL
    program = subprocess.Popen(command, stdin=pipe, stdout=quiet, stderr=quiet)
    return Speaking(program, words)


def called(events: Sequence[Event], language: str) -> str:
    """The call-outs of those events as one text; empty when none is worth a word."""
    return " ".join(_words(event, language) + "." for event in events if event.called)


def _words(event: Event, language: str) -> str:
    args: dict[str, Any] = {key: _plain(value) for key, value in event.args.items()}
    if event.code == "game_over":
        winners = event.args.get("winners") or []
        key = "can.won" if len(winners) == 1 else "can.won_shared"
        return say(language, key, names=", ".join(winners)).rstrip("!")
    if event.code == "entered":
        args["category"] = say(language, f"category.{event.args['category']}")
    return say(language, f"event.{event.code}", event.words, **args).rstrip("!")


def _plain(value: object) -> object:
    return ", ".join(str(each) for each in value) if isinstance(value, list | tuple) else value
