"""Health checks and their reports: the page, `/healthz` and `pegpip doctor`."""
