"""Why a phone is not paired, or a PIN not accepted: sentences, and the error codes of the API."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Refused:
    """A refusal: the reason as a sentence (`words`), an error `code`, and the seconds to wait (`wait_s`)."""

    words: str
    code: str
    wait_s: float = 0.0


WRONG_PIN = Refused("That's not the PIN. The terminal shows it; or pair with the table's button.", "wrong_pin")
HOSTED = Refused("Someone is already hosting. Enter the PIN instead.", "hosted")
OLD_CODE = Refused("That code of the host is an old one. Scan a new one, or enter the PIN.", "old_code")
FULL = Refused("Too many phones are paired. Ask the host to remove one.", "full")
