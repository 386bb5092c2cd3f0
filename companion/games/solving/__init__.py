"""Offline solvers. They write the stored tables and are not in the installed package."""
