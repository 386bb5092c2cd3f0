"""Bundles a page's JavaScript modules into one file: a phone in a crowded pub sends one request, not fifteen.

The bundle is made when the program starts. Each module becomes a function that returns its exports. This needs modules
of two forms, which a test holds: `import { a, b } from "../folder/c.js";` or `from "./c.js";`, and `export` before a
function or a constant. Module names are unique across the folders.
"""

from __future__ import annotations

import graphlib
import re
from collections.abc import Mapping

IMPORT = re.compile(r'^import \{ ([\w$, ]+) \} from "\.(?:/|\./[a-z]+/)([a-z]+)\.js";$', re.MULTILINE)
"""Form of the import lines that the bundler follows and rewrites; another form breaks the bundle.
Its groups are the imported names and the module's name."""
EXPORT = re.compile(r"^export ((?:async )?function |const )([\w$]+)", re.MULTILINE)
"""Matches an exported function or constant; groups: its keyword, with a space, and its name. The bundler drops `export`
and returns the name from the module's function. An export of another form breaks the bundle."""
COMMENT = re.compile(r"^\s*(?://.*|/\*\*(?:[^*]|\*(?!/))*\*/)\n|[ \t]+// [^\n\"'`]*$", re.MULTILINE)
"""A comment that is left out of the bundle: JSDoc, a line of its own, or the end of a line if no quote follows it."""


def bundled(page: str, sources: Mapping[str, str]) -> str:
    """Return one script with a page's module and, before it, every module that it imports, directly or not.

    Raises KeyError if a module is missing in `sources`, and graphlib.CycleError if modules import each other.

    Args:
        page: Name of the page's module, without `.js`.
        sources: Source text of every module, by name.
    """
    return "".join(_module_code(name, sources[name], is_page=name == page) for name in needed(page, sources))


def needed(page: str, sources: Mapping[str, str]) -> tuple[str, ...]:
    """Return the names of a page's module and all modules that it imports, directly or not, in order of dependency.

    Each module comes after those that it imports, so the page's module comes last.

    Args:
        page: Name of the page's module, without `.js`.
        sources: Source text of every module, by name.

    Raises:
        KeyError: The page's module or an imported one is missing in `sources`.
        graphlib.CycleError: Modules import each other in a cycle.
    """
    imports: dict[str, list[str]] = {}
    waiting = [page]
    while waiting:
        name = waiting.pop()
        if name not in imports:
            imports[name] = [imported for _, imported in IMPORT.findall(sources[name])]
            waiting += imports[name]
    return tuple(graphlib.TopologicalSorter(imports).static_order())


def _module_code(name: str, source: str, *, is_page: bool) -> str:
    """Return a JavaScript module's code for the bundle, without comments, `import` and `export`.

    The code assigns an object with the module's exports to the constant `of_NAME`. Names that it imports are read from
    the constants of the other modules. With `is_page`, for the module of the page itself, the code is plain statements
    and exports nothing.
    """
    exports = ", ".join(exported for _, exported in EXPORT.findall(source))
    body = EXPORT.sub(r"\1\2", IMPORT.sub(r"const { \1 } = of_\2;", COMMENT.sub("", source)))
    return body if is_page else f"const of_{name} = (() => {{\n{body}return {{ {exports} }};\n}})();\n"
