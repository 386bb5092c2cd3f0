"""Crib Dice: its rules, odds and words."""
