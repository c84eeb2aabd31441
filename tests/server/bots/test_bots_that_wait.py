"""Bots that leave others the first word: in a window they decide last, or when its time is up."""

import random
from collections.abc import Mapping

import pytest

from dicegames_protocol.messages.client import AddBot, Join, Start
from dicegames_protocol.messages.server import Ack, Joined
from dicegames_server import bots
from dicegames_server.bots.arena.contests import play_one
from dicegames_server.bots.doubles import Expert
from dicegames_server.bots.doubles_windows import AtPot
from dicegames_server.games import rules_of
from dicegames_server.games.match import Match
from support.hall import Hall, Peer

SEVEN, PLAIN = (3, 4), (1, 2)


class Scripted(Expert):
    """An expert whose decisions are set by the test: one for each number of players still in."""

    cash: Mapping[int, bool] = {}

    def cashes(self, match: Match, seat: int) -> bool:
        inside = match.state.inside  # type: ignore[attr-defined]
        return match.state.sevens == 3 and self.cash.get(inside, False)  # type: ignore[attr-defined]


@pytest.fixture
def decide(monkeypatch: pytest.MonkeyPatch) -> dict[int, bool]:
    """How many are in -> whether bots cash out."""
    cash: dict[int, bool] = {}
    monkeypatch.setattr(Scripted, "cash", cash)
    strategy = Scripted(random.Random(1))
    monkeypatch.setattr(bots, "_made", lambda game: lambda rng: {"expert": strategy})
    monkeypatch.setattr(bots, "_known", lambda game: {"expert": strategy})
    return cash


async def in_window(hall: Hall, bots: int = 1, names: tuple[str, ...] = ()) -> list[Peer]:
    """A table with bots, in the window after the third seven. It has ten seconds."""
    ana = await hall.peer()
    code = (await ana.create("doubles", options={"rounds": 2})).room
    peers = [ana]
    for number, name in enumerate(names):
        peers.append(await hall.peer())
        await peers[-1].expect(Joined, Join(id=f"join {number}", room=code, name=name))
    await ana.expect(Ack, AddBot(id="bot", level="expert", count=bots))
    await ana.expect(Ack, Start(id="start"))
    for _ in range(20):
        for peer in peers:
            peer.drain()
            if "roll" in peer.store.offers(peer.seat):
                await peer.move("roll")
        await hall.wait(2, *peers)
        if ana.store.game.get("deciding", False):
            return peers
    raise AssertionError("no window")


def kinds(peer: Peer, since: int = 0) -> list[str]:
    return [event["kind"] for event in peer.events()[since:]]


async def test_the_bot_decides_after_the_player(decide: dict[int, bool]) -> None:
    hall = Hall(SEVEN, SEVEN, SEVEN, PLAIN, bot_seconds=1)
    (ana,) = await in_window(hall)
    since = len(ana.events())
    await hall.wait(6, ana)
    assert kinds(ana, since) == []
    await ana.move("hold")
    assert kinds(ana, since) == ["held"]
    await hall.wait(3, ana)
    assert kinds(ana, since)[:3] == ["held", "held", "rolled"]


async def test_the_bot_decides_in_the_last_moment(decide: dict[int, bool]) -> None:
    """The player lets the time run out, to see first what the bot does."""
    decide[2] = True
    hall = Hall(SEVEN, SEVEN, SEVEN, PLAIN, bot_seconds=1)
    (ana,) = await in_window(hall)
    since = len(ana.events())
    await hall.wait(7, ana)
    assert kinds(ana, since) == []
    await hall.wait(3, ana)
    assert kinds(ana, since)[:2] == ["cashed_out", "rolled"]  # nothing could be done between them


async def test_time_that_is_up_for_nobody_else(decide: dict[int, bool]) -> None:
    """All are out when the bots have decided: the next round begins, and no roll comes from the old window."""
    decide |= {3: True, 2: True, 1: True}
    hall = Hall(SEVEN, SEVEN, SEVEN, bot_seconds=1)
    (ana,) = await in_window(hall, bots=2)
    since = len(ana.events())
    await ana.move("cash")
    await hall.wait(4, ana)
    assert kinds(ana, since)[:5] == ["cashed_out", "cashed_out", "cashed_out", "round_over", "round_began"]


async def test_bots_do_not_wait_for_each_other(decide: dict[int, bool]) -> None:
    hall = Hall(SEVEN, SEVEN, SEVEN, PLAIN, bot_seconds=1)
    (ana,) = await in_window(hall, bots=3)
    await ana.move("hold")
    since = len(ana.events())
    await hall.wait(4, ana)
    assert kinds(ana, since)[:4] == ["held", "held", "held", "rolled"]


async def test_a_bot_decides_by_who_is_left(decide: dict[int, bool]) -> None:
    """It would hold while four are in. When one of them is out, it cashes out, too, in the same window."""
    decide |= {4: False, 3: True}
    hall = Hall(SEVEN, SEVEN, SEVEN, PLAIN, bot_seconds=1)
    ana, bo, cy = await in_window(hall, names=("bo", "cy"))
    await ana.move("hold")
    await bo.move("hold")
    ana.drain()
    since = len(ana.events())
    await cy.move("cash")
    await hall.wait(3, ana, bo, cy)
    assert [(event["kind"], event.get("seat")) for event in ana.events()[since:]][:2] == [
        ("cashed_out", 2),
        ("cashed_out", 3),
    ]


async def test_a_bot_that_holds_last_is_not_asked_again(
    decide: dict[int, bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who leaves it to chance must not get a second chance in the same situation."""
    asked: list[int] = []
    cashes = Scripted.cashes

    def counted(self: Scripted, match: Match, seat: int) -> bool:
        asked.append(seat)
        return cashes(self, match, seat)

    monkeypatch.setattr(Scripted, "cashes", counted)
    hall = Hall(SEVEN, SEVEN, SEVEN, PLAIN, bot_seconds=1)
    ana, bo = await in_window(hall, bots=2, names=("bo",))
    await ana.move("hold")
    await bo.move("hold")
    asked.clear()
    await hall.wait(5, ana, bo)
    assert sorted(asked[:2]) == [2, 3]
    assert asked.count(2) == 1 + asked[2:].count(2)


def test_in_the_arena_those_who_wait_decide_together() -> None:
    """The negative control of a fair arena: who waits must not see what the other one has decided."""
    seen: list[int] = []

    class Looking(Expert):
        def cashes(self, match: Match, seat: int) -> bool:
            state = match.state
            if state.deciding:  # type: ignore[attr-defined]
                seen.append(state.inside)  # type: ignore[attr-defined]
            return bool(state.sevens == 3)  # type: ignore[attr-defined]

    rules = rules_of("doubles")
    assert rules
    rng = random.Random(4)
    match, _ = play_one(rules(rules.options_type.read({"rounds": 3})), [Looking(rng), Looking(rng)], rng)
    assert match.winners == (0, 1)
    assert set(seen) == {2}


def test_in_the_arena_who_decides_at_once_is_seen() -> None:
    seen: list[int] = []

    class Looking(Expert):
        def cashes(self, match: Match, seat: int) -> bool:
            seen.append(match.state.inside)  # type: ignore[attr-defined]
            return super().cashes(match, seat)

    rules = rules_of("doubles")
    assert rules
    rng = random.Random(4)
    match, _ = play_one(rules(rules.options_type.read({"rounds": 3})), [Looking(rng), AtPot(0)], rng)
    assert match.winners == (0,)
    assert 1 in seen
