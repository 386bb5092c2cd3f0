"""The first schema: tables, seasons, games with revisions and results, standings, tournaments, rights, the log."""

from __future__ import annotations

from pathlib import Path

from alembic import op

revision, down_revision, branch_labels, depends_on = "0001", None, None, None


def upgrade() -> None:
    """Make the schema and the rights."""
    op.execute(Path(__file__).with_suffix(".sql").read_text(encoding="utf-8"))
