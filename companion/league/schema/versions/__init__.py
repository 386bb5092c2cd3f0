"""Migrations in order; one that was released is never changed."""
