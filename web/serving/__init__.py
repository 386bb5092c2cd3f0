"""The server: event loop, connections and their limits, and the event stream."""
