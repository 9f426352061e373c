"""The figures of a server for Prometheus, read off the feeds when somebody asks."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from prometheus_client import CollectorRegistry
from prometheus_client import Counter as CounterMetric
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from api.feed import MatchFeed
from api.hub import Hub
from api.latencies import BUCKETS_S
from api.shown import is_open_appeal
from api.v1.stream import Belfry

_LABELS = ("table", "match")


class Figures:
    """One server's figures."""

    def __init__(self, hub: Hub, belfry: Belfry) -> None:
        self.registry = CollectorRegistry()
        self.registry.register(_OfMatches(hub, belfry))
        self._writes = CounterMetric(
            "touchjudge_writes", "Requests to change something.", ("status",), registry=self.registry
        )

    def count_write(self, status: int) -> None:
        """A request to change something was answered so."""
        self._writes.labels(str(status)).inc()


class _OfMatches(Collector):
    """Reads the feeds of a hub."""

    def __init__(self, hub: Hub, belfry: Belfry) -> None:
        self._hub = hub
        self._belfry = belfry

    def collect(self) -> Iterator[Metric]:
        """All figures, as they are now."""
        feeds = self._hub.feeds
        yield GaugeMetricFamily(
            "touchjudge_viewers", "Displays that follow a stream.", value=self._belfry.followers
        )
        yield _frames(feeds)
        yield _gauge("frames_per_second", "Frames seen in the last seconds.", feeds, _fps)
        yield _gauge("frame_age_seconds", "Since the newest frame.", feeds, _age)
        yield _gauge("lag_seconds", "By how much the chain is behind its source.", feeds, _lag)
        yield _gauge("undecided", "Verdicts that wait for a person.", feeds, _undecided)
        yield _gauge("appeals_open", "Appeals without an answer.", feeds, _appeals)
        yield _gauge("open_items", "What would count if it were known.", feeds, _open_items)
        yield _rulings(feeds)
        yield _latencies(feeds)


def _gauge(
    name: str, text: str, feeds: Iterable[MatchFeed], read: Callable[[MatchFeed], float]
) -> GaugeMetricFamily:
    family = GaugeMetricFamily(f"touchjudge_{name}", text, labels=_LABELS)
    for feed in feeds:
        family.add_metric((feed.table, feed.match_id), float(read(feed)))
    return family


def _frames(feeds: Iterable[MatchFeed]) -> CounterMetricFamily:
    family = CounterMetricFamily("touchjudge_frames", "Frames seen.", labels=_LABELS)
    for feed in feeds:
        family.add_metric((feed.table, feed.match_id), feed.frames)
    return family


def _rulings(feeds: Iterable[MatchFeed]) -> CounterMetricFamily:
    family = CounterMetricFamily("touchjudge_verdicts", "Verdicts given.", labels=(*_LABELS, "ruling"))
    for feed in feeds:
        for ruling, count in sorted(Counter(verdict.ruling for verdict in feed.verdicts).items()):
            family.add_metric((feed.table, feed.match_id, ruling), count)
    return family


def _latencies(feeds: Iterable[MatchFeed]) -> HistogramMetricFamily:
    family = HistogramMetricFamily(
        "touchjudge_verdict_latency_seconds", "From the touch to the verdict.", labels=_LABELS
    )
    for feed in feeds:
        tally = feed.latencies
        names = [*(f"{limit:g}" for limit in BUCKETS_S), "+Inf"]
        buckets = list(zip(names, tally.cumulative, strict=True))
        family.add_metric((feed.table, feed.match_id), buckets, sum_value=tally.sum_s)
    return family


def _age(feed: MatchFeed) -> float:
    return feed.frame_age_s or 0.0


def _lag(feed: MatchFeed) -> float:
    return feed.lag_s


def _fps(feed: MatchFeed) -> float:
    return feed.frames_per_s


def _undecided(feed: MatchFeed) -> int:
    return sum(v.standing == "standing" and v.ruling in {"UNDECIDED", "TOO_CLOSE"} for v in feed.verdicts)


def _appeals(feed: MatchFeed) -> int:
    return sum(is_open_appeal(review) for review in feed.seen(0).reviews)


def _open_items(feed: MatchFeed) -> int:
    return len(feed.score.open_items)
