"""Who listens to a room: its connections, the seats they hold, and who is away.

Presence is not part of the room's stream: it is told as it changes, may be lost, and is told in full to whoever joins.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from dicegames_protocol.codec import encode
from dicegames_protocol.messages.server import CloseCode, Presence, Redirect
from dicegames_server.core.clock import Clock, Handle
from dicegames_server.core.peer import NOT_HERE, Broadcast, Link
from dicegames_server.games.base import Refused

RUSH_SECONDS = 0.5
COMING_SECONDS = 3.0
"""Where a room has just come to, its players come within so long."""
LINGER_SECONDS = 3.0
"""Who is sent elsewhere has so long to go there before the connection ends."""


@dataclass(slots=True, eq=False)
class Member:
    """A connection in the room. Without a seat it is a spectator."""

    link: Link
    name: str = "a spectator"
    seats: list[int] = field(default_factory=list)


class Audience:
    def __init__(
        self, clock: Clock, broadcast: Broadcast, *, hold: float, player_buffer: int, spectator_buffer: int
    ) -> None:
        self._clock = clock
        self._broadcast = broadcast
        self._hold = hold
        self._player_buffer = player_buffer
        self._spectator_buffer = spectator_buffer
        self._members: dict[Link, Member] = {}
        self._holders: dict[int, Member] = {}
        self._away: dict[int, float] = {}
        self._coming: set[int] = set()
        """Away, but most likely on their way: nobody is told yet."""
        self._waiting: Handle | None = None
        self._quiet_until = float("-inf")
        self._pending: Handle | None = None

    def __bool__(self) -> bool:
        return bool(self._members)

    @property
    def links(self) -> Iterable[Link]:
        return self._members.keys()

    @property
    def holders(self) -> Iterable[Link]:
        """The connections of those who sit at the table."""
        return [member.link for member in self._holders.values()]

    @property
    def watchers(self) -> list[Member]:
        return [member for member in self._members.values() if not member.seats]

    @property
    def watching(self) -> int:
        return sum(not member.seats for member in self._members.values())

    def find(self, link: Link) -> Member | None:
        return self._members.get(link)

    def member(self, link: Link) -> Member:
        """The connection in this room, or Refused."""
        member = self._members.get(link)
        if member is None:
            raise Refused("unauthorized", "You are not in this room.")
        return member

    def enter(self, link: Link, name: str | None = None) -> Member:
        member = self._members.setdefault(link, Member(link))
        if name:
            member.name = name
        self._set_buffer(member)
        return member

    def exit(self, member: Member) -> None:
        self._members.pop(member.link, None)

    def hold_seat(self, member: Member, seat: int) -> Member | None:
        """The connection now plays this seat. Gives the one that played it before, if there was another."""
        before = self._holders.get(seat)
        if before is not None and before is not member:
            before.seats.remove(seat)
            self._set_buffer(before)
        self._holders[seat] = member
        self._come(seat)
        if seat not in member.seats:
            member.seats.append(seat)
        self._set_buffer(member)
        return before if before is not member else None

    def drop_seat(self, seat: int) -> Member | None:
        """Nobody plays this seat any more. Gives the connection that did."""
        self._come(seat)
        member = self._holders.pop(seat, None)
        if member:
            member.seats.remove(seat)
            self._set_buffer(member)
        return member

    def _come(self, seat: int) -> None:
        """The seat is not waited for any more."""
        self._away.pop(seat, None)
        self._coming.discard(seat)

    def lose(self, seat: int) -> None:
        """The seat's connection is gone; the seat is kept."""
        self._holders.pop(seat, None)
        self._away[seat] = self._clock.now()

    def expect(self, seats: Iterable[int]) -> None:
        """The room has just come here, and these come after it. Only who is not here soon is told to be away."""
        for seat in seats:
            self.lose(seat)
            self._coming.add(seat)
        if self._coming:
            self._waiting = self._clock.call_later(COMING_SECONDS, self._not_come)

    def _not_come(self) -> None:
        late, self._coming = sorted(self._coming), set()
        self.tell_presence(late)

    def is_away(self, seat: int) -> bool:
        return seat in self._away

    @property
    def away(self) -> Iterable[int]:
        return self._away.keys()

    def held_ms(self, seat: int) -> int:
        return max(0, round((self._away[seat] + self._hold - self._clock.now()) * 1000))

    def publish(self, data: bytes) -> None:
        self._broadcast(self._members, data)

    def tell_presence(self, seats: Iterable[int] = ()) -> None:
        """Tell everyone how these seats are now, and how many watch."""
        if self._members:
            self.publish(encode(self._presence(seats)))

    def tell_watching(self) -> None:
        """Tell everyone how many watch; in a rush only now and then: a thousand who come would be a million words."""
        now = self._clock.now()
        if now >= self._quiet_until:
            self._quiet_until = now + RUSH_SECONDS
            self.tell_presence()
        elif self._pending is None:
            self._pending = self._clock.call_later(self._quiet_until - now, self._rush_over)

    def send_away(self, url: str) -> None:
        """The room goes on at this address; without one, whoever comes back is told where. Who lingers is cut off."""
        if url:
            self.publish(encode(Redirect(url=url)))
            self._clock.call_later(LINGER_SECONDS, self._cut_off)
        else:
            self._cut_off()

    def start_anew(self, seats: Iterable[int]) -> None:
        """Nobody here can be sure of their seat any more. They come back and show their tokens."""
        self._cut_off()
        self._members.clear()
        self._holders.clear()
        self._away.clear()
        self.expect(seats)

    def _cut_off(self) -> None:
        for link in list(self._members):
            link.close(CloseCode.RESTARTING, NOT_HERE)

    def hush(self) -> None:
        """The room has ended: nothing more is told."""
        for handle in (self._pending, self._waiting):
            if handle:
                handle.cancel()
        self._waiting = None

    def _rush_over(self) -> None:
        self._pending = None
        self.tell_presence()

    def tell_all_presence(self, link: Link) -> None:
        link.send(encode(self._presence(self._away)))

    def _presence(self, seats: Iterable[int]) -> Presence:
        return Presence(
            away={str(seat): self.held_ms(seat) for seat in seats if seat in self._away and seat not in self._coming},
            here=tuple(seat for seat in seats if seat not in self._away),
            watching=self.watching,
        )

    def _set_buffer(self, member: Member) -> None:
        member.link.buffer_limit = self._player_buffer if member.seats else self._spectator_buffer
