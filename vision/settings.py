"""Settings of the camera. The defaults need no camera.

`extra={"page": "start"}` marks what the settings page may change; it takes effect at the next start.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta


class CameraSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The camera that frames come from.

    Attributes:
        source: `virtual`, `picamera2`, `opencv:INDEX`, `files:DIR`, `video:FILE`.
        dice: How many dice there are in the virtual tray.
        mains_hz: Frequency of the mains whose lamps light the tray; 0 takes that of the machine's country.
    """

    source: Annotated[str, Meta(extra={"page": "start"})] = "virtual"
    dice: Annotated[int, Meta(ge=1, le=9)] = 7
    mains_hz: Literal[0, 50, 60] = 0
