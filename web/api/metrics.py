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

MEDIA_TYPE = "text/plain"
"""Media type that the OpenAPI document states for `GET /metrics`. The answer's own header adds version and charset."""


def routes(feed: Feed, board: Board, health: Callable[[], Mapping[str, Any]]) -> Routes:
    """Make the group of one route, `/metrics`: figures of the table and its process for Prometheus.

    Anyone may use it. The library prometheus-client is imported at the first request, to keep the start fast.

    Args:
        feed: Holds the newest snapshot.
        board: The LED board, for the strip's current.
        health: Returns the report of all health checks, as `GET /healthz` answers it.
    """
    made = Routes("metrics")

    @made.get("/metrics", "The table in figures, in Prometheus' text format", roles=ANYONE, kind=MEDIA_TYPE)
    def figures() -> flask.Response:
        from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, ProcessCollector, generate_latest

        registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        registry.register(_Table(feed, board, health))
        return flask.Response(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)

    return made


class _Table:
    """Collector of prometheus-client with the table's metrics; the arguments are those of `routes`."""

    def __init__(self, feed: Feed, board: Board, health: Callable[[], Mapping[str, Any]]) -> None:
        self._feed, self._board, self._health = feed, board, health

    def collect(self) -> Iterator[Metric]:
        """Yield Prometheus metrics: each part's health, journal entries, snapshots, the strip's current in amperes."""
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
