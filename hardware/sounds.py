"""Sound effects for the machine's loudspeaker: decaying tones, played by ALSA's `aplay`.

Without a player or a sound card the table goes on without sound, and `health` says so.
"""

from __future__ import annotations

import io
import queue
import subprocess
import threading
import wave
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

RATE_HZ = 22_050
"""Sampling rate, in samples a second: enough for tones up to 3 kHz with their partials. More is not heard."""
PLAYER = ("aplay", "--quiet", "-")
"""Command that plays a WAV file from standard input."""
PLAYER_TIMEOUT_S = 5.0
"""Longest time, in seconds, for the player program to play an effect; after that it is killed and a fault reported.
Every effect is shorter. Longer keeps later effects, and the program's stop, waiting for a stuck sound card."""
USUAL_VOLUME = 0.5
"""Volume until the settings apply, and of the effect that `pegpip doctor` plays: peak as a share of full scale, 0 to 1.
Twice as much is as loud as the card allows. The setting `volume` has a default of its own."""
MAX_WAITING_EFFECTS = 2
"""Largest number of effects that wait to be played; others are dropped. More lets sounds lag behind the game."""


@dataclass(frozen=True, slots=True)
class Note:
    """A struck note.

    Attributes:
        pitch_hz: Pitch in Hz.
        at_s: Seconds from the start of the sound to the stroke.
        rings_s: Seconds in which the note decays to a thousandth.
    """

    pitch_hz: float
    at_s: float
    rings_s: float = 0.35


TRIAL = (Note(523, 0.0), Note(659, 0.09), Note(784, 0.18))
"""Three rising notes, to try the loudspeaker: pitch in Hz and start in seconds. Larger starts make the tune slower."""


@lru_cache(maxsize=16)
def sound(tones: tuple[Note, ...], volume: float = USUAL_VOLUME) -> bytes:
    """Return a WAV file (22,050 Hz, mono, 16 bit) of one or more bell-like notes, with its peak at `volume`, 0 to 1.

    Each note begins at its own `at_s`, so notes may overlap. Cached.
    """
    length_s = max(tone.at_s + tone.rings_s for tone in tones)
    time_s = np.arange(round(length_s * RATE_HZ)) / RATE_HZ
    mixed = np.zeros_like(time_s)
    for tone in tones:
        since_s = time_s - tone.at_s
        # A third partial makes it a bell rather than a beep; 5 ms of attack avoid a click.
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
    """Play a WAV file on the machine's loudspeaker, for at most PLAYER_TIMEOUT_S; return when it has ended.

    Returns what went wrong, with the cure, or None.
    """
    try:
        done = subprocess.run(PLAYER, input=wav, capture_output=True, timeout=PLAYER_TIMEOUT_S, check=False)
    except FileNotFoundError:
        return "Sounds can't be played: aplay is missing. sudo apt install alsa-utils, or set [sound] effects = false."
    except (OSError, subprocess.TimeoutExpired) as refused:
        return f"Sounds can't be played ({refused}). Check the sound card, or set [sound] effects = false."
    if done.returncode != 0:
        why = (done.stderr.decode(errors="replace").strip().splitlines() or ["no reason given"])[-1]
        return f"Sounds can't be played ({why}). Check the sound card, and that the user is in the group audio."
    return None


class Chimes:
    """Plays effects in turn on a thread of its own. The table never waits for it.

    Attributes:
        volume: 0 (silent) to 1; may be set at any time.
    """

    def __init__(self, play: Callable[[bytes], str | None] = aplay) -> None:
        self._play, self.volume = play, USUAL_VOLUME
        self._asked: queue.Queue[tuple[Note, ...] | None] = queue.Queue()
        self._illness: str | None = None
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Start the thread that plays sound effects, with an empty queue; do nothing while it runs."""
        if not self.alive():
            # A queue of its own: a thread that still hangs after `stop` must not take what is meant for this one.
            self._asked = queue.Queue()
            self._thread = threading.Thread(target=self._run, args=(self._asked,), name="sounds", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Stop the playing thread once it has played the queued effects. Waits for at most 6 s."""
        thread, self._thread = self._thread, None
        if thread is not None:
            self._asked.put(None)
            thread.join(timeout=PLAYER_TIMEOUT_S + 1)

    def alive(self) -> bool:
        """Return whether the playing thread runs."""
        return self._thread is not None and self._thread.is_alive()

    def chime(self, tones: tuple[Note, ...]) -> None:
        """Queue an effect. It is dropped if it has no tones, the volume is 0, or MAX_WAITING_EFFECTS are queued."""
        if tones and self.volume > 0 and self._asked.qsize() < MAX_WAITING_EFFECTS:
            self._asked.put(tones)

    def health(self) -> tuple[bool, str]:
        """Return whether the last effect, if any, could be played, and a sentence for the page."""
        if self.volume <= 0:
            return True, "effects are off"
        return (True, "effects are played") if self._illness is None else (False, self._illness)

    def _run(self, asked: queue.Queue[tuple[Note, ...] | None]) -> None:
        """Play the effects queued in `asked` until None; keep the fault of the last one, or None, for `health`."""
        while (tones := asked.get()) is not None:
            self._illness = self._play(sound(tones, self.volume))
