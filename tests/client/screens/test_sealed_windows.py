"""Sealed windows on the screen and in lines: C and H decide, and nobody is shown what others have decided."""

from support.hall import Hall
from support.sitting import Sitting, begin, catch_up, sit_down
from support.typist import Typist

SEVENS = ((6, 1), (5, 2), (4, 3))


async def sealed(hall: Hall, *names: str) -> list[Sitting]:
    hall.dice.then(*SEVENS)
    table = await sit_down(hall, "doubles", *names, options={"sealed": True, "rounds": 1})
    await begin(table)
    for place in range(3):
        catch_up(*table)
        await table[place % len(table)].press("r")
    catch_up(*table)
    return table


async def test_keys_decide_once() -> None:
    hall = Hall()
    ana, bo, cy = await sealed(hall, "ana", "bo", "cy")
    assert "[C] Cash out 225  [H] Hold" in ana.text()
    await ana.press("c")
    catch_up(ana, bo, cy)
    assert "SEALED: YOU CASH OUT" in ana.text() and "decided: you" in ana.text()
    for key in ("c", "h"):
        await ana.press(key)
        assert "Sealed: shown when all have decided." in ana.text()
    assert not any(word in bo.text() for word in ("SEALED: YOU", "CASH-OUT", "OUT +"))
    assert "1 of 3 decided" in bo.text() and "decided: ana   undecided: you, cy" in bo.text()
    await bo.press("c")
    await cy.press("c")
    catch_up(ana, bo, cy)
    assert ana.store.phase == "over" and set(ana.store.info.winners or ()) == {0, 1, 2}


async def test_at_one_keyboard_nobody_s_decision_is_shown() -> None:
    hall = Hall()
    (peer,) = [await hall.peer()]
    room = (await peer.create("doubles", "ana", options={"sealed": True})).room
    await peer.join(room, "bo")
    family = Sitting(hall, peer)
    hall.dice.then(*SEVENS)
    await family.press("y", "r", "r", "r", "c")
    assert "1 of 2 decided" in family.text()
    assert "CASH OUT?" in family.text() and "SEALED" not in family.text()


async def test_in_lines() -> None:
    hall = Hall()
    hall.dice.then(*SEVENS, (1, 2))
    peers = [await hall.peer() for _ in range(2)]
    room = (await peers[0].create("doubles", "ana", options={"rounds": 1})).room
    await peers[1].join(room, "bo")
    ana, bo = Typist(hall, peers[0]), Typist(hall, peers[1])
    await hall.settle()
    assert "Now: sealed yes." in await ana.type("/set sealed=yes")
    assert "Now: sealed no." in await ana.type("/set sealed=no")
    assert "set window to at least 1 second" in await ana.type("/set sealed=yes window=0")
    await ana.type("/set sealed=yes")
    for typist in (ana, bo):
        await typist.type("ready")
    for typist in (ana, bo, ana):
        await typist.catch_up()
        await typist.type("roll")
    await bo.catch_up()
    assert "You are in. Type 'cash' or 'hold'. Next roll in 10 seconds. Decisions are sealed." in bo.text
    assert "You have decided. Sealed: shown when all have decided." in await ana.type("cash")
    assert "Sealed: shown when all have decided." in await ana.type("hold")
    await bo.catch_up()
    assert "ana has decided. 1 of 2 have." in bo.text and "cashes" not in bo.text
    await bo.type("hold")
    await ana.catch_up()
    assert "The window is closed. Cashing out: you. Holding: bo." in ana.text
    for typist in (ana, bo):
        await typist.leave()
