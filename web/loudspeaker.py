"""The table's voice: the program `espeak-ng` speaks events of the game. It is off until someone turns it on.

The table speaks, because phones' browsers block speech until they are touched. Speech stops in mid-word when an undo
or a correction makes it untrue.
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
from web.catalogue import say, texts

log = logging.getLogger(__name__)

PROGRAM = "espeak-ng"
"""Name of the text-to-speech program."""
MAX_SPEECH_S = 15.0
"""Longest time in seconds that one text may be spoken; then it is cut off. Higher: a hanging program lives longer.
Lower: long texts are cut."""
MAX_AMPLITUDE = 200
"""espeak-ng's amplitude (option `-a`) at volume 1, which is its largest; at volume 0.5 it is half of that."""
DEFAULT_VOLUME = 0.5
"""Volume, 0 (silent) to 1 (loudest), until the settings give another."""


class Spoken(Protocol):
    """A text that is being spoken."""

    def cut(self) -> None:
        """Stop speaking immediately."""


class Loudspeaker:
    """Speaks the events that come with each snapshot, while it is on. A subscriber of the table (`hear`).

    Args:
        language: Code of the spoken language, such as `en`.
        speak: Starts to speak a text, and returns the speech; by default by espeak-ng.

    Attributes:
        language: Code of the spoken language; may be set at any time.
        volume: Volume, 0 to 1; may be set at any time.
    """

    def __init__(self, language: str = "en", speak: Callable[[str], Spoken] | None = None) -> None:
        self.language, self.volume = language, DEFAULT_VOLUME
        self._needs_program = speak is None
        self._speak = speak or (lambda words: espoken(words, self.language, self.volume))
        self._lock = threading.Lock()
        self._speaking: Spoken | None = None
        self._on = False
        self._notice: Notice | None = None

    @property
    def on(self) -> bool:
        """Whether the voice is turned on."""
        return self._on

    @property
    def why_unable(self) -> DeviceError | None:
        """The error that says why this machine can't speak and what to do; None if it can speak."""
        if not self._needs_program or shutil.which(PROGRAM) is not None:
            return None
        return DeviceError("The table can't speak: espeak-ng is missing.", "Install it: sudo apt install espeak-ng.")

    def turn(self, on: bool) -> None:
        """Turn the voice on; or turn it off and stop what is being spoken.

        Raises DeviceError if it is turned on but this machine can't speak.
        """
        if on and (why := self.why_unable) is not None:
            raise why
        self._on = on
        if not on:
            self.hush()

    def hear(self, snapshot: Snapshot, news: News) -> None:
        """Speak the new events; if nothing is said about them, speak the bot's new request to throw its dice.

        Nothing is spoken while the voice is off. New words, an undo or a correction cut off what is being spoken. The
        call does not wait for the end of the speech.

        Args:
            snapshot: The newest snapshot of the table.
            news: The events since the snapshot before it, and whether earlier events were taken back.
        """
        prompt = self._throw_prompt(snapshot.notice)  # even if events have words: it remembers the notice
        words = call_outs(news.events, self.language) or prompt
        if news.taken_back or words:
            self.hush()
        if words:
            self._begin(words)

    def _throw_prompt(self, notice: Notice | None) -> str:
        """Return the sentence with which the bot asks people to throw its dice; "" if `notice` is no such request.

        The notice is remembered: if the previous call had an equal one, "" is returned.
        """
        known, self._notice = self._notice, notice
        if notice is None or notice == known or not notice.code.startswith("house_awaits"):
            return ""
        args = {key: _joined(value) for key, value in notice.args.items()}
        return say(self.language, f"notice.{notice.code}", **args)

    def _begin(self, words: str) -> None:
        """Start speaking a text if the voice is on. If the program can't start, log that and turn the voice off."""
        with self._lock:
            try:
                self._speaking = self._speak(words) if self._on else None
            except OSError as mute:
                log.warning("the table can't speak (%s): its voice is turned off", mute)
                self._on = False

    def hush(self) -> None:
        """Stop what is being spoken immediately; the voice stays on or off as it is."""
        with self._lock:
            if self._speaking is not None:
                self._speaking.cut()
                self._speaking = None


class Speaking:
    """A text that is being spoken by a program that reads it from its standard input.

    Args:
        program: The running program.
        words: The text.
    """

    def __init__(self, program: subprocess.Popen[bytes], words: str) -> None:
        self._program = program
        threading.Thread(target=self._speak_words, args=(words,), name="voice", daemon=True).start()

    def _speak_words(self, words: str) -> None:
        """Write the text to the running speech program, and wait until the program ends.

        Called in the speech's own thread. The program is killed after `MAX_SPEECH_S`. No error is raised if the program
        was stopped before it had read the text.
        """
        try:
            self._program.communicate(words.encode(), timeout=MAX_SPEECH_S)
        except subprocess.TimeoutExpired:
            self.cut()
        except (BrokenPipeError, ValueError):
            log.debug("speech was stopped before the program had read its words")

    def cut(self) -> None:
        """Stop the speech by killing the program that speaks it."""
        self._program.kill()


def espoken(words: str, language: str, volume: float = DEFAULT_VOLUME) -> Speaking:
    """Start espeak-ng to speak a text, and return the speech. Raises OSError if the program can't be started.

    The text goes to its standard input, so that a player's name is never taken for an option.

    Args:
        words: The text.
        language: Code of the spoken language.
        volume: Volume, 0 to 1.
    """
    command = [PROGRAM, "-v", language, "-a", str(round(MAX_AMPLITUDE * volume)), "--stdin"]
    pipe = subprocess.PIPE
    quiet = subprocess.DEVNULL
    program = subprocess.Popen(command, stdin=pipe, stdout=quiet, stderr=quiet)
    return Speaking(program, words)


def call_outs(events: Sequence[Event], language: str) -> str:
    """Return the text to speak for events: a sentence for each with `Event.called`, in order; "" for none."""
    return " ".join(words_of(event, language) + "." for event in events if event.called)


def words_of(event: Event, language: str) -> str:
    """Return the sentence that describes a game event in a language, for the voice and the webhook.

    A "!" at the end is removed. Only the sentence of `game_started` ends with a full stop; a caller may add one to the
    others. A won game names its winners. The catalogue may have separate texts for no dice or points (`_nothing`) and
    for one point (`_one`). An event that the catalogue lacks gets the English `Event.words`.
    """
    args: dict[str, Any] = {key: _joined(value) for key, value in event.args.items()}
    if event.code == "game_over" and event.args.get("winners"):
        key = "can.won" if len(event.args["winners"]) == 1 else "can.won_shared"
        return say(language, key, names=args["winners"]).rstrip("!")
    if event.code == "entered":
        args["category"] = say(language, f"category.{event.args['category']}")
    if event.code == "threw":
        args["count"] = len(event.args["dice"])
    some = 0 if event.args.get("dice") == [] else event.args.get("points", 2)
    few = f"event.{event.code}" + {0: "_nothing", 1: "_one"}.get(some, "")
    return say(language, few if few in texts(language) else f"event.{event.code}", event.words, **args).rstrip("!")


def _joined(value: object) -> object:
    return ", ".join(str(each) for each in value) if isinstance(value, list | tuple) else value
