"""Short effects for the loudspeaker of the machine: made of a few decaying tones, played by ALSA's `aplay`.

Never needed: without a player or a sound card the table plays on, and says so.
"""

from __future__ import annotations

import io
import queue
import shutil
import subprocess
import threading
import wave
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

RATE_HZ = 22_050
PLAYER = ("aplay", "--quiet", "-")
LONGEST_S = 5.0
USUAL_VOLUME = 0.5
WAITING = 2
"""More effects than this are dropped: a sound that comes late is worse than none."""


@dataclass(frozen=True, slots=True)
class Tone:
    """One struck note: its pitch, when it begins, and how long it rings (to a thousandth)."""

    pitch_hz: float
    at_s: float
    rings_s: float = 0.35


EFFECTS: dict[str, tuple[Tone, ...]] = {
    "throw": (Tone(330, 0.0, 0.12),),
    "banked": (Tone(523, 0.0), Tone(659, 0.09), Tone(784, 0.18)),
    "wipe_out": (Tone(220, 0.0), Tone(165, 0.15, 0.5)),
    "fuchle": (Tone(196, 0.0), Tone(147, 0.15), Tone(98, 0.3, 0.7)),
    "bomb": (Tone(880, 0.0, 0.08), Tone(110, 0.5, 0.8), Tone(82, 0.52, 0.9)),
    "bump": (Tone(262, 0.0, 0.15), Tone(196, 0.1, 0.25)),
    "rollover": (Tone(440, 0.0), Tone(554, 0.08), Tone(659, 0.16)),
    "finish": (Tone(523, 0.0), Tone(659, 0.13), Tone(784, 0.26), Tone(1047, 0.39, 0.9)),
}
"""The kinds of `hardware.view.Moment` that are heard."""


@lru_cache(maxsize=16)
def sound(kind: str, volume: float = USUAL_VOLUME) -> bytes:
    """A WAV file of the effect, 22,050 Hz, mono, 16 bit; its peak is that part of full. Raises KeyError."""
    tones = EFFECTS[kind]
    length_s = max(tone.at_s + tone.rings_s for tone in tones)
    time_s = np.arange(round(length_s * RATE_HZ)) / RATE_HZ
    mixed = np.zeros_like(time_s)
    for tone in tones:
        since_s = time_s - tone.at_s
        # A third partial an octave and a half up makes it a bell rather than a beep; 5 ms of attack, so that no click.
        rings = np.exp(-np.log(1000) * since_s / tone.rings_s) * np.clip(since_s / 0.005, 0, 1)
        struck = np.sin(2 * np.pi * tone.pitch_hz * since_s) + 0.25 * np.sin(6 * np.pi * tone.pitch_hz * since_s)
        mixed += np.where(since_s > 0, rings * struck, 0.0)
    levels = (volume * 32767 * mixed / np.abs(mixed).max()).astype("<i2")
    file = io.BytesIO()
    with wave.open(file, "wb") as written:
        written.setnchannels(1)
        written.setsampwidth(2)
        written.setframerate(RATE_HZ)
        written.writeframes(levels.tobytes())
    return file.getvalue()


def aplay(wav: bytes) -> str | None:
    """Play a WAV file to its end; what went wrong and what to do, or None."""
    if shutil.which(PLAYER[0]) is None:
        return "Sounds can't be played: aplay is missing. sudo apt install alsa-utils, or set [sound] effects = false."
    try:
        done = subprocess.run(PLAYER, input=wav, capture_output=True, timeout=LONGEST_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as refused:
        return f"Sounds can't be played ({refused}). Check the sound card, or set [sound] effects = false."
    if done.returncode != 0:
        why = (done.stderr.decode(errors="replace").strip().splitlines() or ["no reason given"])[-1]
        return f"Sounds can't be played ({why}). Check the sound card, and that the user is in the group audio."
    return None


class Chimes:
    """Plays effects one after the other, on a thread of its own. The table never waits for it.

    Attributes:
        volume: 0 (silent) to 1; may be set at any time.
    """

    def __init__(self, play: Callable[[bytes], str | None] = aplay, volume: float = USUAL_VOLUME) -> None:
        self._play = play
        self.volume = volume
        self._asked: queue.Queue[str | None] = queue.Queue()
        self._illness: str | None = None
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin to play what is asked for; again when its thread has fallen. May be called twice."""
        if not self.alive():
            self._thread = threading.Thread(target=self._run, name="sounds", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Play no more, after the effect that is on. May be called twice."""
        thread, self._thread = self._thread, None
        if thread is not None:
            self._asked.put(None)
            thread.join(timeout=LONGEST_S + 1)

    def alive(self) -> bool:
        """Whether its thread runs."""
        return self._thread is not None and self._thread.is_alive()

    def chime(self, kind: str) -> None:
        """Play the effect of that kind soon; one without an effect, or one too many, is left out."""
        if kind in EFFECTS and self.volume > 0 and self._asked.qsize() < WAITING:
            self._asked.put(kind)

    def health(self) -> tuple[bool, str]:
        """Whether the last effect was heard, and a sentence for the page."""
        if self.volume <= 0:
            return True, "effects are off"
        return (True, "effects are played") if self._illness is None else (False, self._illness)

    def _run(self) -> None:
        while (kind := self._asked.get()) is not None:
            self._illness = self._play(sound(kind, self.volume))
