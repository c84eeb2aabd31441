"""Pages over plain HTTP: what a page is, and a small server for the pages of the operator."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus

from websockets.asyncio.server import Server as WebSocketServer
from websockets.asyncio.server import ServerConnection, serve
from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from dicegames_server.net.bind import listening_socket

TEXT = "text/plain; charset=utf-8"
HTML = "text/html; charset=utf-8"
_NO_BODY_TEXT = b"A request with a body is not taken here.\n"
NO_BODY = (
    b"HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: %d\r\n"
    b"Cache-Control: no-store\r\nConnection: close\r\n\r\n%b" % (len(_NO_BODY_TEXT), _NO_BODY_TEXT)
)
"""The whole answer to a request with a body, which is not read."""


@dataclass(frozen=True, slots=True)
class Page:
    text: str
    status: int = 200
    kind: str = TEXT
    headers: Mapping[str, str] = field(default_factory=dict)
    """Headers besides those that every page has."""


def response_of(page: Page, method: str) -> Response:
    """The whole answer. A HEAD request gets the same headers without the text. The connection ends after it."""
    text = page.text.encode()
    headers = Headers(
        {
            "Content-Type": page.kind,
            "Content-Length": str(len(text)),
            "Cache-Control": "no-store",
            "Connection": "close",
            **page.headers,
        }
    )
    return Response(page.status, HTTPStatus(page.status).phrase, headers, b"" if method == "HEAD" else text)


async def serve_pages(host: str, port: int, answer: Callable[[str, str, str], Page]) -> WebSocketServer:
    """Serve pages over plain HTTP. `answer` is called with method, path and Authorization header.

    Raises OSError if the address can't be used.
    """

    def respond(connection: ServerConnection, request: Request) -> Response:
        return response_of(
            answer(request.method, request.path, request.headers.get("Authorization", "")), request.method
        )

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
