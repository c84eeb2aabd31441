"""A bot of your own: joins a room over the network and plays any game, cautiously.

python docs/examples/cautious_bot.py 127.0.0.1:8765/KQ7M
"""

import asyncio
import sys

from dicegames_client.base.address import parse_address
from dicegames_client.base.errors import ClientError
from dicegames_client.guest.events import Back, News
from dicegames_client.guest.guest import Guest
from dicegames_protocol.messages.client import Join, Ready
from dicegames_protocol.table import Move, Offer


def choose(offers: dict[str, Offer]) -> Move:
    """Whatever ends the risk, if it is offered; else whatever keeps the most."""
    take = next((take for take in ("cash", "bank", "keep", "add") if take in offers), next(iter(offers)))
    choices = offers[take].choices or {}
    return Move(take=take, choice=max(choices, key=lambda key: choices[key].worth, default=None))


async def play(typed: str, name: str = "cautious") -> tuple[int, ...]:
    """Sit down, play one game to its end, and say who has won."""
    address = parse_address(typed)
    if address.room is None:
        raise ClientError("Name the room as well, such as 127.0.0.1:8765/KQ7M.", 2)
    guest = Guest(address, client="cautious-bot")
    await guest.open()
    await guest.ask(Join(id=guest.new_id(), room=address.room or "", name=name, program=True))
    await guest.ask(Ready(id=guest.new_id()))
    tried = -1
    async for happening in guest.news():
        store = guest.store
        seat = store.wanted()
        if seat is not None and (store.seq != tried or isinstance(happening, Back)):
            tried = store.seq
            await guest.move(seat, choose(store.offers(seat)))
        if isinstance(happening, News) and store.phase == "over":
            break
    await guest.close()
    return guest.store.info.winners or ()


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("Say which room to join, such as 127.0.0.1:8765/KQ7M.")
    try:
        print("Winners, by seat:", asyncio.run(play(*sys.argv[1:])))
    except ClientError as error:
        sys.exit(error.sentence)
