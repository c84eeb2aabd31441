"""What arrives is handled before anything is written, and each peer is written to once per round."""

import asyncio

import pytest

from dicegames_server.net import batching
from dicegames_server.net.batching import LEAST_FRAMES, Batching


class Peer:
    """Answers each frame, and tells the others too."""

    def __init__(self, name: str, rounds: Batching, diary: list[str]) -> None:
        self.name = name
        self._in: list[str] = []
        self.friends: list[Peer] = [self]
        self._rounds = rounds
        self._diary = diary
        self._out: list[str] = []

    def say(self, text: str) -> None:
        self._in.append(text)
        self._rounds.arrives(self)

    def handle(self) -> None:
        frame = self._in.pop(0)
        self._diary.append(f"{self.name} says {frame}")
        for friend in self.friends:
            friend.post(frame)

    def post(self, text: str) -> None:
        if not self._out:
            self._rounds.leaves(self)
        self._out.append(text)

    def write(self) -> None:
        self._diary.append(f"{self.name} hears {'+'.join(self._out)}")
        self._out.clear()


@pytest.fixture
def diary() -> list[str]:
    return []


def peers(names: str, diary: list[str]) -> list[Peer]:
    made = Batching()
    return [Peer(name, made, diary) for name in names]


async def rest() -> None:
    """Until no work is left."""
    for _ in range(50):
        await asyncio.sleep(0)


async def test_all_are_heard_before_anybody_is_told_and_then_in_one_piece(diary: list[str]) -> None:
    ana, bo = peers("ab", diary)
    ana.friends = bo.friends = [ana, bo]
    for peer, frame in ((ana, "1"), (bo, "2"), (ana, "3")):
        peer.say(frame)
    await rest()
    assert diary == ["a says 1", "b says 2", "a says 3", "a hears 1+2+3", "b hears 1+2+3"]


async def test_the_first_of_many_do_not_wait_for_the_last(diary: list[str]) -> None:
    (ana,) = peers("a", diary)
    for number in range(LEAST_FRAMES + 1):
        ana.say(str(number))
    await rest()
    assert diary.index(f"a says {LEAST_FRAMES}") > diary.index("a hears " + "+".join(map(str, range(LEAST_FRAMES))))
    assert diary[-1] == f"a hears {LEAST_FRAMES}"


async def test_where_many_are_told_more_is_put_together(diary: list[str]) -> None:
    crowd = peers("abcdefghijklmnopqrstuvwxyz" * 8, diary)
    for peer in crowd:
        peer.friends = crowd
        peer.say("x")
    await rest()
    writes = sum(" hears " in line for line in diary)
    assert writes == len(crowd) * 4  # one for every 52 frames, and not one for every 16


async def test_what_is_sent_by_itself_goes_out_as_well(diary: list[str]) -> None:
    (ana,) = peers("a", diary)
    ana.post("the clock")
    ana.post("strikes")
    await rest()
    assert diary == ["a hears the clock+strikes"]


async def test_a_long_round_lets_others_have_the_loop(diary: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batching, "LONGEST_SECONDS", 0.0)
    (ana,) = peers("a", diary)
    for number in range(2 * LEAST_FRAMES):
        ana.say(str(number))
    asyncio.get_running_loop().call_soon(diary.append, "somebody else")
    await rest()
    assert diary.index("somebody else") < diary.index(f"a says {LEAST_FRAMES}")
    assert sum(" says " in line for line in diary) == 2 * LEAST_FRAMES
