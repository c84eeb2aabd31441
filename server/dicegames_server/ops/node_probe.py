"""Asks another node whether it is ready, at the address at which clients reach it.

The answer only decides where clients are sent, and they check the node themselves. So the certificate is not checked.
"""

import asyncio
import contextlib
import ssl
from urllib.parse import urlsplit

from dicegames_server.net.listener import READY_PATH

READY_SECONDS = 1.5
"""Timeout of the question, in seconds."""


async def is_ready(url: str) -> bool:
    """Whether the node at this node_url is ready. No answer in time means no."""
    try:
        async with asyncio.timeout(READY_SECONDS):
            return await _ask(url)
    except (OSError, TimeoutError, ValueError, ssl.SSLError):
        return False


async def _ask(url: str) -> bool:
    parts = urlsplit(url)
    secure = parts.scheme == "wss"
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if secure else None
    if context:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    port = parts.port or (443 if secure else 80)
    reader, writer = await asyncio.open_connection(parts.hostname, port, ssl=context)
    try:
        request = f"GET {parts.path}{READY_PATH} HTTP/1.1\r\nHost: {parts.netloc}\r\nConnection: close\r\n\r\n"
        writer.write(request.encode("ascii"))
        await writer.drain()
        status = await reader.readline()
        return status.split()[1:2] == [b"200"]
    finally:
        writer.close()
        with contextlib.suppress(OSError, ssl.SSLError):
            await writer.wait_closed()
