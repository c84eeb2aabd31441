"""After a game: the whole story on a page, the tally of the evening, and who wants a rematch."""

from dicegames_client.base.glyphs import UNICODE
from dicegames_client.play.room_wording import evening
from dicegames_client.play.wording import Wording
from dicegames_client.screens.table.painting.moment_picture import standings
from dicegames_client.views import view_of
from dicegames_client.widgets.lines import text_of
from dicegames_client.widgets.plot import Series, plot
from dicegames_protocol.messages.client import Rematch
from support.hall import Hall, Peer
from support.sitting import Sitting, begin, catch_up, sit_down


async def one_round(table: list[Sitting]) -> None:
    for sitting in table:
        catch_up(*table)
        await sitting.press("r", "c")
        hall = sitting.hall
        if sitting.table._confirmation:
            hall.clock.advance(1)
            await sitting.press("y")
        catch_up(*table)


async def test_the_story_is_a_page_of_its_own() -> None:
    hall = Hall((5, 4), (6, 3))
    table = await sit_down(hall, "doubles", "ana", "bo", options={"rounds": 1, "window": 0})
    await begin(table)
    ana = table[0]
    await ana.press("v")
    assert "V does nothing here" in ana.text()
    await one_round(table)
    assert ana.store.phase == "over"
    await ana.press("v")
    page = " ".join(ana.text().split())
    assert "How it went" in page and "bo wins!" in page and "Best cash-out: bo took 18" in page
    await ana.press("escape")
    assert "[M] Rematch" in ana.text()


async def test_the_evening_is_counted_and_a_rematch_is_asked_for_in_the_list() -> None:
    hall = Hall((5, 4), (6, 3), (5, 4), (6, 3))
    table = await sit_down(hall, "doubles", "ana", "bo", options={"rounds": 1, "window": 0})
    ana, bo = table
    await begin(table)
    await one_round(table)
    assert "This evening" not in ana.text()  # one game is no evening
    await bo.press("m")
    catch_up(*table)
    assert "WINNER, rematch" in ana.text()
    await ana.press("m")
    catch_up(*table)
    assert ana.store.phase == "playing"
    await one_round([bo, ana])
    ana.table.stage.end_moment()
    assert "This evening, 2 games: " in ana.text() and "points)" in ana.text()
    await ana.press("m")
    catch_up(*table)
    assert any("ana" in line and "rematch" in line for line in bo.lines()[11:20])


async def _crowd(rolls: int, **options: object) -> tuple[Sitting, list[Peer]]:
    """ana, and fourteen others in memory."""
    hall = Hall(*[(5, 4), (6, 3)] * rolls)
    peers = [await hall.peer() for _ in range(15)]
    given = {"rounds": 1, "window": 0, **options}
    room = (await peers[0].create("doubles", "ana", options=given, seats=15)).room
    for number, peer in enumerate(peers[1:]):
        await peer.join(room, f"bot-{number}")
    ana = Sitting(hall, peers[0])
    await ana.press("s")
    return ana, peers


async def _all_cash(ana: Sitting, peers: list[Peer], *, ana_first: bool) -> None:
    """One roll, and all take the same; or ana takes less, and is the last in every list."""
    ana.hall.drain(*peers)
    roller = ana.store.game["roller"]
    await peers[roller].move("roll")
    if ana_first:
        await peers[0].move("cash")
        ana.hall.drain(*peers)
        await peers[roller + 1 if roller + 1 < len(peers) else 1].move("roll")
    for peer in peers[1 if ana_first else 0 :]:
        ana.hall.drain(peer)
        await peer.move("cash")
    ana.catch_up()
    ana.table.stage.end_moment()
    assert ana.store.phase == "over"


async def test_of_many_winners_a_few_are_named_and_the_sentence_is_whole() -> None:
    ana, peers = await _crowd(1)
    await _all_cash(ana, peers, ana_first=False)
    for columns, rows in ((80, 24), (60, 20), (120, 40)):
        assert "You, bot-0, bot-1, bot-2 and 11 more share the win." in " ".join(ana.text(columns, rows).split())
    await ana.press("v")
    page = " ".join(ana.text().split())
    assert "bot-13 share the win." in page and "more share" not in page


async def test_you_belong_to_those_who_are_shown() -> None:
    """In the plot, in the tally of the evening and below a moment, whatever your place is."""
    ana, peers = await _crowd(4)
    await _all_cash(ana, peers, ana_first=True)
    assert any(line.endswith(" ana") for line in ana.lines()[1:15]), "the name at the end of the curve"
    for peer in peers:
        await peer.tell(Rematch(id=ana.hall.id(), seat=peer.seat))
    ana.catch_up()
    await _all_cash(ana, peers, ana_first=True)
    tally = evening(ana.store)
    assert "ana won 0 (18 points), 9 more." in tally and tally.count("won") == 6
    assert "and 9 more" in short_standings(ana) and "you 9" in short_standings(ana)
    shown = [text_of(one) for one in standings(ana.table._scene(ana.now), 74, 2)]
    assert len(shown) == 2 and "you 9" in shown[-1]


def short_standings(sitting: Sitting) -> str:
    (line,) = view_of("doubles").short_standings(Wording(sitting.store))
    return line


def test_there_are_not_more_names_than_rows() -> None:
    series = [Series(f"p{number}", (0, 10 - number), number == 8) for number in range(9)]
    for height in range(2, 12):
        lines = [text_of(line).split()[-1] for line in plot(series, 40, height, UNICODE)]
        names = [name for name in lines if name.startswith("p")]
        assert names == [*(f"p{number}" for number in range(min(height - 1, 8))), "p8"]
