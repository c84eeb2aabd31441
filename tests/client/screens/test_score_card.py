"""Real dice on the screen: faces are keys, the last roll is taken back, an earlier one is corrected."""

import re

import pytest

from dicegames_client.guest.events import Lost
from dicegames_client.play.hints import MOST_HINTED
from dicegames_client.screens.screen import Size
from dicegames_client.screens.table.adviser import Adviser
from dicegames_client.widgets.lines import text_of
from dicegames_protocol.messages.client import MakeMove
from support.hall import Hall
from support.sitting import STILL, Sitting, begin, sit_down


async def family(hall: Hall, game: str = "doubles", **options: object) -> Sitting:
    """ana, bo and cy at one keyboard."""
    peer = await hall.peer()
    given = {"window": 0} if game == "doubles" else {}
    room = (await peer.create(game, "ana", options={"dice": "entered", **given, **options})).room
    for name in ("bo", "cy"):
        await peer.join(room, name)
    us = Sitting(hall, peer)
    await us.press("s")
    us.catch_up()
    return us


def takes(sitting: Sitting) -> list[str]:
    return [f"{sent.seat} {sent.move.take}" for sent in sitting.sent if isinstance(sent, MakeMove)]


def shown(sitting: Sitting) -> str:
    """The page, with its last line."""
    return " ".join(sitting.text().split())


async def yes(us: Sitting) -> None:
    us.hall.clock.advance(1)
    await us.press("y")


async def test_two_keys_are_a_roll() -> None:
    us = await family(Hall())
    await us.press("5", "2", "4", "4", "1", "1")
    assert takes(us) == ["0 roll", "1 roll", "2 roll"]
    assert us.store.game["pot"] == 300


async def test_an_earlier_roll_is_corrected_and_shown_before() -> None:
    us = await family(Hall())
    await us.press("5", "2", "4", "4", "1", "1", "/")
    assert await us.type("/bo cash")
    await us.press("x")
    assert "Which roll was wrong? > roll 3 cy 1 1 roll 2 bo 4 4 roll 1 ana 5 2" in shown(us)
    await us.press("down", "down", "down", "enter")
    assert "ana, roll 1, which was typed as 5 2: press the right faces." in shown(us)
    await us.press("5", "3")
    page = shown(us)
    assert "ana: 5 2 becomes 5 3." in page
    assert "now Round 1 of 10. The pot is 300. then Round 1 of 10. The pot is 32." in page
    assert "now bo has 300, out with 300. then bo has 32, out with 32." in page
    assert us.store.game["pot"] == 300
    await us.press("y", "t", "?")  # too soon, and no answers
    assert us.store.game["pot"] == 300 and "Press y to accept it, n to leave it." in shown(us)
    await yes(us)
    assert us.store.game["pot"] == 32
    assert [entry.text for entry in us.table.stage.feed.found("")][-3:] == [
        "ana corrects an earlier roll from 5 2 to 5 3.",
        "cy rolls 1-1 DOUBLES! pot 32",
        "bo cashes out 32",
    ]


async def test_no_leaves_everything_as_it_is() -> None:
    us = await family(Hall())
    await us.press("5", "2", "x", "6", "6")
    assert "ana: 5 2 becomes 6 6." in shown(us)
    await us.press("n")
    assert us.store.game["pot"] == 75 and "becomes" not in shown(us) and takes(us) == ["0 roll"]
    await us.press("x", "escape")
    assert "right faces" not in shown(us)
    await us.press("x", "q")
    assert "Leave?" not in shown(us)


async def test_what_is_lost_is_said_before() -> None:
    us = await family(Hall(), rounds=2)
    await us.press("6", "1", "6", "1", "6", "1", "1", "2", "/")
    assert await us.type("/cy cash")
    await us.press("u")
    assert "ana: 1 2 is taken back." in shown(us)
    assert "Moves that are taken back: 1 of cy." in shown(us)
    await us.press("n", "x", "enter", "3", "4")
    assert "Moves that are taken back: 1 of cy." in shown(us) and "then Round 2 of 2" in shown(us)
    await yes(us)
    assert us.store.game["round"] == 2 and us.store.game["seats"]["2"]["score"] == 0


async def test_a_name_in_front_means_that_player() -> None:
    us = await family(Hall())
    await us.press("5", "2", "4", "4", "/")
    assert await us.type("/ana correct 5 3")
    assert "ana: 5 2 becomes 5 3." in shown(us)
    await yes(us)
    assert us.store.game["pot"] == 16
    await us.press("/")
    assert await us.type("/correct 1 1")  # without a name: the last roll
    assert "bo: 4 4 becomes 1 1." in shown(us)
    await us.press("n", "/")
    assert not await us.type("/cy correct 5 3")
    us.table.cancel(us.now)
    assert us.store.game["pot"] == 16


async def test_players_apart_correct_only_their_own() -> None:
    hall = Hall()
    ana, bo = await sit_down(hall, "doubles", "ana", "bo", options={"dice": "entered", "window": 0})
    await begin([ana, bo])
    await ana.press("5", "2")
    bo.catch_up()
    assert "[U]" not in bo.text() and "[X]" not in bo.text()
    await bo.press("u")
    assert "There is no roll of yours to take back: only the last one can be." in bo.text()
    await bo.press("x")
    assert "There is no roll of yours that can be corrected now." in bo.text()
    await bo.press("4", "4")
    ana.catch_up()
    assert "[X] Correct" in ana.text() and "[U]" not in ana.text()
    await ana.press("x", "5", "3")
    assert "bo has 16" not in shown(ana)
    await bo.press("c")
    await bo.press("y") if bo.table._confirmation else None
    ana.catch_up()
    hall.clock.advance(1)
    ana.table.press("y", ana.now)  # what is on the screen is not what would come of it now
    assert takes(ana) == ["0 roll"]
    await ana.deliver()
    assert "then bo has 16, out with 16." in shown(ana)  # it is worked out anew
    await bo.press("u")
    hall.clock.advance(1)
    await bo.press("y")
    ana.catch_up()
    assert ana.store.game["pot"] == 75
    await ana.deliver()
    assert "then Round 1 of 10. The pot is 8." in shown(ana)
    await yes(ana)
    assert ana.store.game["pot"] == 8


async def test_the_last_roll_of_a_game_was_wrong() -> None:
    us = await family(Hall(), rounds=1)
    await us.press("6", "1", "6", "1", "6", "1", "3", "4")
    assert us.store.phase == "over" and "[U] Take back  [X] Correct" in us.text()
    await us.press("u")
    assert us.store.phase == "playing" and "So the game is not over: it goes on." in shown(us)
    assert "roll" in us.text() and us.store.game["sevens"] == 3


async def test_a_wrong_record_is_not_in_the_recap() -> None:
    us = await family(Hall(), rounds=1)
    await us.press("6", "6", "5", "5", "/")
    assert await us.type("/ana cash")
    before = us.table.stage.recap
    assert any("1,200" in found.sentence for found in before.best)
    await us.press("x", "down", "enter", "1", "2")
    await yes(us)
    recap = us.table.stage.recap
    assert not any("1,200" in found.sentence for found in recap.best)
    assert [event["kind"] for event in recap.story][-3:] == ["rolled", "rolled", "cashed_out"]
    assert [event["kind"] for event in recap.story].count("rolled") == 2


async def test_a_corrected_roll_is_not_compared_with_the_wrong_table() -> None:
    us = await family(Hall(), rounds=1)
    await us.press("5", "2", "4", "4", "x", "down", "enter", "5", "3")
    await yes(us)
    assert us.store.game["pot"] == 16 and not us.table.stage.recap.best
    await us.press("1", "1")
    assert [found.sentence for found in us.table.stage.recap.best] == ["cy, 1-1: the pot grew by 16 to 32"]


async def test_faces_of_the_other_games() -> None:
    hall = Hall()
    us = await family(hall, "sevens", rounds=1)
    await us.press(*"666666", *"111111", *"222222")
    assert us.store.game["stage"] == "play" and "YOUR TURN, ana" in us.text()
    await us.press(*"12463", "backspace", *"33")
    assert us.store.game["left"] == [2, 3]
    await us.press("6", "6")
    assert us.store.game["left"] == [6, 6]
    farkle = await family(hall, "farkle")
    await farkle.press(*"112345", "1", "1", "r")
    assert "The roll of ana: _ _ _ _" in farkle.text()
    await farkle.press(*"5555")
    assert farkle.store.game["points"] == 200 and farkle.store.game["dice"] == [5, 5, 5, 5]


async def test_keys_of_the_table_work_while_dice_are_typed() -> None:
    us = await family(Hall())
    await us.press("5", "t")
    assert us.table.prompt and us.table.prompt.label == "Say: "
    us.table.cancel(us.now)
    await us.press("z")
    assert "Type the faces that you rolled, 1 to 6. Esc cancels." in us.text()
    await us.press("ctrl-c")
    assert "Leave?" not in us.text() and "The roll of" not in us.text()
    await us.press("5")
    us.table.hear(Lost("gone"), us.now)
    assert "The roll of" not in us.text()


async def test_a_moment_does_not_swallow_the_first_die() -> None:
    us = await family(Hall())
    await us.press("6", "1", "6", "1", "6", "1", "3", "4")
    assert us.table.stage.interlude.moment
    await us.press_at_once("5", "2")
    assert us.store.game["round"] == 2 and us.store.game["pot"] == 75


async def test_every_page_fits() -> None:
    us = await family(Hall())
    for _ in range(12):
        await us.press("1", "2")
    for keys in (["x"], ["down", "end", "enter"], ["6", "6"]):
        await us.press(*keys)
        for size in (Size(60, 20), Size(80, 24), Size(200, 60)):
            lines = [text_of(line) for line in us.table.paint(size, us.now)]
            assert len(lines) == size.rows - 1 and all(len(line) <= size.columns for line in lines)


@pytest.mark.parametrize("game", ["doubles", "sevens", "farkle"])
async def test_a_number_that_is_no_face_begins_no_roll(game: str) -> None:
    us = await family(Hall(), game)
    for key in "0789":
        await us.press(key)
        assert f"A die has the faces 1 to 6; {key} is none of them." in us.text()
        assert us.table._playing.entry is None
    if game == "doubles":
        await us.press("c")
        assert "There is nothing to cash out before the first roll." in us.text(), "the other keys still act"


async def test_it_is_said_that_a_roll_and_what_was_kept_for_it_are_one_move() -> None:
    us = await family(Hall(), "farkle")
    await us.press(*"112346", "1", "r", *"55523")
    assert us.store.game["points"] == 100
    await us.press("u")
    said = "What was kept for this roll (100 points) is taken back, too: keeping and rolling are one move."
    assert "ana: 5 5 5 2 3 is taken back." in shown(us) and said in shown(us)
    await yes(us)
    assert us.store.game["points"] == 0 and us.store.game["dice"] == [1, 1, 2, 3, 4, 6]
    await us.press("u")
    assert "dice" not in us.store.game, "the first roll of a turn is nothing but a roll: it is not asked about"
    await us.press(*"112346", "1", "r", *"22334", "u")
    assert "What was kept for this roll is taken back, too" in shown(us), "a farkle has ended the turn"


@pytest.mark.parametrize("game", ["doubles", "sevens", "farkle"])
async def test_tips_name_no_key_that_is_not_there(game: str) -> None:
    """Where real dice are typed, their faces are the keys, and there is no R."""
    us = await family(Hall(), game)
    us = Sitting(us.hall, us.peer, STILL, adviser=Adviser(hints=True))
    tips = set()
    for key in "112346 1 r 12345 52 52 166666 52 112346":
        if found := us.table._adviser.hint(us.table._scene(us.now)):
            keys = " ".join(us.lines(200)[-4:-1])
            assert len(found) <= MOST_HINTED
            assert all(f"[{named}]" in keys for named in re.findall(r"\b[A-Z]\b", found)), (found, keys)
            tips.add(found)
        if key != " ":
            await us.press(key)
    assert len(tips) > 1
