"""Tests of throw packages, of reading them again, and of what they prove."""
