"""Makes the socket on which a server listens."""

import errno
import socket
from typing import Any

from dicegames_server.core.system import own_address

BACKLOG = 1024
"""Connections that the kernel queues before they are accepted."""
ACCEPT_BURST = 16
"""Connections that asyncio accepts in a row. It would accept 100, and three times so many before it closes the first
one that is refused: each takes a descriptor until then.
"""


def listening_socket(host: str, port: int, send_buffer: int = 0) -> socket.socket:
    """One listening socket. Without a host it listens on all addresses, IPv6 and IPv4 if the machine has both.

    Connections inherit `send_buffer` (bytes). Without it, the kernel would buffer megabytes for each connection that
    does not read. Raises OSError if the address can't be used.
    """
    listening = _bound(host, port)
    if send_buffer:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, send_buffer)
    return listening


def _bound(host: str, port: int) -> socket.socket:
    if not host and socket.has_dualstack_ipv6():
        try:
            return _listen(socket.AF_INET6, ("::", port), both=True)
        except OSError as error:
            if not _no_ipv6(error):
                raise
    try:
        found = socket.getaddrinfo(host or "0.0.0.0", port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (UnicodeError, socket.gaierror):
        raise OSError(errno.EADDRNOTAVAIL, "no such address") from None
    family, _, _, _, where = found[0]
    return _listen(family, where)


def _listen(family: int, where: Any, *, both: bool = False) -> socket.socket:
    """Bind a socket and listen. asyncio sets TCP_NODELAY only on sockets with protocol TCP, so it is named here."""
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        own_address(listening)
        if family == socket.AF_INET6:
            listening.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, not both)
        listening.bind(where)
        listening.listen(BACKLOG)
    except BaseException:
        listening.close()
        raise
    return listening


def _no_ipv6(error: OSError) -> bool:
    return error.errno in (errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL)
