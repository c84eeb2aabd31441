"""Whom a host has removed does not come back at once under another name.

Somebody is known by their key and by where they come from. The place counts only where nobody else at the table shares
it: people behind one router are not shut out for each other.
"""

from collections.abc import Iterable

from dicegames_server.core.clock import Clock
from dicegames_server.core.peer import Link
from dicegames_server.lobby.address_limits import place_of
from dicegames_server.room.audience import Audience


class Bans:
    def __init__(self, clock: Clock, seconds: float) -> None:
        self._clock = clock
        self._seconds = seconds
        self._until: dict[str, float] = {}

    def show_out(self, audience: Audience, seat: int, told: bytes) -> None:
        """Whoever sat there learns that the host wanted it so, and is kept out for a while."""
        member = audience.drop_seat(seat)
        if member is None:
            return
        self._add(member.link, [other for other in audience.holders if other is not member.link])
        member.link.send(told)
        if not member.seats:
            audience.exit(member)
        for other in audience.watchers:
            if self.hold(other.link):  # the same person, looking on from another window
                other.link.send(told)
                audience.exit(other)

    def _add(self, removed: Link, others: Iterable[Link]) -> None:
        """`others` are those who stay."""
        until = self._clock.now() + self._seconds
        if removed.player:
            self._until[removed.player] = until
        place = place_of(removed.address)
        if place not in {place_of(other.address) for other in others}:
            self._until[place] = until

    def hold(self, link: Link) -> bool:
        """Whether this one has to stay outside for now."""
        now = self._clock.now()
        return any(self._until.get(mark, now) > now for mark in (link.player or "", place_of(link.address)))
