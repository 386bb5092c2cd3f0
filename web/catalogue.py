"""All texts of the pages, by key and language; an entry may need arguments and a plural.

`{player}` stands for an argument. A key with `.one` and `.other` is chosen by the argument `count`; English, German and
Finnish share that rule. What a language lacks is said in English.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

LANGUAGES = {"en": "English", "de": "Deutsch", "fi": "Suomi"}
ARGUMENT = re.compile(r"\{(\w+)\}")
FOLDER = Path(__file__).parent / "texts"


@functools.cache
def texts(language: str) -> dict[str, str]:
    """Every text of that language, English where it lacks one."""
    own: dict[str, str] = json.loads((FOLDER / f"{language}.json").read_text(encoding="utf-8"))
    return own if language == "en" else {**texts("en"), **own}


def say(language: str, key: str, otherwise: str | None = None, /, **args: Any) -> str:
    """A text, or `otherwise` where no language has the key, its arguments put in. KeyError without either.

    >>> say("en", "player.lost", count=2), say("de", "event.topped", "{player} tops it", player="Ann")
    ('loses 2 games', 'Ann tops it')
    """
    known = texts(language)
    text = known.get(key) or known.get(f"{key}.{'one' if args.get('count') == 1 else 'other'}") or otherwise
    if text is None:
        raise KeyError(key)
    # In one go: what a name holds is never taken for another argument.
    return ARGUMENT.sub(lambda found: str(args.get(found[1], found[0])), text)


def chosen(wish: str | None, accepted: Iterable[str]) -> str:
    """The language to speak: what the phone has chosen, else the first that it accepts, else English.

    >>> chosen(None, ["sv", "de-AT", "en"])
    'de'
    """
    for tag in ([wish] if wish else []) + list(accepted):
        short = tag.split("-")[0].lower()
        if short in LANGUAGES:
            return short
    return "en"
