"""Subcommands that weigh games: what options are worth, how levels fare, what was luck, whether dice are honest."""
