"""Sentences about players, from the side of the one who reads them."""

import pytest

from dicegames_client.play.wording import Wording
from support.hall import Hall


@pytest.mark.parametrize(("me", "told"), [(0, "You, bo and cy"), (1, "You, ana and cy"), (2, "You, ana and bo")])
async def test_you_are_named_first(me: int, told: str) -> None:
    hall = Hall()
    peers = [await hall.peer() for _ in range(3)]
    code = (await peers[0].create("sevens", "ana")).room
    for peer, name in zip(peers[1:], ("bo", "cy"), strict=True):
        await peer.join(code, name)
    hall.drain(*peers)
    assert Wording(peers[me].store).all_of([0, 1, 2]) == told
