"""Who plays over ssh is marked at the table for as long as that is so, whatever else is said of the seat."""

import re

from support.hall import Hall
from support.sitting import Sitting, begin, catch_up


def row_of(name: str, sitting: Sitting) -> str:
    """The row of a player in the list of seats."""
    rows = [line for line in sitting.lines() if "│" in line and re.match(rf"[ *>\d]*{name}\b", line)]
    assert len(rows) == 1, sitting.text()
    return rows[0].partition("│")[0]  # without the feed


async def test_the_mark_stays_when_somebody_is_away_and_when_the_game_is_over() -> None:
    hall = Hall()
    ana, cy = await hall.peer(), await hall.peer()
    cy.link.over_ssh = True
    code = (await ana.create("double-or-nothing", "ana", options={"first": "1"})).room
    await cy.join(code, "cy")
    seats = [Sitting(hall, ana), Sitting(hall, cy)]
    assert re.search(r"cy \(ssh\) +not ready *$", row_of("cy", seats[0]))
    await begin(seats)
    assert re.search(r"you \(ssh\) +0", row_of("you", seats[1])) and "ssh" not in row_of("you", seats[0])
    await cy.drop()
    await hall.settle()
    catch_up(seats[0])
    assert re.search(r"cy \(ssh\) +0  AWAY, held 15:00 *$", row_of("cy", seats[0])), seats[0].text()
    cy = await hall.peer()
    cy.link.over_ssh = True
    await cy.resume(seats[1].peer)
    seats[1] = Sitting(hall, cy)
    for mover, key in ((0, "d"), (1, "d"), (0, "d"), (1, "d"), (0, "d"), (0, "y")):  # 2, 4, 8, 16, 32: it asks once
        hall.clock.advance(1)  # nobody answers in the moment in which it is asked
        catch_up(*seats)
        await seats[mover].press(key)
    catch_up(*seats)
    assert re.search(r"cy \(ssh\) +1  WINNER\b", row_of("cy", seats[0])), seats[0].text()


async def test_the_longest_name_gives_way_to_the_marks() -> None:
    hall = Hall()
    ana = await hall.peer()
    ana.link.over_ssh = True
    await ana.create("doubles", "a" * 16)
    assert re.search(r"a+… \(host\) \(ssh\) +not ready *$", row_of("a+", Sitting(hall, ana)))
