"""How much somebody may do in a while: a bucket of tokens that fills up again."""

from dicegames_server.clock import Clock


class Bucket:
    def __init__(self, clock: Clock, per_second: float, burst: int) -> None:
        self._clock = clock
        self._rate = per_second
        self._burst = burst
        self._tokens = float(burst)
        self._at = clock.now()

    def take(self) -> bool:
        """Whether one more is allowed now."""
        if not self.left:
            return False
        self._tokens -= 1
        return True

    @property
    def left(self) -> bool:
        """Whether one more would be allowed."""
        now = self._clock.now()
        self._tokens = min(self._burst, self._tokens + (now - self._at) * self._rate)
        self._at = now
        return self._tokens >= 1
