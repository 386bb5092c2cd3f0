"""`pegpip dice`: test whether the dice are fair, from their throws."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

import click

from companion.commands.transcript_file import transcript_in
from companion.errors import counted
from companion.games.engine.game import Throw
from companion.history.fairness import FINDABLE_CHANCE, evidence_after
from companion.settings import load as config

BAR_CHARS = 40
"""Characters of the longest bar, that of the commonest face, in the chart of `pegpip dice`. Longer shows smaller
differences. Beyond about 70 a line does not fit a terminal of 80 columns."""


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@click.option(
    "--data",
    "data_folder",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False),
    help="Folder of the journal, when no FILE is given.",
)
@click.option(
    "--since",
    "first_game",
    type=click.IntRange(min=1),
    metavar="GAME",
    help="Only its games from that number on, as after a change of dice.",
)
@click.option("--set", "dice_set", metavar="NAME", help="Only its games with that set of dice; '' for the usual one.")
@click.argument("transcripts", nargs=-1, metavar="[FILE...|-]")
def command(
    transcripts: tuple[str, ...], data_folder: str | None, first_game: int | None, dice_set: str | None, as_json: bool
) -> None:
    """Test whether the dice are fair: counts of the values, evidence of bias, and the smallest bias that would show.

    All games of the table count, or those that --since and --set choose, or the named transcripts. The test may be
    looked at after every throw: on average at most 1 of 20 sets of fair dice is ever called uneven. Corrected throws
    count as corrected. If one confusion of the camera's reader would explain uneven values, the answer names it.
    """
    if transcripts and (data_folder or first_game or dice_set is not None):
        raise click.UsageError("--data, --since and --set choose the table's games: leave them out, or leave FILE out.")
    throws: Iterable[Sequence[int]]
    if transcripts:
        actions = (action for name in transcripts for action in transcript_in(name).actions)
        throws = (action.dice for action in actions if isinstance(action, Throw))
    else:
        from companion.history.export import PastGames

        settings = config.load(None, {"data": {"dir": data_folder}} if data_folder else {})
        past = PastGames(settings.data.folder)
        past.check_set(dice_set)
        throws = past.throws(first_game, dice_set)
    found = evidence_after(list(throws)).view()
    click.echo(json.dumps(found) if as_json else in_words(found))


def in_words(found: dict[str, Any]) -> str:
    """Return the fairness result of `pegpip dice --json` as text.

    The lines are: the numbers of throws and dice, a bar for each face's count, the verdict, and what the test could
    find. The last line gives the smallest probability of a biased face that the test would reveal in half of all cases.
    If that is above FINDABLE_CHANCE or not known, the line says that there are not enough throws yet.
    """
    counts = found["counts"]
    rolled, most = sum(counts.values()), max(counts.values()) or 1
    thrown = f"{counted(found['throws'], 'throw')}, {counted(rolled, 'die', 'dice')}"
    rows = [f"{thrown}; an even share is {rolled / 6:.1f}."]
    rows += [
        f"  {face}  {'#' * round(BAR_CHARS * count / most):<{BAR_CHARS}} {count}" for face, count in counts.items()
    ]
    rows.append(_verdict(found))
    found_by_now = found["could_have_found"]
    rows.append(
        "Not enough throws yet: even strongly loaded dice could go unnoticed."
        if found_by_now is None or found_by_now > FINDABLE_CHANCE
        else f"By now half of all sets would be found of which one face comes with {found_by_now:.1%}, not 16.7%."
    )
    return "\n".join(rows)


def _verdict(found: dict[str, Any]) -> str:
    """Return the verdict of a fairness result as a sentence, with the likely reading error if there is one.

    `found` is the result as `Fairness.view` returns it.
    """
    if found["verdict"] == "even":
        return f"Nothing speaks against fair dice so far (evidence {found['evidence']:.2g} of {found['enough']:.0f})."
    if found["verdict"] == "loaded":
        return f"Uneven, and no slip of the reader explains it (evidence {found['evidence']:.2g})."
    if found["confusion"]:
        taken, read = found["confusion"]
        return f"Uneven, or some {taken}s are read as {read}s: look at photos of throws that show a {read}."
    return "Uneven, or the reader slips now and then: look at photos of doubtful throws."
