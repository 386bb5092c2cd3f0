"""Mutation testing of `companion/rules`: each module is changed in one place at a time; do the tests notice it.

    mutants.py [MODULE ...] [--jobs N] [--sample N]

Mutants: a comparison turned or its edge moved, `and`/`or` exchanged, `not` or a sign dropped, another operator, a
number one more, a bool turned, a text changed, a condition always true or false, a keyword argument left out, a result
replaced by None, a statement dropped. Left alone: docstrings, the messages of errors, annotations, decorators.

Each mutant runs in memory, in a process of its own: first the transcripts of `tests/transcripts`, then the tests of the
rules until the first failure. More than `LIMIT_S` seconds of work count as noticed: an endless loop. Prints a line for
each survivor, a score for each module and for all.
"""

from __future__ import annotations

import argparse
import ast
import copy
import importlib.machinery
import json
import os
import resource
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import hypothesis.strategies  # noqa: F401  loaded once here, not once in each child
import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
RULES = ROOT / "companion" / "rules"
# Words for people, not rules; and the contract, which holds no behaviour but the text of a refusal.
LEFT_OUT = {"__init__", "crib_words", "crapola_words", "nearest"}
LIMIT_S = 60
LEFT_ALONE = (ast.Import, ast.ImportFrom, ast.JoinedStr, ast.Assert, ast.Raise)
NO_BEHAVIOUR = {"__all__", "GAME", "Phase", "Switches", "Action", "T", "Set", "Keeps"}  # names, types, words for people
TESTS = [
    "test_crib_dice.py",
    "test_crag.py",
    "test_crapola.py",
    "test_notation.py",
    "test_transcript.py",
    "test_transcripts.py",
    "test_odds.py",
    "test_toy_game.py",
    "test_rules_commands.py",
    "test_conformance.py",
]
# The tests that are likeliest to notice come first.
FIRST = {
    "crib_board": ["test_crib_dice.py"],
    "crib_dice": ["test_crib_dice.py"],
    "crib_odds": ["test_odds.py"],
    "crag": ["test_crag.py"],
    "crapola": ["test_crapola.py"],
    "crapola_dice": ["test_crapola.py"],
    "crapola_table": ["test_crapola.py"],
    "crapola_odds": ["test_odds.py"],
    "odds": ["test_odds.py"],
    "dice": ["test_crag.py", "test_odds.py"],
    "roll_off": ["test_transcript.py"],
    "transcript": ["test_transcript.py"],
    "rulebook": ["test_notation.py", "test_rules_commands.py"],
    "replay": ["test_notation.py"],
}
COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
SUMS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.BitOr: ast.BitAnd,
}


def _compare(node: ast.Compare) -> Iterator[tuple[str, ast.AST]]:
    if type(node.ops[0]) in COMPARISONS:
        changed = copy.deepcopy(node)
        changed.ops[0] = COMPARISONS[type(node.ops[0])]()
        yield "comparison", changed


def _bool_op(node: ast.BoolOp) -> Iterator[tuple[str, ast.AST]]:
    changed = copy.deepcopy(node)
    changed.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
    yield "and/or", changed


def _unary_op(node: ast.UnaryOp) -> Iterator[tuple[str, ast.AST]]:
    yield "dropped sign or not", copy.deepcopy(node.operand)


def _bin_op(node: ast.BinOp) -> Iterator[tuple[str, ast.AST]]:
    if type(node.op) in SUMS:
        changed = copy.deepcopy(node)
        changed.op = SUMS[type(node.op)]()
        yield "operator", changed


def _constant(node: ast.Constant) -> Iterator[tuple[str, ast.AST]]:
    if isinstance(node.value, bool):
        yield "constant", ast.Constant(not node.value)
    elif isinstance(node.value, int | float):
        yield "constant", ast.Constant(node.value + 1)
    elif isinstance(node.value, str) and node.value:
        yield "text", ast.Constant(node.value + "?")


def _if_exp(node: ast.IfExp) -> Iterator[tuple[str, ast.AST]]:
    yield "always", copy.deepcopy(node.body)
    yield "never", copy.deepcopy(node.orelse)


def _if(node: ast.If) -> Iterator[tuple[str, ast.AST]]:
    for value in (True, False):
        changed = copy.deepcopy(node)
        changed.test = ast.Constant(value)
        yield f"if {value}", changed


def _return(node: ast.Return) -> Iterator[tuple[str, ast.AST]]:
    if node.value is not None and not _is_none(node.value):
        yield "returns None", ast.Return(ast.Constant(None))


def _statement(node: ast.stmt) -> Iterator[tuple[str, ast.AST]]:
    yield "statement dropped", ast.Pass()


def _call(node: ast.Call) -> Iterator[tuple[str, ast.AST]]:
    for place in range(len(node.keywords)):
        changed = copy.deepcopy(node)
        del changed.keywords[place]
        yield f"without {node.keywords[place].arg}", changed


CHANGES: dict[type[ast.AST], Callable[[Any], Iterator[tuple[str, ast.AST]]]] = {
    ast.Compare: _compare,
    ast.BoolOp: _bool_op,
    ast.UnaryOp: _unary_op,
    ast.BinOp: _bin_op,
    ast.Constant: _constant,
    ast.IfExp: _if_exp,
    ast.If: _if,
    ast.Return: _return,
    ast.Assign: _statement,
    ast.AugAssign: _statement,
    ast.Expr: _statement,
    ast.Call: _call,
}


def changes_of(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """Each way to change one node: what was done, and the new node."""
    change = CHANGES.get(type(node))
    return iter(()) if change is None else change(node)


def _is_none(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


class Mutator(ast.NodeTransformer):
    """Walks a module and makes the change of number `wanted` (none: -1); counts all there are."""

    def __init__(self, wanted: int) -> None:
        self.wanted, self.count, self.told = wanted, 0, ""

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, LEFT_ALONE) or _is_docstring(node) or _holds_no_behaviour(node):
            return node
        for name, changed in changes_of(node):
            self.count += 1
            if self.count - 1 == self.wanted:
                self.told = f"line {node.lineno}: {name}: {ast.unparse(node)[:90]!r}"  # type: ignore[attr-defined]
                return ast.copy_location(changed, node)
        return self._into(node)

    def _into(self, node: ast.AST) -> ast.AST:
        """What stands inside, without annotations and decorators."""
        if isinstance(node, ast.FunctionDef):
            node.args.defaults = [self.visit(default) for default in node.args.defaults]
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            node.body = [self.visit(statement) for statement in node.body]
            return node
        if isinstance(node, ast.AnnAssign):
            node.value = node.value and self.visit(node.value)
            return node
        return self.generic_visit(node)


def _is_docstring(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _holds_no_behaviour(node: ast.AST) -> bool:
    return isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id in NO_BEHAVIOUR


def mutant(module: str, number: int) -> tuple[ast.Module, Mutator]:
    """The tree of a module with that change, and what was done."""
    mutator = Mutator(number)
    tree = mutator.visit(ast.parse((RULES / f"{module}.py").read_text(encoding="utf-8")))
    assert isinstance(tree, ast.Module)
    return ast.fix_missing_locations(tree), mutator


class Finder:
    """Loads the one changed module from its tree, everything else as always."""

    def __init__(self, module: str, tree: ast.Module) -> None:
        self.name, self.tree = f"companion.rules.{module}", tree

    def find_spec(self, name: str, path: object = None, target: object = None) -> Any:
        return importlib.machinery.ModuleSpec(name, self, origin=name) if name == self.name else None  # type: ignore[arg-type]

    def create_module(self, spec: object) -> None:
        return None

    def exec_module(self, module: Any) -> None:
        exec(compile(self.tree, self.name, "exec"), module.__dict__)


def transcripts_are_right() -> bool:
    """Whether the transcripts replay to the states beside them: the quickest of the tests."""
    from companion.rules.replay import replayed

    for states in sorted((ROOT / "tests" / "transcripts").glob("*.states.jsonl")):
        transcript = states.with_name(states.name.replace(".states", ""))
        wanted = [json.loads(line) for line in states.read_text(encoding="utf-8").splitlines()]
        if list(replayed(transcript.read_bytes())) != wanted:
            return False
    return True


def survives_here(module: str, number: int) -> bool:
    """In a process of its own: the tests against one mutant."""
    resource.setrlimit(resource.RLIMIT_CPU, (LIMIT_S, LIMIT_S))
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    sys.meta_path.insert(0, Finder(module, mutant(module, number)[0]))  # type: ignore[arg-type]
    if not transcripts_are_right():
        return False
    os.environ["PEGPIP_GAMES"] = "6"
    first = FIRST.get(module, [])
    options = ["-x", "-q", "--no-header", "--tb=no", "--assert=plain", "-p", "no:cacheprovider", "--rootdir", str(ROOT)]
    # The commands start processes, which would load the module as it is; the speed promise says nothing about a mutant.
    options += ["-k", "not process and not fast and not usage and not terminal and not quick"]
    for tests in (first, [name for name in TESTS if name not in first]):
        if tests and pytest.main([*options, *(str(HERE / name) for name in tests)]):
            return False
    return True


def survivors(module: str, numbers: list[int], jobs: int) -> list[int]:
    """Those of the mutants that no test notices; a crash and an endless loop are noticed."""
    waiting, running, lived = list(reversed(numbers)), {}, []
    while waiting or running:
        while waiting and len(running) < jobs:
            number = waiting.pop()
            child = os.fork()
            if child == 0:
                status = 1
                try:
                    status = 0 if survives_here(module, number) else 1
                finally:
                    os._exit(status)
            running[child] = number
        child, status = os.wait()
        number = running.pop(child)
        if status == 0:
            lived.append(number)
    return sorted(lived)


def main() -> int:
    """Runs the mutants of the modules named, or of all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("modules", nargs="*")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--sample", type=int, default=1, help="only each N-th mutant")
    options = parser.parse_args()
    os.nice(10)
    modules = options.modules or sorted({path.stem for path in RULES.glob("*.py")} - LEFT_OUT)
    lived_all, made_all = 0, 0
    for module in modules:
        if not survivors(module, [-1], 1):
            print(f"{module}: its tests fail without any change")
            return 1
        numbers = list(range(0, mutant(module, -1)[1].count, options.sample))
        lived = survivors(module, numbers, options.jobs)
        for number in lived:
            print(f"  survived {module} {number}: {mutant(module, number)[1].told}")
        lived_all, made_all = lived_all + len(lived), made_all + len(numbers)
        print(f"{module}: {len(numbers) - len(lived)}/{len(numbers)} noticed", flush=True)
    print(f"all: {made_all - lived_all}/{made_all} noticed, {(made_all - lived_all) / max(1, made_all):.1%}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
