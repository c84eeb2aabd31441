from collections.abc import AsyncIterator
from typing import Any

import pytest

from dicegames_client.address import Address
from dicegames_server.assembly import assemble
from dicegames_server.settings import Settings
from dicegames_server.transport import Server
from support.dice import ScriptedDice


def quick(**settings: Any) -> Settings:
    """A server on the loopback whose bots do not dawdle and that does not mind how fast a robot plays."""
    quickly = {
        "host": "127.0.0.1",
        "data": "memory",
        "port": 0,
        "bot_seconds": 0,
        "messages_per_second": 1e6,
        "message_burst": 10**6,
    }
    return Settings(**{**quickly, **settings})


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    made = assemble(quick(), dice=ScriptedDice(seed=7))
    await made.start()
    yield made
    await made.stop()


@pytest.fixture
def address(server: Server) -> Address:
    return Address("127.0.0.1", server.port)
