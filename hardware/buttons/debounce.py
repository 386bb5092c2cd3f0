"""From a contact that bounces to presses: a pure state machine over levels and times.

A level counts when it has held for the settling time: then `down` or `up` is told. A press is told when the button is
let go (`short`), or as soon as it has been held for the long time (`long`); each press once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Contact:
    """What is known of one button.

    Attributes:
        raw: The level last seen, True when the contact is closed.
        raw_since_s: Since when it has been so.
        down: The level that counts.
        down_since_s: Since when the button is held, when `down`.
        reported: Whether the present press has been told.
    """

    raw: bool = False
    raw_since_s: float = 0.0
    down: bool = False
    down_since_s: float = 0.0
    reported: bool = False


def step(
    contact: Contact, closed: bool, now_s: float, settle_s: float, long_s: float
) -> tuple[Contact, tuple[str, ...]]:
    """The contact after seeing that level at that time, and what happened, in order: `down`, `up`, `short`, `long`.

    Call it when the level changes, and when `due_s` says so.
    """
    if closed != contact.raw:
        # The old level may have settled since it was last looked at.
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
    """When to look again though nothing changes; None: not before the next change."""
    if contact.raw != contact.down:
        return contact.raw_since_s + settle_s
    if contact.down and not contact.reported:
        return contact.down_since_s + long_s
    return None
