"""Rules and odds when people ask for them, and where a game of Double or Nothing was lost."""

from fractions import Fraction

import pytest

from dicegames_protocol.games import keys
from dicegames_protocol.messages.client import AskOdds, AskRules, FetchLog
from dicegames_protocol.messages.server import Log, Odds, RulesPage
from dicegames_server.games.double_or_nothing_solution import won_numbers
from support.hall import Hall, Peer


async def odds(peer: Peer, seat: int | None = None) -> dict[str, Fraction]:
    peer.drain()
    answer = await peer.expect(Odds, AskOdds(id=peer.hall.id(), seat=seat))
    return {chance.what: Fraction(chance.good, chance.of) for chance in answer.chances}


@pytest.mark.parametrize("game", keys())
async def test_every_game_explains_itself(game: str) -> None:
    hall = Hall()
    peer = await hall.peer()
    await peer.create(game)
    page = await peer.expect(RulesPage, AskRules(id="rules"))
    assert len(page.text) >= 3
    assert all(paragraph.endswith(".") for paragraph in page.text)


async def test_the_rules_follow_the_options() -> None:
    hall = Hall()
    peer = await hall.peer()
    await peer.create("farkle", options={"preset": "boxed", "three-farkles": 1000, "target": 3000})
    page = await peer.expect(RulesPage, AskRules(id="1"))
    text, table = " ".join(page.text), {row.what: row.points for row in page.table}
    assert "Your first bank takes at least 500 points." in text
    assert "Three farkles in a row cost 1,000 points." in text
    assert "Whoever banks 3,000 first" in text
    assert table["1 1 1"] == "300" and table["2 2 2 2"] == "1,000"
    assert table["three pairs"] == table["four of a kind and a pair"] == "1,500"
    assert table["1 2 3 4 5 6"] == "1,500"
    doubles = await hall.peer()
    await doubles.create("doubles", options={"rounds": "8-12", "window": 0})
    text = " ".join((await doubles.expect(RulesPage, AskRules(id="2"))).text)
    assert "Between 8 and 12 rounds" in text and "no pause after the third seven" in text


async def test_a_stranger_is_told_nothing() -> None:
    peer = await Hall().peer()
    for question in (AskRules(id="1"), AskOdds(id="2")):
        assert (await peer.refused(question)).code == "unauthorized"


async def test_odds_of_doubles() -> None:
    hall = Hall((4, 4), (3, 4), (6, 1), (5, 2))
    ana, bo = await hall.table("doubles", "ana", "bo")
    before = await odds(ana)
    assert before["a seven on the next roll"] == Fraction(1, 6)
    assert before["the pot survives 3 more rolls"] == 1
    for roller in (ana, bo, ana, bo):
        await roller.move("roll")
    three = await odds(ana)
    assert three["the pot survives 1 more roll"] == Fraction(5, 6)
    assert three["the pot survives 3 more rolls"] == Fraction(125, 216)
    await ana.move("cash")
    assert await odds(ana) == {}
    assert (await odds(bo))["the pot survives 2 more rolls"] == Fraction(25, 36)


async def test_odds_of_farkle() -> None:
    hall = Hall((1, 2, 3, 4, 5, 6))
    ana, bo = await hall.table("farkle", "ana", "bo")
    assert await odds(ana) == {"a farkle with 6 dice": Fraction(5, 162)}
    assert await odds(bo) == {}
    await ana.move("roll")
    assert await odds(ana) == {
        "a farkle with 4 dice": Fraction(17, 108),
        "a farkle with 5 dice": Fraction(25, 324),
    }
    watcher = await hall.peer()
    await watcher.watch(ana.store.room or "")
    assert "a farkle with 5 dice" in await odds(watcher)
    assert (await bo.refused(AskOdds(id="not mine", seat=0))).code == "unauthorized"


async def test_odds_of_sevens() -> None:
    hall = Hall((6,) * 6, (1,) * 6, (1, 6, 2, 5, 3, 3))
    ana, bo = await hall.table("sevens", "ana", "bo")
    assert await odds(ana) == {}
    await ana.move("roll")
    await bo.move("roll")
    await ana.move("roll")  # 3 and 3 are left
    chances = await odds(ana)
    assert chances["nothing is left after it"] == Fraction(1, 6)
    better = sum(one + two > 6 and one + two != 7 for one in range(1, 7) for two in range(1, 7))
    assert chances["one more roll beats 6"] == Fraction(better, 36)
    again = chances["one more roll beats 6"] + chances["one more roll brings less"] + Fraction(5, 36)  # 5 ways to get 6
    assert again == 1
    assert chances["two more rolls beat 6"] > chances["one more roll beats 6"]


async def test_no_hints_in_double_or_nothing() -> None:
    hall = Hall((1,))
    ana, _ = await hall.table("double-or-nothing", "ana", "bo")
    answer = await ana.expect(Odds, AskOdds(id="1"))
    assert answer.chances == ()
    assert answer.note == "Nothing is left to chance in this game, so there are no odds."


async def test_no_odds_before_the_game() -> None:
    peer = await Hall().peer()
    await peer.create("doubles")
    assert (await peer.expect(Odds, AskOdds(id="1"))).note == "There are no odds before the game begins."


def test_double_or_nothing_is_solved() -> None:
    assert set(range(1, 20)) - won_numbers(20) == {1, 3, 5, 12, 14, 16, 18}


@pytest.mark.parametrize(
    ("moves", "slip"),
    [
        ("add add double double add double", {"number": 13, "took": "double", "instead": "add"}),
        ("add double add add double add add add double", {"number": 15, "took": "double", "instead": "add"}),
        ("add add add add double double", None),  # whoever begins at 1 has lost against perfect play
    ],
)
async def test_where_it_was_lost(moves: str, slip: dict[str, object] | None) -> None:
    hall = Hall((1,))
    table = await hall.table("double-or-nothing", "ana", "bo")
    for number, take in enumerate(moves.split()):
        await table[number % 2].move(take)
    hall.drain(*table)
    (won,) = [event for event in table[0].events() if event["kind"] == "won"]
    assert won.get("slip") == slip
    note = (await table[0].expect(Odds, AskOdds(id="afterwards"))).note or ""
    assert f" at {slip['number']} lost it" in note if slip else note.startswith("Nothing lost it")


async def test_players_inside_may_read_the_log_of_a_locked_room() -> None:
    hall = Hall()
    ana, stranger = await hall.peer(), await hall.peer()
    room = (await ana.create("doubles", password="sesame")).room
    assert (await stranger.refused(FetchLog(id="1", room=room))).code == "no_such_room"
    assert (await ana.expect(Log, FetchLog(id="2", room=room))).lines
