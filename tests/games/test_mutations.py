"""What `make mutants` changes: one place of a module at a time, and each mutant another one."""

from __future__ import annotations

import ast
import difflib

import pytest

from tests.games.mutations import changed_tree, mutants_of, path_of


@pytest.mark.parametrize("module", ["engine.dice", "engine.leaving", "advice.odds"])
def test_code_mutants_of_a_module_each_change_one_line_and_all_differ(module: str) -> None:
    lines, found = ast.unparse(ast.parse(path_of(module).read_text(encoding="utf-8"))).splitlines(), set[str]()
    for mutant in mutants_of(module):
        changed = ast.unparse(changed_tree(mutant)).splitlines()
        places = difflib.SequenceMatcher(None, lines, changed, autojunk=False).get_opcodes()
        assert sum(kind != "equal" for kind, *_ in places) == 1, mutant.told
        assert sum(end - begin for kind, begin, end, *_ in places if kind != "equal") == 1, "of one line"
        found.add("\n".join(changed))
    assert len(found) == len(mutants_of(module)) >= 20
