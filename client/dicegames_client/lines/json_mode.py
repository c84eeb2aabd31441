"""`--json`: one message per line, for scripts. It prints what the server sends, and sends what comes in."""

import asyncio
import itertools
from typing import TextIO

from dicegames_client.base.errors import REFUSED, ClientError
from dicegames_client.base.keyboard import Keyboard
from dicegames_client.guest.server_link import Closed, ServerLink
from dicegames_protocol.codec import BadMessage, encode, parse_object, to_ascii_json
from dicegames_protocol.messages.client import Request


async def run_json(connection: ServerLink, first: list[Request], keyboard: Keyboard, out: TextIO, *, stay: bool) -> int:
    """Send the first messages, then pass lines both ways. Returns the exit code.

    `stay`: the end of input does not end it. Raises ClientError if the connection is lost.
    """
    ids = itertools.count(1)

    def show(text: str | bytes) -> None:
        out.write(f"{to_ascii_json(text)}\n")
        out.flush()

    async def answered(id: str) -> bool:
        """Print everything up to the answer. False if the answer is an error."""
        while True:
            text = await connection.receive_text()
            show(text)
            message = parse_object(text if isinstance(text, str) else text.decode())
            if message.get("id") == id:
                return message.get("type") != "error"

    async def hear() -> int:
        try:
            while True:
                show(await connection.receive_text())
        except Closed as closed:
            return 0 if closed.code == 1000 else REFUSED

    async def speak() -> int:
        while (line := await keyboard.line()) is not None:
            if not line.strip():
                continue
            try:
                message = parse_object(line)
            except BadMessage as bad:
                show(encode({"type": "error", "code": "bad_message", "message": bad.sentence}))
                continue
            message.setdefault("id", f"line-{next(ids)}")
            await connection.send_text(encode(message).decode())
        if stay:
            await asyncio.get_running_loop().create_future()
        return 0

    show(encode(connection.welcome))
    for message in first:
        await connection.send(message)
        if not await answered(message.id):
            return REFUSED
    done, pending = await asyncio.wait(
        {asyncio.ensure_future(hear()), asyncio.ensure_future(speak())}, return_when=asyncio.FIRST_COMPLETED
    )
    for task in pending:
        task.cancel()
    try:
        return next(iter(done)).result()
    except Closed:
        raise ClientError("The connection was lost.", REFUSED) from None
    except BadMessage:
        raise ClientError(f"{connection.address.place} sends something that is not JSON.", REFUSED) from None
