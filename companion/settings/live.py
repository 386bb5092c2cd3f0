"""Apply settings to a running table: strip, lights, sounds and the space for photos."""

from __future__ import annotations

import threading

from companion.evidence.folder import PackageFolder
from companion.settings.load import Settings
from companion.table.photos import Photos
from hardware.board import Board
from hardware.power import Power
from hardware.sounds import TRIAL, Chimes
from hardware.strips.opening import open_strip
from hardware.track import layout_of
from web.loudspeaker import Loudspeaker


class LiveSettings:
    """Applies settings to the parts of a running table: the first ones when this is made, later ones by `apply`.

    Safe to use from any thread.
    """

    def __init__(
        self,
        settings: Settings,
        board: Board,
        photos: Photos,
        packages: PackageFolder,
        chimes: Chimes,
        voice: Loudspeaker,
    ) -> None:
        self._lock = threading.Lock()  # the page changes settings while the broker mutes
        self._now = settings
        self._board, self._photos, self._chimes, self._voice = board, photos, chimes, voice
        self._packages, self._muted = packages, False
        self._set(settings)
        if settings.sound.speech and voice.why_unable is None:
            voice.turn(True)

    @property
    def now(self) -> Settings:
        """Return the settings that the running parts use."""
        return self._now

    @property
    def muted(self) -> bool:
        """Whether voice and effects are silent, whatever the settings say."""
        return self._muted

    @muted.setter
    def muted(self, silent: bool) -> None:
        with self._lock:
            self._muted = silent
            self._set(self._now)
        if silent:
            self._voice.hush()

    def problems(self, wanted: Settings) -> list[str]:
        """Return one sentence if the wanted settings turn on a voice that this machine can't play, else nothing."""
        speaks = wanted.sound.speech and not self._now.sound.speech
        return [str(self._voice.why_unable)] if speaks and self._voice.why_unable is not None else []

    def apply(self, now: Settings) -> None:
        """Apply new settings, which must have been checked (`problems`), to the running parts of the table.

        Brightness and current limits of the strip, night mode, disk space, volume and the voice's language take effect
        at once. If the strip's kind, layout or order changed, the board opens the new strip; its `health` reports a
        failure. If the space for data changed, the oldest photos that exceed it are deleted; throw packages are at the
        next throw. If a sound setting changed, a trial sound is played, and speech is switched on or off to match.
        """
        with self._lock:
            before, self._now = self._now, now
            if any(getattr(before.strip, key) != getattr(now.strip, key) for key in ("kind", "layout", "order")):
                layout = layout_of(now.strip.layout, now.track)
                self._board.lay(open_strip(now.strip.kind, layout.leds, now.strip), layout)
            self._set(now)
            if before.data != now.data:
                self._photos.prune()  # throw packages are deleted at the next throw, by their own thread
            if before.sound != now.sound:
                self._chimes.chime(TRIAL)
            if before.sound.speech != now.sound.speech:
                self._voice.turn(now.sound.speech)

    def _set(self, now: Settings) -> None:
        """Apply `PowerSettings`, night mode, disk space of photos and throw packages, volume and voice language.

        The volume is 0 while the table is muted. The volume of the chimes is also 0 while sound effects are off.
        """
        self._board.apply(Power(now.strip), night=now.strip.night)
        self._photos.cap_bytes, self._packages.cap_bytes = now.data.photo_bytes, now.data.evidence_bytes
        volume = 0.0 if self._muted else now.sound.volume
        self._chimes.volume = volume if now.sound.effects else 0.0
        self._voice.language, self._voice.volume = now.table.language or "en", volume
