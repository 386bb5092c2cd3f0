"""What works and what is ill: the page, `/healthz` and `pegpip doctor` tell it from here."""
