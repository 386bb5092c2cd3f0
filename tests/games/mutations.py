"""The mutants of `companion/games`: each module changed in one place, as a tree in memory.

A comparison turned or its edge moved, `and`/`or` exchanged, `not` or a sign dropped, another operator, a number one
more, a bool turned, a text changed, a condition always true or false, a keyword argument left out, a result replaced by
None (but for False, which is turned), a statement dropped. Left alone: docstrings, the messages of errors, assertions,
annotations, decorators, and how a light looks and a tone sounds.
"""

from __future__ import annotations

import ast
import copy
import importlib.machinery
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

RULES = Path(__file__).resolve().parent.parent.parent / "companion" / "games"
LEFT_ALONE = (ast.Import, ast.ImportFrom, ast.JoinedStr, ast.Assert, ast.Raise)
LOOKS = {"Light", "Tone"}  # colours, seconds and pitches are a matter of taste, as words are
NO_BEHAVIOUR = {"__all__", "GAME", "T"}  # names, words for people; and types, whose names are in CapWords
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
    if node.value is not None and not _is_none_or_false(node.value):
        yield "returns None", ast.Return(ast.Constant(None))


def _statement(node: ast.stmt) -> Iterator[tuple[str, ast.AST]]:
    yield "statement dropped", ast.Pass()


def _call(node: ast.Call) -> Iterator[tuple[str, ast.AST]]:
    for place in range(len(node.keywords)):
        if _is_strict(node.keywords[place]):
            continue
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
    """Yield each way to change one node: a description, and the new node."""
    change = CHANGES.get(type(node))
    return iter(()) if change is None else change(node)


def _is_none_or_false(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and (node.value is None or node.value is False)


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change of one module.

    Attributes:
        number: Index among the module's changes.
        told: Line and description of the change.
        inside: Function or method whose body holds it, as `Class.method`; empty for code that runs at import.
    """

    module: str
    number: int
    told: str
    inside: str


class Mutator(ast.NodeTransformer):
    """Walks the tree of a module and makes the change of number `wanted`; with -1 it makes none and lists all."""

    def __init__(self, module: str, wanted: int) -> None:
        self.module, self.wanted = module, wanted
        self.found: list[Mutant] = []
        self._number = -1  # of the last change that was come by
        self._names: list[str] = []
        self._inside = ""

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, LEFT_ALONE) or any(kind(node) for kind in (_is_strict, _is_docstring, _holds_no_behaviour)):
            return node
        for name, changed in changes_of(node):
            self._number += 1
            if self._number == self.wanted:
                return ast.copy_location(changed, node)
            if self.wanted < 0:
                told = f"line {node.lineno}: {name}: {ast.unparse(node)[:90]!r}"  # type: ignore[attr-defined]
                self.found.append(Mutant(self.module, self._number, told, self._inside))
        return self._into(node)

    def _into(self, node: ast.AST) -> ast.AST:
        """Visit the children of a node, without annotations and decorators."""
        if isinstance(node, ast.FunctionDef):
            node.args.defaults = [self.visit(default) for default in node.args.defaults]
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            self._body_of(node)
            return node
        if isinstance(node, ast.AnnAssign):
            node.value = node.value and self.visit(node.value)
            return node
        return self.generic_visit(node)

    def _body_of(self, node: ast.FunctionDef | ast.ClassDef) -> None:
        outer = self._inside
        self._names.append(node.name)
        if isinstance(node, ast.FunctionDef) and not outer:
            self._inside = ".".join(self._names)
        node.body = [self.visit(statement) for statement in node.body]
        self._names.pop()
        self._inside = outer


def _is_docstring(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_strict(node: ast.AST) -> bool:
    """Return whether a node is the `strict` argument of `zip`: an assertion, which no test needs to kill."""
    return isinstance(node, ast.keyword) and node.arg == "strict"


def _holds_no_behaviour(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id in LOOKS
    if isinstance(node, ast.If):
        return ast.unparse(node.test) == "TYPE_CHECKING"
    if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name):
        return False
    name = node.targets[0].id
    return name in NO_BEHAVIOUR or (name[0].isupper() and not name.isupper())


def mutants_of(module: str) -> list[Mutant]:
    """Return every mutant of a module."""
    mutator = Mutator(module, -1)
    mutator.visit(_read(module))
    return mutator.found


def changed_tree(mutant: Mutant) -> ast.Module:
    """Return the tree of a module with the one change of a mutant."""
    tree = Mutator(mutant.module, mutant.number).visit(_read(mutant.module))
    assert isinstance(tree, ast.Module)
    return ast.fix_missing_locations(tree)


def path_of(module: str) -> Path:
    """Return the file of a module, named with dots below the folder of the games: `crag.state`."""
    return RULES.joinpath(*module.split(".")).with_suffix(".py")


def modules() -> list[str]:
    """Return the names of all modules below the folder of the games, except the offline solvers.

    The solvers' results are stored, and tests compare them with values of the rules.
    """
    return sorted(module_of(path) for path in RULES.rglob("*.py") if "solving" not in path.parts)


def module_of(path: Path) -> str:
    """Return the name of the module in a file."""
    return ".".join(path.relative_to(RULES).with_suffix("").parts)


def _read(module: str) -> ast.Module:
    return ast.parse(path_of(module).read_text(encoding="utf-8"))


class Finder:
    """Import hook that loads one module from its changed tree and all others as usual."""

    def __init__(self, module: str, tree: ast.Module) -> None:
        self.name, self.tree = f"companion.games.{module}", tree

    def find_spec(self, name: str, path: object = None, target: object = None) -> Any:
        return importlib.machinery.ModuleSpec(name, self, origin=name) if name == self.name else None  # type: ignore[arg-type]

    def create_module(self, spec: object) -> None:
        return None

    def exec_module(self, module: Any) -> None:
        exec(compile(self.tree, self.name, "exec"), module.__dict__)
