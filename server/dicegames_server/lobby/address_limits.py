"""Who comes from where: how many connections an address may have, and how often it may be wrong about codes.

Somebody knocks with a bare connection and enters once it is opened properly. Who has too many inside is told so; who
knocks on and on beside that is not even listened to.

An IPv6 address is counted by its first 64 bits, which is what one household or one rented machine is given.
"""

import ipaddress
from collections import Counter, OrderedDict

from dicegames_server.core.clock import Clock
from dicegames_server.core.token_bucket import Bucket
from dicegames_server.settings import Settings

KEPT = 10_000
"""So many addresses that were wrong are remembered; the oldest are forgotten first."""
A_MINUTE = 60.0


class Doorman:
    def __init__(self, clock: Clock, settings: Settings) -> None:
        self._clock = clock
        self._most = settings.connections_per_address
        self._failures = settings.failed_joins_per_minute
        self._knocking: Counter[str] = Counter()
        self._inside: Counter[str] = Counter()
        self._wrong: OrderedDict[str, Bucket] = OrderedDict()
        self._opening: OrderedDict[str, Bucket] = OrderedDict()
        self._openings = settings.new_rooms_per_minute
        self._shut_out: dict[str, float] = {}

    def knocks(self, address: str) -> bool:
        """A connection from here is there, opened or not. False: there are far too many, and it is not counted."""
        place = place_of(address)
        if self._most and self._knocking[place] >= 2 * self._most:
            return False
        self._knocking[place] += 1
        return True

    def goes(self, address: str) -> None:
        """A connection that has knocked is gone."""
        _one_less(self._knocking, place_of(address))

    def knocking(self, address: str) -> int:
        """Connections from here, opened or not."""
        return self._knocking[place_of(address)]

    @property
    def inside(self) -> int:
        """Open connections."""
        return self._inside.total()

    def enters(self, address: str) -> bool:
        """A connection comes from here. False: there are too many already, and it is not counted."""
        place = place_of(address)
        if self._most and self._inside[place] >= self._most:
            return False
        self._inside[place] += 1
        return True

    def leaves(self, address: str) -> None:
        _one_less(self._inside, place_of(address))

    def may_try(self, address: str) -> bool:
        """Whether somebody from here may name a code, a password or a token."""
        place = place_of(address)
        until = self._shut_out.get(place)
        if until is None:
            return True
        if self._clock.now() < until:
            return False
        del self._shut_out[place]
        return True

    def may_open(self, address: str) -> bool:
        """Whether one more room may be opened from here now; if so, it is counted. Each may cost a slow hash."""
        if not self._openings:
            return True
        place = place_of(address)
        bucket = self._opening.setdefault(place, Bucket(self._clock, self._openings / A_MINUTE, self._openings))
        self._opening.move_to_end(place)
        if len(self._opening) > KEPT:
            self._opening.popitem(last=False)
        return bucket.take()

    def was_wrong(self, address: str) -> None:
        """A code, a password or a token did not fit."""
        if not self._failures:
            return
        place = place_of(address)
        bucket = self._wrong.setdefault(place, Bucket(self._clock, self._failures / A_MINUTE, self._failures))
        self._wrong.move_to_end(place)
        if len(self._wrong) > KEPT:
            forgotten, _ = self._wrong.popitem(last=False)
            self._shut_out.pop(forgotten, None)
        bucket.take()
        if not bucket.left:
            self._shut_out[place] = self._clock.now() + A_MINUTE / self._failures


def _one_less(counts: Counter[str], place: str) -> None:
    counts[place] -= 1
    if counts[place] <= 0:
        del counts[place]


def place_of(address: str) -> str:
    """What counts as one place."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv4Address):
        return str(found)
    if found.ipv4_mapped:
        return str(found.ipv4_mapped)
    return str(ipaddress.ip_network((found, 64), strict=False))
