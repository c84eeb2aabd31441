"""Several real nodes on one PostgreSQL, behind a load balancer. Each has its own wire to PostgreSQL that can be cut."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg

from dicegames_client.base.address import Address
from support.balancer import Backend, Balancer
from support.posix import KILL
from support.postgres import Postgres
from support.process import Process, run
from support.relay import Relay

LIMITS = {
    "DICEGAMES_MESSAGES_PER_SECOND": "1000000",
    "DICEGAMES_MESSAGE_BURST": "1000000",
    "DICEGAMES_CONNECTIONS_PER_ADDRESS": "0",
    "DICEGAMES_ROOMS_PER_ADDRESS": "0",
    "DICEGAMES_NEW_ROOMS_PER_MINUTE": "0",
    "DICEGAMES_FAILED_JOINS_PER_MINUTE": "0",
    "DICEGAMES_BOT_TALK": "false",
}


WITNESS = """
CREATE TABLE acquired (room bigint, epoch bigint, next_seq bigint);
CREATE FUNCTION witness() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN INSERT INTO acquired VALUES (NEW.id, NEW.epoch, NEW.next_seq); RETURN NULL; END';
CREATE TRIGGER witness AFTER UPDATE OF epoch ON room FOR EACH ROW EXECUTE FUNCTION witness();
"""
"""Who has acquired a room writes down where, so that it can be told who wrote to it afterwards without a right to."""


@dataclass(slots=True)
class Node:
    number: int
    process: Process
    relay: Relay
    id: str = ""


class Nodes:
    def __init__(self, postgres: Postgres, folder: Path, lease: float, **settings: str) -> None:
        self._postgres = postgres
        self._folder = folder
        self._settings = {**LIMITS, "DICEGAMES_LEASE_SECONDS": f"{lease:g}", **settings}
        self.database = postgres.new_database()
        self.balancer = Balancer()
        self.all: dict[int, Node] = {}

    async def start(self, count: int) -> None:
        await self.balancer.start()
        for number in range(1, count + 1):
            await self.add(number)
        with psycopg.connect(self.database, autocommit=True) as db:
            db.execute(WITNESS)

    async def stop(self) -> None:
        for node in self.all.values():
            await node.process.kill()
            await node.relay.stop()
        await self.balancer.stop()

    @property
    def address(self) -> Address:
        """The public address."""
        return Address("127.0.0.1", self.balancer.port)

    async def add(self, number: int) -> Node:
        """A node with this number, new or in place of one that has ended."""
        relay = self.all[number].relay if number in self.all else Relay(self._postgres.port)
        if not relay.port:
            await relay.start()
        name = self.database.rpartition("/")[2]
        process = await Process.start(
            "dicegames_server",
            *("--host", "127.0.0.1", "--port", "0", "--admin", "127.0.0.1:0"),
            *("--data", self._postgres.dsn(name, relay.port)),
            state=self._folder,
            XDG_DATA_HOME=str(self._folder / f"node-{number}"),
            DICEGAMES_NODE_URL=f"ws://127.0.0.1:{self.balancer.port}/n/{number}",
            **self._settings,
        )
        port = await _number_after(process, "listening on")
        admin = await _number_after(process, "admin pages on")
        process.read_on()
        node = self.all[number] = Node(number, process, relay)
        self.balancer.backends[number] = Backend(port, admin)
        node.id = self.ask("SELECT id FROM node WHERE url LIKE %s ORDER BY seen DESC LIMIT 1", f"%/n/{number}")[0][0]
        return node

    def ask(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        """Directly from the database."""
        with psycopg.connect(self.database, autocommit=True) as db:
            return db.execute(sql.encode(), values).fetchall()

    def rooms_of(self, node: Node) -> set[str]:
        return {code for (code,) in self.ask("SELECT code FROM room WHERE owner = %s AND ended IS NULL", node.id)}

    def wrongly_written(self) -> list[tuple[Any, ...]]:
        """Updates of a former owner with a number that appeared after another node had acquired the room."""
        return self.ask(
            "SELECT event.room, seq, event.epoch, acquired.epoch FROM acquired JOIN event USING (room) "
            "WHERE seq >= acquired.next_seq AND event.epoch < acquired.epoch"
        )

    async def drain(self, number: int) -> None:
        """As the operator would do it. Returns when it has stopped."""
        admin = f"127.0.0.1:{self.balancer.backends[number].admin_port}"
        where = ("--port", "0", "--admin", admin, "--data", self.database)
        code, told = await run(
            "dicegames_server",
            *where,
            *("drain", "--wait"),
            state=self._folder,
            XDG_DATA_HOME=str(self._folder / f"node-{number}"),
        )
        assert code == 0, told
        assert await self.all[number].process.ended() == 0

    def told(self, room: str) -> str:
        """What the nodes have logged about a room, and where they are."""
        lines = [f"node {node.number} is {node.id}" for node in self.all.values()]
        for node in self.all.values():
            said = [line for line in node.process.text.splitlines() if room in line]
            lines += [f"node {node.number}: {line}" for line in said[-8:]]
        return "\n".join(lines)

    async def kill(self, node: Node) -> None:
        node.process.signal(KILL)
        await node.process.kill()


async def _number_after(process: Process, text: str) -> int:
    await process.until(text)
    line = await process.until("\n")
    return int(line.replace(":", " ").split()[-1])
