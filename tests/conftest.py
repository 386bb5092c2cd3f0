"""Lets tests import the project from the repository root."""
