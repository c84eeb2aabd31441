"""What is kept of games: by player key, never by name."""

import pytest

from dicegames_protocol.messages.client import AskHistory, AskLeaderboard, AskStats, Join, Kick, Ready, Rematch
from dicegames_protocol.messages.server import Ack, History, Leaderboard, Stats
from support.hall import DurableMemory, Hall, Peer

ANA, BO = "a" * 64, "b" * 64


async def table(hall: Hall, game: str, **options: object) -> tuple[Peer, Peer]:
    ana, bo = await hall.peer(ANA), await hall.peer(BO)
    room = (await ana.create(game, options=options)).room
    await bo.join(room, "bo")
    for peer in (ana, bo):
        await peer.expect(Ack, Ready(id=hall.id()))
    hall.drain(ana, bo)
    return ana, bo


async def test_games_are_remembered_by_key_with_what_was_remarkable() -> None:
    hall = Hall((6, 6), (1, 1), storage=DurableMemory())
    ana, bo = await table(hall, "doubles", rounds=1, window=0)
    await ana.move("roll")
    await ana.move("cash")
    await hall.restart()
    ana, old = await hall.peer(ANA), ana
    await ana.resume(old)
    bo, old = await hall.peer(BO), bo
    await bo.resume(old)
    await bo.move("roll")
    await bo.move("cash")
    (game,) = (await ana.expect(History, AskHistory(id="1"))).games
    assert (game.game, game.name, game.score, game.won) == ("doubles", "ana", 600, False)
    assert (game.opponents, game.bests, game.shared) == (("bo",), {"best pot": 600}, None)
    (game,) = (await bo.expect(History, AskHistory(id="1"))).games
    assert (game.won, game.shared) == (True, None)
    stats = await bo.expect(Stats, AskStats(id="2"))
    assert [(row.game, row.played, row.won, row.best_score, row.bests) for row in stats.games] == [
        ("doubles", 1, 1, 1200, {"best pot": 1200})
    ]
    assert [(row.name, row.played, row.won) for row in stats.opponents] == [("ana", 1, 1)]


async def test_a_win_of_several_is_shared() -> None:
    hall = Hall((1, 1), storage=DurableMemory())
    ana, bo = await table(hall, "doubles", rounds=1, window=0)
    await ana.move("roll")
    await ana.move("cash")
    await bo.move("cash")
    for peer in (ana, bo):
        (game,) = (await peer.expect(History, AskHistory(id="1"))).games
        assert (game.won, game.shared) == (True, True)


async def test_a_game_whose_end_is_taken_back_is_no_game_yet() -> None:
    hall = Hall(storage=DurableMemory())
    ana, bo = await table(hall, "doubles", rounds=1, window=0, dice="entered")
    for peer in (ana, bo, ana):
        await peer.move("roll", faces=(6, 1))
    await ana.move("cash")
    await bo.move("roll", faces=(3, 4))
    assert (await ana.expect(History, AskHistory(id="1"))).games[0].won
    await bo.move("undo")
    for peer in (ana, bo):
        assert (await peer.expect(History, AskHistory(id="2"))).games == ()
        assert (await peer.expect(Stats, AskStats(id="3"))).games == ()
    await bo.move("roll", faces=(1, 2))
    await bo.move("cash")
    (game,) = (await ana.expect(History, AskHistory(id="4"))).games
    assert (game.won, game.score) == (False, 225)
    assert [row.won for row in (await bo.expect(Stats, AskStats(id="5"))).games] == [1]


async def test_a_series_of_games_and_the_leaderboard() -> None:
    hall = Hall((1,))
    ana, bo = await table(hall, "double-or-nothing", start=19)
    for number in range(3):
        for peer in (ana, bo):
            peer.drain()
            if peer.store.wanted() is not None:
                await peer.move("add")
                break
        for peer in (ana, bo):
            peer.drain()
            await peer.expect(Ack, Rematch(id=f"r{number}"))
    rows = (await ana.expect(Leaderboard, AskLeaderboard(id="1"))).rows
    assert [(row.name, row.won, row.played) for row in rows] == [("ana", 2, 3), ("bo", 1, 3)]
    assert (await ana.expect(Leaderboard, AskLeaderboard(id="2", game="farkle"))).rows == ()


async def test_farkles_and_banks_are_remarkable() -> None:
    hall = Hall((1, 1, 2, 3, 4, 6), (2, 3, 4, 6), (1, 1, 1, 2, 3, 4))
    ana, bo = await table(hall, "farkle", target=1000)
    await ana.move("roll")
    await ana.move("roll", choice="11")
    await bo.move("roll")
    await bo.move("bank", choice="111")
    hall.dice.then((1, 1, 1, 2, 3, 4))
    await ana.move("roll")
    await ana.move("bank", choice="111")
    (game,) = (await ana.expect(History, AskHistory(id="1"))).games
    assert game.bests == {"biggest farkle": 200, "best bank": 1000}


async def test_without_a_key_there_is_no_history_and_a_leaderboard_can_be_switched_off() -> None:
    hall = Hall(leaderboard=False)
    nobody = await hall.peer()
    assert (await nobody.refused(AskHistory(id="1"))).code == "unauthorized"
    assert (await nobody.refused(AskStats(id="2"))).code == "unauthorized"
    assert (await nobody.refused(AskLeaderboard(id="3"))).message == "This server keeps no leaderboard."
    ana = await hall.peer(ANA)
    room = (await ana.create("doubles")).room
    await nobody.join(room, "nobody")
    assert (await ana.expect(History, AskHistory(id="4"))).games == ()


@pytest.mark.parametrize("restarted", [False, True])
async def test_whoever_leaves_a_running_game_has_lost_it(restarted: bool) -> None:
    """Else everybody could escape a defeat, and take the victory from the others."""
    hall = Hall(storage=DurableMemory())
    ana, bo = await table(hall, "double-or-nothing", first="1", start=10)
    await ana.move("add")
    await bo.hang_up()
    if restarted:
        await hall.restart()
        ana, old = await hall.peer(ANA), ana
        await ana.resume(old)
    for _ in range(20):
        await hall.wait(2, ana)
        if ana.phase == "over":
            break
        if ana.store.wanted() is not None:
            await ana.move("add")
    assert ana.phase == "over"
    again = await hall.peer(BO)
    (game,) = (await again.expect(History, AskHistory(id="2"))).games
    assert (game.won, game.gave_up, game.opponents) == (False, True, ("ana",))
    (mine,) = (await ana.expect(History, AskHistory(id="1"))).games
    assert mine.gave_up is None
    rows = (await ana.expect(Leaderboard, AskLeaderboard(id="3", game="double-or-nothing", by="skill"))).rows
    assert [(row.name, row.played) for row in rows] == [("ana", 1), ("bo", 1)]
    assert (await again.refused(Join(id="3", room="XXXX", name="bo"))).code == "no_such_room"


async def test_whoever_is_removed_has_no_part_in_the_result() -> None:
    """Else a host could let others lose."""
    hall = Hall()
    ana, bo = await table(hall, "double-or-nothing", first="1", start=19)
    await ana.expect(Ack, Kick(id="kick", target=bo.seat))
    await ana.move("add")
    assert len((await ana.expect(History, AskHistory(id="1"))).games) == 1
    assert (await bo.expect(History, AskHistory(id="2"))).games == ()
    answer = await ana.expect(Leaderboard, AskLeaderboard(id="3", game="double-or-nothing", by="skill"))
    assert answer.rows == ()


async def leaders(hall: Hall, *peers: Peer) -> int:
    """After one whole game of Double or Nothing between two: how many are on the leaderboard."""
    ana, bo = peers
    room = (await ana.create("double-or-nothing", options={"first": "1", "target": 2})).room
    await bo.join(room, "bo")
    for peer in (ana, bo):
        await peer.expect(Ack, Ready(id=hall.id()))
    await ana.move("add")
    history = await ana.expect(History, AskHistory(id=hall.id()))
    assert history.games  # one's own history has all games
    return len((await ana.expect(Leaderboard, AskLeaderboard(id=hall.id()))).rows)


@pytest.mark.parametrize(
    ("address", "key", "counted"),
    [("192.0.2.2", BO, 2), ("192.0.2.1", BO, 0), ("192.0.2.2", ANA, 0), ("2001:db8::1", BO, 2)],
)
async def test_games_of_one_address_or_one_key_do_not_count(address: str, key: str, counted: int) -> None:
    """Else anybody could win for ever against themselves."""
    hall = Hall(leaderboard_one_address=False)
    ana, bo = await hall.peer(ANA), await hall.peer(key)
    ana.link.address, bo.link.address = "192.0.2.1", address
    assert await leaders(hall, ana, bo) == counted


async def test_it_is_remembered_after_a_restart_who_came_from_where() -> None:
    hall = Hall(storage=DurableMemory(), leaderboard_one_address=False)
    ana, _ = await table(hall, "double-or-nothing")
    before = hall.room(ana).state.seats.places
    assert len(before) == 2
    await hall.restart()
    (room,) = hall.lobby.rooms
    assert room.state.seats.places == before
