"""A server on the local network that says it has a room which it does not have, and writes down what it is told.

    python -m support.impostor LISTEN:PORT CODE ANNOUNCE_ON [ANNOUNCED_ADDRESS:PORT]

It listens, and announces itself on one interface, perhaps with an address that is not its own. With - as ANNOUNCE_ON it
announces nothing. Every message that it hears is printed.
"""

import asyncio
import sys

from websockets.asyncio.server import ServerConnection, serve
from zeroconf import IPVersion, ServiceInfo
from zeroconf.asyncio import AsyncZeroconf

from dicegames_protocol.codec import decode_client, encode
from dicegames_protocol.messages.client import Hello, Identify, ListRooms
from dicegames_protocol.messages.server import Error, Identified, Rooms, Welcome
from dicegames_protocol.network.announcement import SERVICE, Announcement
from dicegames_protocol.network.identity import address_binding
from dicegames_protocol.table import RoomEntry
from dicegames_server.lobby.server_identity import ServerIdentity
from support.limits import LIMITS


def split(typed: str) -> tuple[str, int]:
    host, _, port = typed.rpartition(":")
    return host, int(port)


async def main(listen: str, code: str, on: str, announced: str = "") -> None:
    identity = ServerIdentity.new()
    entry = RoomEntry(
        code=code, game="doubles", title="Doubles", summary="", seated=1, capacity=8, phase="waiting", locked=True
    )

    async def talk(socket: ServerConnection) -> None:
        print("somebody is here", flush=True)
        async for text in socket:
            print(f"heard {text!s}", flush=True)
            match decode_client(str(text)):
                case Hello() as hello:
                    here = address_binding(*socket.local_address[:2])  # it has nothing to hide: only its name is false
                    proof = identity.prove(hello.challenge or "", here)
                    welcome = Welcome(
                        protocol=2, server="dicegames", limits=LIMITS, heartbeat_ms=10_000, id=identity.id, **proof
                    )
                    await socket.send(encode(welcome).decode())
                case Identify() as identify:
                    await socket.send(encode(Identified(id=identify.id, player="x")).decode())
                case ListRooms() as asked:
                    await socket.send(encode(Rooms(id=asked.id, rooms=(entry,))).decode())
                case other:
                    refusal = Error(id=other.id, code="wrong_password", message="This room has a password.")
                    await socket.send(encode(refusal).decode())

    host, port = split(listen)
    async with serve(talk, host, port):
        if on != "-":
            address, named_port = split(announced or listen)
            zeroconf = AsyncZeroconf(interfaces=[on], ip_version=IPVersion.V4Only)
            info = ServiceInfo(
                SERVICE,
                f"impostor-{port}.{SERVICE}",
                port=named_port,
                parsed_addresses=[address],
                properties=Announcement(name="ana", rooms=1).properties(),
                server=f"impostor-{port}.local.",
            )
            await (await zeroconf.async_register_service(info))
        print("ready", flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
