"""A page's modules bundled into one file: nothing is lost, and nothing is left to load."""

from __future__ import annotations

import graphlib
import re
from pathlib import Path

import pytest

from web.bundler import EXPORT, IMPORT, bundled, needed
from web.static_files import FOLDER, PAGES, loaded_files

FILES = sorted(FOLDER.rglob("*.js"))
SOURCES = {path.stem: path.read_text(encoding="utf-8") for path in FILES}


def test_a_bundled_script_module_becomes_a_function_returning_exports() -> None:
    sources = {
        "page": 'import { one, two } from "../folder/deep.js";\nawait one();\n',
        "deep": '// A note.\n/**\n * A type.\n */\nimport { base } from "./base.js";\n'
        "export const one = () => base;\n/** @type {A} */ (two)();\n/** Two. */\nexport function two() {}\n",
        "base": "export const base = 1;\n",
    }
    assert needed("page", sources) == ("base", "deep", "page")
    assert bundled("page", sources) == (
        "const of_base = (() => {\nconst base = 1;\nreturn { base };\n})();\n"
        "const of_deep = (() => {\nconst { base } = of_base;\nconst one = () => base;\n"
        "/** @type {A} */ (two)();\nfunction two() {}\n"
        "return { one, two };\n})();\n"
        "const { one, two } = of_deep;\nawait one();\n"
    )


def test_the_bundler_refuses_script_modules_that_import_each_other() -> None:
    with pytest.raises(graphlib.CycleError):
        needed("a", {"a": 'import { b } from "./b.js";\n', "b": 'import { a } from "./a.js";\n'})


def test_javascript_module_names_are_unique_across_the_static_folders() -> None:
    assert len(SOURCES) == len(FILES) > 30


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_bundler_recognises_all_imports_and_exports_of_every_script_module(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    for address in re.findall(r'^import .* from "(.*)";$', source, re.MULTILINE):
        assert (path.parent / address).is_file()
    assert len(re.findall(r"^import\b", source, re.MULTILINE)) == len(IMPORT.findall(source))
    assert len(re.findall(r"^export\b", source, re.MULTILINE)) == len(EXPORT.findall(source))
    assert "import(" not in source
    for names, module in IMPORT.findall(source):
        exported = {exported for _, exported in EXPORT.findall(SOURCES[module])}
        assert {each.strip() for each in names.split(",")} <= exported


@pytest.mark.parametrize("page", PAGES)
def test_page_bundles_have_no_import_or_export_statement(page: str) -> None:
    text = loaded_files()[f"page-{page}.js"].plain.decode()
    assert re.findall(r"^(?:import|export)\b", text, re.MULTILINE) == []


def test_only_the_base_template_has_script_tags() -> None:
    template = (Path(FOLDER).parent / "templates" / "base.html").read_text()
    others = (path.read_text() for path in (Path(FOLDER).parent / "templates").glob("*.html"))
    assert sum(text.count("<script") for text in others) == template.count("<script") == 3, (
        "the early script, the bundle, and what the page starts with"
    )
