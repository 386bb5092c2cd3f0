"""The pages, the API and the event stream that phones see; knows the session, nothing below it."""
