"""Settings of the camera. The defaults select the virtual camera, which needs no hardware.

`extra={"page": "start"}` marks a setting that the settings page may change; it takes effect at the next start.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta


class CameraSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Selects the camera that frames come from.

    Attributes:
        source: Which camera, as `virtual` or `opencv:0`.
        dice: Number of dice in the virtual tray, 1 to 9.
        replay: Whether the last seconds are kept in memory, for a replay in slow motion on the pub's screen.
        mains_hz: Mains frequency of the lamps that light the tray: 50 or 60; 0 uses the machine's country.
    """

    source: Annotated[str, Meta(extra={"page": "start"})] = "virtual"
    dice: Annotated[int, Meta(ge=1, le=9)] = 7
    replay: Annotated[bool, Meta(extra={"page": "start"})] = True
    mains_hz: Literal[0, 50, 60] = 0
