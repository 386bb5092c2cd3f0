"""Control of the simulated tray from the page."""
