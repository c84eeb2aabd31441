"""The seats of a guest: how they are taken back after a lost connection, or taken anew once they are free again."""

from collections.abc import Callable
from dataclasses import replace

from dicegames_client.base.errors import ClientError
from dicegames_client.guest import backoff
from dicegames_client.guest.server_link import Refusal
from dicegames_client.guest.store import Store
from dicegames_protocol.messages.client import Create, Join, Request, Resume, Watch
from dicegames_protocol.messages.server import Limits

FREED = "You were away for too long, so your seat became free."
Return = Resume | Watch
"""A request with which we come back to a room."""


class OwnSeats:
    def __init__(self, new_id: Callable[[], str]) -> None:
        self._new_id = new_id
        self._watch: Watch | None = None
        self._password: str | None = None
        self._program = False
        self.limits: Limits | None = None
        self.expected: str | None = None
        """The id of the last request for a new seat."""
        self.freed: set[int] = set()
        """Our seats that became free while we were away."""
        self._anew = False

    def asked(self, message: Request) -> None:
        """Remember how we have asked to be let in."""
        if isinstance(message, Create | Join | Watch):
            self._password = message.password
        if isinstance(message, Watch):
            self._watch = message
        self._program = self._program or (isinstance(message, Join) and message.program)

    def hold_seconds(self, phase: str) -> float:
        """Seconds that the server holds the seat of a player who is away."""
        limits = self.limits
        if limits is None:
            return backoff.GIVE_UP_SECONDS
        return limits.waiting_seat_seconds or limits.seat_seconds if phase == "waiting" else limits.seat_seconds

    def returning(self, store: Store) -> list[Return]:
        """The requests with which we come back to the room."""
        if store.room is None:
            return []
        if not store.tokens:
            return [self._watch.but(id=self._new_id())] if self._watch else []
        return [
            Resume(id=self._new_id(), room=store.room, seat_token=token, epoch=store.epoch, last_seq=store.seq)
            for token in store.tokens.values()
        ]

    def anew(self, refused: Return, why: Refusal, store: Store) -> tuple[Join, Store]:
        """The request for a new seat under the same name, and what is known without the old one.

        Only before a game: there a seat is soon free for others. Otherwise raises what it was refused with.
        """
        if not (isinstance(refused, Resume) and why.reason == "unauthorized" and store.phase == "waiting"):
            raise why
        seat = next(seat for seat, token in store.tokens.items() if token == refused.seat_token)
        self.freed.add(seat)
        others = {other: token for other, token in store.tokens.items() if other != seat}
        join = Join(
            id=self._new_id(),
            room=refused.room,
            name=store.name(seat),
            password=self._password,
            program=self._program,
        )
        self.expected = join.id
        return join, replace(store, tokens=others)

    def taken(self) -> None:
        """We have a new seat."""
        self._anew = True

    def told(self) -> str:
        """Whether we have a new seat since the last call, in a sentence. Empty: no."""
        anew, self._anew = self._anew, False
        return f"{FREED} You have sat down again." if anew else ""


def freed(refusal: Refusal) -> ClientError:
    """Our seat became free while we were away, and we do not get another one."""
    return ClientError(f"{FREED} {refusal.sentence}", refusal.code)
