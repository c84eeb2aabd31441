"""A node whose PostgreSQL is away stops when it is told to, though it can't give its rooms away."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from dicegames_client.base.address import Address
from dicegames_client.guest.guest import Guest
from dicegames_protocol.messages.client import Create
from dicegames_server.app.service import Service
from dicegames_server.settings import Settings
from support.postgres import MISSING, Postgres, binaries
from support.settings import quick


async def test_a_node_with_rooms_ends_while_postgres_is_away(serve: Callable[[Settings], Awaitable[Service]]) -> None:
    if binaries() is None:
        pytest.skip(MISSING)
    own = Postgres.start()
    try:
        service = await serve(quick(data=own.new_database(), lease_seconds=1))
        guest = Guest(Address("127.0.0.1", service.port))
        await guest.open()
        await guest.ask(Create(id="1", game="doubles", name="ana"))
        own.halt()
        async with asyncio.timeout(30):
            await service.stop()
        await guest.close()
    finally:
        own.stop()
