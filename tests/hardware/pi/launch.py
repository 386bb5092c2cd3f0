"""Run `pegpip` as on a Raspberry Pi: `PI_MODEL` is the file with its model; this folder holds its drivers."""

from __future__ import annotations

import os
from pathlib import Path

import gpiozero.pins.local

from companion.cli import main
from hardware import machine

PI_4_REVISION = 0xB03114

if __name__ == "__main__":
    machine.MODEL = Path(os.environ["PI_MODEL"])
    gpiozero.pins.local.get_pi_revision = lambda: PI_4_REVISION
    main()
