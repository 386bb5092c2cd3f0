"""`/metrics`: what Prometheus reads, read by Prometheus' own parser."""

from __future__ import annotations

from prometheus_client.parser import text_string_to_metric_families

from tests.web.pub import Pub


def test_metrics_endpoint_reports_entries_and_health_in_prometheus_format(pub: Pub) -> None:
    client = pub.app.test_client()
    answer = client.get("/metrics")
    assert answer.status_code == 200
    assert answer.headers["Content-Type"].startswith("text/plain; version=")
    samples = {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(answer.get_data(as_text=True))
        for sample in family.samples
    }
    health = client.get("/healthz").get_json()
    assert samples["pegpip_entries_total",] == client.get("/api/state").get_json()["number"]
    assert {name: bool(samples["pegpip_part_ok", name]) for name in health["parts"]} == {
        name: part["ok"] for name, part in health["parts"].items()
    }
    assert samples["process_resident_memory_bytes",] > 1e6
