"""A new connection to an encrypted server, until its TLS handshake is done.

asyncio can do this handshake by itself, but then nobody counts a connection before it is done. So a stranger could
open connections and say nothing, until there are no descriptors left. Here a connection is counted when it is accepted.
"""

import asyncio
import contextlib
from typing import cast

from dicegames_protocol.network.certificates import certificate_hash
from dicegames_server.core.eager import run_eagerly
from dicegames_server.net.connection import Connection
from dicegames_server.net.gate import Gate, peer_address
from dicegames_server.net.tls.certificate import Certificate


class TlsHandshake(asyncio.Protocol):
    """Does the handshake, then gives the encrypted transport to the websocket connection."""

    def __init__(self, connection: Connection, certificate: Certificate, gate: Gate, seconds: float) -> None:
        """`seconds`: how long the handshake may take."""
        self._connection = connection
        self._certificate = certificate
        self._gate = gate
        self._seconds = seconds
        self._early: list[bytes] = []
        """What arrived with the end of the handshake."""
        self._ended = False
        self._counted = ""
        self._task: asyncio.Future[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        peer = peer_address(transport)
        if not self._gate.opens_for(peer):
            cast(asyncio.Transport, transport).abort()
            return
        self._counted = peer
        self._gate.in_handshake.add(transport)
        raw = cast(asyncio.Transport, transport)  # that of uvloop has no such base class
        rest = run_eagerly(self._encrypt(raw))  # at once: what arrives first already belongs to TLS
        self._task = asyncio.ensure_future(rest) if rest else None

    async def _encrypt(self, raw: asyncio.Transport) -> None:
        certificate, loop = self._certificate, asyncio.get_running_loop()
        context, shown = certificate.context, certificate.der
        secured: asyncio.Transport | None = None
        try:
            with contextlib.suppress(Exception):  # no TLS, too slow, or gone: whatever it is, nobody comes in
                secured = await loop.start_tls(
                    raw, self, context, server_side=True, ssl_handshake_timeout=self._seconds
                )
        finally:
            self._gate.in_handshake.discard(raw)
            if secured is None or self._ended:
                self._gate.goes(self._counted)
                raw.abort()
        if secured is None or self._ended:
            return
        self._connection.counted = self._counted
        self._connection.certificate = certificate_hash(shown)
        secured.set_protocol(self._connection)
        self._connection.connection_made(secured)
        for data in self._early:
            self._connection.data_received(data)

    def data_received(self, data: bytes) -> None:
        self._early.append(data)

    def connection_lost(self, exc: Exception | None) -> None:
        self._ended = True
