"""The reader: CNNs detect and classify dice; geometry may only reject what they say.

The detector proposes faces with class scores. The classifier sees each face alone and does not know the detector's
values. A value is trusted if it is confident and both agree, or if every augmented view confirms it. Besides, one die
more or fewer must be much less likely. What else must hold depends on the scene: see `vision.reading.scenes`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np

from vision.geometry.rig import Rig
from vision.networks import Networks
from vision.networks.classifier import LIGHT_VIEWS, Place, Probabilities, Views, geometric_mean
from vision.networks.detector import LIGHT_FACE_PX, Detection
from vision.networks.multiscale import MAX_DETECTIONS, passes
from vision.reading.candidates import SCORE_BASELINE, Candidate, Selection, merge_predictions, select
from vision.reading.reading import Die, Doubt, FrameBGR, Reading, Scored
from vision.reading.scenes import MIN_AGREEING_SCALES, Photo, Scene, Tray, TrayFrame
from vision.teaching.witness import Witness

Classified = dict[tuple[Place, Views], Probabilities]
"""Cache for one picture: (7,) probabilities of the classifier by a face's place and views: two passes may find it."""

Read = Callable[[FrameBGR, int | None, Reading | None, float | None], Reading]
"""Reads the dice in a picture, as `Reader.read` does with these arguments."""

SPARE_DETECTIONS = 4
"""Number of detections that are classified beyond the expected number of dice: the detector's best ones are not always
the dice. More take more time, and more rejected ones put the count in doubt."""


def die_size_px(reading: Reading) -> float | None:
    """Return the median size of a reading's dice in pixels; None if it has no dice or is in doubt."""
    sizes_px = [max(die.box_xywh[2:]) for die in reading.dice]
    return float(np.median(sizes_px)) if sizes_px and reading.trusted else None


class Reader:
    """Reads photos and frames of a calibrated tray. One thread at a time may use it.

    Args:
        networks: The detectors and the classifier.
        rig: Calibration of the tray; without one every picture is read as a photo of unknown scale.
        witness: Returns the examples of the set of dice in use, or None; called at each reading.
    """

    def __init__(
        self, networks: Networks, rig: Rig | None = None, witness: Callable[[], Witness | None] = lambda: None
    ) -> None:
        self._networks, self._witness = networks, witness
        self._tray = None if rig is None else Tray(rig)
        self.misfit_wh: tuple[int, int] | None = None
        """Width and height of the last picture if they differ from the calibration's, else None."""

    def read(
        self,
        frame_bgr: FrameBGR,
        expect: int | None = None,
        previous: Reading | None = None,
        size_px: float | None = None,
    ) -> Reading:
        """Read the dice in one picture; return their values, boxes and confidences, and the doubt or None.

        A picture of the calibration's size is read as a frame of the tray, all others as photos. `misfit_wh` is set to
        (width, height) of a picture that the calibration does not fit, otherwise to None.

        Args:
            frame_bgr: (h, w, 3) uint8.
            expect: Number of dice, if the rules or a person know it.
            previous: Reading of the frame before, if nothing has moved since; ignored if in doubt. In the tray it
                counts as a detection pass. A photo is read at one scale, which is faster. If that is in doubt or has
                other values, it is read again, with the size of these dice as `size_px`.
            size_px: Size in pixels of a photo's dice in the last reading: only suitable scales are searched. All
                follow if the reading is in doubt and has over half the expected dice (`expect` None: any).
        """
        tray = self._tray if self._tray is not None and self._tray.rig.fits(frame_bgr) else None
        self.misfit_wh = None if tray is self._tray else (frame_bgr.shape[1], frame_bgr.shape[0])
        if tray is not None:
            return self._read(TrayFrame(self._networks, tray, frame_bgr, expect), expect, previous)
        if previous is not None and (previous_px := die_size_px(previous)) is not None:
            detections = self._networks.light.detect(frame_bgr, LIGHT_FACE_PX / previous_px)[:MAX_DETECTIONS]
            reading = self._read(Photo(frame_bgr, len(previous.dice), [detections], LIGHT_VIEWS), len(previous.dice))
            if reading.trusted and reading.values == previous.values:
                return reading
            size_px = previous_px
        if size_px is not None:
            reading = self._read(Photo(frame_bgr, expect, passes(frame_bgr, self._networks.detector, size_px)), expect)
            if reading.trusted or 2 * len(reading.dice) <= (expect or 0):
                return reading
        return self._read(Photo(frame_bgr, expect, passes(frame_bgr, self._networks.detector)), expect)

    def _read(self, scene: Scene, expect: int | None, previous: Reading | None = None) -> Reading:
        """Return the reading of a scene: dice from left to right, doubt or None, chosen and rejected candidates.

        If the reading is in doubt, foreground of a die's size that no die covers is added as a die without a value.
        `expect` is the number of dice, or None if unknown. `previous` is the reading of the frame before; if it was not
        in doubt, it counts as a detection pass.
        """
        selection, doubt = self._select(scene, expect, previous)
        dice = [Die(die.value, scene.box(die.detection), round(die.confidence, 3)) for die in selection.dice]
        dice += [Die(None, box, 0.0) for box in (scene.unexplained(selection) if doubt is not None else ())]
        candidates = tuple(
            Scored(
                scene.box(each.detection),
                each in selection.dice,
                round(each.score, 4),
                tuple(each.probabilities.round(4).tolist()),
                tuple(each.detection.scores.round(4).tolist()),
            )
            for each in (*selection.dice, *selection.rejected)
        )
        return Reading(tuple(sorted(dice, key=lambda die: die.box_xywh)), doubt, candidates)

    def _select(self, scene: Scene, expect: int | None, previous: Reading | None) -> tuple[Selection, Doubt | None]:
        """Select the dice of a scene; return the selection with its rejected candidates, and the doubt or None.

        `expect` is the number of dice, if known; `previous` the reading of the frame before, if nothing moved.

        1. Detection passes run until the best selection has no doubt and enough passes found its values. Best is the
           last selection if the scene fuses its passes (`cumulative`), else the one of the highest quality. Enough are
           `scene.min_agreeing` passes, or one more if the scene `needs_another_pass`. A trusted `previous` counts as
           one.
        2. Uncertain dice are classified again in augmented views.
        3. Taught examples of the set raise the confidence of uncertain dice, or contradict sure ones (`DISAGREE`).
        4. Final values that fewer than `scene.min_agreeing` passes found are in doubt (`COUNT`).
        5. If the number of dice in a photo is unknown, the verifier must accept them; else `COUNT`.
        """
        found = [previous.values] if previous is not None and previous.trusted else []
        best, selections, classified = Selection(), list[Selection](), Classified()
        doubt_of = cache(lambda selection: selection.doubt(expect) or scene.doubt(selection))
        for detections in scene.passes():
            selection = select(self._classify(scene, detections, expect, classified), expect)
            selections.append(selection)
            found.append(selection.values)
            if scene.cumulative or not best.dice or selection.quality > best.quality:
                best = selection
            wanted = scene.min_agreeing + scene.needs_another_pass(best)
            if found.count(best.values) >= wanted and not doubt_of(best):
                break
            if scene.cumulative and len(selections) >= MIN_AGREEING_SCALES:
                self._networks.classifier.network.release()  # the largest passes need its memory
        final = self.resolve_uncertain(scene, best, selections, expect)
        agreed = found.count(final.values) >= scene.min_agreeing
        contradicted, witness = False, self._witness()
        if witness is not None:
            final, contradicted = witness.weigh(final, scene.picture_bgr, self._networks.classifier)
        disputed = Doubt.DISAGREE if contradicted else None
        doubt = doubt_of(final) or disputed or (None if agreed else Doubt.COUNT)
        if doubt is None and scene.verified:
            places = [die.detection.place for die in final.dice]
            doubt = None if self._networks.verifier.are_dice(scene.picture_bgr, places) else Doubt.COUNT
        return final, doubt

    def _classify(
        self, scene: Scene, detections: Sequence[Detection], expect: int | None, classified: Classified
    ) -> list[Candidate]:
        """Return a candidate, with the classifier's probabilities, for each detection of a pass that may be a die.

        `detections` are given best first. Detections with a low score are left out, and all beyond the first `expect` +
        SPARE_DETECTIONS; None sets no such limit. A candidate that is uncertain after the first views is also
        classified in the second views, and both predictions are averaged geometrically. `classified` caches the
        classifier's results and is updated.
        """
        limit = None if expect is None else expect + SPARE_DETECTIONS
        shown = [detection for detection in detections if detection.score > SCORE_BASELINE**2][:limit]
        first = self._probabilities(scene, shown, scene.views.first, classified)
        candidates = [Candidate(*each) for each in zip(shown, first, strict=True)]
        uncertain = [at for at, candidate in enumerate(candidates) if not candidate.confident]
        second = self._probabilities(scene, [shown[at] for at in uncertain], scene.views.second, classified)
        for at, probabilities in zip(uncertain, second, strict=True):
            candidates[at] = Candidate(shown[at], geometric_mean(np.stack([first[at], probabilities])))
        return candidates

    def resolve_uncertain(
        self, scene: Scene, best: Selection, selections: Sequence[Selection], expect: int | None
    ) -> Selection:
        """Classify the uncertain dice of the best pass in augmented views, and return the dice selected anew.

        The views' predictions are merged with those of all passes, `selections` (`merge_predictions`). `expect` is the
        number of dice to select; with None the scores decide. Without uncertain dice `best` itself is returned.
        """
        uncertain = [die for die in best.dice if not die.confident]
        if not uncertain:
            return best
        places = [die.detection.place for die in uncertain]
        views = self._networks.classifier.classify_views(scene.picture_bgr, places, scene.views.augmented)
        candidates = [each for selection in selections for each in (*selection.dice, *selection.rejected)]
        merged = [
            merge_predictions(die, candidates, augmented)
            for die, augmented in zip(uncertain, views.swapaxes(0, 1), strict=True)
        ]
        return select([*(die for die in best.dice if die.confident), *merged, *best.rejected], expect)

    def _probabilities(
        self, scene: Scene, detections: Sequence[Detection], views: Views, classified: Classified
    ) -> list[Probabilities]:
        """Return the classifier's (7,) probabilities of each detection, the geometric mean over the views.

        Faces that the cache `classified` lacks are classified and added.
        """
        places = [detection.place for detection in detections]
        new = [place for place in places if (place, views) not in classified]
        probabilities = self._networks.classifier.classify(scene.picture_bgr, new, views)
        classified |= {(place, views): each for place, each in zip(new, probabilities, strict=True)}
        return [classified[place, views] for place in places]
