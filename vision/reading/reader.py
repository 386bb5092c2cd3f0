"""The one reader: networks name the dice of a picture; in a calibrated tray geometry doubts what they say.

The detector finds faces and says what they show; the classifier is shown each alone and knows nothing of the first.
A value is trusted only if it is sure, both say the same or the second says it from all sides, and one die more or one
fewer would be much less likely. What else must hold depends on what is looked at: see `vision.reading.scenes`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from vision.geometry.rig import Rig
from vision.networks import Networks
from vision.networks.classifier import Place, Probabilities, Views, geometric_mean
from vision.networks.detector import LEAST_SCORE, Detection
from vision.reading.candidates import DOUBTFUL, Candidate, Selection, combined, selected
from vision.reading.reading import Die, Doubt, FrameBGR, Reading
from vision.reading.scenes import Photo, Scene, Tray, TrayFrame

Known = dict[tuple[Place, Views], Probabilities]
"""(7,) what the classifier has said of places in a picture: of a face that two looks find there it is asked once."""

SPARE = 4
"""So many faces more than the expected dice are read: what is surest from afar is not always so from near by."""


class Reads(Protocol):
    """Anything that reads the dice of a picture."""

    def read(self, frame_bgr: FrameBGR, expect: int | None = None) -> Reading:
        """Read one picture. `expect`: the number of dice that lie there, when the rules or a person know it."""


class Reader:
    """Reads pictures, and the frames of a tray. Not to be used from two threads at a time.

    Args:
        networks: What names the dice.
        rig: The tray's calibration; without one every picture is read as a photo.
    """

    def __init__(self, networks: Networks, rig: Rig | None = None) -> None:
        self._networks = networks
        self._tray = None if rig is None else Tray(rig)
        self.misfit_wh: tuple[int, int] | None = None
        """Size of the last picture when it was not the calibration's: it was read as a photo. Else None."""

    def read(self, frame_bgr: FrameBGR, expect: int | None = None) -> Reading:
        """Read a picture; one of another size than the calibration's is read as a photo.

        Args:
            frame_bgr: (height, width, 3) uint8.
            expect: The number of dice that lie there, when the rules or a person know it.
        """
        tray = self._tray if self._tray is not None and self._tray.rig.fits(frame_bgr) else None
        self.misfit_wh = None if tray is self._tray else (frame_bgr.shape[1], frame_bgr.shape[0])
        networks = self._networks
        scene = Photo(networks, frame_bgr, expect) if tray is None else TrayFrame(networks, tray, frame_bgr)
        found, doubt = self._found(scene, expect)
        dice = [Die(one.value, scene.box(one.detection), round(one.confidence, 3)) for one in found.taken]
        dice += [Die(None, box, 0.0) for box in scene.unexplained(found)]
        return Reading(tuple(sorted(dice, key=lambda die: die.box_xywh)), doubt)

    def _found(self, scene: Scene, expect: int | None) -> tuple[Selection, Doubt | None]:
        """The dice, and what is still in doubt after as many looks as it takes to be sure."""
        best, seen, known, contested = Selection(), list[Selection](), Known(), False
        for detections in scene.looks():
            one = selected(self._shown(scene, detections, expect, known), expect)
            seen.append(one)
            if scene.cumulative or not best.taken or one.worth > best.worth:
                best = one
            contested = contested or (scene.cumulative and one.contested)
            agreed = [one.values for one in seen].count(best.values) >= scene.agreeing + scene.suspects(best)
            if agreed and not contested and not (best.doubt(expect) or scene.doubt(best)):
                break
        again = self._reconsidered(scene, best, seen, expect)
        gone = len(again.taken) < len(best.taken) and scene.suspects(again)  # not one face, but something lies there
        agreed = [one.values for one in seen].count(again.values) >= scene.agreeing and not contested and not gone
        return again, again.doubt(expect) or scene.doubt(again) or (None if agreed else Doubt.COUNT)

    def _shown(self, scene: Scene, found: Sequence[Detection], expect: int | None, known: Known) -> list[Candidate]:
        """What the classifier says of the detections that may be among the dice."""
        # Of a photo's looks put together fainter ones are no dice, and hardly rivals.
        least = DOUBTFUL**2 if expect is None and scene.cumulative else LEAST_SCORE
        read = [one for one in found if one.score > least][: None if expect is None else expect + SPARE]
        said = self._said(scene, read, scene.views.first, known)
        first = [Candidate(one, said) for one, said in zip(read, said, strict=True)]
        unsure = [one.detection for one in first if not one.plain]
        again = iter(self._said(scene, unsure, scene.views.again, known))
        return [
            one if one.plain else Candidate(one.detection, geometric_mean(np.stack([one.said, next(again)])))
            for one in first
        ]

    def _reconsidered(self, scene: Scene, best: Selection, seen: Sequence[Selection], expect: int | None) -> Selection:
        """The same dice, those that are not plain shown all round, and read by all that any look said of them, too.

        That bears out a value that is disputed or a little unsure, or denies it: a 4 on a side was 0.99 sure, 0.53 so.
        """
        doubted = [one for one in best.taken if not one.plain]
        if not doubted:
            return best
        places = [one.detection.place for one in doubted]
        views = self._networks.classifier.each_view(scene.picture_bgr, places, scene.views.all_round)
        every = [one for each in seen for one in (*each.taken, *each.left)]
        read = [combined(one, every, said) for one, said in zip(doubted, views.swapaxes(0, 1), strict=True)]
        return selected([*(one for one in best.taken if one.plain), *read, *best.left], expect)

    def _said(self, scene: Scene, faces: Sequence[Detection], views: Views, known: Known) -> list[Probabilities]:
        places = [one.place for one in faces]
        new = [place for place in places if (place, views) not in known]
        said = self._networks.classifier.values(scene.picture_bgr, new, views)
        known |= {(place, views): one for place, one in zip(new, said, strict=True)}
        return [known[place, views] for place in places]
