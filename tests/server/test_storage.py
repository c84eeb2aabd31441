"""What every store must do. A new store is added to STORES and must pass as it is."""

from collections.abc import Callable

import pytest

from dicegames_server.storage.base import Conflict, Storage
from dicegames_server.storage.memory import KEPT, MemoryStorage

STORES: list[Callable[[], Storage]] = [MemoryStorage]


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest) -> Storage:
    made: Storage = request.param()
    return made


async def test_updates_come_back_in_order(store: Storage) -> None:
    await store.open("KQ7M", 1)
    for seq in range(1, 6):
        await store.append("KQ7M", 1, seq, b"%d" % seq)
    assert await store.updates("KQ7M", 0) == [b"1", b"2", b"3", b"4", b"5"]
    assert await store.updates("KQ7M", 3) == [b"4", b"5"]
    assert await store.updates("KQ7M", 5) == []


async def test_a_number_is_written_once(store: Storage) -> None:
    await store.open("KQ7M", 1)
    await store.append("KQ7M", 1, 1, b"1")
    for epoch, seq in [(1, 1), (1, 3), (2, 2), (0, 2)]:
        with pytest.raises(Conflict):
            await store.append("KQ7M", epoch, seq, b"x")
    assert await store.updates("KQ7M", 0) == [b"1"]


async def test_a_newer_epoch_shuts_the_older_out(store: Storage) -> None:
    await store.open("KQ7M", 1)
    await store.append("KQ7M", 1, 1, b"1")
    await store.open("KQ7M", 2)
    with pytest.raises(Conflict):
        await store.append("KQ7M", 1, 2, b"old owner")
    await store.append("KQ7M", 2, 2, b"2")
    with pytest.raises(Conflict):
        await store.open("KQ7M", 2)


async def test_what_is_not_there_is_not_made_up(store: Storage) -> None:
    assert await store.updates("NONE", 0) is None
    await store.open("KQ7M", 1)
    assert await store.updates("KQ7M", 1) is None
    with pytest.raises(Conflict):
        await store.append("NONE", 1, 1, b"1")
    await store.drop("KQ7M")
    assert await store.updates("KQ7M", 0) is None


async def test_memory_keeps_the_newest_and_never_gives_a_part() -> None:
    store = MemoryStorage()
    await store.open("KQ7M", 1)
    for seq in range(1, KEPT + 11):
        await store.append("KQ7M", 1, seq, b"%d" % seq)
    assert await store.updates("KQ7M", 9) is None
    newest = await store.updates("KQ7M", 10)
    assert newest and len(newest) == KEPT
