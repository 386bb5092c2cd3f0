"""Beyond the table: a table that turns nothing on loads nothing of it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SCRIPT = """
import sys
from pathlib import Path
from companion.app import build
from companion.settings.load import Origin, validated
from companion.settings.starting import Starting

web = {"port": 0, "host": "127.0.0.1"}
settings = validated({"data": {"dir": sys.argv[1]}, "web": web, "league": {"server": sys.argv[2]}})
app = build(Starting(settings, Origin(Path(sys.argv[1]) / "pegpip.toml")))
print(sorted({name.partition(".")[2].partition(".")[0] for name in sys.modules if name.startswith("companion.")}
             | {name for name in sys.modules if name in ("cryptography", "psycopg", "paho")}))
"""


def modules_of(folder: Path, server: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(folder), server], capture_output=True, text=True, check=True
    )
    return done.stdout


def test_a_table_without_a_league_loads_no_league_or_mqtt_module(tmp_path: Path) -> None:
    loaded = modules_of(tmp_path, "")
    assert "'service'" in loaded
    assert "league" not in loaded
    assert "mqtt" not in loaded
    assert "cryptography" not in loaded


def test_a_table_in_a_league_loads_the_league_modules(tmp_path: Path) -> None:
    assert "'league'" in modules_of(tmp_path, "https://league.example")
