"""Whether a table keeps up with a Raspberry Pi's processor: `make pi-budget`.

    python -m tests.system.pi_budget [--core 0.22] [--throws 20] [--clip FILE]

A whole table (watching, reading, journal, pages, 363 LEDs) runs in a process that gets a part of one core: 0.22 of an
x86-64 server's stands for a Pi 4 with OpenCV's threads, 0.7 for a Pi 5, 0.1 for a Zero 2 W. Its camera's frames, 1280 x
960 at 30 a second, are rendered outside that process, which copies the newest one as it would from a Pi's camera. The
seven dice of Crib Dice are thrown, lie for a while, and are lifted; the simulation knows the moment of their rest.

Prints a JSON object for each part of a core:

- `fps_moving`, `fps_waiting`: frames a second that are looked at while dice roll, and in the second before; medians.
- `read_s`: from the dice's rest to the reading; `page_s`: until a viewer of the pages has it; medians.
- `page_ms`: the scoreboard asked for in between, median; `leds_fps`: frames of light a second; `peak_mb`: most memory,
  looked at every 20 ms, without the frames that the two processes share.
- `doubted`: throws of which the table asks; they count in no median.

With `--clip` it watches a video with `pegpip watch`: `clip_s` from start to end, and the values it told. Exit status 1
when a figure misses its limit.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.system.quota import limited, method
from tests.system.reaction import _moved
from tests.waiting import PATIENCE_S, until
from vision.cameras import Frame
from vision.cameras.simulated.camera import FPS, LENS, VirtualCamera
from vision.cameras.simulated.clock import SteppedClock

CORES = (0.22, 0.7, 0.1)
LIMITS: dict[float, dict[str, float]] = {
    0.22: {"fps": 15, "calibrated_s": 0.8, "uncalibrated_s": 1.5, "clip_s": 21},
    0.7: {"fps": 30, "calibrated_s": 0.35},
}
"""Fewest frames a second (calibrated), longest times from rest to reading and for the clip, for each part of a core."""
FPS_TOLERANCE = 0.97
"""A camera of 30 frames a second gives 29 or 31 in a second of our own clock."""
AHEAD = -15
"""Niceness that is asked for, so that other programs of a busy machine take little from the measured ones."""
ONE_THREAD = {**os.environ, "OPENCV_FOR_THREADS_NUM": "1", "PEGPIP_RUNTIME": "opencv"}  # as a Pi runs it
"""Environment of the measured program. The part of a core already stands for a Pi's threads. OpenCV's threads of this
machine would be charged too, also while they spin: more on a machine with more cores."""
SOURCE = "opencv:0"
DICE = 7
EMPTY, MOST, RESTING = 8, 150, 8
"""Rendered frames of the empty tray, of a throw at most, and of the dice at rest that are shown over and over."""
PAUSE_S, LIES_S = 3.0, 1.0
"""The tray is empty for the one before each throw; the dice lie for the other after they were read."""
CONTROL = ("from_s", "frames", "taken", "read_s", "reset", "lit")
"""Numbers that both processes share: when the throw is shown from (0: the tray is empty), its frames, the frames that
the watcher took, when it settled last, how often the table was reset, frames of light."""


class Stage:
    """Frames and numbers that the table's process and the one that measures share, in files in memory."""

    def __init__(self, folder: Path) -> None:
        width, height = LENS.size_wh
        mode, shape = ("r+" if (folder / "frames").exists() else "w+"), (EMPTY + MOST, height, width, 3)
        self.frames: NDArray[np.uint8] = np.memmap(folder / "frames", np.uint8, mode, shape=shape)  # type: ignore[call-overload]
        self._numbers = np.memmap(folder / "numbers", np.float64, mode, shape=(len(CONTROL),))  # type: ignore[call-overload]

    def __getitem__(self, name: str) -> float:
        return float(self._numbers[CONTROL.index(name)])

    def __setitem__(self, name: str, value: float) -> None:
        self._numbers[CONTROL.index(name)] = value

    def now_shown(self, now_s: float) -> int:
        """Return the index of the frame that the camera shows at that time."""
        from_s, count = self["from_s"], int(self["frames"])
        if from_s == 0 or now_s < from_s:
            return int(now_s * FPS) % EMPTY
        at = int((now_s - from_s) * FPS)
        return EMPTY + (at if at < count else count - RESTING + at % RESTING)


class StageCamera:
    """A live camera whose newest frame is copied from a stage; what comes while nobody asks is gone."""

    name = SOURCE

    def __init__(self, stage: Stage) -> None:
        self._stage, self._last = stage, 0

    def start(self) -> None:
        """Nothing to open."""

    def frame(self) -> Frame:
        """Wait for the next frame, and copy it."""
        now_s = time.monotonic()
        if int(now_s * FPS) == self._last:
            time.sleep((self._last + 1) / FPS - now_s)
            now_s = max(time.monotonic(), (self._last + 1) / FPS)
        self._last = int(now_s * FPS)
        self._stage["taken"] += 1
        return Frame(np.array(self._stage.frames[self._stage.now_shown(now_s)]), now_s)

    def stop(self) -> None:
        """Nothing to close."""


def table(folder: Path) -> None:
    """Run the table of one stage until its process is killed; print its port."""
    from companion.adapters import tray_observer
    from companion.app import build
    from companion.bench.leds import _Encoding
    from companion.service import opening
    from companion.settings.load import Origin, load
    from companion.settings.starting import Starting
    from companion.table.commands import Answer, PlayLine
    from hardware.strips import FrameRGB
    from vision.watching.watcher import Event, Settled

    stage, command_of = Stage(folder), tray_observer.command_of

    class Lights(_Encoding):
        def show(self, frame_rgb: FrameRGB) -> None:
            super().show(frame_rgb)
            stage["lit"] += 1

    def noted(event: Event) -> Any:
        if isinstance(event, Settled) and event.reading.dice:
            stage["read_s"] = time.monotonic()
        return command_of(event)

    tray_observer.command_of = noted
    vars(opening)["open_camera"] = lambda *_, **__: StageCamera(stage)
    vars(opening)["open_strip"] = lambda _kind, leds, _wired: Lights(leds)
    settings = load(None, {
        "web": {"host": "127.0.0.1", "port": 0},
        "data": {"dir": str(folder / "data")},
        "camera": {"source": SOURCE},
        "strip": {"layout": "board3x121"},
        "table": {"players": ["Ann", "Ben"], "game": "crib_dice"},
    })  # fmt: skip
    app = build(Starting(settings, Origin(folder / "pegpip.toml")))
    writer = next(part for part in app.parts if part.name == "table").start.__self__  # type: ignore[attr-defined]

    def reset() -> None:
        """Take the last throw back whenever the other process asks for it."""
        done = 0.0
        while True:
            if stage["reset"] != done:
                done, now = stage["reset"], writer.snapshot()
                if now.question is not None:
                    writer.submit(Answer(question=now.question.id, values=None))
                elif now.state["line"]:
                    writer.submit(PlayLine(number=now.number, line={"undo": 1}))
            time.sleep(0.05)

    threading.Thread(target=reset, daemon=True).start()
    app.run(lambda: print(app.door.port, flush=True))


class Viewer:
    """A phone that looks at the table: notes when each snapshot comes."""

    def __init__(self, port: int) -> None:
        self.page, self.seen = f"http://127.0.0.1:{port}", list[tuple[float, dict[str, Any]]]()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        try:
            with urllib.request.urlopen(f"{self.page}/api/events", timeout=PATIENCE_S) as stream:
                for line in stream:
                    if line.startswith(b"data:"):
                        self.seen.append((time.monotonic(), json.loads(line[5:])))
        except OSError:
            return  # the table has ended

    def ask_ms(self) -> float:
        """Return the milliseconds that the scoreboard takes."""
        begun_s = time.monotonic()
        urllib.request.urlopen(f"{self.page}/", timeout=PATIENCE_S).read()
        return 1000 * (time.monotonic() - begun_s)


def measured(core: float, throws: int, *, calibrated: bool) -> dict[str, float]:
    """Throw the dice before a table with that part of a core, and return the figures."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as where:
        folder, clock = Path(where), SteppedClock()
        stage, camera = Stage(folder), VirtualCamera(DICE, clock, clock.sleep, seed=3)
        for at in range(EMPTY):
            stage.frames[at] = camera.frame().image_bgr
        if calibrated:
            from companion.adapters.reader_setup import save_calibration
            from vision.calibration.store import Stored

            save_calibration(folder / "data", Stored(SOURCE, "today", camera.rig()))
        command = [sys.executable, "-m", "tests.system.pi_budget", "--table", where]
        with limited(command, core, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=ONE_THREAD) as program:
            assert program.stdout is not None
            viewer = Viewer(int(program.stdout.readline()))
            assert until(lambda: viewer.seen)
            return _thrown(stage, camera, viewer, program.pid, throws)


def _thrown(stage: Stage, camera: VirtualCamera, viewer: Viewer, pid: int, throws: int) -> dict[str, float]:
    figures, doubted, peak_mb, done = defaultdict[str, list[float]](list), 0, [0.0], threading.Event()
    begun_s, lit = time.monotonic(), stage["lit"]
    threading.Thread(target=_looked_after, args=(pid, peak_mb, done), daemon=True).start()
    for number in range(throws):
        rest = _rendered(stage, camera)
        from_s = (int(time.monotonic() * FPS) + 1) / FPS + PAUSE_S
        stage["from_s"] = from_s
        _sleep_until(from_s - PAUSE_S / 2)
        figures["page_ms"].append(viewer.ask_ms())
        seen = len(viewer.seen)
        waiting = _fps(stage, from_s - 1, from_s)
        moving = _fps(stage, from_s, from_s + rest / FPS)
        rest_s = from_s + (rest - 0.5) / FPS
        assert until(lambda: stage["read_s"] > rest_s), "the throw was never read"  # noqa: B023
        read_s = stage["read_s"]
        assert until(lambda: any(_tells(one) for _, one in viewer.seen[seen:])), "no page shows the throw"  # noqa: B023
        shown_s, shown = next((at_s, one) for at_s, one in viewer.seen[seen:] if _tells(one))
        figures["fps_waiting"].append(waiting)
        figures["fps_moving"].append(moving)
        if shown["question"] is None:
            figures["read_s"].append(read_s - rest_s)
            figures["page_s"].append(shown_s - rest_s)
        else:
            doubted += 1
        _sleep_until(shown_s + LIES_S)
        stage["reset"] += 1
        stage["from_s"] = 0
        print(f"\r{number + 1} of {throws} throws ", end="", file=sys.stderr, flush=True)
    done.set()
    told = {name: round(statistics.median(values), 3) for name, values in figures.items()}
    slowest = {"slowest_read_s": round(max(figures["read_s"]), 3)} if "read_s" in told else {}
    leds_fps = round((stage["lit"] - lit) / (time.monotonic() - begun_s), 1)
    return {**told, **slowest, "doubted": doubted, "leds_fps": leds_fps, "peak_mb": round(peak_mb[0])}


def _looked_after(pid: int, peak_mb: list[float], done: threading.Event) -> None:
    """Note the most memory that the process held at a time."""
    while not done.wait(0.02):
        told = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
        held_kb = int(told["RssAnon"].split()[0]) + int(told["RssFile"].split()[0])
        peak_mb[0] = max(peak_mb[0], held_kb / 1024)


def _tells(snapshot: dict[str, Any]) -> bool:
    return bool(snapshot["question"]) or any(event["code"] == "threw" for event in snapshot["events"])


def _rendered(stage: Stage, camera: VirtualCamera) -> int:
    """Render a throw on the stage, and return the number of the first frame in which the dice lie still."""
    camera.tray.lift()
    camera.tray.throw()
    before, rest, at = camera.tray.advance(0.0), 0, 0
    while at < MOST and (at <= rest + RESTING or not all(die["resting"] for die in camera.tray.dice())):
        stage.frames[EMPTY + at] = camera.frame().image_bgr
        poses = camera.tray.advance(0.0)
        if len(poses) != len(before) or any(map(_moved, before, poses)):
            rest = at + 1
        before, at = poses, at + 1
    stage["frames"] = at
    return rest


def _fps(stage: Stage, from_s: float, to_s: float) -> float:
    """Return the frames a second that were taken between two times at which a frame comes.

    It counts from half a frame later to half a frame later: at those times themselves a frame may be counted or not.
    """
    _sleep_until(from_s + 0.5 / FPS)
    begun, begun_s = stage["taken"], time.monotonic()
    _sleep_until(to_s + 0.5 / FPS)
    return (stage["taken"] - begun) / (time.monotonic() - begun_s)


def _sleep_until(at_s: float) -> None:
    time.sleep(max(0.0, at_s - time.monotonic()))


def watched(core: float, clip: Path) -> dict[str, Any]:
    """Watch a clip with that part of a core, and return how long it took and the values it told."""
    begun_s = time.monotonic()
    command = [sys.executable, "-c", "from companion.cli import main; main()", "watch", "--json", str(clip)]
    with limited(command, core, stdout=subprocess.PIPE, env=ONE_THREAD) as program:
        told = [json.loads(line) for line in program.communicate(timeout=600)[0].splitlines()]
    return {"clip_s": round(time.monotonic() - begun_s, 1), "clip_values": [one["values"] for one in told]}


def missed(core: float, told: dict[str, Any]) -> list[str]:
    """Return the limits of that part of a core which the figures miss."""
    limits, wrong = LIMITS.get(core, {}), list[str]()
    for kind in ("calibrated", "uncalibrated"):
        limit_s = limits.get(f"{kind}_s")
        if limit_s is not None and told[kind].get("read_s", limit_s + 1) > limit_s:
            wrong.append(f"{kind}: rest to reading within {limit_s} s")
    slowest_fps = min(told["calibrated"]["fps_moving"], told["calibrated"]["fps_waiting"])
    if slowest_fps < FPS_TOLERANCE * limits.get("fps", 0):
        wrong.append(f"calibrated: {limits['fps']} frames a second")
    if told.get("clip_s", 0) > limits.get("clip_s", PATIENCE_S):
        wrong.append(f"the clip within {limits['clip_s']} s")
    return wrong


def main(arguments: Sequence[str]) -> int:
    """Measure; 1 when a limit is missed."""
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--core", type=float, action="append", help="part of a core; 0.22, 0.7 and 0.1 unless given")
    words.add_argument("--throws", type=int, default=20)
    words.add_argument("--clip", type=Path, metavar="FILE", help="a video of throws")
    words.add_argument("--table", type=Path, help=argparse.SUPPRESS)
    given = words.parse_args(arguments)
    if given.table:
        table(given.table)
    with contextlib.suppress(OSError):  # what else this machine does is no figure of the table
        os.setpriority(os.PRIO_PROCESS, 0, AHEAD)
    print(f"limited by: {method()}", file=sys.stderr)
    failed = False
    for core in given.core or CORES:
        told: dict[str, Any] = {"core": core}
        for kind in ("calibrated", "uncalibrated"):
            told[kind] = measured(core, given.throws, calibrated=kind == "calibrated")
        if given.clip:
            told |= watched(core, given.clip)
        told["missed"] = missed(core, told)
        failed = failed or bool(told["missed"])
        print(json.dumps(told), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
