"""A bot of your own: joins a room over the network and plays any game, cautiously.

python docs/examples/cautious_bot.py 127.0.0.1:8765/KQ7M
"""

import asyncio
import sys

from dicegames_client import Back, ClientError, Guest, News, parse_address
from dicegames_protocol import Join, Move, Offer, Ready


def choose(offers: dict[str, Offer]) -> Move:
    """Whatever ends the risk, if it is offered; else whatever is worth the most."""
    take = next((take for take in ("cash", "bank", "keep", "add") if take in offers), next(iter(offers)))
    offer = offers[take]
    if offer.asks == "number":
        return Move(take=take, choice=str(offer.least))
    choices = offer.choices or {}
    return Move(take=take, choice=max(choices, key=lambda key: choices[key].worth, default=None))


async def play(typed: str, name: str = "cautious") -> tuple[int, ...]:
    """Sit down, play one game to its end, and say who has won."""
    address = parse_address(typed)
    if address.room is None:
        raise ClientError("Name the room as well, such as 127.0.0.1:8765/KQ7M.", 2)
    guest = Guest(address, client="cautious-bot")
    await guest.open()
    await guest.ask(Join(id=guest.new_id(), room=address.room, name=name, program=True))
    await guest.ask(Ready(id=guest.new_id()))
    tried = -1
    async for event in guest.news():
        store = guest.store
        seat = store.wanted()
        if seat is not None and (store.seq != tried or isinstance(event, Back)):
            tried = store.seq
            await guest.move(seat, choose(store.offers(seat)))
        if isinstance(event, News) and store.phase == "over":
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
