"""Between a page and a server: it serves the page itself, passes messages on, and changes them as a test wishes."""

import asyncio
import contextlib
import json
from collections.abc import Callable
from typing import Any

from websockets.asyncio.client import connect
from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from dicegames_server.net.web.http import response_of
from dicegames_server.net.web.landing_page import PageRequest
from dicegames_server.net.web.static_files import static_files
from dicegames_server.net.web.table_page import table_page


class MessageRelay:
    def __init__(self, port: int) -> None:
        self._target = port
        self._server: Server | None = None
        self._pages: list[ServerConnection] = []
        self.sent: list[dict[str, Any]] = []
        """What the page has sent."""
        self.change: Callable[[dict[str, Any]], list[Any]] = lambda message: [message]
        """From a message of the server to what the page gets."""
        self.swallow: Callable[[dict[str, Any]], bool] = lambda message: False
        """Whether a message of the page does not get to the server."""
        self.port = 0

    async def start(self) -> int:
        self._server = await serve(self._talk, "127.0.0.1", 0, process_request=self._plain, compression=None)
        self.port = next(iter(self._server.sockets)).getsockname()[1]
        return self.port

    async def stop(self) -> None:
        if self._server:
            self._server.close()
            await self._server.wait_closed()

    def _plain(self, socket: ServerConnection, request: Request) -> Response | None:
        if "Upgrade" in request.headers:
            return None
        visit = PageRequest(request.method, request.path, request.headers.get_all("Host"))
        return response_of(table_page(visit, static_files(), nodes=True), request.method)

    async def say(self, *messages: Any) -> None:
        """Send messages of our own to the newest page."""
        for message in messages:
            await self._pages[-1].send(message if isinstance(message, str) else json.dumps(message))

    async def _talk(self, page: ServerConnection) -> None:
        assert page.request
        self._pages.append(page)
        async with connect(f"ws://127.0.0.1:{self._target}{page.request.path}", proxy=None) as far:

            async def back() -> None:
                async for text in far:
                    message = json.loads(text)
                    for changed in self.change(message):  # what is not changed stays as it is, to the last byte
                        raw = text if changed is message else changed
                        await page.send(raw if isinstance(raw, str | bytes) else json.dumps(raw))
                await page.close(far.close_code or 1000)

            passing = asyncio.ensure_future(back())
            with contextlib.suppress(ConnectionClosed):
                async for text in page:
                    message = json.loads(text)
                    self.sent.append(message)
                    if not self.swallow(message):
                        await far.send(text)
            passing.cancel()
            with contextlib.suppress(ConnectionClosed, asyncio.CancelledError):
                await passing
            if page.close_code != 1000:
                far.transport.abort()
