"""The strategy guide, made from the stored tables: pages in docs/strategy and charts for the help page."""
