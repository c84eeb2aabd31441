"""A moment that is shown on the stage instead of the game, and the keys that are pressed meanwhile. Time is handed in.

A key that is pressed while the end of a round or a game is shown is not meant for what comes next. Nor is one that
follows soon after another such key: whoever presses keys all the time acts on nothing that they have not seen.
"""

from dicegames_client.play.moment import Moment

MOMENT_SECONDS = 2.0
"""Seconds that a moment is shown, if nothing else happens."""
LEAST_MOMENT_SECONDS = 1.0
"""Seconds that it is shown even if the next dice are rolled."""
SEEN_SECONDS = 0.5
"""Seconds that it is shown even if keys are pressed."""
PAUSE_SECONDS = 0.4
"""Seconds after the end of a moment, and after a key pressed then, in which keys still count for what came before."""
MOST_PAUSE_SECONDS = 3.0
"""Seconds after the end of a moment from which on every key counts again."""


class Interlude:
    def __init__(self) -> None:
        self.moment: Moment | None = None
        self._since = self._until = 0.0
        self._paused_until = self._paused_at_most = 0.0

    def show(self, moment: Moment, now: float) -> None:
        self.moment, self._since, self._until = moment, now, now + MOMENT_SECONDS

    def end(self, now: float | None = None) -> None:
        """The moment has been seen. Without a time, the keys after it count at once."""
        paused = now is not None and self.moment is not None and self.moment.pauses
        self._paused_until = now + PAUSE_SECONDS if paused and now is not None else 0.0
        self._paused_at_most = now + MOST_PAUSE_SECONDS if now is not None else 0.0
        self.moment = None

    def on(self, now: float) -> bool:
        """Whether keys may still be meant for what came before."""
        return self.moment is not None or now < self._paused_until

    def over(self, now: float, *, dice: bool = False) -> bool:
        """Whether the moment has been shown for long enough. `dice`: the next ones are rolled."""
        return self.moment is not None and now >= (self._since + LEAST_MOMENT_SECONDS if dice else self._until)

    def press(self, key_now: float) -> bool:
        """A key is pressed. True: it counts for nothing else."""
        if self.moment is None:
            self._paused_until = min(key_now + PAUSE_SECONDS, self._paused_at_most)
            return True
        self._until = min(self._until, max(key_now, self._since + SEEN_SECONDS))
        return self.moment.pauses

    def waits(self, now: float) -> list[float]:
        """Seconds until it changes by itself."""
        return [max(0.0, self._until - now)] if self.moment else []
