"""Throw packages: what the reader read at each throw, kept so that it can be read and judged again."""
