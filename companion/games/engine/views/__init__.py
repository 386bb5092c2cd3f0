"""Views of a game for board and pages: track, panels and phrases."""
