"""Debouncing: a pure state machine from the levels of a bouncing contact to presses.

A level counts once it has lasted for the settling time: that is `down` or `up`. A press is `long` as soon as the button
has been held for the long time, else `short` when the button comes up.
"""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Contact:
    """State of one button.

    Attributes:
        raw: The latest level before debouncing, True when the contact is closed.
        raw_since_s: Time of the last change of `raw`.
        down: The debounced level.
        down_since_s: Time when the button went down; valid while `down`.
        reported: Whether the present press was reported as long.
    """

    raw: bool = False
    raw_since_s: float = 0.0
    down: bool = False
    down_since_s: float = 0.0
    reported: bool = False


def step(
    contact: Contact, closed: bool, now_s: float, settle_s: float, long_s: float
) -> tuple[Contact, tuple[str, ...]]:
    """Return the next state of a button's contact after debouncing, and the new events, oldest first.

    Call this when the level changes (`closed`: the button is pressed), and at the time that `due_s` returns. A level
    counts once it has lasted `settle_s` seconds; that is the event `down` or `up`.

    - `long`: the button has been down for `long_s` seconds. Its later release gives only `up`.
    - `short`: follows right after the `up` of a shorter press.
    """
    if closed != contact.raw:
        # The old level may have lasted long enough since the last call.
        settled, happened = step(contact, contact.raw, now_s, settle_s, long_s)
        return replace(settled, raw=closed, raw_since_s=now_s), happened
    happened = ()
    if contact.raw != contact.down and now_s >= contact.raw_since_s + settle_s:
        if not contact.raw:
            return replace(contact, down=False), ("up",) if contact.reported else ("up", "short")
        contact, happened = replace(contact, down=True, down_since_s=contact.raw_since_s, reported=False), ("down",)
    if contact.down and not contact.reported and contact.raw and now_s >= contact.down_since_s + long_s:
        return replace(contact, reported=True), (*happened, "long")
    return contact, happened


def due_s(contact: Contact, settle_s: float, long_s: float) -> float | None:
    """Return the time at which `step` must be called even if the level does not change; None if it need not be.

    At that time a new level has lasted `settle_s`, or the button has been held for `long_s`. The time is in seconds on
    the clock that gives `step` its `now_s`.
    """
    if contact.raw != contact.down:
        return contact.raw_since_s + settle_s
    if contact.down and not contact.reported:
        return contact.down_since_s + long_s
    return None
