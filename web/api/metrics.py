"""`/metrics` for Prometheus: health of the parts, journal entries, snapshots, the strip's current, the process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import flask

from web.api.state import Board
from web.pairing.roles import ANYONE
from web.routes import Routes
from web.serving.feed import Feed

if TYPE_CHECKING:
    from prometheus_client.metrics_core import Metric

KIND = "text/plain"
"""Media type of the answer, for OpenAPI."""


def routes(feed: Feed, board: Board, health: Callable[[], Mapping[str, Any]]) -> Routes:
    """Make the route `/metrics` for anyone. prometheus-client is imported at the first request.

    Args:
        feed: Gives the newest snapshot.
        board: The LED board.
        health: Returns the health of the parts.
    """
    made = Routes("metrics")

    @made.get("/metrics", "The table in figures, in Prometheus' text format", roles=ANYONE, kind=KIND)
    def figures() -> flask.Response:
        from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, ProcessCollector, generate_latest

        registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        registry.register(_Table(feed, board, health))
        return flask.Response(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)

    return made


class _Table:
    """The table's metrics, as a collector of prometheus-client."""

    def __init__(self, feed: Feed, board: Board, health: Callable[[], Mapping[str, Any]]) -> None:
        self._feed, self._board, self._health = feed, board, health

    def collect(self) -> Iterator[Metric]:
        """Yield every metric with its current value."""
        from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily

        parts = GaugeMetricFamily("pegpip_part_ok", "Whether a part of the table is well.", labels=["part"])
        for name, part in self._health()["parts"].items():
            parts.add_metric([name], float(part["ok"]))
        yield parts
        newest = self._feed.newest
        yield CounterMetricFamily("pegpip_entries", "Entries of the journal so far.", newest.number)
        yield CounterMetricFamily("pegpip_snapshots", "Snapshots since the start.", newest.pulse)
        drawn = self._board.latest().milliamps / 1000
        yield GaugeMetricFamily("pegpip_strip_amperes", "What the LED strip draws.", drawn)
