"""The waiting room on the screen: who is away, and whose seat the host frees."""

from dicegames_client.guest.events import Back, Lost
from dicegames_protocol.messages.client import Kick
from support.hall import Hall
from support.sitting import Sitting, catch_up, pass_time, sit_down
from support.typist import Typist


async def test_the_host_frees_the_seat_of_somebody_who_is_away() -> None:
    hall = Hall()
    ana, bo, cy = await sit_down(hall, "doubles", "ana", "bo", "cy")
    catch_up(ana, bo)
    await ana.press("f")
    assert ana.lines()[-1] == " Nobody is away." and ana.sent == []
    assert "[F]" not in ana.text()
    await cy.peer.drop()
    catch_up(ana, bo)
    assert "AWAY, held 1:00" in ana.text() and "[F] Free cy's seat" in ana.text()
    assert "[F]" not in bo.text()
    await bo.press("f")
    assert bo.lines()[-1] == " Only the host can do that. Y says that you are ready."
    await pass_time(hall, 20, ana)
    assert "AWAY, held 40s" in ana.text()
    await ana.press("f")
    assert isinstance(ana.sent[-1], Kick)
    assert "cy did not come back." in ana.text() and "[F]" not in ana.text()
    await ana.press("f")
    assert ana.lines()[-1] == " Nobody is away."


async def test_the_seat_can_be_freed_by_a_typed_command() -> None:
    hall = Hall()
    host, bo, cy = [await hall.peer() for _ in range(3)]
    room = (await host.create("doubles", "ana")).room
    await bo.join(room, "bo")
    await cy.join(room, "cy")
    ana = Typist(hall, host)
    assert "Nobody is away." in await ana.type("free")
    assert "bo is here." in await ana.type("free bo")
    await bo.drop()
    await cy.drop()
    await ana.catch_up()
    assert "cy did not come back." in await ana.type("/free cy")
    assert "bo did not come back." in await ana.type("free")
    await ana.leave()


async def test_how_long_the_own_seat_is_held() -> None:
    hall = Hall()
    peer = await hall.peer()
    await peer.create("doubles", "ana")
    seconds = 60
    ana = Sitting(hall, peer, hold_seconds=lambda: seconds)
    ana.table.hear(Lost(), ana.now)
    hall.clock.advance(6)
    assert "RECONNECTING 6s, seat held 0:54" in ana.text()
    hall.clock.advance(54)
    assert "RECONNECTING 60s, seat no longer held" in ana.text()
    ana.table.hear(Back(), ana.now)
    seconds = 900  # the game has begun meanwhile
    ana.table.hear(Lost(), ana.now)
    assert "RECONNECTING 0s, seat held 15:00" in ana.text()


async def test_who_sits_down_on_a_seat_that_was_freed_is_not_away() -> None:
    hall = Hall()
    ana, bo = await sit_down(hall, "doubles", "ana", "bo")
    await bo.peer.drop()
    await pass_time(hall, 60, ana)
    cy = await hall.peer()
    await cy.join(ana.store.room or "", "cy")
    catch_up(ana)
    assert "cy" in ana.text() and "AWAY" not in ana.text() and "[F]" not in ana.text()
