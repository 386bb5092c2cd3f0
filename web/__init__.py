"""The web server: pages, API and event stream for phones. Knows the table and its history, not camera or board."""
