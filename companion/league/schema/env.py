"""Runs the migrations for Alembic, in one transaction and by one program at a time."""

from __future__ import annotations

import psycopg
import sqlalchemy
from alembic import context

LOCK = 7_145_001
"""Number of PostgreSQL's advisory lock that lets one program migrate at a time. Only has to differ from other locks."""

url: str = context.config.attributes["url"]
engine = sqlalchemy.create_engine(
    "postgresql+psycopg://", creator=lambda: psycopg.connect(url), poolclass=sqlalchemy.NullPool
)
with engine.connect() as connection:
    context.configure(connection=connection)
    with context.begin_transaction():
        connection.execute(sqlalchemy.text(f"SELECT pg_advisory_xact_lock({LOCK})"))
        context.run_migrations()
