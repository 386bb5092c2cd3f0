"""The first schema: tables, seasons, games with revisions and results, standings, tournaments, rights, the log."""

from __future__ import annotations

from pathlib import Path

from alembic import op

revision, down_revision, branch_labels, depends_on = "0001", None, None, None


def upgrade() -> None:
    """Create the league's first schema and the rights of its roles, by the SQL file beside this migration."""
    op.execute(Path(__file__).with_suffix(".sql").read_text(encoding="utf-8"))
