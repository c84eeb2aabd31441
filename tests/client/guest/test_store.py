"""What the client knows, message by message."""

import pytest

from dicegames_client.guest.store import Store, Verdict
from dicegames_protocol.codec import state_hash
from dicegames_protocol.messages.server import CaughtUp, Cause, Heartbeat, Joined, Presence, Snapshot, Update
from dicegames_protocol.table import Offer, Player, RoomInfo, Table, Timer

INFO = RoomInfo(
    code="KQ7M",
    game="doubles",
    title="Doubles",
    rules="doubles-1",
    summary="",
    options={},
    capacity=8,
    least=1,
    public=True,
    locked=False,
    host=0,
)
TABLE = Table(room=INFO, seats={"0": Player(name="ana"), "1": Player(name="bo")}, offers={})


def joined(**fields: object) -> Store:
    message = Joined(id="1", room="KQ7M", seat=1, seat_token="secret", epoch=1, seq=5, snapshot=TABLE)
    return Store().receive(message.but(**fields))[0]


def update(seq: int, **patch: object) -> Update:
    return Update(seq=seq, cause=Cause(kind="move"), events=(), patch=patch)


def test_updates_apply_in_order_and_only_once() -> None:
    store, verdict = joined().receive(update(6, seats={"0": {"ready": True}}))
    assert (verdict, store.seq, store.player(0)["ready"]) == (Verdict.NEWS, 6, True)
    again, verdict = store.receive(update(6, seats={"0": {"ready": False}}))
    assert (verdict, again) == (Verdict.OLD, store)


def test_a_gap_is_noticed_and_changes_nothing() -> None:
    store = joined()
    after, verdict = store.receive(update(7))
    assert (verdict, after) == (Verdict.GAP, store)


def test_a_wrong_hash_asks_for_everything() -> None:
    store = joined()
    assert store.receive(Heartbeat(epoch=1, seq=5, hash=state_hash(store.table)))[1] is Verdict.NEWS
    after, verdict = store.receive(Heartbeat(epoch=1, seq=5, hash="0" * 16))
    assert (verdict, after.epoch) == (Verdict.GAP, 0)
    assert store.receive(Heartbeat(epoch=1, seq=9, hash="0" * 16))[1] is Verdict.GAP
    assert store.receive(Heartbeat(epoch=1, seq=4, hash="0" * 16))[1] is Verdict.NEWS  # it was late
    caught_up = CaughtUp(id="2", room="KQ7M", seat=1, epoch=1, seq=5, hash="0" * 16)
    assert store.receive(caught_up)[1] is Verdict.GAP


def test_a_snapshot_replaces_everything() -> None:
    store, _ = joined().receive(Snapshot(epoch=2, seq=40, snapshot=TABLE))
    assert (store.epoch, store.seq, store.tokens) == (2, 40, {1: "secret"})


def test_several_seats_in_one_room_and_none_from_another() -> None:
    store = joined()
    second = Joined(id="2", room="KQ7M", seat=0, seat_token="other", epoch=1, seq=6, snapshot=TABLE)
    assert store.receive(second)[0].seats == [0, 1]
    assert store.receive(second.but(room="TX2P"))[0].tokens == {0: "other"}


def test_presence_is_told_in_parts() -> None:
    store, _ = joined().receive(Presence(away={"0": 900}, watching=2))
    assert (store.away, store.watching) == ({0: 900}, 2)
    store, _ = store.receive(Presence(here=(0,), watching=3))
    assert (store.away, store.watching) == ({}, 3)


def test_the_timer_is_what_remains() -> None:
    store = joined(timer_ms=4000)
    assert store.timer_ms == 4000
    running = Timer(kind="window", ms=10_000, since=6).model_dump()
    store, _ = store.receive(update(6, room={"timer": running}))
    assert store.timer_ms == 10_000
    store, _ = store.receive(update(7, room={"timer": None}))
    assert store.timer_ms is None


def test_offers_are_found_for_a_seat() -> None:
    cash = Offer(label="Cash out", unless={"out": 4}).model_dump(exclude_none=True)
    game = {
        "round": 4,
        "pot": 9,
        "sevens": 0,
        "rolls": 1,
        "roll_no": 9,
        "roller": 1,
        "starter": 0,
        "inside": 1,
        "seats": {"0": {"score": 1, "out": 4}, "1": {"score": 2, "out": 3}},
    }
    store, _ = joined().receive(update(6, game=game, offers={"cash": cash}))
    assert store.offers(0) == {}
    assert list(store.offers(1)) == ["cash"]
    assert store.offers(7) == {}


def test_names_are_stripped_whatever_the_server_let_through() -> None:
    store, _ = joined().receive(update(6, seats={"0": {"name": "a\x1b[2Jna"}}))
    assert store.name(0) == "a[2Jna"


@pytest.mark.parametrize("change", [None, {"name": "cy"}, {"left": True}])
def test_another_player_does_not_inherit_the_absence_of_the_one_before(change: object) -> None:
    store, _ = joined().receive(Presence(away={"0": 9000}, watching=0))
    assert store.away == {0: 9000}
    same, _ = store.receive(update(6, seats={"0": {"ready": True}}))
    assert same.away == {0: 9000}
    other, _ = store.receive(update(6, seats={"0": change}))
    assert other.away == {}
