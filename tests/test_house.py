"""Rules for the project's own code: which package may import which, and what names and docstrings must be like."""

from __future__ import annotations

import ast
import json
import re
import sys
import tokenize
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path

import pytest

from companion.games.registry import GAMES
from tests.parsing import tree_of

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("companion", "vision", "hardware", "web")
MODULES = sorted(p for room in (*ROOMS, "release/parts") for p in (ROOT / room).rglob("*.py"))
COMPOSERS = (
    "companion.adapters",
    "companion.app",
    "companion.appliance",
    "companion.backup",
    "companion.bench",
    "companion.cli",
    "companion.commands",
    "companion.diagnostics",
    "companion.service",
    "companion.settings",
)

# Room -> what of the project it may import. The longest matching prefix counts.
MAY_IMPORT: dict[str, tuple[str, ...]] = {
    "companion.errors": (),
    "companion.games": ("companion.games", "companion.errors"),
    "companion.tournaments": ("companion.tournaments", "companion.errors"),
    "companion.table": ("companion.table", "companion.tournaments", "companion.games", "companion.errors"),
    "companion.history": ("companion.history", "companion.table", "companion.games", "companion.errors"),
    "companion.evidence": (
        "companion.evidence",
        "companion.history",
        "companion.table",
        "companion.games",
        "companion.errors",
        "vision",
    ),
    "companion.bots": ("companion.bots", "companion.history", "companion.table", "companion.games", "companion.errors"),
    "companion.league": (
        "companion.league",
        "companion.tournaments",
        "companion.history",
        "companion.table",
        "companion.games",
        "companion.errors",
        "companion.outgoing",
        "web",
    ),
    "companion.league.commands": ROOMS,
    "companion.mqtt": (
        "companion.mqtt",
        "companion.table",
        "companion.games",
        "companion.errors",
        "companion.outgoing",
        "web.names",
    ),
    "companion.outgoing": ("companion.errors",),
    "vision": ("vision", "companion.errors"),
    "hardware": ("hardware", "companion.errors"),
    # Run by `make parts` alone: a camera's height over the tray follows from its field of view.
    "release.parts": ("hardware", "vision.cameras.field", "companion.errors"),
    "web": ("web", "companion.table", "companion.history", "companion.bots", "companion.errors"),
    **dict.fromkeys(COMPOSERS, ROOMS),
}


def name_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def faulty(paths: Iterable[Path], faults: Callable[[Path], Collection[str]]) -> dict[str, Collection[str]]:
    """Return the faults that `faults` finds in each file, by its path; only of files that have any."""
    found = {path.relative_to(ROOT).as_posix(): faults(path) for path in paths}
    return {path: wrong for path, wrong in found.items() if wrong}


def imports_of(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def inside(name: str, room: str) -> bool:
    return name == room or name.startswith(room + ".")


def allowed_for(module: str) -> tuple[str, ...]:
    rooms = [room for room in MAY_IMPORT if inside(module, room)]
    return MAY_IMPORT[max(rooms, key=len)] if rooms else ()


def refused_imports(path: Path) -> set[str]:
    """Return the project's modules that a module imports although its package may not."""
    allowed = allowed_for(name_of(path))
    ours = {name for name in imports_of(path) if name.split(".")[0] in ROOMS}
    return {name for name in ours if not any(inside(name, room) for room in allowed)}


def test_a_module_imports_only_what_its_package_may_import() -> None:
    assert faulty(MODULES, refused_imports) == {}


RULES = [p for p in MODULES if inside(name_of(p), "companion.games") and "solving" not in p.parts]


IMPURE = {"random", "time", "datetime", "threading", "os", "pathlib", "sqlite3", "secrets"}
# NumPy is of solvers and odds; that playing does without it is held by tests/games/test_solved.py.
PURE = {*sys.stdlib_module_names, "companion", "numpy"} - IMPURE


def test_game_rules_import_only_pure_standard_library_modules_and_numpy() -> None:
    """Beside these they import `companion`; no module of the standard library for chance, time or files."""
    assert faulty(RULES, lambda path: {name.split(".")[0] for name in imports_of(path)} - PURE) == {}


def test_no_modules_import_each_other_in_a_cycle() -> None:
    names = {name_of(path): path for path in MODULES}

    def imported(name: str) -> set[str]:
        wanted = imports_of(names[name])
        return {one if one in names else one.rpartition(".")[0] for one in wanted} & names.keys() - {name}

    left = {name: imported(name) for name in names if names[name].name != "__init__.py"}
    while free := [name for name, needs in left.items() if not needs & left.keys()]:
        for name in free:
            del left[name]
    assert left == {}, "each of these imports another of them"


MOST_MODULES = 14


def test_no_code_folder_has_more_than_14_modules() -> None:
    modules = Counter(p.parent.relative_to(ROOT).as_posix() for p in MODULES if p.name != "__init__.py")
    assert {folder for folder, count in modules.items() if count > MOST_MODULES} == set()


@pytest.mark.parametrize("room", ROOMS)
def test_the_packages_are_those_in_the_diagram_of_contributing_md(room: str) -> None:
    drawn = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split("```")[1]
    inside_it = re.search(rf"^{room}/.*\n((?:  .*\n)+)", drawn, re.MULTILINE)
    assert inside_it is not None
    named = " ".join(re.findall(r"^  (\w+/(?: \w+/)*)", inside_it[1], re.MULTILINE))
    rooms = {path.parent.name for path in (ROOT / room).glob("*/__init__.py")}
    assert rooms == set(re.findall(r"\w+", named))


OWN_PLACES = [
    *(ROOT / "companion" / "games" / room for room in [*GAMES, "solving"]),
    ROOT / "web" / "texts",
]
OWN_FILES = {ROOT / "companion" / "games" / "registry.py"}
CODE = [path for room in ROOMS for path in (ROOT / room).rglob("*") if path.suffix in {".py", ".js", ".css", ".html"}]
NAMES = re.compile(rf"\b({'|'.join([*GAMES, *(game.title for game in GAMES.values()), 'crib'])})\b", re.IGNORECASE)


def elsewhere(paths: Iterable[Path], own: set[Path]) -> list[Path]:
    """Return the paths outside the places of a game's own names, and not in `own`."""
    return [path for path in paths if path not in own and not any(path.is_relative_to(each) for each in OWN_PLACES)]


def words(path: Path, wanted: re.Pattern[str]) -> list[str]:
    return wanted.findall(path.read_text(encoding="utf-8"))


def test_source_code_mentions_a_game_by_name_only_in_its_own_folder_the_registry_and_the_texts() -> None:
    paths = elsewhere([*CODE, ROOT / "Makefile", ROOT / "pyproject.toml"], OWN_FILES)
    assert faulty(paths, lambda path: words(path, NAMES)) == {}


GAME_WORDS = re.compile(
    r"fuchl|bomb|skunk|\bbump|piddl|pandemonium|roll(?:ed)?[ _-]?over|wip(?:e|ed)[ _-]?out"  # Crib Dice
    r"|jackpot"  # Crag
    r"|crap(?:ped)?[ _-]?out|hot[ _]dice|reversal",  # Crapola
    re.IGNORECASE,
)
# The notation of transcripts is one for all games: the engine knows each word that decides.
NOTATION = {ROOT / "companion" / "games" / "engine" / name for name in ("game.py", "notation/lines.py")}


def test_game_words_such_as_bomb_appear_only_in_game_folders_and_texts() -> None:
    """The notation of transcripts, in the engine, is excepted."""
    assert faulty(elsewhere(CODE, NOTATION), lambda path: words(path, GAME_WORDS)) == {}


def test_the_lint_regex_for_game_specific_words_matches_code_of_each_game() -> None:
    for game in GAMES:
        folder = ROOT / "companion" / "games" / game
        assert any(GAME_WORDS.search(path.read_text(encoding="utf-8")) for path in folder.rglob("*.py")), game


def test_an_english_text_key_with_a_game_name_starts_with_category_or_pitch() -> None:
    keys = json.loads((ROOT / "web" / "texts" / "en.json").read_text(encoding="utf-8"))
    assert [key for key in keys if NAMES.search(key) and not key.startswith(("category.", "pitch."))] == []


PLACES = (".", "docs", "docs/lab", "docs/reference", "vision/models")
PAGES = re.compile(r"[\w./-]*\b[\w-]+\.md\b")


def test_every_markdown_file_named_in_code_tests_or_docs_exists() -> None:
    texts = [*CODE, *(ROOT / "tests").rglob("*.py"), *(ROOT / "docs").rglob("*.md"), *ROOT.glob("*.md")]
    missing = {
        f"{path.relative_to(ROOT)}: {page}"
        for path in texts
        for page in PAGES.findall(path.read_text(encoding="utf-8"))
        if not any((folder / page).exists() for folder in (path.parent, *(ROOT / place for place in PLACES)))
    }
    assert missing == set()


OLD_WORDS = re.compile(  # what the field calls otherwise: an identifier, or a part of one
    r"(?<![a-z])(desk|eye|sight|sighted|tapped|happenings?|worths(?:_\w+)?|told_of|mischief|hold_\w+|power_off"
    r"|checkup|settle|look_at|drift|claims|hollows|shining)(?![a-z_])",
    re.IGNORECASE,
)
OLD_TYPES = {"Desk", "Eye", "Sight", "Tapped", "Placed", "PlacedDie", "SeenDie", "SeenBox", "ReviewedDie"}
OLD_FILES = {"wired", "served", "links", "asking", "refusals", "bundles"}


def suspects_in(path: Path) -> set[str]:
    """Return the identifiers of a module that has a word of `OLD_WORDS` anywhere; none of another module."""
    if not OLD_WORDS.search(path.read_text(encoding="utf-8")):  # telling tokens apart takes a hundred times as long
        return set()
    with tokenize.open(path) as file:
        tokens = list(tokenize.generate_tokens(file.readline))
    after = zip(["", "", *(token.string for token in tokens)], tokens, strict=False)
    return {token.string for before, token in after if token.type == tokenize.NAME and before != "np"}  # np.eye


def test_no_code_identifier_or_module_name_uses_a_retired_word() -> None:
    assert faulty(MODULES, lambda path: [name for name in suspects_in(path) if OLD_WORDS.search(name)]) == {}
    assert [path for path in MODULES if OLD_WORDS.search(path.stem) or path.stem in OLD_FILES] == []


def test_no_identifier_or_file_name_in_tests_uses_a_banned_old_word_except_test_function_names() -> None:
    files = [*(ROOT / "tests").rglob("*.py")]
    used = {name for path in files for name in suspects_in(path) if not name.startswith("test_")}  # a test: any words
    assert {name for name in used | {path.stem for path in files} if OLD_WORDS.search(name)} == set()


SAME_IN_TWO_ROOMS = {"Die", "Event", "Peg"}
"""Types that two packages define because one may not import the other."""


def test_only_listed_type_names_are_defined_in_more_than_one_module() -> None:
    """The types of each game, and protocols, are not compared."""
    types = [
        (path, node)
        for path in MODULES
        if not any(inside(name_of(path), f"vision.research.{room}") for room in ("training", "evaluation"))
        for node in tree_of(path).body
        if isinstance(node, ast.ClassDef)
    ]
    games = [ROOT / "companion" / "games" / game for game in GAMES]
    found = Counter(
        node.name
        for path, node in types
        if not any(path.is_relative_to(game) for game in games)
        and not any(isinstance(base, ast.Name) and base.id == "Protocol" for base in node.bases)
    )
    assert {name for name, count in found.items() if count > 1} == SAME_IN_TWO_ROOMS


def test_no_class_of_the_package_has_a_retired_name() -> None:
    classes = [node for path in MODULES for node in ast.walk(tree_of(path)) if isinstance(node, ast.ClassDef)]
    assert {node.name.lstrip("_") for node in classes} & OLD_TYPES == set()


def test_no_docstring_describes_an_argument_or_attribute_that_does_not_exist() -> None:
    assert faulty(MODULES, lambda path: list(invented_names(path))) == {}


def invented_names(path: Path) -> Iterator[str]:
    """Yield the arguments and attributes that a docstring of a module describes and that do not exist."""
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            sections = re.findall(r"^(?:Args|Attributes):\n((?: +.*\n?)+)", ast.get_docstring(node) or "", re.MULTILINE)
            told = {name for section in sections for name in re.findall(r"^    (\w+):", section, re.MULTILINE)}
            yield from (f"{node.name}: {name}" for name in (told - names_in(node) if told else ()))


def names_in(node: ast.AST) -> set[str]:
    """Return the names of all arguments, attributes and assigned variables below a node."""
    each = list(ast.walk(node))
    names = {one.arg for one in each if isinstance(one, ast.arg)} | {
        one.id for one in each if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
    }
    return names | {one.attr for one in each if isinstance(one, ast.Attribute)}


def test_a_module_begins_with_a_docstring_and_has_at_most_400_lines() -> None:
    texts = {name_of(path): path.read_text(encoding="utf-8") for path in MODULES}
    assert {name for name, text in texts.items() if not text.startswith('"""')} == set(), "no docstring at the top"
    assert {name for name, text in texts.items() if text.count("\n") > 400} == set(), "too long: split by subject"
