"""Random changes of settings, each followed by a restart as a user without rights: the page comes up every time.

`python -m tests.settings.storm --rounds 300` (as root) prints the figures. Each round changes one random setting by the
API till a change is accepted. In some rounds something else goes wrong too before the restart: a file vanishes, or
somebody edits the settings by hand. After the restart each setting that is not used must be told.
"""

from __future__ import annotations

import argparse
import http.cookiejar
import os
import random
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import tomlkit

from tests.system.running import Running

PHOTO = Path(__file__).resolve().parents[2] / "fixtures/images/blurred.jpg"
NOBODY = 65534
"""User and group id of `nobody` on Linux."""
PATIENCE_S = 120.0
"""Longest wait for a table, in seconds: far more than a busy machine needs."""
LOOK_S = 0.05
"""Pause between two looks, in seconds."""
TOLD_AS_ILL = ("camera", "strip", "buttons", "settings")
"""Parts of /healthz that may tell of a setting."""

Special = tuple[str, str, Any, str]
"""Section, key, value, and what /healthz must say of it."""
BY_HAND: tuple[Special, ...] = (
    ("web", "port", 80, r"port = 80 "),
    ("camera", "source", "opencv:9", r"no camera 9"),
    ("camera", "source", "video:/no/such/throw.mp4", r"/no/such/throw\.mp4"),
    ("strip", "kind", "spi", r"spi|SPI"),
    ("strip", "layout", "no such layout", r"no such layout"),
    ("strip", "kind", "wled:" + "a" * 300, r"no host name"),
    ("web", "host", "203.0.113.7", r"203\.0\.113\.7"),
    ("web", "port", 99_999, r"99999"),
    ("strip", "limit_ma", 1, r"limit_ma"),
    ("strip", "colour", 1, r"colour"),
    ("table", "players", ["Ann"], r"\[table\]"),
    ("buttons", "kind", "levers", r"levers"),
)
"""Settings that a person may write into the file."""


class Table(Running):
    """`pegpip play` as the user `nobody`, spoken to over HTTP by one phone that stays paired over restarts."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.settings, self.output = folder, folder / "pegpip.toml", folder / "output.txt"
        self.starts_s: list[float] = []
        self._phone = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))

    def start(self) -> None:
        """Start the table and wait until its page answers. Raises AssertionError when it does not."""
        begun_s = time.monotonic()
        command = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
        command += [str(Path(sys.executable).with_name("pegpip")), "play"]
        command += ["--config", str(self.settings), "--data", str(self.folder / "data")]
        with self.output.open("wb") as output:
            self.process = subprocess.Popen(
                command, stdout=output, stderr=output, text=True, cwd=self.folder,
                env={"PATH": os.environ["PATH"], "HOME": str(self.folder), "PYTHONFAULTHANDLER": "1"},
            )  # fmt: skip
        found = self._until(lambda: re.search(r"page: (\S+)\s+PIN: (\d{6})", self.output.read_text(errors="replace")))
        assert found, f"status {self.process.poll()}: {self.output.read_text(errors='replace')}"
        self.page, self.pin = found[1], found[2]
        assert self._until(lambda: self.ask("/healthz")[0] == 200), self.output.read_text(errors="replace")
        self.starts_s.append(time.monotonic() - begun_s)

    def stop(self, by: int = signal.SIGINT) -> int:
        """Stop the table. Raises AssertionError with what its threads do when it does not end."""
        self.process.send_signal(by)
        try:
            return self.process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.process.send_signal(signal.SIGABRT)  # faulthandler writes the stack of each thread
            self.process.wait(PATIENCE_S)
            raise AssertionError(self.output.read_text(errors="replace")) from None
        finally:
            self.process.kill()

    def ask(self, path: str, body: Any = None, headers: Sequence[tuple[str, str]] = ()) -> tuple[int, Any]:
        """Ask as the phone; return the status and the JSON answer. Status 0: nobody answers."""
        try:
            return super().ask(path, body, headers)
        except OSError:
            return 0, None

    def change(self, section: str, key: str, value: Any) -> bool:
        """Change a setting by the API; return whether it was accepted. The PIN is typed with it."""
        body = {"section": section, "key": key, "value": value, "pin": self.pin}
        status, answer = self.ask("/api/settings", body)
        assert status in (200, 422), (status, answer, body)
        return bool(status == 200)

    def tells(self, pattern: str) -> bool:
        """Wait until /healthz says something of that pattern in a part that is ill."""
        return bool(self._until(lambda: re.search(pattern, self.ills())))

    def ills(self) -> str:
        """Return what /healthz says of the parts that are ill."""
        parts = self.ask("/healthz")[1]["parts"]
        return "\n".join(parts[name]["says"] for name in TOLD_AS_ILL if not parts[name]["ok"])

    def _until(self, look: Callable[[], Any]) -> Any:
        end_s = time.monotonic() + PATIENCE_S
        while not (found := look()) and self.process.poll() is None and time.monotonic() < end_s:
            time.sleep(LOOK_S)
        return found


def storm(rounds: int, seed: int, say: Callable[[str], None] = lambda _line: None) -> list[float]:
    """Run that many rounds; return how long each start took until its page was up, in seconds.

    Raises AssertionError when a page does not come up, or a setting that is not used is not told. Needs root.
    """
    rng = random.Random(seed)
    folder = Path(tempfile.mkdtemp(prefix="pegpip-storm-"))
    try:
        folder.chmod(0o755)
        os.chown(folder, NOBODY, NOBODY)
        table = Table(folder)
        table.settings.write_text(f'[web]\nhost = "127.0.0.1"\nport = {rng.randint(20_000, 30_000)}\n')
        os.chown(table.settings, NOBODY, NOBODY)
        table.start()
        assert table.ask("/api/pair", {"pin": table.pin, "name": "storm"})[0] == 200
        every = max(1, rounds // (4 * len(BY_HAND)))
        for number in range(rounds):
            changed = accepted_change(table, rng)
            by_hand = BY_HAND[number // every % len(BY_HAND)] if number % every == 0 else None
            one_restart(table, rng, by_hand)
            edited = f", by hand [{by_hand[0]}] {by_hand[1]} = {by_hand[2]!a:.40}" if by_hand else ""
            say(f"{number + 1}: {changed}{edited}: {table.starts_s[-1]:.1f} s")
        table.stop()
        return table.starts_s[1:]
    finally:
        shutil.rmtree(folder)


def accepted_change(table: Table, rng: random.Random) -> str:
    """Change random settings until one change is accepted; return it in words."""
    while True:
        status, answer = table.ask("/api/settings")
        assert status == 200, answer
        one = rng.choice(answer["settings"])
        value = random_value(one, table.folder, rng)
        if table.change(one["section"], one["key"], value):
            return f"[{one['section']}] {one['key']} = {value!a:.60}"


def random_value(one: dict[str, Any], folder: Path, rng: random.Random) -> Any:
    """Return a value for a setting: mostly of its kind and near its bounds, at times nonsense."""
    if rng.random() < 0.1:
        return rng.choice([0, -1, 2**70, "", "\x00", "x" * 5000, 1e308, True, "nonsense"])
    if one["kind"] == "switch":
        return rng.random() < 0.5
    if one["kind"] == "choice":
        return rng.choice(one["choices"])
    if one["kind"] == "number" and one["key"] == "port":
        return rng.choice([0, 22, 80, 443, *(rng.randint(1024, 65_535) for _ in range(6))])
    if one["kind"] == "number":
        value = rng.uniform(one["least"] - 1, one["most"] + 1)
        return round(value) if isinstance(one["value"], int) else value
    clip, photos = folder / f"{rng.getrandbits(32):08x}.avi", folder / f"{rng.getrandbits(32):08x}"
    if one["key"] == "source":
        write_clip(clip)
        photos.mkdir()
        shutil.copy(PHOTO, photos)
    sources = f"virtual video:{clip} files:{photos} opencv:9 picamera2 video:/gone.mp4 opencv:x"
    texts = {
        "source": sources.split(),
        "kind": ["memory", "terminal", "auto", "spi", "pio", "ws281x", "wled:127.0.0.1", "wled:no.such.host.invalid"],
    }
    return rng.choice(texts.get(one["key"], ["Plough", "שלום", "Zoë’s table", "Ann\u202e", "six of one", "12345678"]))


def write_clip(file: Path) -> None:
    """Write a video of three grey frames."""
    writer = cv2.VideoWriter(str(file), cv2.VideoWriter.fourcc(*"MJPG"), 15.0, (320, 240))
    for _ in range(3):
        writer.write(np.full((240, 320, 3), 128, np.uint8))
    writer.release()


def one_restart(table: Table, rng: random.Random, by_hand: Special | None) -> None:
    """Stop the table, let things go wrong, start it, and check that it tells what it does not use."""
    table.stop()
    for clip in table.folder.glob("*.avi"):
        if rng.random() < 0.7:
            clip.unlink()
    before = table.settings.read_text()
    if by_hand is not None:
        section, key, value, _ = by_hand
        tree: Any = tomlkit.parse(before)
        tree.setdefault(section, tomlkit.table())[key] = value
        table.settings.write_text(tomlkit.dumps(tree))
    table.start()
    if by_hand is not None:
        assert table.tells(by_hand[3]), (by_hand, table.ills())
    source = str(tomlkit.parse(table.settings.read_text()).unwrap().get("camera", {}).get("source", ""))
    if source.startswith("video:") and not Path(source[6:]).exists():
        assert table.tells(re.escape(source[6:])), table.ills()
    for one in table.ask("/api/settings")[1]["settings"]:
        assert not one["waits"] or one["left_out"], f"not used, not told: {one}"
    table.settings.write_text(before)
    os.chown(table.settings, NOBODY, NOBODY)


def main() -> None:
    """Run the storm and print its figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    starts_s = storm(given.rounds, given.seed, lambda line: print(line, flush=True))
    slow = sum(start_s > 10 for start_s in starts_s)
    median_s, longest_s = statistics.median(starts_s), max(starts_s)
    times = f"median {median_s:.1f} s, longest {longest_s:.1f} s, {slow} over 10 s"
    print(f"{len(starts_s)} restarts: page up each time, {times}")


if __name__ == "__main__":
    main()
