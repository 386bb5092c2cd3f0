"""The subcommands of `pegpip`, a module each; `companion.cli` loads the one that is called."""
