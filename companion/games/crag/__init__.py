"""Crag: its rules, odds and words."""
