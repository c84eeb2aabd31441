"""The audience of a room: its connections, the seats they hold, and who is away.

Presence is not part of the room's stream. It is sent when it changes, it may be lost, and a client that joins gets all
of it.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from dicegames_protocol.base import JsonObject
from dicegames_protocol.codec import encode
from dicegames_protocol.messages.server import CloseCode, Presence, Private, Redirect
from dicegames_protocol.text import same_name
from dicegames_server.core.clock import Handle
from dicegames_server.core.errors import Refused
from dicegames_server.core.peer import NOT_HERE, Peer
from dicegames_server.room.environment import Environment
from dicegames_server.table.state import State

NAMELESS = "a spectator"
RUSH_SECONDS = 0.5
"""Seconds after a broadcast of the number of spectators in which the next ones are merged into one."""
COMING_SECONDS = 3.0
"""Seconds that players have to follow a room that has just come to this node, before they are shown as away."""
RETURN_LINKS_SECONDS = 10.0
"""Seconds after a room has come to this node in which a missing link is still waited for: all have to come back."""
LINGER_SECONDS = 3.0
"""Seconds that a redirected client has to go to the other node, before the connection is closed."""


@dataclass(slots=True, eq=False)
class Member:
    """A connection in the room. One without a seat is a spectator."""

    peer: Peer
    name: str = NAMELESS
    seats: list[int] = field(default_factory=list)


class Audience:
    def __init__(self, environment: Environment, phase: str) -> None:
        """`phase`: that of the room, which says how long seats are held."""
        settings = environment.settings
        self._clock = environment.clock
        self._broadcast = environment.broadcast
        self._settings = settings
        self._waiting_room = phase == "waiting"
        self._player_buffer = settings.player_buffer
        self._spectator_buffer = settings.spectator_buffer
        self._members: dict[Peer, Member] = {}
        self._holders: dict[int, Member] = {}
        self._away: dict[int, float] = {}
        """Seat -> when its connection was lost."""
        self._held_since: dict[int, float] = {}
        """Seat -> when the time began for which it is held."""
        self._private: dict[int, JsonObject] = {}
        """Seat -> the private patch that was last sent to it."""
        self._coming: set[int] = set()
        """Seats that are away but are expected back soon. They are not shown as away yet."""
        self._waiting: Handle | None = None
        self._patient_until = float("-inf")
        self._quiet_until = float("-inf")
        self._pending: Handle | None = None

    def __bool__(self) -> bool:
        return bool(self._members)

    @property
    def peers(self) -> Iterable[Peer]:
        return self._members.keys()

    @property
    def holders(self) -> Iterable[Peer]:
        """The connections of the players at the table."""
        return [member.peer for member in self._holders.values()]

    @property
    def watchers(self) -> list[Member]:
        return [member for member in self._members.values() if not member.seats]

    @property
    def watching(self) -> int:
        return sum(not member.seats for member in self._members.values())

    def find(self, peer: Peer) -> Member | None:
        return self._members.get(peer)

    def member(self, peer: Peer) -> Member:
        """The member with this connection. Raises Refused if it is not in this room."""
        member = self._members.get(peer)
        if member is None:
            raise Refused("unauthorized", "You are not in this room.")
        return member

    def enter(self, peer: Peer, name: str | None = None) -> Member:
        member = self._members.setdefault(peer, Member(peer))
        if name:
            member.name = name
        self._set_buffer(member)
        return member

    def unname(self, name: str) -> None:
        """A player has this name now: spectators whose name looks like it lose theirs."""
        for member in self.watchers:
            if member.name != NAMELESS and same_name(member.name, name):
                member.name = NAMELESS

    def exit(self, member: Member) -> None:
        self._members.pop(member.peer, None)

    def hold_seat(self, member: Member, seat: int) -> Member | None:
        """Give this seat to a connection. Returns the member that held it before, if it was another one."""
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
        """Nobody holds this seat any more. Returns the member that held it, if any."""
        self._come(seat)
        member = self._holders.pop(seat, None)
        self._private.pop(seat, None)
        if member:
            member.seats.remove(seat)
            self._set_buffer(member)
        return member

    def _come(self, seat: int) -> None:
        """The seat is no longer away or expected back."""
        self._away.pop(seat, None)
        self._held_since.pop(seat, None)
        self._coming.discard(seat)

    def lose(self, seat: int) -> None:
        """The seat's connection is lost. The seat is held for the player."""
        self._holders.pop(seat, None)
        self._away[seat] = self._held_since[seat] = self._clock.now()

    def enter_phase(self, phase: str) -> None:
        """The room is in this phase. When a waiting room becomes a game, seats are held for longer, from then on."""
        if self._waiting_room == (phase == "waiting"):
            return
        self._waiting_room = not self._waiting_room
        self._held_since = dict.fromkeys(self._away, self._clock.now())
        if self._away:
            self.tell_presence(self._away)

    def expect(self, seats: Iterable[int]) -> None:
        """The room has just come to this node, and the players of these seats should follow.

        A player is shown as away only after COMING_SECONDS.
        """
        self._patient_until = self._clock.now() + RETURN_LINKS_SECONDS
        for seat in seats:
            self.lose(seat)
            self._coming.add(seat)
        if self._coming:
            self._waiting = self._clock.call_later(COMING_SECONDS, self._not_come)

    def _not_come(self) -> None:
        late, self._coming = sorted(self._coming), set()
        self.tell_presence(late)

    @property
    def patience(self) -> float:
        """Seconds for which players are still expected back, because the room has just come to this node."""
        return max(0.0, self._patient_until - self._clock.now())

    def may_answer(self, seat: int, seconds: float) -> bool:
        """Whether somebody holds this seat, or was cut off less than `seconds` ago and may be back soon."""
        return seat in self._holders or self._clock.now() - self._away.get(seat, float("-inf")) < seconds

    def is_away(self, seat: int) -> bool:
        return seat in self._away

    @property
    def away(self) -> Iterable[int]:
        return self._away.keys()

    @property
    def hold_seconds(self) -> float:
        """Seconds for which the seat of an absent player is held."""
        return self._settings.waiting_seat_seconds if self._waiting_room else self._settings.seat_seconds

    def hold_key(self, seat: int) -> tuple[str, int, bool]:
        """The key of the timer that ends it. In a game it is another one than in the waiting room."""
        return ("hold", seat, self._waiting_room)

    def held_ms(self, seat: int) -> int:
        """Milliseconds for which the seat of an absent player is still held."""
        return max(0, round((self._held_since[seat] + self.hold_seconds - self._clock.now()) * 1000))

    def publish(self, data: bytes) -> None:
        self._broadcast(self._members, data)

    def tell_private(self, state: State, seats: Collection[int] | None = None, *, again: bool = False) -> None:
        """Send each seat its private patch if it has changed, or in any case with `again`.

        Call this before the update itself is published. `seats`: those that it may have changed for; None: any.
        """
        if state.rules.hides:
            for seat in self._holders if seats is None else [seat for seat in seats if seat in self._holders]:
                self.tell_private_to(seat, state, again=again)

    def tell_private_to(self, seat: int, state: State, *, again: bool = True) -> None:
        """The same as `tell_private`, for one seat."""
        part = state.private(seat) if state.rules.hides else {}
        if part != self._private.get(seat, {}) or (again and state.rules.hides):
            self._private[seat] = part
            self._holders[seat].peer.send(encode(Private(seat=seat, seq=state.seq, patch=part)))

    def tell_presence(self, seats: Iterable[int] = ()) -> None:
        """Tell everyone whether these seats are here or away, and the number of spectators."""
        if self._members:
            self.publish(encode(self._presence(seats)))

    def tell_watching(self) -> None:
        """Tell everyone the number of spectators. Within RUSH_SECONDS several such messages are merged into one.

        Without this, a thousand spectators who join at once would cause a million messages.
        """
        now = self._clock.now()
        if now >= self._quiet_until:
            self._quiet_until = now + RUSH_SECONDS
            self.tell_presence()
        elif self._pending is None:
            self._pending = self._clock.call_later(self._quiet_until - now, self._rush_over)

    def send_away(self, url: str) -> None:
        """The room moves to another node. Redirect everybody to `url`, and close what is left after LINGER_SECONDS.

        Without a `url` all connections are closed at once: clients that come back are told where the room is.
        """
        if url:
            self.publish(encode(Redirect(url=url)))
            self._clock.call_later(LINGER_SECONDS, self._cut_off)
        else:
            self._cut_off()

    def start_anew(self, seats: Iterable[int]) -> None:
        """It is not certain any more who holds which seat. Close all connections; clients resume with their tokens."""
        self._cut_off()
        self._members.clear()
        self._holders.clear()
        self._private.clear()
        self._away.clear()
        self._held_since.clear()
        self.expect(seats)

    def _cut_off(self) -> None:
        for peer in list(self._members):
            peer.close(CloseCode.RESTARTING, NOT_HERE)

    def hush(self) -> None:
        """The room has ended: cancel the messages that are still planned."""
        for handle in (self._pending, self._waiting):
            if handle:
                handle.cancel()
        self._waiting = None

    def _rush_over(self) -> None:
        self._pending = None
        self.tell_presence()

    def tell_all_presence(self, peer: Peer) -> None:
        peer.send(encode(self._presence(self._away)))

    def _presence(self, seats: Iterable[int]) -> Presence:
        return Presence(
            away={str(seat): self.held_ms(seat) for seat in seats if seat in self._away and seat not in self._coming},
            here=tuple(seat for seat in seats if seat not in self._away),
            watching=self.watching,
        )

    def _set_buffer(self, member: Member) -> None:
        member.peer.buffer_limit = self._player_buffer if member.seats else self._spectator_buffer
