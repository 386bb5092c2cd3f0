"""Bundles a page's JavaScript modules into one file: a phone in a crowded pub sends one request, not fifteen.

The bundle is made when the program starts. Each module becomes a function that returns its exports. This needs modules
of two forms, which a test holds: `import { a, b } from "../folder/c.js";` or `from "./c.js";`, and `export` before a
function or a constant. Module names are unique across the folders.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

IMPORT = re.compile(r'^import \{ ([\w$, ]+) \} from "\.(?:/|\./[a-z]+/)([a-z]+)\.js";$', re.MULTILINE)
"""Form of an import line: the imported names, and the module's name."""
EXPORT = re.compile(r"^export ((?:async )?function |const )([\w$]+)", re.MULTILINE)
"""Form of an exported function or constant: its keyword, and its name."""
COMMENT = re.compile(r"^\s*(?://.*|/\*\*(?:[^*]|\*(?!/))*\*/)\n", re.MULTILINE)
"""A line comment on a line of its own, or a JSDoc comment; both are left out of the bundle."""


def bundled(page: str, sources: Mapping[str, str]) -> str:
    """Bundle the module `page` and everything that it imports into one module's text.

    Args:
        page: Name of the module, without `.js`.
        sources: Text of every module, by name.
    """
    return "".join(_part(name, sources[name], whole=name == page) for name in needed(page, sources))


def needed(page: str, sources: Mapping[str, str]) -> tuple[str, ...]:
    """Return the names of the modules that a page's script needs, each after those it imports, and `page` last.

    Args:
        page: Name of the page's module, without `.js`.
        sources: Text of every module, by name.

    Raises:
        KeyError: A module that is imported is missing in `sources`.
        AssertionError: A module imports itself by way of others.
    """
    found: dict[str, None] = {}

    def visit(name: str, above: tuple[str, ...]) -> None:
        if name in found:
            return
        assert name not in above, f"{name} imports itself by way of {above}"
        for _, imported in IMPORT.findall(sources[name]):
            visit(imported, (*above, name))
        found[name] = None

    visit(page, ())
    return tuple(found)


def _part(name: str, source: str, *, whole: bool) -> str:
    """Return a module as a part of the bundle: a function that returns its exports; its bare statements if `whole`."""
    exports = ", ".join(exported for _, exported in EXPORT.findall(source))
    body = EXPORT.sub(r"\1\2", IMPORT.sub(r"const { \1 } = of_\2;", COMMENT.sub("", source)))
    return body if whole else f"const of_{name} = (() => {{\n{body}return {{ {exports} }};\n}})();\n"
