"""Measurements for `pegpip bench`: a module for each part, each with a `measure()`."""
