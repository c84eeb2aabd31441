"""The ssh door: who is let in, how many, and for how long.

Everybody is let in: with a key, which is then who they are, or without one, as a guest. What is limited is how much a
stranger can cost: connections by address before anything is computed for them, logins by minute, bytes, time.
"""

import asyncio
import contextlib
import hashlib
import logging
import math
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import asyncssh
from asyncssh.kex import get_kex_algs

from dicegames_server.core.address_key import address_key
from dicegames_server.core.clock import Clock, Handle
from dicegames_server.core.token_bucket import Bucket
from dicegames_server.lobby.address_limits import AddressLimits
from dicegames_server.net.bind import ACCEPT_BURST, BACKLOG, listening_socket
from dicegames_server.net.gate import COMPLAIN_SECONDS, Gate
from dicegames_server.net.ssh.host_key import fingerprint_of, host_key
from dicegames_server.net.ssh.ssh_channel import SshChannel
from dicegames_server.settings import Settings

log = logging.getLogger("dicegames.ssh")
FIRST_SECONDS = 10.0
"""Seconds in which a client has to begin: its version, and what it can do. Then a person may be asked something."""
FIRST_BYTES = 300
"""Bytes that this takes at least."""
MOST_STRANGERS = 200
"""Most connections that have not logged in yet. For one more, the oldest of the address with most of them goes."""
KEY_EXCHANGES = ("mlkem768x25519-sha256", "curve25519-sha256", "curve25519-sha256@libssh.org", "ecdh-sha2-nistp256")
"""How secrets are agreed upon: only what costs a stranger as much as us. For others the server would work for 50 ms."""
EXCHANGES_PER_SECOND, EXCHANGE_BURST = 1 / 600, 6
"""How often a connection may agree upon new secrets. Clients do so once an hour."""
OVERHEAD_PER_SECOND, OVERHEAD_BURST = 128, 96 * 1024
"""Bytes of a connection that are not typed text: keys, requests, signs of life. Whoever sends more is cut off."""
BYTES_PER_PACKET = 160
"""Bytes that a packet with typed text has besides."""
WINDOW_BYTES = 4 * 1024
"""Typed bytes that may be under way."""
ADDRESS_KEYS_PER_SECOND, ADDRESS_KEY_BURST = 100, 150
"""Keys that all users of one address may press together."""
KEEPALIVE_SECONDS, KEEPALIVE_COUNT = 15, 3
IDLE_END_SECONDS = 5.0
"""Seconds that an idle channel has to end by itself."""
IDLE_CHECKS = 4
"""How often within the idle limit it is looked at."""


class SshListener:
    def __init__(
        self,
        clock: Clock,
        settings: Settings,
        gate: Gate,
        limits: AddressLimits,
        folder: Path,
        visit: Callable[[SshChannel], None],
    ) -> None:
        """`visit` is called with each channel on which somebody wants to play. `folder` is for the host key."""
        self._clock = clock
        self._settings = settings
        self.gate = gate
        self.limits = limits
        self._visit = visit
        self._key = host_key(folder)
        self.fingerprint = fingerprint_of(self._key)
        self.strangers: dict[SshConnection, str] = {}
        """Connections that have not logged in yet, the oldest first, and from where they come."""
        self.channels: set[SshChannel] = set()
        self.coming: set[SshChannel] = set()
        """Channels that were asked for and on which nobody plays yet. They have their place already."""
        self._idle_checks: dict[SshChannel, Handle] = {}
        """The next look at who types nothing. It ends with the channel, which would stay in memory for it otherwise."""
        self._keys: dict[str, Bucket] = {}
        """By address: the keys that everybody there may press together."""
        self._acceptor: asyncssh.SSHAcceptor | None = None
        self._complained, self._complaints = -math.inf, 0

    @property
    def port(self) -> int:
        return self._acceptor.get_port() if self._acceptor else self._settings.ssh

    async def listen(self) -> None:
        """Raises OSError if the address can't be used."""
        settings = self._settings
        listening = listening_socket(settings.host, settings.ssh)
        self._acceptor = await asyncssh.listen(
            sock=listening,
            backlog=ACCEPT_BURST,
            server_factory=lambda: SshConnection(self, self._clock),
            server_host_keys=[self._key],
            server_version="dicegames",
            config=None,
            authorized_client_keys=None,
            password_auth=False,
            gss_host=None,
            host_based_auth=False,
            agent_forwarding=False,
            x11_forwarding=False,
            allow_scp=False,
            line_editor=False,
            encoding=None,
            compression_algs=["none"],
            kex_algs=[name for name in KEY_EXCHANGES if name.encode() in get_kex_algs()],
            login_timeout=settings.ssh_login_seconds,
            keepalive_interval=KEEPALIVE_SECONDS,
            keepalive_count_max=KEEPALIVE_COUNT,
        )
        listening.listen(BACKLOG)

    def admits(self, connection: "SshConnection", address: str) -> bool:
        """Whether a new connection may begin to log in. If so, it is counted."""
        place = address_key(address)
        if not self.limits.may_call(address) or not self._has_room(place):
            return False
        self.strangers[connection] = place
        return True

    def _has_room(self, place: str) -> bool:
        """Whether there is room for one more stranger. Whoever takes most of it makes room."""
        if len(self.strangers) < MOST_STRANGERS:
            return True
        counts = Counter(self.strangers.values())
        most = max(counts.values())
        if counts[place] >= most:
            return False
        oldest = next(connection for connection, of in self.strangers.items() if counts[of] == most)
        oldest.drop()
        return True

    def complain(self, address: str, what: str) -> None:
        """Log that somebody asks too much: a line a minute, whatever they do."""
        self._complaints += 1
        if self._clock.now() - self._complained >= COMPLAIN_SECONDS:
            log.info("ssh: %s: %s (%d of the kind since the last such line)", address, what, self._complaints)
            self._complained, self._complaints = self._clock.now(), 0

    def full(self) -> bool:
        return len(self.channels) + len(self.coming) >= self._settings.ssh_sessions

    def came(self, channel: SshChannel) -> None:
        self.coming.discard(channel)
        self.channels.add(channel)
        place = address_key(channel.caller.address)
        bucket = self._keys.setdefault(place, Bucket(self._clock, ADDRESS_KEYS_PER_SECOND, ADDRESS_KEY_BURST))
        channel.may_press = bucket.take
        log.info("%s came over ssh", channel.caller.address)
        self._watch(channel)
        self._visit(channel)

    def went(self, channel: SshChannel) -> None:
        self.coming.discard(channel)
        if channel in self.channels:
            self.channels.discard(channel)
            if check := self._idle_checks.pop(channel, None):
                check.cancel()
            place = address_key(channel.caller.address)
            if not any(address_key(other.caller.address) == place for other in self.channels):
                del self._keys[place]
            log.info("%s went", channel.caller.address)

    def _watch(self, channel: SshChannel) -> None:
        """End the channel of somebody who has typed nothing for too long."""
        limit = self._settings.ssh_idle_seconds
        if channel not in self.channels or not limit:
            return
        if self._clock.now() - channel.typed_at >= limit:
            log.info("%s is idle", channel.caller.address)
            channel.on_idle()
            check = self._clock.call_later(IDLE_END_SECONDS, channel.cut)
        else:
            check = self._clock.call_later(limit / IDLE_CHECKS, lambda: self._watch(channel))
        self._idle_checks[channel] = check

    async def stop(self) -> None:
        """Take no more, and end all."""
        if self._acceptor:
            self._acceptor.close()
        for channel in list(self.channels):
            channel.cut()
        if self._acceptor:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(1):
                    await self._acceptor.wait_closed()


class SshConnection(asyncssh.SSHServer):
    """One connection: it is counted, then its user is told from others, then it gets one channel."""

    def __init__(self, listener: SshListener, clock: Clock) -> None:
        self._listener = listener
        self._clock = clock
        self._overhead = Bucket(clock, OVERHEAD_PER_SECOND, OVERHEAD_BURST)
        self._exchanges = Bucket(clock, EXCHANGES_PER_SECOND, EXCHANGE_BURST)
        self._address = self._counted = self._user = self._key = ""
        self._conn: asyncssh.SSHServerConnection
        self._received = 0
        self._proposal: object = b""
        """With what the client began the last exchange of keys that was counted."""
        self._limit: Handle | None = None
        self._channel: SshChannel | None = None

    def connection_made(self, conn: asyncssh.SSHServerConnection) -> None:
        self._conn = conn
        peer = conn.get_extra_info("peername")
        self._address = str(peer[0]).removeprefix("::ffff:") if peer else "?"
        if not self._listener.gate.opens_for(self._address):
            conn.abort()
            return
        self._counted = self._address
        if not self._listener.admits(self, self._address):
            self._listener.complain(self._address, "too many connections")
            conn.abort()
            return
        self._limit_bytes(conn)
        self._limit = self._clock.call_later(FIRST_SECONDS, self._late)

    def _limit_bytes(self, conn: asyncssh.SSHServerConnection) -> None:
        inner = conn.data_received

        def received(data: bytes, datatype: Any = None) -> None:
            self._received += len(data)
            if not self._overhead.take(len(data)):
                self._listener.complain(self._address, "floods: cut off")
                conn.abort()
            elif self._exchanges_too_often():
                self._listener.complain(self._address, "exchanges keys again and again: cut off")
                conn.abort()
            else:
                inner(data, datatype)

        conn.data_received = received  # type: ignore[method-assign]

    def _exchanges_too_often(self) -> bool:
        """Whether one exchange of keys too many has begun.

        The library has no other way to notice them. It looks later at what has come now, so the last one is counted
        when more comes.
        """
        before, self._proposal = self._proposal, getattr(self._conn, "_client_kexinit", None)
        return self._proposal is not before and not self._exchanges.take()

    def _typed(self, size: int) -> None:
        """So many bytes were typed text in a packet: they are limited elsewhere."""
        self._overhead.give(size + BYTES_PER_PACKET)

    def _late(self) -> None:
        if self._received < FIRST_BYTES:
            self._conn.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._limit:
            self._limit.cancel()
        self._known()
        if self._counted:
            self._listener.gate.goes(self._counted)
            self._counted = ""
        if self._channel:
            self._channel.connection_lost(exc)
            self._listener.went(self._channel)
        vars(self._conn).pop("data_received", None)  # it knows the connection, which would not go away by itself

    def drop(self) -> None:
        """Others need the room."""
        self._listener.complain(self._address, "too many have not logged in; cut off for others")
        self._known()
        self._conn.abort()

    def _known(self) -> None:
        self._listener.strangers.pop(self, None)

    # Who is it? A key counts only if it was this key that let its owner in.

    def begin_auth(self, username: str) -> bool:
        self._user = username
        return True

    def public_key_auth_supported(self) -> bool:
        return True

    def validate_public_key(self, username: str, key: asyncssh.SSHKey) -> bool:
        """The library checks the signature. Many clients only ask first whether a key would do."""
        self._key = hashlib.sha256(key.public_data).hexdigest()
        return True

    def kbdint_auth_supported(self) -> bool:
        return True

    def get_kbdint_challenge(self, username: str, lang: str, submethods: str) -> tuple[str, str, str, list[Any]]:
        """Nothing is asked: whoever has no key is a guest."""
        return "", "", "", []

    def validate_kbdint_response(self, username: str, responses: Any) -> bool:
        self._key = ""  # a key that was only asked about proves nothing
        return True

    def auth_completed(self) -> None:
        self._known()
        if self._limit:
            self._limit.cancel()
        self._limit = self._clock.call_later(FIRST_SECONDS, self._no_session)

    def _no_session(self) -> None:
        if self._channel is None or self._channel not in self._listener.channels:
            self._conn.abort()

    # One channel with a terminal, and nothing else.

    def session_requested(self) -> Any:
        if self._channel is not None or self._listener.full():
            return False
        transport = self._conn._transport  # the library has no other way to ask how much is unsent
        unsent = (lambda: transport.get_write_buffer_size()) if transport else (lambda: 0)
        session = _CountedChannel(
            self._address, self._user, self._key, self._clock, unsent, self._conn.abort, self._listener.came
        )
        session.typed = self._typed
        self._channel = session
        self._listener.coming.add(session)
        return self._conn.create_server_channel(encoding=None, window=WINDOW_BYTES), session


class _CountedChannel(SshChannel):
    typed: Callable[[int], None]

    def data_received(self, data: bytes, datatype: asyncssh.DataType) -> None:
        self.typed(len(data))
        super().data_received(data, datatype)
