"""The worker: calculations beside the event loop. Threads wait for events here, never for time."""

import asyncio
import threading
from collections.abc import Callable, Hashable

import pytest

from dicegames_server.core.eager import Suspended, run_eagerly
from dicegames_server.core.worker import MOST_PER_KEY, TooMuch, WorkerThread

PATIENCE_SECONDS = 30.0


async def test_the_event_loop_goes_on_while_something_is_calculated() -> None:
    worker, go = WorkerThread(limit_seconds=PATIENCE_SECONDS), threading.Event()

    def work() -> str:
        assert go.wait(PATIENCE_SECONDS)
        return threading.current_thread().name

    result = asyncio.ensure_future(worker.run("ana", work))
    await asyncio.sleep(0)  # the calculation has begun, and the loop is free
    go.set()
    assert await result == "worker"


async def test_a_result_that_comes_too_late_is_not_waited_for() -> None:
    worker, go = WorkerThread(limit_seconds=0), threading.Event()
    with pytest.raises(TooMuch):
        await worker.run("ana", lambda: go.wait(PATIENCE_SECONDS))
    go.set()


async def test_nobody_fills_the_queue_alone() -> None:
    worker, go = WorkerThread(limit_seconds=PATIENCE_SECONDS), threading.Event()
    mine = [asyncio.ensure_future(worker.run("evil", lambda: go.wait(PATIENCE_SECONDS))) for _ in range(MOST_PER_KEY)]
    await asyncio.sleep(0)
    with pytest.raises(TooMuch):
        await worker.run("evil", lambda: 1)
    other = asyncio.ensure_future(worker.run("ana", lambda: 2))
    go.set()
    assert await other == 2
    assert all(await asyncio.gather(*mine))
    assert await worker.run("evil", lambda: 3) == 3  # there is room again


async def test_the_queue_is_bounded() -> None:
    worker, go = WorkerThread(limit_seconds=PATIENCE_SECONDS, most_waiting=3), threading.Event()
    many = [asyncio.ensure_future(worker.run(key, lambda: go.wait(PATIENCE_SECONDS))) for key in range(3)]
    await asyncio.sleep(0)
    with pytest.raises(TooMuch):
        await worker.run("one more", lambda: 1)
    go.set()
    await asyncio.gather(*many)


async def test_who_waits_no_longer_makes_no_room_for_another() -> None:
    """Else an impatient client could have the worker calculate for ever."""
    worker, go, begun = WorkerThread(limit_seconds=0, most_waiting=1), threading.Event(), threading.Event()

    def work() -> bool:
        begun.set()
        return go.wait(PATIENCE_SECONDS)

    with pytest.raises(TooMuch):
        await worker.run("ana", work)
    with pytest.raises(TooMuch):
        await worker.run("bo", lambda: 1)
    go.set()


async def test_it_can_be_asked_by_a_command_that_has_no_task_yet() -> None:
    """Commands begin without a task (eager.py), and `asyncio.timeout` does not work there."""
    worker, found = WorkerThread(limit_seconds=PATIENCE_SECONDS), list[int]()

    async def command() -> None:
        found.append(await worker.run("ana", lambda: 7))

    begun: list[Suspended | None] = []
    asyncio.get_running_loop().call_soon(lambda: begun.append(run_eagerly(command())))
    await asyncio.sleep(0)
    assert begun[0]
    await begun[0]
    assert found == [7]


async def test_an_error_reaches_the_caller() -> None:
    def fails() -> None:
        raise ValueError("no such die")

    with pytest.raises(ValueError, match="no such die"):
        await WorkerThread(limit_seconds=PATIENCE_SECONDS).run("ana", fails)


async def test_people_come_before_bots_and_keys_take_turns() -> None:
    """One who asks for much does not keep another one waiting, and neither do bots."""
    worker = WorkerThread(limit_seconds=60)
    began, go = threading.Event(), threading.Event()
    done: list[str] = []

    def block() -> None:
        began.set()
        go.wait(20)

    def note(name: str) -> Callable[[], None]:
        return lambda: done.append(name)

    first = asyncio.ensure_future(worker.run("block", block))
    await asyncio.to_thread(began.wait, 20)
    asked: list[tuple[Hashable, str]] = [
        ("ratings", "ratings"),
        (("bot", "KQ7M"), "bot"),
        (("odds", "1.1.1.1"), "a1"),
        (("odds", "1.1.1.1"), "a2"),
        (("odds", "1.1.1.1"), "a3"),
        (("odds", "2.2.2.2"), "b1"),
        (("bot", "KQ7N"), "bot 2"),
    ]
    waiting = [asyncio.ensure_future(worker.run(key, note(name))) for key, name in asked]
    await asyncio.sleep(0)
    go.set()
    await asyncio.gather(first, *waiting)
    assert done == ["a1", "b1", "a2", "a3", "bot", "bot 2", "ratings"]
