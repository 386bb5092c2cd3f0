"""Adapters between the table and vision, hardware and pages; `companion.app` composes them."""
