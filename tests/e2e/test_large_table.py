"""200 players at one Doubles table over real sockets, and how many bytes a roll costs each of them."""

import asyncio

from dicegames_client.base.address import Address
from dicegames_client.guest.server_link import ServerLink
from dicegames_protocol.codec import decode_server
from dicegames_protocol.messages.client import Create, Join, MakeMove, Start
from dicegames_protocol.messages.server import Joined, Update
from dicegames_protocol.table import Move

LARGE = 200


class Sitter:
    """A player that counts bytes and parses frames only where it has to."""

    def __init__(self, connection: ServerLink) -> None:
        self.connection = connection
        self.roll_bytes: list[int] = []
        self.seq = 0

    async def until(self, wanted: str) -> Update:
        while True:
            text = await self.connection.receive_text()
            assert isinstance(text, str)
            if '"kind":"rolled"' in text:
                self.roll_bytes.append(len(text))
            if wanted in text and '"type":"update"' in text:
                update = decode_server(text)
                assert isinstance(update, Update)
                self.seq = update.seq
                return update


async def open_table(address: Address, players: int) -> list[Sitter]:
    host = await ServerLink.open(address, "test")
    await host.send(Create(id="create", game="doubles", name="p0", seats=players, options={"rounds": 2, "window": 0}))
    joined = await host.receive()
    assert isinstance(joined, Joined)
    sitters = [Sitter(host)]
    for number in range(1, players):
        connection = await ServerLink.open(address, "test")
        await connection.send(Join(id="join", room=joined.room, name=f"p{number}"))
        assert isinstance(await connection.receive(), Joined)
        sitters.append(Sitter(connection))
    return sitters


async def play_a_round(sitters: list[Sitter]) -> None:
    everyone = asyncio.gather(*(sitter.until('"game_started"') for sitter in sitters))
    await sitters[0].connection.send(Start(id="start"))
    await everyone
    for number in range(5):
        heard = asyncio.gather(*(sitter.until('"kind":"rolled"') for sitter in sitters))
        roller = sitters[number % len(sitters)]
        await roller.connection.send(MakeMove(id=f"r{number}", seq=roller.seq, move=Move(take="roll")))
        await heard
    over = asyncio.gather(*(sitter.until('"round_over"') for sitter in sitters))
    for sitter in sitters:
        await sitter.connection.send(MakeMove(id="cash", seq=sitter.seq, move=Move(take="cash")))
    updates = await over
    assert {update.seq for update in updates} == {updates[0].seq}


async def test_200_players_finish_a_round_and_a_roll_stays_small(address: Address) -> None:
    async with asyncio.timeout(100):
        few = await open_table(address, 2)
        await play_a_round(few)
        many = await open_table(address, LARGE)
        await play_a_round(many)
    small = sum(few[1].roll_bytes) / len(few[1].roll_bytes)
    large = sum(many[1].roll_bytes) / len(many[1].roll_bytes)
    print(f"bytes per delivery of a roll: {small:.0f} with 2 players, {large:.0f} with {LARGE}")
    assert large <= 2 * small
    for sitter in few + many:
        sitter.connection.abort()
