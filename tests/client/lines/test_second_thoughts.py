"""Moves that are asked about before they are made, in line mode: corrections, and what loses at once."""

import pytest

from support.hall import Hall
from support.typist import Typist


async def family(hall: Hall) -> Typist:
    """ana, bo and cy at one keyboard, with real dice."""
    peer = await hall.peer()
    room = (await peer.create("doubles", "ana", options={"dice": "entered", "window": 0})).room
    for name in ("bo", "cy"):
        await peer.join(room, name)
    typist = Typist(hall, peer)
    await typist.type("start")
    return typist


async def test_a_correction_names_the_roll_before_it_is_made() -> None:
    typist = await family(Hall())
    await typist.type("5 2")
    told = await typist.type("correct 4 4")
    assert told.startswith("ana: 5 2 becomes 4 4.\nNow: Round 1 of 10. The pot is 75. Then: ")
    assert "Type 'yes' to accept it." in told
    told = await typist.type("no")
    assert told.startswith("Nothing was done.\nbo, ") and typist.store.game["pot"] == 75
    await typist.type("correct #1 4 4")
    await typist.type("yes")
    assert typist.store.game["pot"] == 400
    await typist.leave()


async def test_a_correction_that_changes_nothing_is_not_offered() -> None:
    typist = await family(Hall())
    await typist.type("5 5")
    told = await typist.type("correct 5 5")
    assert told.startswith("That is what was typed: nothing would change.\nbo, ")
    await typist.type("yes")
    assert "corrects" not in typist.text
    await typist.leave()


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("correct 1", "Type the right two faces of the roll, such as 'correct 5 2'"),
        ("correct", "Type the right two faces of the roll, such as 'correct 5 2'"),
        ("correct 5 2 3", "Type the right two faces of the roll, such as 'correct 5 2'"),
        ("correct #3", "Type the right two faces of the roll, such as 'correct 5 2'"),
        ("correct 5 9", "A die has the faces 1 to 6; 9 is none of them."),
        ("correct #9 5 2", "'#9' is none of them. Type 'correct' and one of: #3 (1 1)."),
        ("undo 5", "Type just 'undo'."),
    ],
)
async def test_a_correction_that_is_not_whole_says_what_is_missing(typed: str, said: str) -> None:
    """It is ana's roll again; the last one was cy's."""
    typist = await family(Hall())
    for roll in ("5 2", "4 4", "1 1"):
        await typist.type(roll)
    told = await typist.type(typed)
    assert told.startswith(said) and "Not your turn" not in told
    await typist.leave()


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("correct 5 2", "There is no roll of yours that can be corrected now."),
        ("undo", "There is no roll of yours to take back: only the last one can be."),
    ],
)
async def test_where_nothing_can_be_corrected(typed: str, said: str) -> None:
    hall = Hall()
    ana, bo = await hall.table("doubles", "ana", "bo", options={"dice": "entered", "window": 0})
    mine, theirs = Typist(hall, ana), Typist(hall, bo)
    for typist in (mine, theirs):
        assert said in await typist.type(typed)
    await mine.leave()
    await theirs.leave()


async def test_a_move_that_loses_at_once_is_asked_about() -> None:
    ana, bo = await (hall := Hall((1,))).table("double-or-nothing", "ana", "bo", options={"start": 14})
    assert bo.store.game["turn"] == 0
    typist = Typist(hall, ana)
    told = await typist.type("double")
    assert "Double -> 28 loses at once. Type 'yes' if you mean it.\nana, choose" in told
    await typist.type("add")
    assert typist.store.game["number"] == 15, "another move is an answer, too"
    await bo.move("add")
    await typist.catch_up()
    await typist.type("double")
    assert "ana wins the game" not in await typist.type("Y")
    assert typist.store.phase == "over" and "You lose." in typist.text
    await typist.leave()
