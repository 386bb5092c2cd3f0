"""Crapola: its rules, odds and words."""
