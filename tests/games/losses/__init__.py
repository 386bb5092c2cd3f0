"""Measured losses of the approximations in the games' odds: `make losses`, docs/lab/approximations.md."""
