"""Who plays over ssh is marked at the table for as long as they play, whatever else is said of the seat."""

import re

from support.hall import Hall
from support.sitting import Sitting, begin, catch_up


def row_of(name: str, sitting: Sitting) -> str:
    """The row of a player in the list of seats."""
    rows = [line for line in sitting.lines() if "│" in line and re.match(rf"[ *>\d]*{name}\b", line)]
    assert len(rows) == 1, sitting.text()
    return rows[0].partition("│")[0]  # without the feed


async def test_the_mark_is_there_before_in_and_after_the_game() -> None:
    hall = Hall()
    ana, cy = await hall.peer(), await hall.peer()
    cy.link.over_ssh = True
    code = (await ana.create("double-or-nothing", "ana", options={"first": "1"})).room
    await cy.join(code, "cy")
    seats = [Sitting(hall, ana), Sitting(hall, cy)]
    assert "ssh not ready" in row_of("cy", seats[0])
    await begin(seats)
    assert re.search(r"\bssh\b", row_of("cy", seats[0])) and "ssh" not in row_of("you", seats[0])
    await cy.drop()
    await hall.settle()
    catch_up(seats[0])
    assert re.search(r"  AWAY, held 15:00 *$", row_of("cy", seats[0])), seats[0].text()  # with the mark it would be cut
    cy = await hall.peer()
    cy.link.over_ssh = True
    await cy.resume(seats[1].peer)
    seats[1] = Sitting(hall, cy)
    for mover, key in ((0, "d"), (1, "d"), (0, "d"), (1, "d"), (0, "d"), (0, "y")):  # 2, 4, 8, 16, 32: it asks once
        hall.clock.advance(1)  # nobody answers in the moment in which it is asked
        catch_up(*seats)
        await seats[mover].press(key)
    catch_up(*seats)
    assert re.search(r"\bssh WINNER\b", row_of("cy", seats[0])), seats[0].text()


async def test_the_longest_name_leaves_room_for_the_mark() -> None:
    hall = Hall()
    ana = await hall.peer()
    ana.link.over_ssh = True
    await ana.create("doubles", "a" * 16)
    assert re.search(r"ssh not ready *$", row_of("a+", Sitting(hall, ana)))
