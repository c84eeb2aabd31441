"""Rate limit: a token bucket that fills up again over time."""

from dicegames_server.core.clock import Clock


class Bucket:
    __slots__ = ("_at", "_burst", "_clock", "_rate", "_tokens")  # every connection has several

    def __init__(self, clock: Clock, per_second: float, burst: int) -> None:
        self._clock = clock
        self._rate = per_second
        self._burst = burst
        self._tokens = float(burst)
        self._at = clock.now()

    def take(self, tokens: int = 1) -> bool:
        """Whether so many more are allowed now. If so, this takes a token for each."""
        allowed = self.left and self._tokens >= tokens
        if allowed:
            self._tokens -= tokens
        return allowed

    def spend(self, tokens: int) -> float:
        """Take so many tokens in any case. Returns the seconds after which none are owed any more."""
        _ = self.left
        self._tokens -= tokens
        return max(0.0, -self._tokens / self._rate)

    def give(self, tokens: int) -> None:
        """Put tokens back: what they were taken for is counted elsewhere."""
        self._tokens += tokens

    @property
    def left(self) -> bool:
        """Whether one more would be allowed. No token is taken."""
        now = self._clock.now()
        tokens = self._tokens + (now - self._at) * self._rate
        self._tokens = tokens if tokens < self._burst else self._burst
        self._at = now
        return self._tokens >= 1
