"""Hidden hands and secret moves: no player learns what is hidden from them, through any output of the server.

Played with two games that the product does not have (tests/throwaway): Liar's Dice, where each player sees only their
own dice, and Sealed Bid, where all choose a number in secret at the same time.
"""

import json
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dicegames_protocol import patch
from dicegames_protocol.fairness.scheme import seal, seal_key
from dicegames_protocol.messages.client import (
    AddBot,
    AskOdds,
    AskRules,
    FetchLog,
    GiveHost,
    Join,
    Kick,
    Leave,
    ListRooms,
    Resume,
    Show,
    Sit,
    Start,
    Watch,
)
from dicegames_protocol.messages.server import Ack, CaughtUp, Log, Odds, Private, Snapshot
from dicegames_server import bots
from dicegames_server.audit.audit import audit
from dicegames_server.bots.harmless import Harmless
from dicegames_server.games.match import Match
from dicegames_server.lobby.lobby import Lobby
from dicegames_server.room.environment import FairDice
from dicegames_server.room.restore import restore
from dicegames_server.storage.sqlite.sqlite_store import SqliteStorage
from support.hall import DurableMemory, Hall, Peer
from support.pure_table import chained
from support.throwaway import throwaway_games
from throwaway.types.liars_dice import LiarsDiceState

pytestmark = pytest.mark.usefixtures("luck")


@pytest.fixture(autouse=True)
def more_games() -> Iterator[None]:
    with throwaway_games():
        yield


def parts_of(peer: Peer) -> list[Private]:
    return [message for message in peer.seen if isinstance(message, Private)]


def hand(peer: Peer, seat: int) -> Any:
    return peer.store.game["seats"][str(seat)].get("hand")


async def shaken(hall: Hall) -> tuple[Peer, Peer, Peer]:
    """Two players with hidden dice, and a spectator."""
    ana, bo = await hall.table("liars-dice", "ana", "bo")
    cy = await hall.peer()
    await cy.watch(ana.store.room or "")
    await ana.move("shake")
    hall.drain(ana, bo, cy)
    return ana, bo, cy


async def log_lines(hall: Hall, peer: Peer) -> list[bytes]:
    lines: list[bytes] = []
    while True:
        page = await peer.expect(Log, FetchLog(id=hall.id(), room=peer.store.room or "", after=len(lines)))
        if not page.lines:
            return lines
        lines += [line.encode() for line in page.lines]


async def test_everybody_sees_their_own_dice_and_no_others() -> None:
    hall = Hall((1, 2, 3, 4))
    ana, bo, cy = await shaken(hall)
    assert (hand(ana, 0), hand(ana, 1)) == ([1, 2], None)
    assert (hand(bo, 0), hand(bo, 1)) == (None, [3, 4])
    assert (hand(cy, 0), hand(cy, 1)) == (None, None)
    assert not parts_of(cy)
    assert b'"hand"' not in b"".join(cy.frames)
    assert b"[1,2]" not in b"".join(bo.frames) and b"[3,4]" not in b"".join(ana.frames)
    assert ana.updates[-1].cause.drawn and ana.updates[-1].cause.drawn.faces is None
    hall.check(ana, bo, cy)


async def test_the_part_comes_before_its_update_and_is_the_games_until_it_is_shown() -> None:
    hall = Hall((1, 2, 3, 4))
    ana, bo, cy = await shaken(hall)
    (part,) = parts_of(bo)
    at = bo.seen.index(part)
    assert bo.seen[at + 1] == bo.updates[-1] and part.seq == bo.updates[-1].seq
    await ana.move("bid", choice="2x3")
    await bo.move("doubt")  # all hands are shown, and nothing is hidden any more
    hall.drain(ana, bo, cy)
    assert cy.events()[-1]["hands"] == {"0": [1, 2], "1": [3, 4]}
    assert bo.store.private == {} == ana.store.private
    assert parts_of(bo)[-1].patch == {}
    hall.check(ana, bo, cy)


async def test_what_others_get_does_not_depend_on_what_is_hidden() -> None:
    """The same moves with other dice: not one byte differs for a spectator before the dice are shown."""

    async def seen_by_cy(*dice: int) -> list[str]:
        hall = Hall(dice)
        ana, bo, cy = await shaken(hall)
        await ana.move("bid", choice="1x3")
        await bo.move("bid", choice="2x3")
        await hall.wait(30, cy)  # heartbeats
        assert await cy.expect(Odds, AskOdds(id="odds"))
        cy.drain()
        room = cy.store.room or ""
        frames = [frame.decode().replace(room, "ROOM") for frame in cy.frames if b'"welcome"' not in frame]
        frames = [frame.replace(cy.store.info.id or "-", "ID") for frame in frames]
        hashes = {"hash": "", "head": "", "prev": "", "server": ""}
        return [json.dumps({**json.loads(frame), **hashes}) for frame in frames]

    assert await seen_by_cy(1, 2, 3, 4) == await seen_by_cy(6, 6, 6, 6)


async def test_the_saved_log_shows_no_die_before_the_reveal() -> None:
    hall = Hall((1, 2, 3, 4), storage=DurableMemory())
    ana, bo, _ = await shaken(hall)
    stranger = await hall.peer()
    stranger.store = replace(ana.store, private={}, tokens={})
    for reader in (ana, bo, stranger):
        text = b"".join(await log_lines(hall, reader))
        assert b"hand" not in text
        assert b"[1,2" not in text


@pytest.mark.parametrize("far_behind", [False, True], ids=["missed updates", "snapshot"])
async def test_whoever_comes_back_gets_their_own_part(far_behind: bool) -> None:
    hall = Hall((1, 2, 3, 4))
    ana, bo, _ = await shaken(hall)
    again = await hall.peer()
    again.store = replace(bo.store, private={}, epoch=0 if far_behind else bo.store.epoch)
    store = again.store
    token = store.tokens[1]
    resume = Resume(id="r", room=store.room or "", seat_token=token, epoch=store.epoch, last_seq=store.seq)
    await again.expect(CaughtUp, resume)
    assert any(isinstance(message, Snapshot) for message in again.seen) == far_behind
    assert (hand(again, 0), hand(again, 1)) == (None, [3, 4])
    bo.drain()
    told = len(bo.frames)
    await ana.move("bid", choice="1x1")  # the older connection was replaced: it hears nothing any more
    bo.drain()
    assert len(bo.frames) == told
    hall.check(ana, again)


async def test_odds_and_refusals_know_no_more_than_whoever_asks() -> None:
    hall = Hall((6, 6, 1, 2))
    ana, bo, cy = await shaken(hall)

    async def known_to(peer: Peer) -> list[str]:
        return [chance.what for chance in (await peer.expect(Odds, AskOdds(id=hall.id()))).chances]

    assert await known_to(ana) == ["known 6"]
    assert await known_to(bo) == ["known 1", "known 2"]
    assert await known_to(cy) == []
    early = bo.moving("bid", choice="2x1")
    await ana.move("bid", choice="1x1")
    await bo.move("bid", choice="1x2")
    await ana.move("bid", choice="1x3")
    late = await bo.refused(early)
    assert late.code == "stale" and late.message.endswith("You know of 2 dice: [1, 2].")


async def test_a_heartbeat_brings_it_again() -> None:
    hall = Hall((1, 2, 3, 4))
    ana, bo, cy = await shaken(hall)
    bo.store = replace(bo.store, private={1: {"game": {"seats": {"1": {"hand": [6, 6]}}}}})
    await hall.wait(10, ana, bo, cy)
    assert hand(bo, 1) == [3, 4]
    assert not parts_of(cy)


async def test_hands_and_secret_moves_survive_a_restart(tmp_path: Path) -> None:
    storage = SqliteStorage(tmp_path)
    await storage.start()
    hall = Hall((1, 2, 3, 4), storage=storage)
    ana, bo, _ = await shaken(hall)
    await ana.move("bid", choice="1x3")
    first, second = await hall.table("sealed-bid", "dan", "eve")
    await first.move("bid", choice="17")
    for peer in (ana, bo, first, second):
        peer.drain()
    await hall.restart()
    back = {}
    for peer in (ana, bo, first, second):
        back[peer] = await hall.peer()
        await back[peer].resume(peer)
    assert hand(back[ana], 0) == [1, 2] and hand(back[ana], 1) is None
    await back[bo].move("doubt")
    assert back[bo].events()[-1]["there"] == 1
    await back[second].move("bid", choice="3")
    back[first].drain()
    assert back[first].events()[-1]["bids"] == {"0": 17, "1": 3}
    hall.check(back[ana], back[bo])
    hall.check(back[first], back[second])
    await storage.stop()


async def test_a_room_of_an_earlier_version_still_has_its_hands() -> None:
    """It kept the whole state of the game beside every update, and all sealed moves."""
    hall = Hall((1, 2, 3, 4), storage=DurableMemory())
    ana, _, _ = await shaken(hall)
    (first, _) = await hall.table("sealed-bid", "dan", "eve")
    await first.move("bid", choice="17")
    for peer in (ana, first):
        state = hall.room(peer).state
        stored = await hall.environment.storage.acquire(state.info.code)
        assert state.match
        old = {key: value for key, value in json.loads(stored.records[-1].private).items() if "sealed" not in key}
        del old["hidden"]
        old |= {"state": patch.dump(state.match.state), "sealed": patch.dump(state.sealed)}
        records = (*stored.records[:-1], replace(stored.records[-1], private=json.dumps(old).encode()))
        again = restore(replace(stored, records=records))
        assert again.match and (again.match.state, again.sealed) == (state.match.state, state.sealed)


async def test_a_lost_room_brings_it_again() -> None:
    hall = Hall((1, 2, 3, 4), storage=DurableMemory())
    ana, bo, cy = await shaken(hall)
    told = len(parts_of(bo))
    hall.room(ana).recover()
    await hall.settle()
    hall.drain(ana, bo, cy)
    assert len(parts_of(bo)) > told and hand(bo, 1) == [3, 4]
    assert not parts_of(cy)


async def test_a_bot_sees_what_a_player_sees(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[LiarsDiceState] = []

    class Peeking(Harmless):
        def choose(self, match: Match, seat: int) -> Any:
            assert isinstance(match.state, LiarsDiceState)
            shown.append(match.state)
            return super().choose(match, seat)

    monkeypatch.setattr(bots, "_made", lambda game: lambda rng: {"steady": Peeking()})
    monkeypatch.setattr(bots, "_known", lambda game: {"steady": Peeking()})
    hall = Hall((1, 2, 3, 4), bot_seconds=1)
    ana = await hall.peer()
    await ana.create("liars-dice")
    await ana.expect(Ack, AddBot(id="bot"))
    await ana.ready()
    await ana.move("shake")
    await ana.move("bid", choice="1x1")
    await hall.wait(2, ana)
    assert shown and shown[0].seats["0"].hand is None and shown[0].seats["1"].hand == (3, 4)


async def test_secret_moves_are_known_when_all_have_made_theirs() -> None:
    hall = Hall()
    ana, bo = await hall.table("sealed-bid", "ana", "bo")
    cy = await hall.peer()
    await cy.watch(ana.store.room or "")
    await ana.move("bid", choice="17")
    hall.drain(ana, bo, cy)
    assert ana.store.game["seats"]["0"]["bid"] == 17
    for other in (bo, cy):
        told = b"".join(other.frames)
        assert b'"17"' not in told and b'"bid":17' not in told
        move = other.updates[-1].cause
        assert move.move and move.move.choice is None and move.seal
    assert (await bo.refused(bo.moving("bid", choice="21"))).code == "illegal_move"
    assert (await bo.refused(bo.moving("bid"))).code == "illegal_move"
    await bo.move("bid", choice="16")
    hall.drain(ana, bo, cy)
    assert cy.events()[-1]["bids"] == {"0": 17, "1": 16}
    hall.check(ana, bo, cy)


async def whole_log(game: str) -> list[bytes]:
    hall = Hall(storage=DurableMemory())
    hall.environment = replace(hall.environment, dice=FairDice())
    hall.lobby = Lobby(hall.environment)
    peers = await hall.table(game, "ana", "bo")
    rng = random.Random(3)
    for _ in range(100):
        for peer in peers:
            peer.drain()
            seat = peer.store.wanted()
            if seat is not None:
                offer = (offers := peer.store.offers(seat))[take := rng.choice(sorted(offers))]
                number = str(rng.randint(1, 20)) if offer.asks == "number" else None
                await peer.move(take, choice=rng.choice(sorted(offer.choices)) if offer.choices else number)
        if peers[0].phase == "over":
            return await log_lines(hall, peers[0])
    raise AssertionError("no end")


@pytest.mark.parametrize("game", ["liars-dice", "sealed-bid"])
async def test_afterwards_everything_can_be_checked(game: str) -> None:
    lines = await whole_log(game)
    checks = audit(lines)
    assert all(check.ok for check in checks), checks
    assert not any("when the game is over" in doubt for check in checks for doubt in check.doubts)


@pytest.mark.parametrize("edit", ["choice", "seal", "gone"])
async def test_a_secret_move_that_was_changed_afterwards_is_noticed(edit: str) -> None:
    lines = await whole_log("sealed-bid")
    log = [json.loads(line) for line in lines]
    opened = log[-1]["cause"]["opened"]
    seq = min(opened, key=int)
    if edit == "choice":
        opened[seq]["choice"] = str(1 + int(opened[seq]["choice"]) % 20)
    elif edit == "gone":
        del opened[seq]
    else:
        log[int(seq) - 1]["cause"]["seal"] = "0" * 64
    checks = audit(chained(log))
    assert not all(check.ok for check in checks)


async def test_a_seal_binds_the_server_and_tells_nothing() -> None:
    """It is computed from the game's key, which nobody has before the end, from the update and from the move."""
    log = [json.loads(line) for line in await whole_log("sealed-bid")]
    key = seal_key(bytes.fromhex(log[-1]["patch"]["fair"]["secret"]))
    opened = log[-1]["cause"]["opened"]
    seals = {int(seq): log[int(seq) - 1]["cause"]["seal"] for seq in opened}
    assert seals == {int(seq): seal(key, int(seq), move) for seq, move in opened.items()}
    assert len(set(seals.values())) == len(seals) > len({move["choice"] for move in opened.values()})


@pytest.mark.parametrize("seed", range(5))
async def test_no_message_of_a_stranger_or_a_rival_brings_a_hidden_die_out(seed: int) -> None:
    """Whatever they ask in whatever order, the dice under ana's cup are in no frame that others get."""
    rng = random.Random(seed)
    hall = Hall((6, 5, 1, 1), storage=DurableMemory(), kick_seconds=0)
    _, bo, cy = await shaken(hall)
    room, token = bo.store.room or "", bo.store.tokens[1]
    others = [bo, cy, await hall.peer()]

    def wishes(peer: Peer) -> list[Any]:
        id = hall.id()
        return [
            Watch(id=id, room=room, name="x"),
            Join(id=id, room=room, name=f"n{rng.randint(0, 99)}"),
            Resume(id=id, room=room, seat_token=token, epoch=rng.choice([0, 1, 9]), last_seq=rng.randint(0, 9)),
            Resume(id=id, room=room, seat_token="0" * 43, epoch=1, last_seq=0),
            FetchLog(id=id, room=room, after=rng.randint(0, 9)),
            AskOdds(id=id, seat=rng.choice([None, 0, 1, 5])),
            AskRules(id=id),
            ListRooms(id=id),
            Leave(id=id, seat=rng.choice([None, 0, 1])),
            Sit(id=id, name="sitting"),
            Kick(id=id, target=0),
            GiveHost(id=id, target=1),
            Start(id=id),
            Show(id=id, draw=1, link="0" * 64),
            peer.moving("bid", choice=rng.choice(["1x1", "9x9", "hand", None]), seat=rng.choice([None, 0, 1])),
            peer.moving("shake", seat=rng.choice([None, 0])),
        ]

    for _ in range(200):
        peer = rng.choice(others)
        await peer.tell(rng.choice(wishes(peer)))
        if rng.random() < 0.1:
            await hall.wait(rng.choice([1, 10]), *others)
        if rng.random() < 0.05:
            fresh = await hall.peer()
            others[others.index(peer)] = fresh
            await peer.drop()
    hall.drain(*others)
    for peer in others:
        text = b"".join(peer.frames)
        assert b"[6,5]" not in text and b'"0":{"hand"' not in text
