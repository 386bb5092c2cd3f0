"""Write docs/reference/moments.md from the games' source and effects: `make moments-page`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from companion.games.engine.event import SHARED_EFFECTS, SILENT, Effect
from companion.games.registry import GAMES
from hardware.effects import EFFECTS
from hardware.palette import COLOURS
from web.catalogue import texts

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "reference" / "moments.md"
EMITTING = {"Event", "_event"}
"""Names of the calls that make an event; the first argument is its code."""
HEAD = """\
# Events, lights and sounds

What a game's `EFFECTS` can name. [Add a moment](../how-to/add-a-moment.md) says how. This page is written from the
source by `make moments-page`.

An event has a code, a side, and arguments. Its text and its `words` may use these arguments and two more: `{player}`,
the name of the side or of the person, and `{on}`, the side that it targets. The arguments name `on` where there is one.

## Primitives

A light has a `kind` of this table. It starts where the peg of the event's side stood, and ends where it stands now.
`run` and `drain` start at the end of the points that are not banked yet. `run` ends at the end of such points, too.

| kind | what it draws |
|---|---|
"""
HOLES = """\
`holes` is the length of a tail or the radius of a glow, in holes. `lasts_s` is in seconds; `run` and `fill` ignore it.
"""
SWAP = "| `swap` | No light: two pegs change places. |"


def page() -> str:
    """Return the whole page as Markdown."""
    kinds = [f"| `{kind}` | {_drawn(function.__doc__)} |" for kind, function in EFFECTS.items()]
    colours = ", ".join(f"`{name}`" for name in COLOURS)
    parts = [
        HEAD + "\n".join([*kinds, SWAP]),
        HOLES.strip(),
        f"Colours: {colours}, or None for the colour of the side.",
        section("All games", emitted("engine"), dict(SHARED_EFFECTS)),
        *(section(game.title, emitted(name), {**SHARED_EFFECTS, **game.effects}) for name, game in GAMES.items()),
    ]
    return "\n\n".join(parts) + "\n"


def emitted(folder: str) -> dict[str, list[str]]:
    """Return the events that the modules of a folder of `companion/games` make: code -> arguments, in source order."""
    found = dict[str, list[str]]()
    for file in sorted((ROOT / "companion" / "games" / folder).rglob("*.py")):
        for call in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            match call:
                case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=[ast.Constant(value=code), *_]):
                    if name in EMITTING:
                        found[str(code)] = list(_arguments(call))
                case _:
                    pass
    return dict(sorted(found.items()))


def section(title: str, events: dict[str, list[str]], effects: dict[str, Effect]) -> str:
    """Return a heading and a table with a row for each event."""
    head = "| event | arguments | English text | lights | notes | voice | big screen |\n|---|---|---|---|---|---|---|"
    rows = [_row(code, arguments, effects.get(code, SILENT)) for code, arguments in events.items()]
    return f"## {title}\n\n{head}\n" + "\n".join(rows)


def _row(code: str, arguments: list[str], effect: Effect) -> str:
    """Return the row of one event: what its text may insert, and what the table shows and plays."""
    english = texts("en")
    said = english.get(f"event.{code}") or english[f"event.{code}.other"]
    lights = ", ".join(f"`{light.kind}`" for light in effect.lights)
    screen = ", ".join(word for word, shown in (("yes", effect.cheered), ("replay", effect.replayed)) if shown)
    marks = [str(len(effect.tones) or ""), "yes" if effect.called else "", screen]
    cells = [f"`{code}`", ", ".join(f"`{each}`" for each in arguments), said, lights, *marks]
    return "|" + "|".join(f" {cell} " if cell else " " for cell in cells) + "|"


def _arguments(call: ast.Call) -> Iterator[str]:
    """Yield the names of an event's arguments: keys of its dict or keywords, and `on` for a targeted side."""
    for each in [*call.args, *(keyword.value for keyword in call.keywords if keyword.arg == "args")]:
        if isinstance(each, ast.Dict):
            yield from (str(key.value) for key in each.keys if isinstance(key, ast.Constant))
    yield from (keyword.arg for keyword in call.keywords if keyword.arg and keyword.arg not in {"side", "seat", "args"})


def _drawn(docstring: str | None) -> str:
    """Return what a primitive draws, from its docstring: "Add a glow" becomes "A glow"."""
    text = re.sub(r"\s+", " ", docstring or "").strip()
    text = text.replace("the stroke's", "the light's").replace("`stroke.holes`", "`holes`")
    return re.sub(r"^Add (\w)", lambda found: found[1].upper(), text)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
