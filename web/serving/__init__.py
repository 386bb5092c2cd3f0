"""What carries the site: the event loop, connections and their limits, the event stream."""
