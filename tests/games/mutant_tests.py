"""A test session that learns which tests enter which function of the rules, then runs mutants in forks of itself."""

from __future__ import annotations

import functools
import gc
import json
import math
import multiprocessing
import os
import resource
import sys
import time
import types
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

from tests.games.mutations import RULES, Mutant, changed_tree, module_of, modules, path_of

ROOT = RULES.parent.parent
SLACK_S = 3  # processor time that a test may take more than ten times what it took without a change
Place = tuple[str, str]  # a module's stem and the outermost function in it


class Session:
    """A pytest plugin that runs the tests once and then the mutants.

    It writes lines of JSON. First come the ids of the tests that enter each module, the fastest first, with those of
        all
    tests under the empty name. Then come the names of the libraries that they load. Then comes for each mutant its
        index
    in the list, with the exit status of its process: 0 when no test failed, null where it must be loaded afresh.
    """

    def __init__(self, mutants: list[Mutant], jobs: int, writing: int) -> None:
        self._mutants, self._jobs, self._writing = mutants, jobs, writing
        self._at_import: set[Place] = set()
        self._tests: dict[Place, list[pytest.Item]] = defaultdict(list)
        self._functions: dict[Place, types.FunctionType] = {}
        self._codes: dict[Place, types.CodeType] = {}
        self._took_s: dict[pytest.Item, float] = {}
        self._noticing: dict[Place, Counter[int]] = defaultdict(Counter)
        self._running = multiprocessing.RawArray("i", len(mutants))  # by mutant: the number of the test that is on

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self) -> None:
        """Start to note which modules are loaded."""
        sys.setprofile(self._watch_import)

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run the tests once, unchanged and watched; then run the mutants."""
        sys.setprofile(None)
        if session.testsfailed:
            raise session.Failed("not all tests could be collected")
        self._functions.update(functions_of_the_rules())
        self._codes.update((place, function.__code__) for place, function in self._functions.items())
        for item in session.items:
            self._learn(item)
        self._number = {item: number for number, item in enumerate(session.items)}
        self._write(self._watching(session.items))
        self._write(libraries())
        gc.freeze()
        self._run()
        return True

    def _watch_import(self, frame: types.FrameType, event: str, _arg: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(str(RULES)):
            name = frame.f_code.co_qualname.split(".<locals>")[0]
            self._at_import.add((module_of(Path(frame.f_code.co_filename)), name))

    def _learn(self, item: pytest.Item) -> None:
        forget()
        _entered.clear()
        for place, function in self._functions.items():
            _set_probe(place, function)
        began_s = time.process_time()
        passed = passes(item)
        self._took_s[item] = time.process_time() - began_s
        for place, function in self._functions.items():
            function.__code__ = self._codes[place]
        if not passed:
            raise pytest.Session.Failed(f"{item.name} fails without any change")
        for place in _entered:
            self._tests[place].append(item)

    def _watching(self, items: list[pytest.Item]) -> dict[str, list[str]]:
        watching = {"": items}
        for (module, _), entering in self._tests.items():
            watching[module] = [*watching.get(module, []), *entering]
        return {
            module: list(dict.fromkeys(item.nodeid for item in sorted(found, key=self._took_s.__getitem__)))
            for module, found in watching.items()
        }

    def _run(self) -> None:
        waiting, running = list(reversed(range(len(self._mutants)))), dict[int, int]()
        while waiting or running:
            while waiting and len(running) < self._jobs:
                place = waiting.pop()
                if self._mutants[place].inside:
                    running[self._ask(place)] = place
                else:
                    self._write([place, None])
            if not running:
                continue
            child, status = os.wait()
            place = running.pop(child)
            mutant = self._mutants[place]
            if status:
                self._noticing[mutant.module, mutant.inside][self._running[place]] += 1
            worked_at_import = (mutant.module, mutant.inside) in self._at_import
            self._write([place, status or (None if worked_at_import else 0)])

    def _write(self, line: object) -> None:
        with os.fdopen(os.dup(self._writing), "w", encoding="ascii") as lines:
            lines.write(json.dumps(line) + "\n")

    def _ask(self, place: int) -> int:
        """Fork a process that runs the tests against a mutant and exits with 0 when none fails; return its id."""
        child = os.fork()
        if child:
            return child
        mutant, status = self._mutants[place], 1
        try:
            forget()
            exchange(mutant, self._functions[mutant.module, mutant.inside])
            status = 1 if any(not self._passes_in_time(item, place) for item in self._order(mutant)) else 0
        finally:
            os._exit(status)

    def _order(self, mutant: Mutant) -> list[pytest.Item]:
        """Return the tests that enter the mutant's function: the fast ones and those that killed others in it first."""
        noticing = self._noticing[mutant.module, mutant.inside]
        entering = self._tests[mutant.module, mutant.inside]
        return sorted(entering, key=lambda item: self._took_s[item] / (1 + noticing[self._number[item]]))

    def _passes_in_time(self, item: pytest.Item, place: int) -> bool:
        """Return whether a test passes. The kernel ends the process if it takes much longer than unchanged."""
        self._running[place] = self._number[item]
        limit_s = math.ceil(time.process_time() + SLACK_S + 10 * self._took_s[item])
        resource.setrlimit(resource.RLIMIT_CPU, (limit_s, resource.RLIM_INFINITY))
        return passes(item)


def passes(item: pytest.Item) -> bool:
    """Return whether a test passes; its fixtures are set up and torn down for it alone."""
    return all(report.passed or report.skipped for report in runtestprotocol(item, log=False, nextitem=None))


def libraries() -> list[str]:
    """Return the names of the loaded modules that are not part of this project."""
    files = {name: getattr(module, "__file__", None) or "" for name, module in sys.modules.items()}
    return [name for name, file in files.items() if file.startswith(sys.prefix) or not file.startswith(str(ROOT))]


def forget() -> None:
    """Clear the caches of the rules, so that every test computes its results itself."""
    for cached in _caches():
        cached.cache_clear()


@functools.cache
def _caches() -> list[Any]:
    kind = type(_caches)
    gc.unfreeze()  # tests/conftest.py hides all objects that the tests' modules made
    found = [thing for thing in gc.get_objects() if isinstance(thing, kind)]
    return [thing for thing in found if thing.__wrapped__.__module__.startswith("companion.games")]


def functions_of_the_rules() -> Iterator[tuple[Place, types.FunctionType]]:
    """Yield every function and method of the rules with its place; properties and caches are unwrapped."""
    for name in modules():
        path, module = path_of(name), sys.modules.get(f"companion.games.{name}")
        for thing in vars(module).values() if module else ():
            for inner in vars(thing).values() if isinstance(thing, type) else (thing,):
                function = _bare(inner)
                if isinstance(function, types.FunctionType) and function.__code__.co_filename == str(path):
                    yield (name, function.__code__.co_qualname), function


def _bare(thing: Any) -> Any:
    if isinstance(thing, property):
        thing = thing.fget
    thing = getattr(thing, "__func__", thing)
    while hasattr(thing, "__wrapped__"):
        thing = thing.__wrapped__
    return thing


_entered: dict[Place, types.FunctionType] = {}


def _set_probe(place: Place, function: types.FunctionType) -> None:
    """Replace a function's code so that its next call is noted; later calls run the original code."""
    code = function.__code__
    if code.co_freevars:
        _entered[place] = function
        return

    def note(*args: Any, **kwargs: Any) -> Any:
        _entered[place] = function
        function.__code__ = code
        return function(*args, **kwargs)

    _PROBES[place] = note
    call = f"_PROBES[{place!r}](*args, **kwargs)"
    source = f"def probe(*args, **kwargs):\n    from tests.games.mutant_tests import _PROBES\n    return {call}"
    made = compile(source, "probe", "exec").co_consts[0]
    assert isinstance(made, types.CodeType)
    function.__code__ = made


_PROBES: dict[Place, Callable[..., Any]] = {}


def exchange(mutant: Mutant, function: types.FunctionType) -> None:
    """Give a mutant's function its changed code, wherever the function has been imported."""
    code = compile(changed_tree(mutant), str(path_of(mutant.module)), "exec")
    for name in mutant.inside.split("."):
        code = next(part for part in code.co_consts if isinstance(part, types.CodeType) and part.co_name == name)
    function.__code__ = code
