"""The server's metrics in the text format of Prometheus. Needs the extra `metrics`."""

from collections.abc import Iterator, Mapping
from itertools import accumulate
from typing import Any

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from dicegames_server.core.metrics import BOUNDS, Histogram, Metrics

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
GAUGES = {
    "connections": "open connections",
    "rooms": "open rooms",
    "playing": "rooms in which a game runs",
    "players": "people with a seat, here or away",
    "bots": "seats played by bots",
    "spectators": "connections that only watch",
}


OF_A_NODE = {
    "redirects": "people who were sent to another node",
    "rooms_lost": "rooms that another node had taken",
    "rooms_adopted": "rooms that nobody owned and that were taken in",
    "rooms_rebalanced": "rooms that were given to a node with fewer",
    "commits": "transactions with updates in them",
    "committed": "updates in these transactions",
}
OF_ALL_NODES = {
    "nodes": "nodes that are there",
    **GAUGES,
    "moves": "moves that the nodes that are there have committed",
}


class _Collector(Collector):
    def __init__(self, metrics: Metrics, status: Mapping[str, Any]) -> None:
        self._metrics = metrics
        self._status = status

    def collect(self) -> Iterator[Metric]:
        metrics, status = self._metrics, self._status
        for name, text in GAUGES.items():
            yield GaugeMetricFamily(f"dicegames_{name}", text, value=status[name])
        yield GaugeMetricFamily("dicegames_draining", "1 while the server takes no new games", value=status["draining"])
        yield GaugeMetricFamily("dicegames_up_seconds", "since the server began", value=status["up_seconds"])
        if "certificate_ends" in status:
            yield GaugeMetricFamily(
                "dicegames_certificate_end_seconds",
                "when the certificate ends, in seconds since 1970",
                value=status["certificate_ends"],
            )
        yield GaugeMetricFamily(
            "dicegames_loop_lag_longest_seconds", "longest pause of the event loop so far", value=metrics.longest_lag
        )
        yield GaugeMetricFamily(
            "dicegames_unsent_most_bytes", "most that was unsent to somebody who was cut off", value=metrics.most_unsent
        )
        yield CounterMetricFamily(
            "dicegames_loop_stalls", "how often something held the event loop for over 250 ms", value=metrics.stalls
        )
        yield CounterMetricFamily("dicegames_moves", "moves that were committed", value=metrics.moves)
        yield CounterMetricFamily("dicegames_updates", "updates that were committed", value=metrics.updates)
        yield CounterMetricFamily("dicegames_connected", "connections since the start", value=metrics.connected)
        cuts = CounterMetricFamily(
            "dicegames_cuts", "connections that the server refused or ended, by cause", labels=["cause"]
        )
        for cause, count in metrics.cuts.items():
            cuts.add_metric([cause], count)
        yield cuts
        errors = CounterMetricFamily("dicegames_errors", "commands that were refused, by code", labels=["code"])
        for code, count in metrics.errors.items():
            errors.add_metric([code], count)
        yield errors
        if "cluster" in status:
            yield from _of_nodes(status)
        yield _histogram("dicegames_move_seconds", "from the frame of a move to its broadcast", metrics.move)
        yield _histogram("dicegames_commit_seconds", "from a command until its update was stored", metrics.commit)
        yield _histogram("dicegames_loop_lag_seconds", "how late the event loop came round", metrics.lag)


def _of_nodes(status: Mapping[str, Any]) -> Iterator[Metric]:
    """Metrics for several nodes with shared storage: those of this node, and the sums over all nodes that it knows."""
    yield GaugeMetricFamily("dicegames_storage_up", "1 while storage can be reached", value=status["storage_up"])
    for name, text in OF_A_NODE.items():
        yield CounterMetricFamily(f"dicegames_{name}", text, value=status[name])
    for name, text in OF_ALL_NODES.items():
        yield GaugeMetricFamily(f"dicegames_cluster_{name}", f"all nodes: {text}", value=status["cluster"][name])


def _histogram(name: str, text: str, times: Histogram) -> HistogramMetricFamily:
    ends = [*(str(bound) for bound in BOUNDS), "+Inf"]
    buckets = list(zip(ends, accumulate(times.counts), strict=True))
    return HistogramMetricFamily(name, text, buckets=buckets, sum_value=times.total)


def metrics_text(metrics: Metrics, status: Mapping[str, Any]) -> str:
    registry = CollectorRegistry()
    registry.register(_Collector(metrics, status))
    return generate_latest(registry).decode()
