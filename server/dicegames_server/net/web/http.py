"""Pages over plain HTTP: what a page is, and a small server for the pages of the operator."""

import logging
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus

from websockets.asyncio.server import Server as WebSocketServer
from websockets.asyncio.server import ServerConnection, serve
from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from dicegames_server.net.bind import listening_socket

TEXT = "text/plain; charset=utf-8"
HTML = "text/html; charset=utf-8"


def _whole(status: str, sentence: bytes) -> bytes:
    """A whole answer, for requests that the library does not read."""
    head = b"HTTP/1.1 %b\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: %d\r\n"
    return head % (status.encode(), len(sentence)) + b"Cache-Control: no-store\r\nConnection: close\r\n\r\n" + sentence


NO_BODY = _whole("400 Bad Request", b"A request with a body is not taken here.\n")
HEAD_TOO_LARGE = _whole("431 Request Header Fields Too Large", b"The head of this request is too large.\n")


@dataclass(frozen=True, slots=True)
class Page:
    text: str
    status: int = 200
    kind: str = TEXT
    headers: Mapping[str, str] = field(default_factory=dict)
    """Headers besides those that every page has."""
    packed: bytes = b""
    """The same text in gzip, for those who take it. Empty: there is no such form."""


TOO_MANY = Page("Too many requests from your address. Wait a moment.\n", 429)
_GZIP = re.compile(r"(?:^|[,\s])(?:gzip|\*)\s*(?:;\s*q=(?!0(?:\.0*)?(?:$|[,\s]))[0-9.]+\s*)?(?:,|$)")


def takes_gzip(accepted: Iterable[str]) -> bool:
    """Whether a visitor takes gzip, by its Accept-Encoding headers. `gzip;q=0` means no."""
    return any(_GZIP.search(header.strip().lower()) for header in accepted)


def response_of(page: Page, method: str, *, gzip: bool = False) -> Response:
    """The whole answer. A HEAD request gets the same headers without the text. The connection ends after it.

    `gzip`: the visitor takes that form.
    """
    packed = gzip and bool(page.packed)
    text = page.packed if packed else page.text.encode()
    headers = Headers(
        {
            "Content-Type": page.kind,
            "Content-Length": str(len(text)),
            "Cache-Control": "no-store",
            "Connection": "close",
            **page.headers,
            **({"Vary": "Accept-Encoding"} if page.packed else {}),
            **({"Content-Encoding": "gzip"} if packed else {}),
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
