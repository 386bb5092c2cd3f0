"""The table's voice: `espeak-ng` speaks what happened. It is off until someone turns it on.

The table speaks, because phones' browsers block speech until they are touched. Speech stops in mid-word when a
correction or an undo makes it untrue.
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
"""Name of the program that speaks."""
LONGEST_S = 15.0
"""Longest time for one call-out, in seconds. After that the program is killed."""
MAX_AMPLITUDE = 200
"""espeak-ng's largest amplitude (`-a`)."""
DEFAULT_VOLUME = 0.5
"""Volume, 0 to 1, until the settings give another."""


class Spoken(Protocol):
    """Speech that is being spoken."""

    def cut(self) -> None:
        """Stop speaking immediately."""


class Loudspeaker:
    """Speaks the news of each snapshot.

    Args:
        language: Code of the spoken language.
        speak: Starts to speak a text, and returns the speech; by default espeak-ng.

    Attributes:
        language: Code of the spoken language; may be set at any time.
        volume: Volume, 0 to 1; may be set at any time.
    """

    def __init__(self, language: str = "en", speak: Callable[[str], Spoken] | None = None) -> None:
        self.language, self.volume = language, DEFAULT_VOLUME
        self._can_speak = speak is not None or shutil.which(PROGRAM) is not None
        self._speak = speak or (lambda words: espoken(words, self.language, self.volume))
        self._lock = threading.Lock()
        self._speaking: Spoken | None = None
        self._on = False
        self._notice: Notice | None = None

    @property
    def on(self) -> bool:
        """Whether it is turned on."""
        return self._on

    @property
    def mute(self) -> DeviceError | None:
        """Error that says why this machine can't speak; None if it can."""
        if self._can_speak:
            return None
        return DeviceError("The table can't speak: espeak-ng is missing.", "Install it: sudo apt install espeak-ng.")

    def turn(self, on: bool) -> None:
        """Turn speech on, or off and stop it. Raises DeviceError if this machine can't speak."""
        if on and (mute := self.mute) is not None:
            raise mute
        self._on = on
        if not on:
            self.hush()

    def hear(self, snapshot: Snapshot, news: News) -> None:
        """Speak the new events, in place of what is being spoken. Undone events stop speech as well.

        Args:
            snapshot: The newest state of the table.
            news: The events since the snapshot before, and whether events were taken back.
        """
        words = called(news.events, self.language) or self._asked_for(snapshot.notice)
        if news.taken_back or words:
            self.hush()
        if words and self._on:
            self._begin(words)

    def _asked_for(self, notice: Notice | None) -> str:
        """Return what to speak when the bot starts to wait for people to throw its dice; "" for any other notice.

        Remembers the notice, so that it is spoken only once.
        """
        known, self._notice = self._notice, notice
        if notice is None or notice == known or not notice.code.startswith("house_awaits"):
            return ""
        args = {key: _plain(value) for key, value in notice.args.items()}
        return say(self.language, f"notice.{notice.code}", **args)

    def _begin(self, words: str) -> None:
        """Start to speak. If the program can't be started, log that and turn the voice off."""
        with self._lock:
            try:
                self._speaking = self._speak(words)
            except OSError as mute:
                log.warning("the table can't speak (%s): its voice is turned off", mute)
                self._on = False

    def hush(self) -> None:
        """Stop speaking immediately; stay turned on."""
        with self._lock:
            if self._speaking is not None:
                self._speaking.cut()
                self._speaking = None


class Speaking:
    """Speech by a program that reads words from its standard input."""

    def __init__(self, program: subprocess.Popen[bytes], words: str) -> None:
        self._program = program
        threading.Thread(target=self._tell, args=(words,), name="voice", daemon=True).start()

    def _tell(self, words: str) -> None:
        """Give the words to the program and wait until it has spoken them; kill it after `LONGEST_S`."""
        try:
            self._program.communicate(words.encode(), timeout=LONGEST_S)
        except subprocess.TimeoutExpired:
            self.cut()
        except (BrokenPipeError, ValueError):
            log.debug("speech was stopped before the program had read its words")

    def cut(self) -> None:
        """Kill the program."""
        self._program.kill()


def espoken(words: str, language: str, volume: float = DEFAULT_VOLUME) -> Speaking:
    """Start espeak-ng and return the running speech.

    Words go to its standard input, so that a player's name is never taken for an option.

    Args:
        words: Text to speak.
        language: Code of the language.
        volume: Volume, 0 to 1.
    """
    command = [PROGRAM, "-v", language, "-a", str(round(MAX_AMPLITUDE * volume)), "--stdin"]
    pipe = subprocess.PIPE
    quiet = subprocess.DEVNULL
    program = subprocess.Popen(command, stdin=pipe, stdout=quiet, stderr=quiet)
    return Speaking(program, words)


def called(events: Sequence[Event], language: str) -> str:
    """Return the sentences to speak for those of the events that are to be called out, as one text; "" for none."""
    return " ".join(_words(event, language) + "." for event in events if event.called)


def _words(event: Event, language: str) -> str:
    """Return the sentence to speak for an event, without its full stop."""
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
