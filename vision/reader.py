"""From a frame to a reading: with a rig by geometry, pips and a network, without one by two networks and pips.

Readers that know nothing of each other must agree before a value is trusted. In the rig these are the canonical layouts
and the outline that a whole die must have; in a free picture see `vision.free_reader`.
"""

from __future__ import annotations

from vision.free_reader import FreeReader
from vision.geometry.rig import Rig
from vision.networks import classifier as faces
from vision.networks import detector as network
from vision.reading import Reader
from vision.rig_reader import RigReader


def open_reader(rig: Rig | None = None) -> Reader:
    """The reader for a calibrated tray, or for pictures of any scale when there is no rig. Raises SetupError."""
    return FreeReader(network.shipped(), faces.shipped()) if rig is None else RigReader(rig)
