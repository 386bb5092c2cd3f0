"""The texts of the pages by key and language. A language is one JSON file in `texts/`.

`{player}` in a text is an argument. The argument `count` chooses between a key's `.one` and `.other`: all languages
here share this plural rule. A missing text falls back to English.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

ARGUMENT = re.compile(r"\{(\w+)\}")
"""Form of an argument in a text, such as `{player}`; its group is the name."""
FOLDER = Path(__file__).parent / "texts"
"""The folder of the languages' JSON files."""


@functools.cache
def texts(language: str) -> dict[str, str]:
    """Return every text of the pages in a language (`en`, `de`, ...), by key; in English if the language lacks one.

    The dictionary is cached: callers must not change it. Raises FileNotFoundError for a language that is not in
    `LANGUAGES`.
    """
    own: dict[str, str] = json.loads((FOLDER / f"{language}.json").read_text(encoding="utf-8"))
    return own if language == "en" else {**texts("en"), **own}


LANGUAGES = {
    language: texts(language)["language.name"]
    for language in sorted((path.stem for path in FOLDER.glob("*.json")), key=lambda each: (each != "en", each))
}
"""Name of each language in that language itself, by its code; English comes first, then by code."""


def say(language: str, key: str, otherwise: str | None = None, /, **args: Any) -> str:
    """Return a text in a language with its arguments filled in.

    Args:
        language: Code of the language, one of LANGUAGES; FileNotFoundError for any other.
        key: Key of the text.
        otherwise: Text to use if neither the language nor English has the key; None raises KeyError then.
        args: Values of the text's arguments; a missing one stays as `{name}`. `count` also chooses between the
            key's `.one` and `.other`.

    >>> say("en", "player.lost", count=2), say("de", "event.topped", "{player} tops it", player="Ann")
    ('lost 2 games', 'Ann tops it')
    """
    known = texts(language)
    text = known.get(key) or known.get(f"{key}.{'one' if args.get('count') == 1 else 'other'}") or otherwise
    if text is None:
        raise KeyError(key)
    # One pass: braces in a player's name are not taken for an argument.
    return ARGUMENT.sub(lambda found: str(args.get(found[1], found[0])), text)


def chosen(wish: str | None, accepted: Iterable[str]) -> str:
    """Return the code of the language in which to serve a phone: the first available one, else `en`.

    A region is ignored: `de-AT` counts as `de`.

    Args:
        wish: Code of the language chosen by a person; it comes first. None if none was chosen.
        accepted: Codes that the browser accepts, best first.

    >>> chosen(None, ["zz", "de-AT", "en"])
    'de'
    """
    for tag in ([wish] if wish else []) + list(accepted):
        short = tag.split("-")[0].lower()
        if short in LANGUAGES:
            return short
    return "en"
