"""Tournaments in place of fixtures: knockouts and handicaps, and players who leave."""

from __future__ import annotations

from pathlib import Path

from alembic import op

revision, down_revision, branch_labels, depends_on = "0002", "0001", None, None


def upgrade() -> None:
    """Make the table of tournaments, and turn planned fixtures into them."""
    op.execute(Path(__file__).with_suffix(".sql").read_text(encoding="utf-8"))


def downgrade() -> None:
    """Refuse: a season is not thrown away by a program."""
    raise NotImplementedError("Restore a backup instead.")
