"""What `pegpip bench` measures: one module for each part, each with a `measure()`."""
