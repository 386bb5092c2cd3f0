"""The `pegpip` command: each subcommand is a module of its own and is loaded only when it is called."""

from __future__ import annotations

import errno
import importlib
import io
import os
import sys
from collections.abc import Sequence

import click

from companion.commands import CTRL_C, printable
from companion.errors import CompanionError, SetupError
from companion.libraries import missing_library

COMMANDS = {
    "play": "serve the table: camera, rules, board and phones",
    "read": "read the dice in pictures",
    "watch": "follow a camera or a video and print each settled throw",
    "replay": "replay transcripts of games and print the state after each line",
    "rules": "print the rules of a game, or its house rules",
    "odds": "print the options after a transcript's last line, with their exact values",
    "luck": "split a finished game into luck and decisions",
    "dice": "test from all throws whether the dice are fair",
    "puzzles": "positions with one best option, and the answer",
    "train-me": "puzzles to answer on the terminal",
    "rescore": "read stored throws again with today's reader, and judge it by them",
    "teach": "teach the table a set of dice, throw by throw",
    "simulate": "play many games between levels of play, and count the wins",
    "doctor": "check every part of the table; say what is wrong and what to do",
    "calibrate": "find the tray, the keep zone, the light and the size of a die",
    "leds": "light the board step by step; draw its layout and its scenes",
    "bench": "measure speed and accuracy on this machine",
    "join": "draw QR codes for phones on this terminal: Wi-Fi and page",
    "export": "write the whole table (journal, photos, settings) to one file",
    "import": "restore a table from the file of `export`",
    "league": "take part in a league of many tables, or run one",
    "update": "install a signed release from a file; it is undone if the table is not well",
}
"""Line of `pegpip --help` for each command, in its order."""
ANALYSIS = frozenset({"odds", "luck", "dice", "puzzles", "train-me", "rescore", "teach", "simulate"})
"""Commands in `companion.commands.analysis`."""
ELSEWHERE = {"league": "companion.league.commands"}
"""Command -> its module, for commands outside `companion.commands`."""

REFUSALS = frozenset({errno.EACCES, errno.EPERM, errno.EROFS, errno.ENAMETOOLONG})
"""`errno` codes of file errors that another path or user mends: the command prints a sentence. ENOSPC gets another
sentence; the other codes get a traceback."""


class LazyGroup(click.Group):
    """A group whose commands live in `companion.commands`, `.analysis` or `ELSEWHERE`, imported when called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all `pegpip` commands, in the order of COMMANDS."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the module of the command named `cmd_name`, and return the command; None for an unknown name."""
        if cmd_name not in COMMANDS:
            return None
        folder = "analysis." if cmd_name in ANALYSIS else ""
        module = f"companion.commands.{folder}{cmd_name.replace('-', '_')}" + "_" * (cmd_name == "import")
        module = ELSEWHERE.get(cmd_name, module)
        command: click.Command = importlib.import_module(module).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands for `--help` from COMMANDS, without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="peg-and-pip")
def pegpip() -> None:
    """Real dice in a tray, an LED cribbage track, a scoreboard on every phone.

    `pegpip play` starts the table. `pegpip COMMAND --help` explains a command.
    """


def main() -> None:
    """Run the `pegpip` command line and end the process with its exit status.

    The status is 0 if all went well, 1 if the command failed, 2 at wrong usage or settings. It is 130 after Ctrl-C or
    a declined question. A command may return a status of its own. Errors that people can mend are printed as
    sentences; a bug keeps its traceback. Characters that the terminal can't show are escaped. OpenBLAS runs on one
    thread, unless the environment says otherwise.
    """
    if sys.stdin is None:  # closed at the start (`<&-`): commands look for a terminal or input there, and find neither
        sys.stdin = open(os.devnull)  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a player's name must not break a terminal that can't show it
            stream.reconfigure(errors="backslashreplace")
    # NumPy reads this when it is loaded. Our arrays are small: more threads would only take up the cores.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        status = pegpip(standalone_mode=False)
    except click.ClickException as wrong_usage:
        wrong_usage.show()
        status = 2
    except click.Abort:
        status = CTRL_C
    except (CompanionError, ImportError, OSError) as wrong:
        problems = _problems(wrong)
        if not problems:
            raise
        for problem in problems:
            click.echo(printable(f"pegpip: {problem}"), err=True)
        status = 2 if isinstance(wrong, SetupError) else 1
    sys.exit(status if isinstance(status, int) else 0)


def _problems(wrong: CompanionError | ImportError | OSError) -> Sequence[str]:
    """Return the sentences to print for an error; empty if its traceback is to be shown, as for a bug.

    There are sentences for a CompanionError, a full disk and a missing library. There is also one for an OSError that
    names a file and has a code of REFUSALS.
    """
    if isinstance(wrong, SetupError):
        return wrong.problems
    if isinstance(wrong, CompanionError):
        return (str(wrong),)
    if isinstance(wrong, OSError) and wrong.errno == errno.ENOSPC:
        return (f"{wrong.filename or 'The output'}: {wrong.strerror}. Free some space, then run it again.",)
    if isinstance(wrong, OSError):
        told = f"{wrong.filename}: {wrong.strerror}. Name another, or run this as a user who may use it."
        return (told,) if wrong.errno in REFUSALS and wrong.filename else ()
    says = missing_library(wrong)
    return (says,) if says else ()
