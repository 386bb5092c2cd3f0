"""Disturbances of a real table, drawn over the pictures of a virtual camera: a hand, a lamp, a shadow, a knock."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np

from vision.reading.reading import FrameBGR

SKIN_BGR = (110, 145, 205)
"""Colour of the hand that is drawn into the tray: blue, green, red from 0 to 255. Nearer to the floor's or the dice's
colours: less visible motion."""
KNOCK_S = 0.4
"""Seconds after a knock on the table in which the simulated picture shakes and counts as moving. The shake fades in
that time. Shorter: it breaks off. Longer: little more is seen, but a still picture counts as moving."""
KNOCK_PX = 9.0
"""Amplitude, in pixels, of the picture's shake at the beginning of a knock. It decays; a larger one is visible for
longer."""


@dataclass(slots=True)
class FaultInjection:
    """Disturbances of the picture, switched on by setting an attribute. Times are on the camera's clock, in seconds.

    Attributes:
        lamp: Brightness of the picture; 1 leaves it unchanged.
        hand_until_s: Time until which a hand is in the tray.
        shadow_until_s: Time until which a person's shadow is over the tray.
        knock_at_s: Time of a knock at the table.
    """

    lamp: float = 1.0
    hand_until_s: float = -math.inf
    shadow_until_s: float = -math.inf
    knock_at_s: float = -math.inf

    def over(self, picture: FrameBGR, now_s: float) -> FrameBGR:
        """Return the picture as a shadow, a hand, a knock or a changed lamp alters it at the time `now_s`."""
        if now_s < self.shadow_until_s:
            picture = _shaded(picture, now_s)
        if now_s < self.hand_until_s:
            picture = _hand(picture, now_s)
        if 0 <= now_s - self.knock_at_s < KNOCK_S:
            picture = _knocked(picture, now_s - self.knock_at_s)
        if self.lamp != 1.0:
            picture = cv2.convertScaleAbs(picture, alpha=self.lamp)
        return picture


def _shaded(picture: FrameBGR, now_s: float) -> FrameBGR:
    """Return the picture with the shadow of a person who leans over the tray."""
    width = picture.shape[1]
    edge = width * (0.4 + 0.1 * math.sin(now_s))
    shade = 1 - 0.35 / (1 + np.exp((np.arange(width) - edge) / 60.0))
    return np.clip(picture * shade[None, :, None], 0, 255).astype(np.uint8)


def _hand(picture: FrameBGR, now_s: float) -> FrameBGR:
    """Return the picture with a hand drawn over it, which moves with time."""
    height, width = picture.shape[:2]
    drawn = picture.copy()
    x, y = width * (0.45 + 0.08 * math.sin(3 * now_s)), height * (0.5 + 0.05 * math.cos(4 * now_s))
    cv2.line(drawn, (round(x), round(y)), (round(x + 60), height + 40), SKIN_BGR, 170, cv2.LINE_AA)
    for finger in range(5):
        angle = math.radians(-150 + 28 * finger)
        tip = (round(x + 190 * math.cos(angle)), round(y + 190 * math.sin(angle)))
        cv2.line(drawn, (round(x), round(y)), tip, SKIN_BGR, 46, cv2.LINE_AA)
    return drawn


def _knocked(picture: FrameBGR, since_s: float) -> FrameBGR:
    """Return the picture displaced by a knock `since_s` seconds ago."""
    swing = KNOCK_PX * math.exp(-since_s / 0.12) * math.sin(since_s * 80)
    shift = np.array([[1, 0, swing], [0, 1, 0.6 * swing]], np.float32)
    size = (picture.shape[1], picture.shape[0])
    return cv2.warpAffine(picture, shift, size, borderMode=cv2.BORDER_REPLICATE)
