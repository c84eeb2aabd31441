"""Bans: a player whom the host removed can't come back at once under another name.

A player is recognised by player key and by network address. The address is banned only if no other player at the table
shares it, so that other people behind the same router are not banned too.
"""

from collections.abc import Iterable

from dicegames_server.core.address_key import address_key
from dicegames_server.core.clock import Clock
from dicegames_server.core.peer import Peer
from dicegames_server.room.audience import Audience


class Bans:
    def __init__(self, clock: Clock, seconds: float) -> None:
        self._clock = clock
        self._seconds = seconds
        self._until: dict[str, float] = {}

    def show_out(self, audience: Audience, seat: int, told: bytes) -> None:
        """Remove the player of this seat from the room and ban them for a while. `told` is the message they get."""
        member = audience.drop_seat(seat)
        if member is None:
            return
        self._add(member.peer, [other for other in audience.holders if other is not member.peer])
        member.peer.send(told)
        if not member.seats:
            audience.exit(member)
        for other in audience.watchers:
            if self.hold(other.peer):  # the same person, watching over another connection
                other.peer.send(told)
                audience.exit(other)

    def _add(self, removed: Peer, others: Iterable[Peer]) -> None:
        """Ban `removed`. `others` are the players who stay: an address that one of them shares is not banned."""
        now = self._clock.now()
        self._until = {mark: until for mark, until in self._until.items() if until > now}
        until = now + self._seconds
        if removed.player:
            self._until[removed.player] = until
        place = address_key(removed.address)
        if place not in {address_key(other.address) for other in others}:
            self._until[place] = until

    def hold(self, peer: Peer) -> bool:
        """Whether this peer is banned now."""
        now = self._clock.now()
        return any(self._until.get(mark, now) > now for mark in (peer.player or "", address_key(peer.address)))
