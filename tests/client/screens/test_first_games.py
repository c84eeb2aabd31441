"""Hints, warnings and sentences about keys that do nothing: what a newcomer needs."""

from collections.abc import Sequence

import pytest

from client.screens.scenes import THIRD_SEVEN
from dicegames_client.screens.table.adviser import WHOLE_GAME, Adviser
from support.hall import Hall
from support.sitting import STILL, Sitting, begin, catch_up, sit_down


async def _with_hints(hall: Hall, game: str, learned: list[tuple[str, str]]) -> list[Sitting]:
    """A table for two, at which ana sees hints. `learned`: what she has understood; more is added."""
    table = await sit_down(hall, game, "ana", "bo")
    adviser = Adviser(learned, lambda game, id: learned.append((game, id)), hints=True)
    table[0] = Sitting(hall, table[0].peer, STILL, adviser=adviser)
    await begin(table)
    return table


async def test_a_hint_comes_at_its_time_and_goes_when_it_was_understood() -> None:
    hall = Hall((3, 3), (1, 2), (1, 2), (1, 2), (3, 4), (1, 2))
    learned: list[tuple[str, str]] = []
    ana, bo = await _with_hints(hall, "doubles", learned)
    assert "Tip: All share one pot:" in ana.text()
    await ana.press("r")
    assert "Tip: C takes the pot for you and you sit out this round" in ana.text()
    for player in (bo, ana, bo, ana):
        catch_up(ana, bo)
        await player.press("r")
    catch_up(ana, bo)
    assert learned == [("doubles", "cash")], "two moves with it on the screen"
    assert "Tip: Four sevens burn the pot; the first three add 75." in ana.text()


async def test_after_a_whole_game_there_are_no_hints_for_it() -> None:
    learned: list[tuple[str, str]] = []
    hall = Hall((1,))
    ana, bo = await _with_hints(hall, "double-or-nothing", learned)
    for number, key in enumerate("daddad"):
        catch_up(ana, bo)
        await (ana, bo)[number % 2].press(key)
    hall.clock.advance(1)
    await bo.press("y")
    catch_up(ana, bo)
    assert learned[-1] == ("double-or-nothing", WHOLE_GAME)
    again, _ = await _with_hints(Hall((1,)), "double-or-nothing", learned)
    assert "Tip:" not in again.text()


async def test_without_hints_there_is_no_tip() -> None:
    ana, bo = await sit_down(Hall(), "doubles", "ana", "bo")
    await begin([ana, bo])
    assert "Tip:" not in ana.text()


async def test_cashing_out_before_the_first_seven_warns_once() -> None:
    hall = Hall((3, 3), (2, 2))
    learned: list[tuple[str, str]] = []
    ana, _ = await _with_hints(hall, "doubles", learned)
    await ana.press("r")
    await ana.press("c")
    assert "No seven has fallen yet, so the pot can't burn soon. Cash out 300? y/n" in ana.text()
    await ana.press("x")
    assert ana.lines()[-1] == " Cash out 300? y/n    Press y or n."
    hall.clock.advance(1)
    await ana.press("n", "c")
    assert ana.store.game["seats"]["0"]["score"] == 300, "the second time it is meant"


async def test_the_warning_counts_when_it_was_answered() -> None:
    """With bots the next roll comes in a second, and takes the question away before anybody has read it."""
    hall = Hall((3, 3), (2, 2))
    learned: list[tuple[str, str]] = []
    ana, bo = await _with_hints(hall, "doubles", learned)
    await ana.press("r", "c")
    catch_up(bo)
    await bo.press("r")
    catch_up(ana)
    assert "The game has moved on; nothing was sent." in ana.text() and ("doubles", "doubt-cash") not in learned
    await ana.press("c")
    assert "Cash out 600? y/n" in ana.text()
    hall.clock.advance(1)
    await ana.press("y")
    assert ("doubles", "doubt-cash") in learned and ana.store.game["seats"]["0"]["score"] == 600


async def test_practice_tells_what_happened_and_what_can_be_done() -> None:
    hall = Hall((3, 3), *THIRD_SEVEN)
    ana, bo = await sit_down(hall, "doubles", "ana", "bo")
    ana = Sitting(hall, ana.peer, STILL, adviser=Adviser(practice=True))
    await begin([ana, bo])
    assert "doubles double it. R rolls." in " ".join(ana.text().split())
    await ana.press("r")
    assert "Doubles on the first roll: the pot is 100 times the face." in ana.text()


async def test_opening_doubles_read_as_a_product() -> None:
    ana, bo = await sit_down(Hall((3, 3)), "doubles", "ana", "bo")
    await begin([ana, bo])
    await ana.press("r")
    assert "3 × 100 → 300" in ana.text()


async def _pressed(game: str, rolls: Sequence[tuple[int, ...]], keys: str, options: dict[str, object]) -> str:
    hall = Hall(*rolls)
    ana, bo = await sit_down(hall, game, "ana", "bo", options=options)
    await begin([ana, bo])
    if game == "sevens":
        await ana.press("r")
        await bo.press("r")
        catch_up(ana)
    await ana.press(*keys)
    return ana.text()


@pytest.mark.parametrize(
    ("game", "rolls", "keys", "options", "said"),
    [
        ("farkle", [], "b", {}, "There is nothing to bank yet: roll first."),
        ("farkle", [(1, 1, 2, 3, 4, 6)], "r11b", {"opening": 300}, "Your first bank takes at least 300; you have 200."),
        ("farkle", [(1, 1, 2, 3, 4, 6)], "rb", {"opening": 300}, "Your first bank takes at least 300; you have 0."),
        ("farkle", [(1, 1, 1, 3, 4, 6)], "r1b", {"opening": 300}, "Your first bank takes at least 300; you have 100."),
        ("farkle", [(1, 1, 2, 3, 4, 6)], "r1b", {"minimum": 150}, "A bank takes at least 150; you have 100."),
        ("doubles", [(1, 2)], "c", {}, "There is nothing to cash out before the first roll."),
        ("doubles", [(1, 2)], "h", {}, "Holding comes after the third seven."),
        ("sevens", [(6,) * 6, (1,) * 6], "k", {}, "There is nothing to keep yet: roll first."),
        ("double-or-nothing", [(1,)], "o", {}, "Nothing is left to chance in this game, so there are no odds."),
    ],
)
async def test_a_dead_key_says_why(
    game: str, rolls: list[tuple[int, ...]], keys: str, options: dict[str, object], said: str
) -> None:
    assert said in await _pressed(game, rolls, keys, options)


async def test_the_last_turns_say_what_is_needed() -> None:
    hall = Hall((1, 1, 1, 5, 2, 3), (1, 5, 2, 2, 3, 4))
    ana, bo = await sit_down(hall, "farkle", "ana", "bo", options={"target": 1000})
    await begin([ana, bo])
    await ana.press("r", "a", "b")
    catch_up(bo)
    await bo.press("r", "1")
    assert "LAST TURN   1,051 to win; you have 100" in bo.text()


async def test_odds_are_offered_only_where_there_are_some() -> None:
    async def keys(game: str) -> str:
        ana, bo = await sit_down(Hall((1,)), game, "ana", "bo")
        waiting = ana.lines()[-2]
        await begin([ana, bo])
        return f"{waiting}|{' '.join(ana.lines()[-3:])}"

    waiting, playing = (await keys("doubles")).split("|")
    assert "[O]" not in waiting and "[O] Odds" in playing
    assert "[O]" not in await keys("double-or-nothing")
