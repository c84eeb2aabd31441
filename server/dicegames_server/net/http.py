"""Plain HTTP for the operator of the server."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus

from websockets.asyncio.server import Server as WebSocketServer
from websockets.asyncio.server import ServerConnection, serve
from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from dicegames_server.net.bind import listening_socket

TEXT = "text/plain; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Page:
    text: str
    status: int = 200
    kind: str = TEXT


async def serve_pages(host: str, port: int, answer: Callable[[str, str, str], Page]) -> WebSocketServer:
    """Serve pages over plain HTTP. `answer` is called with method, path and Authorization header.

    Raises OSError if the address can't be used.
    """

    def respond(connection: ServerConnection, request: Request) -> Response:
        page = answer(request.method, request.path, request.headers.get("Authorization", ""))
        text = page.text.encode()
        body = b"" if request.method == "HEAD" else text
        headers = Headers(
            {
                "Content-Type": page.kind,
                "Content-Length": str(len(text)),
                "Cache-Control": "no-store",
                "Connection": "close",
            }
        )
        return Response(page.status, HTTPStatus(page.status).phrase, headers, body)

    async def nobody(socket: ServerConnection) -> None:
        """Every request is answered with a page, so no websocket is ever opened."""

    return await serve(
        nobody,
        sock=listening_socket(host, port),
        process_request=respond,
        compression=None,
        open_timeout=5,
        server_header=None,
        logger=logging.getLogger("dicegames.websockets"),
    )
