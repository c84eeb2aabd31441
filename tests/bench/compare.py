"""Windows of several servers in turn, and the ratios computed from them."""

import statistics
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field


@dataclass(slots=True)
class Window:
    """What was measured in a period of time."""

    units: int
    """Moves, or deliveries."""
    seconds: float
    cpu: float
    own_cpu: float
    """What the load itself used."""
    took: list[float] = field(default_factory=list)
    """From a move to whom it concerns."""

    @property
    def cost(self) -> float:
        return self.cpu / self.units


Take = Callable[[], Awaitable[Window]]


@dataclass(frozen=True, slots=True)
class Ratio:
    """The median, and the range of the middle half of the windows."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: list[float]) -> "Ratio":
        low, median, high = statistics.quantiles(values, n=4)
        return cls(median, low, high)

    def plain(self) -> dict[str, float]:
        return {"median": self.median, "low": self.low, "high": self.high}

    def __str__(self) -> str:
        return f"{self.median:.2f} ({self.low:.2f} to {self.high:.2f})"


class Compared:
    """Every window of a server lies between two of the bare server, and is compared with their mean."""

    def __init__(self) -> None:
        self.bare: list[Window] = []
        self.ours: dict[str, list[Window]] = {}

    @classmethod
    async def take(cls, bare: Take, ours: Mapping[str, Take], windows: int) -> "Compared":
        compared = cls()
        compared.ours = {name: [] for name in ours}
        for warm in (bare, *ours.values()):
            await warm()
        compared.bare.append(await bare())
        for _ in range(windows):
            for name, take in ours.items():
                compared.ours[name].append(await take())
                compared.bare.append(await bare())
        return compared

    def ratio(self, name: str) -> Ratio:
        step, place = len(self.ours), list(self.ours).index(name)
        before = self.bare[place::step]
        after = self.bare[place + 1 :: step]
        rows = zip(before, self.ours[name], after, strict=False)
        return Ratio.of([2 * window.cost / (b.cost + a.cost) for b, window, a in rows])

    def noise(self) -> Ratio:
        """The bare server against itself, a moment later."""
        return Ratio.of([after.cost / before.cost for before, after in zip(self.bare, self.bare[1:], strict=False)])


def part(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def describe(windows: list[Window]) -> dict[str, float]:
    """The medians of some windows: cost per unit, number of units, time per unit, and CPU of the load generator."""
    median = statistics.median
    return {
        "cpu_us": 1e6 * median(window.cost for window in windows),
        "per_second": median(window.units / window.seconds for window in windows),
        "p50_ms": 1e3 * median(part(window.took, 0.5) for window in windows),
        "p99_ms": 1e3 * median(part(window.took, 0.99) for window in windows),
        "load_cpu": median(window.own_cpu / window.seconds for window in windows),
    }
