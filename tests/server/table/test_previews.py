"""What a correction would change, told before it is made."""

from typing import Any

from dicegames_protocol import patch
from dicegames_protocol.messages.client import AskPreview, Start
from dicegames_protocol.messages.server import Ack, Preview
from dicegames_protocol.table import Move
from dicegames_server.games.match import Match
from support.hall import DurableMemory, Hall
from support.hall import Peer as Player


async def table(hall: Hall, *names: str, **options: Any) -> list[Player]:
    shown = {"dice": "entered", "window": 0, **options}
    return await hall.table("doubles", *names, options=shown)


def trying(peer: Player, take: str, *faces: int, choice: str | None = None, **more: Any) -> AskPreview:
    move = Move(take=take, choice=choice, faces=faces or None)
    return AskPreview(id=peer.hall.id(), **{"seq": peer.store.seq, "move": move, **more})


async def test_it_tells_what_would_be_and_changes_nothing() -> None:
    hall = Hall()
    ana, bo = await table(hall, "ana", "bo")
    await ana.move("roll", faces=(5, 2))
    await bo.move("roll", faces=(4, 4))
    await bo.move("cash")
    hall.drain(ana, bo)
    before = patch.dump(hall.room(ana).state.public()), ana.store.seq
    told = await ana.expect(Preview, trying(ana, "correct", 5, 3, choice="#1"))
    assert [event["kind"] for event in told.events] == ["corrected", "rolled", "rolled", "cashed_out"]
    assert told.patch["game"]["pot"] == 16 and told.patch["game"]["seats"] == {"1": {"score": 16, "won": 16}}
    assert "fair" not in told.patch and "offers" not in told.patch
    assert (patch.dump(hall.room(ana).state.public()), ana.store.seq) == before
    await ana.move("correct", choice="#1", faces=(5, 3))
    assert ana.store.game == patch.apply(before[0]["game"], told.patch["game"])
    hall.check(ana, bo)


async def test_a_correction_that_changes_nothing_is_refused_when_it_is_tried() -> None:
    hall = Hall()
    ana, bo = await table(hall, "ana", "bo")
    await ana.move("roll", faces=(5, 2))
    await bo.move("roll", faces=(4, 4))
    hall.drain(ana, bo)
    for peer, choice, faces in ((ana, "#1", (5, 2)), (bo, "#2", (4, 4))):
        error = await peer.refused(trying(peer, "correct", *faces, choice=choice))
        assert error.message == "That is what was typed: nothing would change."
    await ana.expect(Preview, trying(ana, "correct", 4, 4, choice="#1"))


async def test_undo_can_be_tried_too_and_the_end_of_a_game_taken_back() -> None:
    hall = Hall()
    ana, bo = await table(hall, "ana", "bo", rounds=1)
    for peer in (ana, bo, ana):
        await peer.move("roll", faces=(6, 1))
    await bo.move("roll", faces=(3, 4))
    assert bo.phase == "over"
    told = await bo.expect(Preview, trying(bo, "undo"))
    assert [event["kind"] for event in told.events] == ["taken_back", "game_goes_on"]
    assert told.patch["room"]["phase"] == "playing" and bo.phase == "over"
    await bo.move("undo")
    assert bo.phase == "playing"
    hall.check(ana, bo)


async def test_dice_that_nobody_may_know_can_not_be_tried() -> None:
    hall = Hall((1, 2))
    ana, bo = await hall.table("doubles", "ana", "bo")
    for take in ("roll", "cash", "hold", "correct", "undo", "jump"):
        assert (await ana.refused(trying(ana, take))).code == "illegal_move"
    await ana.move("roll")
    assert (await bo.refused(trying(bo, "cash"))).code == "illegal_move"


async def test_only_own_rolls_as_they_are_on_the_screen() -> None:
    hall = Hall()
    ana, bo = await table(hall, "ana", "bo")
    watcher = await hall.peer()
    assert (await watcher.refused(trying(ana, "undo"))).code == "unauthorized"
    await watcher.watch(ana.store.room or "")
    await ana.move("roll", faces=(5, 2))
    hall.drain(bo, watcher)
    assert (await watcher.refused(trying(ana, "undo"))).code == "unauthorized"
    assert (await bo.refused(trying(bo, "undo", seat=0))).code == "unauthorized"
    assert (await bo.refused(trying(bo, "correct", 1, 2, choice="#1"))).code == "illegal_move"
    seen = ana.store.seq
    await bo.move("roll", faces=(4, 4))
    ana.drain()
    assert (await ana.refused(trying(ana, "correct", 1, 2, choice="#1", seq=seen))).code == "stale"
    assert (await ana.refused(trying(ana, "correct", 1, 9, choice="#1"))).message.startswith(
        "A die has the faces 1 to 6"
    )


def known(match: Match) -> Any:
    """All that a match holds but the rules."""
    typed = [(known(roll.before), roll.act, roll.need, roll.since) for roll in match.typed]
    return match.state, match.offers, match.corrections, match.bests, match.secret, typed


async def test_all_of_it_survives_a_restart() -> None:
    hall = Hall(storage=DurableMemory())
    family = await hall.peer()
    room = (await family.create("doubles", "ana", options={"dice": "entered", "window": 0})).room
    await family.join(room, "bo")
    await family.expect(Ack, Start(id="1"))
    steps: list[tuple[str, int, dict[str, Any]]] = [
        ("roll", 0, {"faces": (5, 3)}),
        ("roll", 1, {"faces": (4, 4)}),
        ("cash", 0, {}),
        ("correct", 0, {"choice": "#1", "faces": (5, 4)}),
        ("roll", 1, {"faces": (1, 1)}),
        ("undo", 1, {}),
        ("roll", 1, {"faces": (2, 2)}),
        ("correct", 1, {"choice": "#2", "faces": (1, 2)}),
        ("undo", 1, {}),
        ("undo", 1, {}),
        ("undo", 0, {}),
    ]
    for take, seat, fields in steps:
        await family.move(take, seat=seat, **fields)
        before = hall.room(family).state
        await hall.restart()
        after = hall.room(family).state
        assert before.match and after.match
        assert known(after.match) == known(before.match), take
        again = await hall.peer()
        for mine in range(2):
            await again.resume(family, mine)
        family = again
        hall.check(family)
    assert (family.store.game["rolls"], family.store.game["seats"]["0"]["score"]) == (0, 0)


async def test_what_is_hidden_is_not_told_by_a_preview() -> None:
    """Which round is the last is nobody's to know, and a correction that ends the round would tell."""
    for secret in (1, 2, 3):
        hall = Hall((secret,))
        ana, bo = await table(hall, "ana", "bo", rounds="1-3")
        for peer in (ana, bo, ana, bo):
            await peer.move("roll", faces=(6, 1) if peer.store.game["rolls"] < 3 else (1, 2))
            hall.drain(ana, bo)
        told = await bo.expect(Preview, trying(bo, "correct", 3, 4, choice="#4"))
        assert told.hidden and told.patch == {} and [event["kind"] for event in told.events] == ["corrected"]
        same = await bo.expect(Preview, trying(bo, "correct", 1, 3, choice="#4"))
        assert not same.hidden and same.patch["game"]["pot"] == 229
