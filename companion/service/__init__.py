"""The running process: its parts, their supervision, safe mode and what systemd expects."""
