"""The database's schema, as Alembic migrations."""
