"""The move that is on its way: sent, acknowledged, and settled when its update is shown. There is one at a time."""

from dicegames_protocol.messages.server import Ack, Error


class SentMove:
    def __init__(self) -> None:
        self._id: str | None = None
        self._since: float | None = None
        """When `tick` first saw that it was sent."""
        self._acked: int | None = None
        """The update that has to be shown before it is settled."""

    def __bool__(self) -> bool:
        """A move was sent and is not settled yet."""
        return self._id is not None

    @property
    def answered(self) -> bool:
        return self._acked is not None

    def send(self, id: str) -> None:
        self._id, self._since = id, None

    def forget(self, id: str | None = None) -> None:
        """It never arrived. `id`: only if it is this one."""
        if id is None or id == self._id:
            self._id = self._acked = None

    def hear(self, message: object, shown: int) -> None:
        """`shown`: the number of the update that is on the screen. A refused move is settled at once."""
        if isinstance(message, Ack | Error) and message.id == self._id:
            self._acked = message.seq if isinstance(message, Ack) else shown

    def settle(self, shown: int) -> None:
        if self._acked is not None and shown >= self._acked:
            self._id = self._acked = None

    def tick(self, now: float) -> None:
        if self._id and self._since is None:
            self._since = now

    def unanswered(self, now: float) -> float:
        """Seconds that it has been without an answer."""
        return now - self._since if self._id and self._since is not None and self._acked is None else 0.0
