"""An honest server: whatever happens, its log is proven fair, or the right reason is told why not."""

import random

import pytest

from dicegames_protocol.games import keys
from fair.tables import FairTable


@pytest.mark.parametrize("game", keys())
@pytest.mark.parametrize("bots", [0, 1])
async def test_a_game_is_proven_fair(game: str, bots: int) -> None:
    if game == "double-or-nothing" and bots:
        table = await FairTable.open(game, "ana", bots=1)
    else:
        table = await FairTable.open(game, "ana", "bo", bots=bots)
    await (await table.start()).play(random.Random(7))
    assert not table.alarms
    assert await table.verdict() == ("proven", []), await table.checks()
