"""How dice are drawn: what is decided, who shows what and when, and what becomes of those who show nothing."""

from dataclasses import replace
from typing import Any

import pytest

from dicegames_protocol.fairness.chain import USABLE, commitment
from dicegames_protocol.messages.client import AddBot, ChainLink, Leave, MakeMove, Ready, Rematch, Show, Start
from dicegames_protocol.messages.server import Ack
from dicegames_protocol.table import Move, Pending
from dicegames_server.core.errors import Refused
from dicegames_server.room.environment import FairDice
from dicegames_server.table.commands import abandon, leave_seat
from dicegames_server.table.draw import redraw, show, unshown
from dicegames_server.table.play import play_for, time_up
from dicegames_server.table.roll import roll
from support.dice import CountedDice
from support.hall import DurableMemory, Hall, Peer
from support.pure_table import Owner, PureTable, kinds
from support.remembering import Remembering

pytestmark = pytest.mark.usefixtures("luck")

ANA, BO, CY = (Owner(seat, letter) for seat, letter in enumerate((b"a", b"b", b"c")))


def seated(game: str, *owners: Owner, **options: Any) -> PureTable:
    at = PureTable(game, dice=CountedDice(), **options)
    for owner in owners:
        at.sit(f"p{owner.seat}", commit=owner.tip)
    return at


def started(*owners: Owner, **options: Any) -> PureTable:
    """Doubles without a hidden end: nothing is drawn for its start."""
    return seated("doubles", *owners, rounds=2, window=0, **options).start()


def refusal(state: Any, seat: int, draw: int, link: ChainLink) -> tuple[str, str]:
    with pytest.raises(Refused) as refused:
        show(state, seat, draw, link)
    return refused.value.code, refused.value.message


def test_a_game_begins_with_everybodys_tips() -> None:
    at = started(ANA, BO)
    fair = at.state.fair
    assert fair and fair.commit == commitment(at.state.secret)
    assert (fair.scheme, fair.committee, fair.links) == (2, (0, 1), {"0": ANA.tip, "1": BO.tip})
    assert (fair.without, fair.pending, fair.secret, fair.rolls) == (None, None, None, ("roll",))
    assert all(player.commit is None for player in at.state.seats.players.values())


def test_who_gave_no_tip_is_named() -> None:
    at = seated("doubles", ANA, rounds=2)
    at.sit("late")
    fair = at.start().state.fair
    assert fair and (fair.committee, fair.without) == ((0,), (1,))


def test_a_roll_is_decided_before_anybody_shows_a_link() -> None:
    at = started(ANA, BO)
    decided = at.move(0, "roll")
    assert (decided.cause.draw, decided.cause.drawn, decided.events) == (1, None, ())
    assert at.state.pending == Pending(draw=1, seq=at.state.seq, members=(0, 1), seat=0, count=2, sides=6)
    assert at.state.public()["offers"] == {}
    for seat in (0, 1):
        assert at.refused(seat, at.moving("roll"))[1] == "The dice are rolling. A moment."
        assert at.refused(seat, at.moving("cash", seq=at.state.seq - 1))[0] == "stale"
    with pytest.raises(Refused):
        time_up(at.state, at.dice)
    with pytest.raises(Refused):
        play_for(at.state, 0, Move(take="roll"), "bot", at.dice)
    with pytest.raises(Refused):
        roll(at.state, at.dice)
    assert at.show(ANA) is None
    assert unshown(at.state) == [1]
    rolled = at.show(BO)
    assert rolled and rolled.cause.kind == "roll" and rolled.cause.drawn and rolled.cause.drawn.r == 1
    fair = at.state.fair
    assert fair and fair.link and fair.links == {"0": ANA.chain.link(1).hex(), "1": BO.chain.link(1).hex()}
    assert not at.state.pending and not at.state.act and not at.state.shown and at.state.draws == 1


def test_a_link_must_be_the_next_one() -> None:
    at = started(ANA, BO)
    first = ANA.next(at.state)
    assert refusal(at.state, 0, 1, first) == ("stale", "No link is asked for this draw now.")
    at.move(0, "roll")
    wrong = ("illegal_move", "That is not the next link of your chain.")
    assert refusal(at.state, 0, 1, ChainLink(link=ANA.chain.link(2).hex())) == wrong
    assert refusal(at.state, 0, 1, BO.next(at.state)) == wrong
    assert refusal(at.state, 2, 1, first) == ("illegal_move", "No link of this seat is asked for.")
    assert refusal(at.state, 0, 2, first)[0] == "stale"
    again = show(show(at.state, 0, 1, first), 0, 1, first)
    assert again.shown == {0: first}


def test_dice_depend_on_every_link_and_on_the_draw() -> None:
    seen = set()
    for ana, bo in ((ANA, BO), (Owner(0, b"x"), BO), (ANA, Owner(1, b"y"))):
        at = started(ana, bo)
        faces: list[Any] = []
        for turn in range(6):
            at.move(turn % 2, "roll")
            rolled = at.show(ana, bo)
            faces.append(rolled and rolled.cause.drawn and rolled.cause.drawn.faces)
        seen.add(tuple(faces))
    assert len(seen) == 3


def test_who_shows_nothing_is_out_and_all_others_show_fresh_links() -> None:
    at = started(ANA, BO, CY)
    at.move(0, "roll")
    at.show(ANA, CY)
    change = at.take(redraw(at.state))
    assert (change.cause.kind, change.cause.args, change.cause.draw) == ("redraw", {"seats": [1]}, 2)
    assert [event.model_dump() for event in change.events] == [{"kind": "drawn_anew", "seats": (1,), "names": ("p1",)}]
    fair = at.state.fair
    assert fair and (fair.committee, fair.out, fair.redraws) == ((0, 2), {"1": "p1"}, 1)
    assert at.state.pending and (at.state.pending.draw, at.state.pending.members) == (2, (0, 2))
    assert fair.links and fair.links["0"] == ANA.chain.link(1).hex()  # what was shown is used up
    assert refusal(at.state, 1, 2, BO.next(at.state))[1] == "No link of this seat is asked for."
    assert at.show(ANA, CY)
    assert fair.links["0"] != (at.state.fair and at.state.fair.links and at.state.fair.links["0"])
    at.move(1, "roll")  # bo plays on, but has no part in the dice any more
    assert at.state.pending and at.state.pending.members == (0, 2)
    with pytest.raises(Refused, match="No link is missing"):
        redraw(at.show(ANA, CY).state)  # type: ignore[union-attr]


def test_when_nobody_is_left_the_server_rolls_alone() -> None:
    at = started(ANA, BO)
    at.move(0, "roll")
    at.take(redraw(at.state))
    assert at.state.pending and at.state.pending.members == ()
    rolled = at.take(roll(at.state, at.dice))
    assert rolled.cause.drawn and rolled.cause.drawn.faces
    assert at.move(1, "roll").cause.drawn  # and from now on at once


def test_links_that_come_with_a_move_are_not_asked_for() -> None:
    at = started(ANA)
    links = {"0": ANA.next(at.state)}
    made = MakeMove(id="1", seq=at.state.seq, move=Move(take="roll"), links=links)
    change = at.do(0, made)
    assert change.cause.kind == "move" and change.cause.drawn and at.state.pending is None
    assert at.state.fair and at.state.fair.links == {"0": links["0"].link}
    assert at.refused(0, made.but(seq=at.state.seq)) == ("illegal_move", "That is not the next link of your chain.")
    both = started(ANA, BO)
    both.do(0, made.but(seq=both.state.seq, links={"0": ANA.next(both.state)}))
    assert unshown(both.state) == [1]
    assert both.show(BO)


def test_a_move_without_dice_asks_for_nothing() -> None:
    at = started(ANA, BO)
    at.move(0, "roll")
    at.show(ANA, BO)
    cashed = at.move(1, "cash")
    assert cashed.cause.draw is None and at.state.pending is None


def test_bots_and_the_clock_wait_for_links_too() -> None:
    at = started(ANA, BO, turn_limit=10)
    at.take(play_for(at.state, 0, Move(take="roll"), "bot", at.dice))
    assert at.state.pending and at.state.info.timer is None
    rolled = at.show(ANA, BO)
    assert rolled and rolled.cause.by == "bot" and at.state.info.timer
    timed = at.take(time_up(at.state, at.dice))
    assert kinds(timed) == ["time_up"] and at.state.pending and at.state.pending.seat == 1


def test_who_leaves_is_no_longer_asked() -> None:
    at = started(ANA, BO, CY)
    at.take(leave_seat(at.state, 1, "left"))
    at.move(0, "roll")
    assert at.state.pending and at.state.pending.members == (0, 2)
    at.show(ANA)
    at.take(leave_seat(at.state, 2, "left"))
    assert unshown(at.state) == [2]  # whoever leaves in the middle has not answered
    change = at.take(redraw(at.state))
    assert change.events[0].model_dump()["names"] == ("p2",)
    assert at.show(ANA)


def test_who_has_shown_may_leave() -> None:
    at = started(ANA, BO)
    at.move(0, "roll")
    at.show(BO)
    at.take(leave_seat(at.state, 1, "left"))
    assert at.show(ANA)
    assert at.state.fair and at.state.fair.committee == (0,) and not at.state.fair.redraws


# The start of a game.


def test_the_coin_toss_is_drawn_by_all() -> None:
    at = seated("double-or-nothing", ANA, BO)
    began = at.do(0, Start(id="1"))
    assert kinds(began) == ["dealing"] and at.state.info.phase == "dealing"
    assert at.refused(0, at.moving("add"))[1] == "The game has not started yet."
    tossed = at.show(ANA, BO)
    assert tossed and kinds(tossed)[0] == "game_started" and at.state.playing
    assert tossed.cause.drawn and tossed.cause.drawn.sides == 2


def test_a_hidden_draw_shows_neither_faces_nor_the_servers_part() -> None:
    at = seated("doubles", ANA, BO, rounds="2-4", window=0).start()
    assert at.state.pending and at.state.pending.hidden
    dealt = at.show(ANA, BO)
    assert dealt and dealt.cause.drawn and dealt.cause.drawn.faces is None
    assert at.state.fair and at.state.fair.link is None and at.state.links == 0
    at.move(0, "roll")
    at.show(ANA, BO)
    assert at.state.fair.link is not None and at.state.links == 1


def test_too_few_are_left_before_the_first_dice() -> None:
    at = seated("sevens", ANA, BO)
    at = seated("double-or-nothing", ANA, BO).start()
    at.take(leave_seat(at.state, 1, "left"))
    at.show(ANA)
    at.take(redraw(at.state))
    change = at.show(ANA)
    assert change and kinds(change) == ["not_dealt"]
    fair = at.state.fair
    assert fair and fair.secret == at.state.secret.hex()  # it is not thrown away
    assert (at.state.info.phase, at.state.seats.present) == ("waiting", [0])
    assert list(at.state.seats.players) == ["0"]
    assert at.state.seats[0].commit == ANA.chain.link(2).hex()  # the chain goes on in the next game


def test_an_abandoned_draw_shows_the_secret() -> None:
    at = started(ANA, BO)
    at.move(0, "roll")
    at.show(ANA)
    ended = at.take(abandon(at.state)).state
    assert ended.fair and ended.fair.secret == ended.secret.hex() and ended.pending is None
    assert ended.fair.links and ended.fair.links["0"] == ANA.chain.link(1).hex()
    with pytest.raises(Refused):
        roll(ended, at.dice)


def test_chains_go_on_in_the_next_game() -> None:
    at = seated("double-or-nothing", ANA, BO, start=19).start()
    at.show(ANA, BO)
    first = at.state.fair
    at.move(at.state.starter or 0, "add")
    assert first and at.state.fair and at.state.fair.secret
    new = Owner(1, b"n")
    at.do(0, Rematch(id="1"))
    at.do(1, Rematch(id="2", commit=new.tip))
    fair = at.state.fair
    assert fair and fair.commit != first.commit and fair.secret is None
    assert fair.links == {"0": ANA.chain.link(1).hex(), "1": new.tip}


def test_who_was_out_needs_a_new_chain() -> None:
    at = seated("double-or-nothing", ANA, BO, start=19).start()
    at.show(ANA)
    at.take(redraw(at.state))
    at.show(ANA)
    at.move(at.state.starter or 0, "add")
    for seat in (0, 1):
        at.do(seat, Rematch(id="1"))
    assert at.state.fair and at.state.fair.without == (1,)


def test_a_seat_of_somebody_else_has_none_of_the_old_links() -> None:
    at = seated("double-or-nothing", ANA, BO, start=19).start()
    at.show(ANA, BO)
    at.move(at.state.starter or 0, "add")
    at.take(leave_seat(at.state, 1, "left"))
    at.sit("new")
    at.do(0, Start(id="1"))
    assert at.state.fair and at.state.fair.without == (2,) and at.state.fair.committee == (0,)


def test_a_chain_that_ends_is_followed_by_another() -> None:
    at = started(ANA)
    second = Owner(0, b"2")
    for turn in range(USABLE + 3):
        if at.state.info.phase == "over":
            at.do(0, Start(id="1"))
        if "roll" not in (at.state.match.offers if at.state.match else {}):
            at.move(0, "hold")
        at.move(0, "roll")
        assert at.state.pending and at.state.fair
        owner = ANA if turn < USABLE else second
        link = owner.next(at.state)
        if turn == USABLE - 1:
            link = link.but(tip=second.tip)
        at.state = show(at.state, 0, at.state.pending.draw, link)
        at.take(roll(at.state, at.dice))
        assert at.state.fair and at.state.fair.tips == ({"0": second.tip} if turn == USABLE - 1 else None)


def test_a_large_table_asks_seven() -> None:
    owners = [Owner(seat, bytes([seat + 1])) for seat in range(20)]
    at = started(*owners, capacity=30)
    fair = at.state.fair
    assert fair and fair.committee and len(fair.committee) == 7 and fair.links
    assert set(fair.links) == {str(seat) for seat in fair.committee}
    left = [seat for seat in range(20) if seat not in fair.committee]
    assert all(at.state.seats[seat].commit == owners[seat].tip for seat in left)
    at.move(0, "roll")
    assert at.show(*(owners[seat] for seat in fair.committee))


# In a room.


async def fair_table(hall: Hall, *names: str, **fields: Any) -> list[Peer]:
    peers = [await hall.peer(memory=Remembering()) for _ in names]
    fields = {"options": {"window": 0, "rounds": 2}, **fields}
    room = (await peers[0].create("doubles", names[0], **fields)).room
    for peer, name in zip(peers[1:], names[1:], strict=True):
        await peer.join(room, name)
    for peer in peers:
        peer.drain()
        await peer.ready()
    hall.drain(*peers)
    return peers


async def test_a_roll_waits_for_two_seconds() -> None:
    hall = Hall()
    ana, bo = await fair_table(hall, "ana", "bo")
    await ana.move("roll")
    assert await ana.show()
    await hall.wait(1.9, ana, bo)
    assert ana.store.rolling
    await hall.wait(0.2, ana, bo)
    assert ana.events()[-1] == {"kind": "drawn_anew", "seats": [1], "names": ["bo"]}
    await hall.links(ana)
    assert ana.store.rolling is None
    hall.check(ana, bo)
    assert (await bo.refused(Show(id="x", draw=1, link="0" * 64))).code == "stale"


async def test_nobody_waits_for_somebody_who_is_away() -> None:
    hall = Hall()
    ana, bo = await fair_table(hall, "ana", "bo")
    await bo.drop()
    await hall.wait(2, ana)
    await ana.move("roll")
    await ana.show()
    await hall.wait(0, ana)
    await hall.links(ana)
    assert ana.store.rolling is None and ana.store.table["fair"]["out"] == {"1": "bo"}


async def test_a_connection_that_is_cut_in_the_middle_of_a_roll() -> None:
    hall = Hall()
    ana, bo = await fair_table(hall, "ana", "bo")
    await ana.move("roll")
    await ana.show()
    await bo.drop()
    await hall.wait(1, ana)
    assert ana.store.rolling  # perhaps bo is back in time
    back = await hall.peer()
    back.witness = bo.witness
    await back.resume(bo)
    await hall.links(ana, back)
    assert ana.store.rolling is None and "out" not in ana.store.table["fair"]
    await bo.drop()
    await back.drop()
    await ana.move("cash")
    await hall.wait(1, ana)


async def test_after_a_restart_the_same_links_give_the_same_dice() -> None:
    hall = Hall(storage=DurableMemory())
    hall.environment = replace(hall.environment, dice=FairDice())
    hall.lobby = hall.lobby.__class__(hall.environment)
    peers = await fair_table(hall, "ana", "bo")
    await peers[0].move("roll")
    await peers[0].show()
    before = dict(hall.room(peers[0]).state.shown)
    await hall.restart()
    back = [await hall.peer() for _ in peers]
    for peer, old in zip(back, peers, strict=True):
        peer.witness = old.witness
        await peer.resume(old)
    await hall.wait(4, *back)
    assert back[0].store.rolling  # they have longer to come back
    await hall.links(*back)
    fair = back[0].store.table["fair"]
    assert fair["links"]["0"] == before[0].link and "pending" not in fair
    assert not any(peer.alarms for peer in back)  # the client has worked the dice out
    hall.check(*back)


async def test_after_a_restart_nobody_waits_for_nothing() -> None:
    """The server was stopped right after everybody was out: the dice come at once, though people are on the way."""
    hall = Hall(storage=DurableMemory())
    ana, bo = await fair_table(hall, "ana", "bo")
    await ana.move("roll")
    room = hall.room(ana)
    room._automatic.end()
    await room._mailbox.ask(lambda _: room._commits.commit(redraw(room.state)))
    await hall.restart()
    back = await hall.peer()
    hall.drain(ana, bo)
    await back.resume(ana)
    await hall.wait(0, back)
    assert back.store.rolling is None and back.updates[-1].cause.kind == "roll"


async def test_links_do_not_count_as_messages_while_they_are_awaited() -> None:
    hall = Hall(message_burst=3, messages_per_second=0.001)
    ana, bo = await fair_table(hall, "ana", "bo")
    for _ in range(3):
        hall.clock.advance(3000)
        await ana.move("roll")
        await hall.links(ana, bo)
        hall.clock.advance(3000)
        await bo.move("roll")
        await hall.links(ana, bo)
    for number in range(5):
        error = await bo.refused(Show(id=f"x{number}", draw=1, link="0" * 64))
    assert error.code == "rate_limited"


async def test_a_spectator_has_no_part_in_the_dice() -> None:
    hall = Hall()
    ana, _ = await fair_table(hall, "ana", "bo")
    watcher = await hall.peer()
    await watcher.watch(ana.store.room or "")
    await ana.move("roll")
    assert (await watcher.refused(Show(id="2", draw=1, link="0" * 64))).code == "unauthorized"


async def test_a_room_that_ends_in_the_middle_of_a_game_shows_its_secret() -> None:
    hall = Hall()
    ana, _ = await fair_table(hall, "ana", "bo")
    await hall.lobby.close_all("Good night.")
    ana.drain()
    assert "secret" in ana.store.table["fair"]


async def test_a_person_among_bots_waits_for_nothing() -> None:
    hall = Hall()
    ana = await hall.peer(memory=Remembering())
    await ana.create("doubles", options={"window": 0})
    await ana.expect(Ack, AddBot(id="b"))
    await ana.expect(Ack, Ready(id="r"))
    await ana.move("roll")
    assert ana.updates[-1].cause.drawn and ana.updates[-1].cause.kind == "move"
    assert ana.store.table["fair"]["links"]["0"] != ana.store.table["fair"].get("tips")
    await ana.expect(Ack, Leave(id="l"))
