"""A move of the game that can't be made now: line mode says why, in the same words as the screen."""

import pytest

from client.screens.scenes import THIRD_SEVEN
from dicegames_client.play.keys import offer_keys
from dicegames_client.views import view_of
from dicegames_protocol.games import keys
from dicegames_protocol.table import Offer
from support.hall import Hall
from support.sitting import Sitting
from support.typist import Typist

ONES = (1, 1, 2, 3, 4, 6)
FIRST_BANK = "Your first bank takes at least 300; you have {}. Type 'keep' or 'roll'."


@pytest.mark.parametrize(
    ("game", "rolls", "lines", "options", "said"),
    [
        ("farkle", [ONES], ["bank"], {}, "There is nothing to bank yet: roll first. Type 'roll'."),
        ("farkle", [ONES], ["keep 1"], {}, "There is nothing to keep yet: roll first. Type 'roll'."),
        ("farkle", [ONES], ["5"], {}, "There is nothing to keep yet: roll first. Type 'roll'."),
        ("farkle", [ONES], ["roll", "bank"], {"opening": 300}, FIRST_BANK.format(0)),
        ("farkle", [ONES], ["roll", "bank 2 2"], {"opening": 300}, FIRST_BANK.format(0)),
        ("farkle", [ONES], ["roll", "bank 1 1"], {"opening": 300}, FIRST_BANK.format(200)),
        ("farkle", [ONES], ["roll", "bank all"], {"opening": 300}, FIRST_BANK.format(200)),
        ("farkle", [ONES], ["roll", "keep 1", "bank"], {"opening": 300}, FIRST_BANK.format(100)),
        ("farkle", [ONES], ["roll", "keep 1", "bank"], {"minimum": 150}, "A bank takes at least 150; you have 100."),
        ("doubles", [(1, 2)], ["cash"], {}, "There is nothing to cash out before the first roll. Type 'roll'."),
        ("doubles", [(1, 2)], ["hold"], {}, "Holding comes after the third seven. Until then you stay in anyway."),
        ("doubles", [(1, 2), (1, 3)], ["roll", "hold"], {}, "Holding comes after the third seven."),
        ("sevens", [(6,) * 6, (1,) * 6], ["roll", "keep"], {}, "There is nothing to keep yet: roll first."),
    ],
)
async def test_a_dead_word_says_why(
    game: str, rolls: list[tuple[int, ...]], lines: list[str], options: dict[str, object], said: str
) -> None:
    hall = Hall(*rolls)
    ana, bo = await hall.table(game, "ana", "bo", options=options)
    typist = Typist(hall, ana)
    for line in lines[:-1]:
        await typist.type(line)
    if game == "sevens":
        await bo.move("roll")
        await typist.catch_up()
    told = await typist.type(lines[-1])
    assert said in told
    await typist.leave()


async def test_after_the_third_seven() -> None:
    hall = Hall(*THIRD_SEVEN)
    peers = await hall.table("doubles", "ana", "bo")
    for number in range(4):
        await peers[number % 2].move("roll")
    typist = Typist(hall, peers[0])
    assert "The dice roll by themselves when everybody has decided" in await typist.type("roll")
    await typist.type("hold")
    assert (await typist.type("hold")).startswith("You hold already.")
    await typist.leave()


@pytest.mark.parametrize("game", keys())
async def test_no_move_of_a_game_is_unknown(game: str) -> None:
    """Whatever is not offered at the first move, screen and line mode know it, and say the same of it."""
    hall = Hall()
    ana, _ = await hall.table(game, "ana", "bo")
    typist, sitting = Typist(hall, ana), Sitting(hall, ana)
    await typist.type("help")
    view, offers = view_of(game), typist.store.offers(0)
    assert view.moves and set(offers) <= set(view.moves)
    key_of = {take: key for key, take in offer_keys({take: Offer(label=take) for take in view.moves}).items()}
    for take in set(view.moves) - set(offers):
        told = await typist.type(take)
        await sitting.press(key_of[take])
        assert "is not a move" not in told
        assert told.splitlines()[0].partition(" Type ")[0] in sitting.lines()[-1]
    await typist.leave()
