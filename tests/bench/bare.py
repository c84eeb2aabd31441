"""The cost of websockets itself: a server that accepts every move, answers it, broadcasts it, and does no more.

Without compression, with `broadcast()` and hand-made JSON of the requested size, without checks or a log. The first
message of a connection names its room. Every move is acknowledged and broadcast.

    python tests/bench/bare.py UPDATE_BYTES ACK_BYTES      prints the port
"""

import asyncio
import sys

from websockets.asyncio.server import ServerConnection, broadcast, serve
from websockets.exceptions import ConnectionClosed


class Room:
    def __init__(self) -> None:
        self.seq = 0
        self.members: set[ServerConnection] = set()


async def main(update_bytes: int, ack_bytes: int) -> None:
    rooms: dict[str, Room] = {}
    update_end = b',"x":"' + b"x" * max(0, update_bytes - 36) + b'"}'
    ack_end = b',"x":"' + b"x" * max(0, ack_bytes - 32) + b'"}'

    async def connected(socket: ServerConnection) -> None:
        name = await socket.recv()
        assert isinstance(name, str)
        room = rooms.setdefault(name, Room())
        room.members.add(socket)
        await socket.send(b'{"type":"joined"}', text=True)
        try:
            while True:
                await socket.recv()
                room.seq += 1
                broadcast((socket,), b'{"type":"ack","seq":%d' % room.seq + ack_end, text=True)
                broadcast(room.members, b'{"type":"update","seq":%d' % room.seq + update_end, text=True)
        except ConnectionClosed:
            room.members.discard(socket)

    async with serve(connected, "127.0.0.1", 0, compression=None, ping_interval=None, max_queue=16) as server:
        print(next(iter(server.sockets)).getsockname()[1], flush=True)
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), int(sys.argv[2])))
