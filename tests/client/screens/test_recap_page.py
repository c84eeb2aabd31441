"""After a game: the whole story on a page, the tally of the evening, and who wants a rematch."""

from support.hall import Hall
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
