"""`pegpip teach`: teach the table a set of dice, throw by throw, on the terminal."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from companion.backup import rights
from companion.commands import refuse_virtual
from companion.errors import CompanionError, DeviceError, SetupError, counted
from companion.settings import load as config

if TYPE_CHECKING:
    from companion.evidence.lesson import Teacher


@click.command()
@click.option("--set", "name", metavar="NAME", default="", help="The set of dice, as games name it; the usual one.")
@click.option("--camera", metavar="C", help="The camera; by default the settings' one.")
@click.option("--data", metavar="DIR", type=click.Path(file_okay=False), help="The data folder.")
@click.option("--throws", type=click.IntRange(min=1), default=10, show_default=True, help="How many to teach.")
@click.option("--expect", type=click.IntRange(min=1, max=99), metavar="N", help="Number of dice that are thrown.")
@click.option("--forget", is_flag=True, help="Forget the set instead.")
@click.option("--list", "list_sets", is_flag=True, help="List the taught sets instead.")
@click.option("--json", "as_json", is_flag=True, help="With --list: one JSON object a set.")
def command(
    name: str,
    camera: str | None,
    data: str | None,
    throws: int,
    expect: int | None,
    forget: bool,
    list_sets: bool,
    as_json: bool,
) -> int:
    """Teach a set of dice: throw the dice about ten times, and confirm or correct each reading.

    After each throw, press Enter if the reading is right, or s to skip the throw. To correct the reading, type the
    values from left to right (0 for no die). --set names the set, --throws the number of throws to learn, --expect the
    number of dice. --forget and --list forget a set or list all instead.

    While a table runs, teach or forget a set on its page /teach. Exit status 1 when no throw was learnt, when a table
    uses the data folder, or when --list finds a set that can't be read.
    """
    from companion.evidence.lesson import Teacher
    from companion.evidence.taught import TaughtSets
    from companion.table.lock import locked
    from companion.table.terms import NAME_LENGTH
    from web.names import problem_of

    given = {"data": {"dir": data}} if data else {}
    settings = config.load(None, given | ({"camera": {"source": camera}} if camera else {}))
    if not list_sets:  # a running table writes each set whole, from its own memory
        with rights.of_owner(settings.data.folder):  # the table must be able to open a lock that root makes
            lock = locked(settings.data.folder)
        click.get_current_context().with_resource(lock)
    taught = TaughtSets(settings.data.folder)
    taught.load()
    well, says = taught.health()
    if not well:
        click.echo(f"pegpip: {says}", err=True)
    if list_sets:
        for each in taught.sets():
            thrown = counted(each["throws"], "throw")
            row = f"{each['name'] or 'the usual ones'}: {thrown}, faces 1 to 6: {each['faces']}"
            click.echo(json.dumps(each) if as_json else row)
        if not taught.sets() and not as_json and well:
            click.echo("No set of dice was taught yet; `pegpip teach` teaches one.", err=True)
        return int(not well)
    if forget:
        if not taught.knows(name):
            raise SetupError([f"--set: nothing was taught of {name!r}; `pegpip teach --list` shows the sets."])
        with rights.of_owner(settings.data.folder):
            taught.forget(name)
        return 0
    wrong = f"A name has at most {NAME_LENGTH} characters." if len(name) > NAME_LENGTH else problem_of([name])
    if wrong is not None:
        raise SetupError([f"--set: {wrong}"])
    teacher = Teacher(taught, clock=lambda: 0.0)  # no game waits for the end of this lesson
    teacher.begin(name)
    return _lesson(teacher, settings, throws, expect)


def _lesson(teacher: Teacher, settings: config.Settings, throws: int, expect: int | None) -> int:
    """Teach a set of dice on the terminal: ask about each throw, until `throws` are learnt or a recording ends.

    A throw of which no die could be read is passed over. Each answer is stored at once; a skipped throw does not count.
    `expect` is the number of dice in the tray, or None. Return the exit status: 1 if nothing was learnt, else 0. Raises
    SetupError if the camera's settings are wrong or name the virtual camera, DeviceError if the camera fails.
    """
    from companion.adapters.reader_setup import load_reader
    from vision.cameras.opening import open_camera
    from vision.networks import load_networks
    from vision.watching.watcher import Ill, Settled, Watcher, latest

    source = settings.camera.source
    refuse_virtual(source, "name a camera with --camera, or run `pegpip play` and open its page /teach")
    camera = open_camera(source, settings.camera.dice, settings.camera.mains_hz)
    setup = load_reader(source, camera, settings.data.folder, load_networks())
    learnt, last = 0, None
    watcher = Watcher(camera, setup.reader.read, setup.rig, lambda: expect)
    click.echo(f"Throw the dice {counted(throws, 'time')}.", err=True)
    for event in watcher.events():
        if isinstance(event, Ill):
            raise DeviceError(f"{camera.name}: {event.error}", "Mend the camera, then teach again.")
        if not isinstance(event, Settled):
            continue
        last = latest(event, last, held=setup.rig is None)
        if last is not event or not event.reading.values:
            continue
        teacher.offer(event)
        with rights.of_owner(settings.data.folder):  # the table must be able to write what root makes
            learnt += _asked(teacher)
        if learnt == throws:
            break
    watcher.stop()
    return 0 if learnt else 1


def _asked(teacher: Teacher) -> bool:
    """Ask the person which values the waiting throw shows, and teach them.

    A throw must be waiting. Enter confirms the values read, other input gives the values, and `s` skips the throw.
    Returns True once the throw is learnt, False if it is skipped. If an answer is invalid or can't be stored, the
    reason is printed and the question asked again. Raises click.Abort at Ctrl-C and at the end of the input.
    """
    throw = teacher.view()["throw"]
    read = [die["read"] for die in throw["dice"]]
    shown = " ".join(map(str, read))
    while True:
        said = click.prompt(f"{shown}   right? Enter, values, or s", default="", show_default=False).strip()
        if said == "s":
            return False
        try:
            apart = said.replace(",", " ").split()
            values = [int(value) for value in (apart if "," in said or len(apart) > 1 else said)]
            teacher.label(throw["number"], values if said else read)
        except CompanionError as no:
            click.echo(f"pegpip: {no}", err=True)
            continue
        except ValueError:
            click.echo(f"pegpip: {said!r} is no list of values: type one for each die, as in 3 1 6.", err=True)
            continue
        return True
