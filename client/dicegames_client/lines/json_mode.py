"""`--json`: one message per line, for scripts. It prints what the server sends, and sends what comes in."""

import asyncio
import itertools
from typing import TextIO

from dicegames_client.base.errors import NETWORK, REFUSED, ClientError
from dicegames_client.base.terminal.keyboard import Keyboard
from dicegames_client.base.wire import Closed
from dicegames_client.guest.chains import Chains
from dicegames_client.guest.server_link import FINAL, ServerLink
from dicegames_client.guest.store import Store
from dicegames_protocol.codec import BadMessage, decode_server, encode, parse_object, to_ascii_json
from dicegames_protocol.messages.checking import Nonsense
from dicegames_protocol.messages.client import Request
from dicegames_protocol.messages.server import CaughtUp, Joined


async def run_json(connection: ServerLink, first: list[Request], keyboard: Keyboard, out: TextIO, *, stay: bool) -> int:
    """Send the first messages, then pass lines both ways. Returns the exit code.

    `stay`: the end of input does not end it. Raises ClientError if the connection is lost.
    """
    ids = itertools.count(1)

    chains, store = Chains(), Store()

    def show(text: str | bytes) -> None:
        out.write(f"{to_ascii_json(text)}\n")
        out.flush()

    async def heard(text: str | bytes) -> None:
        """Print a message. If a draw asks for our part of the dice, show it: no script has to do that itself."""
        nonlocal store
        try:
            message = decode_server(text)
            before, (store, _) = store, store.receive(message)
        except (BadMessage, Nonsense):
            show(text)
            return
        if chains.answered(message):
            return
        show(text)
        if store.rolling and (store.rolling != before.rolling or isinstance(message, CaughtUp | Joined)):
            for link in chains.to_show(store, lambda: f"link-{next(ids)}"):
                await connection.send(link)

    async def answered(id: str) -> bool:
        """Print everything up to the answer. False if the answer is an error."""
        while True:
            text = await connection.receive_text()
            await heard(text)
            message = parse_object(text if isinstance(text, str) else text.decode())
            if message.get("id") == id:
                return message.get("type") != "error"

    async def hear() -> int:
        try:
            while True:
                await heard(await connection.receive_text())
        except Closed as closed:
            return 0 if closed.code == 1000 else REFUSED if closed.code in FINAL else NETWORK

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
        await connection.send(chains.add_commit(message, store))
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
        raise ClientError("The connection was lost.", NETWORK) from None
    except BadMessage:
        raise ClientError(f"{connection.address.place} sends something that is not JSON.", REFUSED) from None
