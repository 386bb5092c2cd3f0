"""The transcripts of `tests/transcripts`, replayed and compared with the states stored beside them.

The states come from the naive rules (`naive_*`), written when the transcripts were made.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from companion.games.engine.replay import replayed

FOLDER = Path(__file__).resolve().parent.parent / "transcripts"
TRANSCRIPTS = sorted(path for path in FOLDER.glob("*.jsonl") if not path.name.endswith(".states.jsonl"))


def test_at_least_13_example_transcripts_exist_each_with_a_states_file() -> None:
    assert len(TRANSCRIPTS) >= 13
    assert sorted(FOLDER.glob("*.states.jsonl")) == [path.with_suffix(".states.jsonl") for path in TRANSCRIPTS]


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_each_example_transcript_replays_to_the_states_stored_beside_it(path: Path) -> None:
    states = path.with_suffix(".states.jsonl").read_text(encoding="utf-8").splitlines()
    assert list(replayed(path.read_bytes())) == [json.loads(state) for state in states]
