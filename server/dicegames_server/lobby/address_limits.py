"""Limits by network address: how many connections an address may have, and how often it may send a wrong code.

Two counts are kept. A connection is counted as "knocking" from the moment it is accepted, and as "inside" from the end
of its websocket handshake on. An address with too many connections inside gets an error message. An address with far
too many knocking is cut off without an answer.

An IPv6 address is counted by its first 64 bits, which is what one household or one rented machine is given.
"""

from collections import Counter, OrderedDict

from dicegames_server.core.address_key import address_key
from dicegames_server.core.clock import Clock
from dicegames_server.core.token_bucket import Bucket
from dicegames_server.settings import Settings

MOST_ADDRESSES = 10_000
"""Most addresses remembered for each rate limit. The oldest are forgotten first."""
LINKS_PER_MINUTE = 10
"""Codes for linking devices that an address may ask for: each is kept for a while."""
MINUTE_SECONDS = 60.0
KNOCKS_PER_CONNECTION = 4
"""Bare connections that an address may have for each one that is allowed inside. A browser opens six to load the
page, and a family has several.
"""


class AddressLimits:
    def __init__(self, clock: Clock, settings: Settings) -> None:
        self._clock = clock
        self._most = settings.connections_per_address
        self._failures = settings.failed_joins_per_minute
        self._knocking: Counter[str] = Counter()
        self._inside: Counter[str] = Counter()
        self._wrong: OrderedDict[str, Bucket] = OrderedDict()
        self._opening: OrderedDict[str, Bucket] = OrderedDict()
        self._openings = settings.new_rooms_per_minute
        self._adding: OrderedDict[str, Bucket] = OrderedDict()
        self._bots = settings.bots_per_address
        self._linking: OrderedDict[str, Bucket] = OrderedDict()
        self._logins = settings.ssh_logins_per_minute
        self._calling: OrderedDict[str, Bucket] = OrderedDict()
        self._loads = settings.page_requests_per_minute
        self._loading: OrderedDict[str, Bucket] = OrderedDict()
        self._shut_out: dict[str, float] = {}

    def knocks(self, address: str) -> bool:
        """Count a bare connection from this address. False: there are far too many, and it is not counted.

        Call `goes` when the connection has ended.
        """
        place = address_key(address)
        if self._most and self._knocking[place] >= KNOCKS_PER_CONNECTION * self._most:
            return False
        self._knocking[place] += 1
        return True

    def goes(self, address: str) -> None:
        """A connection that was counted by `knocks` has ended."""
        _one_less(self._knocking, address_key(address))

    def knocking(self, address: str) -> int:
        """Number of connections from this address, before and after their handshake."""
        return self._knocking[address_key(address)]

    @property
    def inside(self) -> int:
        """Number of open connections from all addresses."""
        return self._inside.total()

    def enters(self, address: str) -> bool:
        """Count an open connection from this address. False: there are too many already, and it is not counted.

        Call `leaves` when the connection has ended.
        """
        place = address_key(address)
        if self._most and self._inside[place] >= self._most:
            return False
        self._inside[place] += 1
        return True

    def leaves(self, address: str) -> None:
        _one_less(self._inside, address_key(address))

    def may_try(self, address: str) -> bool:
        """Whether a client from this address may try a code, a password or a token now."""
        place = address_key(address)
        until = self._shut_out.get(place)
        if until is None:
            return True
        if self._clock.now() < until:
            return False
        del self._shut_out[place]
        return True

    def may_open(self, address: str) -> bool:
        """Whether one more room may be opened from this address now. If so, it is counted.

        The limit is there because each new room may cost a slow password hash.
        """
        return not self._openings or self._bucket(self._opening, address, self._openings).take()

    def may_add_bots(self, address: str, count: int) -> bool:
        """Whether so many more bots may be added from this address now. If so, they are counted.

        A bot costs about as much as a player, and one message adds many.
        """
        return not self._bots or self._bucket(self._adding, address, self._bots).take(count)

    def may_link(self, address: str) -> bool:
        """Whether one more code to link a device may be given to this address now. If so, it is counted."""
        return self._bucket(self._linking, address, LINKS_PER_MINUTE).take()

    def may_call(self, address: str) -> bool:
        """Whether somebody at this address may begin one more login over ssh now. If so, it is counted.

        A login costs some milliseconds of computing before it is known who comes.
        """
        return not self._logins or self._bucket(self._calling, address, self._logins).take()

    def may_load(self, address: str) -> bool:
        """Whether a page or a file may be sent to this address now. If so, it is counted."""
        return not self._loads or self._bucket(self._loading, address, self._loads).take()

    def _bucket(self, buckets: OrderedDict[str, Bucket], address: str, per_minute: int) -> Bucket:
        place = address_key(address)
        bucket = buckets.setdefault(place, Bucket(self._clock, per_minute / MINUTE_SECONDS, per_minute))
        buckets.move_to_end(place)
        if len(buckets) > MOST_ADDRESSES:
            buckets.popitem(last=False)
        return bucket

    def was_wrong(self, address: str) -> None:
        """Count a wrong code, password or token. After too many, `may_try` is False for a while."""
        if not self._failures:
            return
        place = address_key(address)
        bucket = self._wrong.setdefault(place, Bucket(self._clock, self._failures / MINUTE_SECONDS, self._failures))
        self._wrong.move_to_end(place)
        if len(self._wrong) > MOST_ADDRESSES:
            forgotten, _ = self._wrong.popitem(last=False)
            self._shut_out.pop(forgotten, None)
        bucket.take()
        if not bucket.left:
            self._shut_out[place] = self._clock.now() + MINUTE_SECONDS / self._failures


def _one_less(counts: Counter[str], place: str) -> None:
    counts[place] -= 1
    if counts[place] <= 0:
        del counts[place]
