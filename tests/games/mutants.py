"""Mutation testing of the rules: each module of `companion/games` is changed in one place at a time; do tests notice.

    mutants.py [MODULE ...] [--jobs N] [--sample N [--from N]]

The tests are collected and run once, to learn which of them enter which function. Then each mutant runs in a fork of
that process: its function gets the changed code, and the tests that enter it run until the first failure, the quickest
first. What works at import (tables, classes, and functions called while modules load of which nobody has noticed
anything yet) can't be exchanged so: such a mutant is loaded afresh, first against `tests/transcripts`, then against all
tests of the rules, those that enter its module first.

A test that takes far more processor time than it should has noticed: an endless loop. No clock is asked, so a loaded
machine changes nothing. Prints a line for each survivor, and a score for each module and for all; fails when that is
under 97 %, or when there is a module of the games that no test enters.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import json
import os
import resource
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import hypothesis
import pytest

from tests.games.mutant_tests import Session
from tests.games.mutations import Finder, Mutant, changed_tree, modules, mutants_of

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
WANTED = 0.97  # of all mutants
# Words for people, not rules.
LEFT_OUT = {"__init__", "words"}
FRESH_LIMIT_S = 200
PASSED = {pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED}
# What the rules are held to: their own tests, and those of the table that ask a game what dice in the tray mean.
OF_THE_TABLE = [
    "table/test_events",
    "table/test_expected_dice",
    "bots/test_player",
    "table/test_interpret_properties",
    "table/test_tray_*",
]
FILES = [str(file) for file in sorted(HERE.glob("test_*.py"))]
FILES += [str(file) for name in OF_THE_TABLE for file in sorted(HERE.parent.glob(f"{name}.py"))]
OPTIONS = ["-q", "--no-header", "--tb=no", "--assert=plain", "-p", "no:cacheprovider", "--rootdir", str(ROOT)]
# The commands start processes, which would load the module as it is; the speed promise says nothing about a mutant.
OPTIONS += ["-k", "not process and not fast and not usage and not terminal and not quick"]


@dataclass
class Score:
    """Results of the mutants so far; prints each survivor."""

    wanted: Counter[str]
    noticed: Counter[str] = field(default_factory=Counter)
    by_time: Counter[str] = field(default_factory=Counter)
    lived: dict[str, list[Mutant]] = field(default_factory=dict)
    done: int = 0

    def add(self, mutant: Mutant, status: int) -> None:
        """Add a mutant by the exit status of its process: 0 when no test failed. Prints each survivor."""
        self.done += 1
        self.noticed[mutant.module] += status != 0
        self.by_time[mutant.module] += os.WIFSIGNALED(status)
        if not status:
            self.lived.setdefault(mutant.module, []).append(mutant)
            print(f"  survived {mutant.module} {mutant.number}: {mutant.told}", flush=True)
        if self.done % 50 == 0:
            print(f"... {self.done} of {self.wanted.total()}", flush=True)

    @property
    def of_all(self) -> float:
        """Return the share of all mutants that a test killed."""
        return self.noticed.total() / max(1, self.wanted.total())

    def table(self) -> Iterator[str]:
        """Yield a line for each module, then the score of all."""
        for module, count in self.wanted.items():
            yield f"{module}: {self.noticed[module]}/{count} noticed, {self.by_time[module]} of them by time"
        noticed, count = self.noticed.total(), self.wanted.total()
        yield f"all: {noticed}/{count} noticed, {self.of_all:.1%}; {self.by_time.total()} of them by time"


def transcripts_are_right() -> bool:
    """Return whether the transcripts replay to the states stored beside them: the fastest of the tests."""
    from companion.games.engine.replay import replayed

    for states in sorted((ROOT / "tests" / "transcripts").glob("*.states.jsonl")):
        transcript = states.with_name(states.name.replace(".states", ""))
        wanted = [json.loads(line) for line in states.read_text(encoding="utf-8").splitlines()]
        if list(replayed(transcript.read_bytes())) != wanted:
            return False
    return True


def silenced() -> None:
    """Discard all output of this process from now on."""
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)


class QuickestFirst:
    """A pytest plugin that runs the tests in the order of a list of their ids."""

    def __init__(self, ids: list[str]) -> None:
        self._places = {test: place for place, test in enumerate(dict.fromkeys(ids))}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Sort the tests in place; tests that are not in the list come first."""
        items.sort(key=lambda item: self._places.get(item.nodeid, -1))


def noticed_afresh(mutant: Mutant, watching: dict[str, list[str]]) -> bool:
    """Return whether any test kills a mutant, in a process that has not loaded the rules.

    Files with tests that enter its module run first, then the others.
    """
    resource.setrlimit(resource.RLIMIT_CPU, (FRESH_LIMIT_S, FRESH_LIMIT_S))
    silenced()
    if mutant.number >= 0:
        sys.meta_path.insert(0, Finder(mutant.module, changed_tree(mutant)))
    if not transcripts_are_right():
        return True
    entering = watching.get(mutant.module, [])
    order = QuickestFirst([*entering, *watching[""]])
    near = {str(ROOT / test.split("::")[0]) for test in entering}
    halves = [file for file in FILES if file in near], [file for file in FILES if file not in near]
    return any(pytest.main([*OPTIONS, "-x", *half], plugins=[order]) not in PASSED for half in halves if half)


def in_forks(mutants: list[Mutant], jobs: int, noticed: Callable[[Mutant], bool], tell: Callable[..., None]) -> None:
    """Run each mutant in a process of its own, and pass its exit status to `tell`.

    Crashes and endless loops count as killed.
    """
    waiting, running = list(reversed(mutants)), dict[int, Mutant]()
    while waiting or running:
        while waiting and len(running) < jobs:
            mutant = waiting.pop()
            child = os.fork()
            if child == 0:
                status = 1
                try:
                    status = 1 if noticed(mutant) else 0
                finally:
                    os._exit(status)
            running[child] = mutant
        child, status = os.wait()
        tell(running.pop(child), status)


def noticed_in_a_fork(mutant: Mutant, watching: dict[str, list[str]]) -> bool:
    """Return whether any test kills one mutant, in a process of its own."""
    ended: list[int] = []
    in_forks([mutant], 1, lambda one: noticed_afresh(one, watching), lambda _, status: ended.append(status))
    return ended != [0]


def unwatched(known: list[str], watching: Container[str]) -> list[str]:
    """Return the modules that have functions but none that a test enters."""
    return [one for one in known if one not in watching and any(mutant.inside for mutant in mutants_of(one))]


def in_one_session(mutants: list[Mutant], jobs: int, score: Score) -> tuple[dict[str, list[str]], list[Mutant]]:
    """Run the mutants whose code can be replaced in a running test session.

    Returns the ids of the tests that enter each module, the fastest first (under the empty name those of all), and the
    mutants that must be loaded afresh. The session is a process of its own: this one must never load the rules.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        silenced()
        session = Session(mutants, jobs, writing)
        status = 1
        try:
            status = int(pytest.main([*OPTIONS, *FILES], plugins=[session]))
        finally:
            os._exit(status)
    os.close(writing)
    afresh: list[Mutant] = []
    with os.fdopen(reading, encoding="ascii") as lines:
        watching, libraries = json.loads(next(lines, "{}")), json.loads(next(lines, "[]"))
        for line in lines:
            place, status = json.loads(line)
            if status is None:
                afresh.append(mutants[place])
            else:
                score.add(mutants[place], status)
    if os.waitpid(child, 0)[1]:
        raise SystemExit("the tests fail without any change, or can't be run")
    for name in libraries:  # so that no fork that begins afresh has to
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    return watching, afresh


def run(mutants: list[Mutant], jobs: int, score: Score) -> dict[str, list[str]]:
    """Run all mutants; return the ids of the tests that enter each module."""
    watching, afresh = in_one_session(mutants, jobs, score)
    print(f"{len(afresh)} of {len(mutants)} must be loaded afresh", flush=True)
    if afresh and noticed_in_a_fork(Mutant("", -1, "no change at all", ""), watching):
        raise SystemExit("loaded afresh, the tests fail without any change")
    in_forks(afresh, jobs, lambda mutant: noticed_afresh(mutant, watching), score.add)
    return watching


def main() -> int:
    """Run the mutants of the modules named on the command line, or of all; return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("modules", nargs="*")
    parser.add_argument("--jobs", type=int, default=2, help="mutants at a time")
    parser.add_argument("--sample", type=int, default=1, help="only each N-th mutant")
    parser.add_argument("--from", type=int, default=0, dest="first", help="the number of the first in each module")
    options = parser.parse_args()
    os.nice(10)
    os.environ |= {"PEGPIP_GAMES": "6", "OPENBLAS_NUM_THREADS": "1"}
    phases = [hypothesis.Phase.explicit, hypothesis.Phase.generate]  # who has failed need not fail beautifully
    hypothesis.settings.register_profile("mutants", phases=phases)
    hypothesis.settings.load_profile("mutants")
    known = [module for module in modules() if module.split(".")[-1] not in LEFT_OUT]
    if unknown := set(options.modules) - set(known):
        parser.error(f"no such module of the games: {', '.join(sorted(unknown))}; choose from {', '.join(known)}")
    chosen = options.modules or known
    mutants = [mutant for module in chosen for mutant in mutants_of(module)[options.first :: options.sample]]
    score = Score(Counter(mutant.module for mutant in mutants))
    with tempfile.TemporaryDirectory() as folder:  # what is compiled once need not be again
        sys.dont_write_bytecode, sys.pycache_prefix = False, folder
        watching = run(mutants, options.jobs, score)
    print("\n".join(score.table()))
    alone = unwatched(known, watching)
    for module in alone:
        print(f"no test enters {module}")
    return 1 if alone or score.of_all < WANTED else 0


if __name__ == "__main__":
    sys.exit(main())
