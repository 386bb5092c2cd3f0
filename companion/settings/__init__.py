"""Settings: loaded from one TOML file, rewritten in place, applied while the table runs."""
