"""A waiting room: an absent player's seat is held for a minute, and the host can free it at once."""

import asyncio

from dicegames_protocol.messages.client import Join, Kick, Resume, Start
from dicegames_protocol.messages.server import Ack, Error, Joined, Presence
from support.hall import Hall, Peer


async def waiting(hall: Hall, *names: str, **fields: object) -> list[Peer]:
    peers = [await hall.peer() for _ in names]
    room = (await peers[0].create("doubles", names[0], **fields)).room
    for peer, name in zip(peers[1:], names[1:], strict=True):
        await peer.join(room, name)
    hall.drain(*peers)
    return peers


def told_away(peer: Peer) -> dict[str, int]:
    return next(m.away for m in reversed(peer.seen) if isinstance(m, Presence))


async def back(hall: Hall, old: Peer) -> Error | None:
    """Come back to the seat of an earlier connection. Returns the refusal."""
    new, store = await hall.peer(), old.store
    message = Resume(
        id=hall.id(),
        room=store.room or "",
        seat_token=store.tokens[store.seats[0]],
        epoch=store.epoch,
        last_seq=store.seq,
    )
    answer = await new.ask(message)
    return answer if isinstance(answer, Error) else None


async def test_a_closed_window_keeps_its_seat_for_a_minute() -> None:
    hall = Hall()
    ana, bo = await waiting(hall, "ana", "bo", seats=2)
    await bo.drop()
    ana.drain()
    assert told_away(ana) == {"1": 60_000}
    cy = await hall.peer()
    join = Join(id="1", room=ana.store.room or "", name="cy")
    await hall.wait(59, ana)
    assert (await cy.refused(join)).code == "room_full"
    await hall.wait(1, ana)
    assert ana.events()[-1] == {"kind": "left_seat", "seat": 1, "name": "bo", "why": "expired", "bot_plays": False}
    await cy.expect(Joined, join.but(id="2"))
    assert (refusal := await back(hall, bo)) and refusal.code == "unauthorized"
    hall.check(ana, cy)


async def test_who_comes_back_within_the_minute_keeps_the_seat() -> None:
    hall = Hall()
    ana, bo = await waiting(hall, "ana", "bo")
    await bo.drop()
    await hall.wait(59)
    assert await back(hall, bo) is None
    await hall.wait(1000, ana)
    assert ana.store.name(1) == "bo"


async def test_who_comes_back_while_the_seat_is_about_to_be_freed_keeps_it() -> None:
    """The time ends while the player's message waits in the mailbox, so the end of the seat waits behind it."""
    hall = Hall()
    ana, bo = await waiting(hall, "ana", "bo")
    await bo.drop()
    new, mailbox = await hall.peer(), hall.room(ana)._mailbox
    mailbox.pause()
    coming = asyncio.ensure_future(new.resume(bo))
    await hall.settle()
    hall.clock.advance(60)
    mailbox.go_on()
    await coming
    await hall.wait(0, ana)
    assert ana.store.name(1) == "bo"


async def test_when_the_game_begins_the_seat_is_held_as_in_any_game_from_then_on() -> None:
    hall = Hall()
    ana, bo = await waiting(hall, "ana", "bo")
    await bo.drop()
    await hall.wait(50)
    await ana.expect(Ack, Start(id="1"))
    ana.drain()
    assert told_away(ana) == {"1": 900_000}
    await hall.wait(899, ana)
    assert not ana.store.player(1)["left"]
    await hall.wait(1, ana)
    assert ana.store.player(1)["left"]


async def test_the_times_are_settings_and_are_told() -> None:
    hall = Hall(waiting_seat_seconds=5, seat_seconds=20)
    ana, bo = await waiting(hall, "ana", "bo")
    limits = next(m.limits for m in ana.seen if hasattr(m, "limits"))
    assert (limits.waiting_seat_seconds, limits.seat_seconds) == (5, 20)
    await bo.drop()
    await hall.wait(5, ana)
    assert "1" not in ana.store.table["seats"]


async def test_the_role_of_an_absent_host_passes_on_when_the_seat_is_freed() -> None:
    hall = Hall()
    ana, bo = await waiting(hall, "ana", "bo")
    await ana.drop()
    await hall.wait(60, bo)
    assert bo.store.info.host == bo.seat == 1
    assert bo.events()[-1] == {"kind": "host_changed", "seat": 1}


async def test_a_waiting_room_outlives_the_seat_of_its_only_player() -> None:
    """Who opened it on a phone and sends the code to friends finds it again, and is its host again."""
    hall = Hall(lobby_idle_seconds=10**6, empty_seconds=10**6)
    (ana,) = await waiting(hall, "ana")
    room = ana.store.room or ""
    await ana.drop()
    await hall.wait(120)
    again = await hall.peer()
    await again.join(room, "ana")
    assert again.store.info.host == again.seat
    await again.drop()
    await hall.wait(60)
    await hall.wait(870)
    assert len(hall.lobby) == 1
    await hall.wait(60)
    assert len(hall.lobby) == 0


async def test_the_host_frees_the_seat_of_somebody_who_is_away() -> None:
    """Nobody is kept out by that: neither the player nor others of the same address."""
    hall = Hall()
    ana, bo = await waiting(hall, "ana", "bo", seats=2)
    free = Kick(id="1", target=1, away=True)
    assert (await ana.refused(free)).message == "bo is here."
    await bo.drop()
    await ana.expect(Ack, free.but(id="2"))
    assert ana.events()[-1]["why"] == "expired"
    bo = await hall.peer()
    await bo.join(ana.store.room or "", "bo")
    hall.check(ana, bo)
    await hall.wait(60, ana)  # the time of the one before is nothing to the one who sits there now
    assert ana.store.name(1) == "bo"
    assert (await bo.refused(Kick(id="3", target=0, away=True))).code == "unauthorized"
