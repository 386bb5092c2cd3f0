"""Pictures and clips that this project renders itself, exactly labelled, to measure the readers by; no training."""
