"""What matters is shown on the stage for a moment, and keys pressed then are not meant for what comes next."""

import pytest

from client.screens.scenes import THIRD_SEVEN
from dicegames_client.base.terminal.display_options import DisplayOptions
from dicegames_client.screens.table.stage.interlude import (
    LEAST_MOMENT_SECONDS,
    MOMENT_SECONDS,
    MOST_PAUSE_SECONDS,
    PAUSE_SECONDS,
    SEEN_SECONDS,
)
from dicegames_protocol.messages.client import MakeMove, Rematch
from support.hall import Hall
from support.sitting import Sitting, begin, catch_up, pass_time, sit_down


def moves(sitting: Sitting) -> int:
    return sum(isinstance(request, MakeMove) for request in sitting.sent)


async def _lost_by_bo() -> tuple[Hall, Sitting, Sitting]:
    """The first game of three is over: bo has gone over 20, and ana begins the next one or bo does."""
    hall = Hall((1,))
    ana, bo = await sit_down(hall, "double-or-nothing", "ana", "bo", options={"best_of": 3})
    await begin([ana, bo])
    for number, key in enumerate("daddad"):
        catch_up(ana, bo)
        await (ana, bo)[number % 2].press(key)
    hall.clock.advance(1)
    await bo.press("y")
    catch_up(ana, bo)
    return hall, ana, bo


async def test_a_key_in_the_moment_between_two_games_does_not_play_in_the_next() -> None:
    _, ana, bo = await _lost_by_bo()
    next_player = bo if bo.store.game["turn"] == bo.peer.seat else ana
    assert "2 6 :   O V E R   2 0" in next_player.text() and "ana 1" in bo.text()
    before = moves(next_player)
    await next_player.press_at_once("d")
    assert moves(next_player) == before, "the key was meant for the game before"
    assert next_player.store.game["number"] == 1 and "O V E R" in next_player.text(), "it is seen for half a second"
    next_player.hall.clock.advance(SEEN_SECONDS)
    assert "NUMBER" in next_player.text()
    await next_player.press_at_once("d", "d")
    assert moves(next_player) == before, "nobody can have seen the next game as fast as that"
    assert "That was too soon to be meant for this. Press it again." in next_player.text()
    next_player.hall.clock.advance(PAUSE_SECONDS)
    await next_player.press_at_once("d")
    assert moves(next_player) == before + 1


async def test_whoever_presses_keys_all_the_time_sees_the_end_and_does_not_play_on() -> None:
    hall, ana, bo = await _lost_by_bo()
    masher = bo if bo.store.game["turn"] == bo.peer.seat else ana
    before, every, frames = moves(masher), 0.12, []
    for _ in range(int((SEEN_SECONDS + MOST_PAUSE_SECONDS) / every) - 1):
        hall.clock.advance(every)
        await masher.press_at_once("d")
        frames.append(masher.text())
    assert moves(masher) == before
    seen = sum("O V E R" in frame for frame in frames)
    assert SEEN_SECONDS / every - 1 <= seen < len(frames)
    hall.clock.advance(2 * every)
    await masher.press_at_once("d")
    assert moves(masher) == before + 1, "a key that is held down for seconds is meant, in the end"


async def test_a_moment_between_two_turns_stays_for_half_a_second() -> None:
    hall = Hall((2, 3, 4, 6, 2, 3), (1, 2, 3, 4, 6, 6))
    ana, bo = await sit_down(hall, "farkle", "ana", "bo")
    await begin([ana, bo])
    await ana.press("r")
    catch_up(bo)
    await bo.press_at_once("z")
    assert "F A R K L E !" in bo.text()
    await pass_time(hall, SEEN_SECONDS, bo)
    assert "F A R K L E !" not in bo.text()


async def test_a_moment_ends_by_itself() -> None:
    hall, ana, _ = await _lost_by_bo()
    assert ana.table.pulse(ana.now) is not None
    await pass_time(hall, MOMENT_SECONDS - 0.1, ana)
    assert "O V E R" in ana.text()
    await pass_time(hall, 0.2, ana)
    before = moves(ana)
    ana.text()
    await ana.press_at_once("d")
    assert moves(ana) == before, "it was pressed to end the moment"
    assert "O V E R" not in ana.text() and "game 2 of 3" in ana.text()


async def test_talk_and_help_work_in_a_moment() -> None:
    _, ana, _ = await _lost_by_bo()
    await ana.press_at_once("t")
    assert ana.table.prompt is not None
    ana.table.cancel(ana.now)
    await ana.press_at_once("?")
    assert "Rules: Double or Nothing" in ana.text()


async def test_a_bust_shows_the_dice_and_the_standings() -> None:
    hall = Hall(*THIRD_SEVEN, (1, 6))
    table = await sit_down(hall, "doubles", "ana", "bo", "cy")
    await begin(table)
    for number in range(4):
        catch_up(*table)
        await table[number % 3].press("r")
    catch_up(*table)
    await table[2].press("c")
    await pass_time(hall, 10, *table)
    text = table[0].text()
    assert "B U S T" in text and "bo rolls the fourth seven: 625 are gone. Round 1 is over." in text
    assert "cy 625    you 0    bo 0" in text and "●" in text


async def test_a_cash_out_is_on_the_stage_and_takes_no_key_away() -> None:
    hall = Hall(*THIRD_SEVEN)
    table = await sit_down(hall, "doubles", "ana", "bo", "cy")
    await begin(table)
    for number in range(4):
        catch_up(*table)
        await table[number % 3].press("r")
    catch_up(*table)
    await table[2].press("c")
    catch_up(*table)
    assert "CASH-OUT   cy takes 625, that makes 625" in table[0].text()
    await table[0].press_at_once("c")
    catch_up(*table)
    assert table[0].store.game["seats"]["0"]["score"] == 625


async def test_at_the_end_of_a_turn_the_next_player_need_not_wait() -> None:
    hall = Hall((2, 3, 4, 6, 2, 3), (1, 2, 3, 4, 6, 6))
    ana, bo = await sit_down(hall, "farkle", "ana", "bo")
    await begin([ana, bo])
    await ana.press("r")
    catch_up(bo)
    assert "F A R K L E !" in bo.text() and "ana had nothing at risk." in bo.text()
    await bo.press_at_once("r")
    assert bo.store.game["dice"] == [1, 2, 3, 4, 6, 6], "a turn has ended, not a round: the key is for the new turn"


async def test_the_next_dice_end_a_moment_after_a_second() -> None:
    hall = Hall((2, 3, 4, 6, 2, 3), (1, 2, 3, 4, 6, 6))
    ana, bo = await sit_down(hall, "farkle", "ana", "bo")
    await begin([ana, bo])
    await ana.press("r")
    catch_up(ana, bo)
    await pass_time(hall, LEAST_MOMENT_SECONDS, ana, bo)
    assert "F A R K L E !" in ana.text()
    await bo.press("r")
    catch_up(ana)
    assert "F A R K L E !" not in ana.text() and "bo's turn    roll 1" in ana.text()


async def test_the_dice_of_the_last_player_go_when_it_is_your_turn() -> None:
    hall = Hall((6,) * 6, (1,) * 6, (1, 2, 4, 6, 3, 3))
    ana, bo = await sit_down(hall, "sevens", "ana", "bo")
    await begin([ana, bo])
    await ana.press("r")
    await bo.press("r")
    catch_up(ana, bo)
    await ana.press("r", "k")
    catch_up(ana, bo)
    await pass_time(hall, MOMENT_SECONDS, ana, bo)
    assert "all six dice are to be rolled" in bo.text() and "●" not in bo.text()


async def test_dice_tumble_from_where_they_lie_under_the_header_of_the_new_roll() -> None:
    hall = Hall((1, 1, 2, 3, 4, 6), (2, 2, 3, 3))
    moving = DisplayOptions(motion=True)
    ana, bo = await sit_down(hall, "farkle", "ana", "bo", display=moving)
    await begin([ana, bo])
    await ana.press("r")
    hall.clock.advance(1)
    ana.table.stage.tick(ana.now)
    await ana.press("1", "1", "r")
    assert ana.table.stage.in_the_air(ana.now) == (2, 3, 4, 6)
    assert "roll 2    kept this turn 200" in ana.text()


@pytest.mark.parametrize("key", ["b", "m", "x"])
async def test_no_key_of_the_recap_acts_while_the_end_of_the_game_is_shown(key: str) -> None:
    hall = Hall((1,))
    ana, bo = await sit_down(hall, "double-or-nothing", "ana", "bo")
    await begin([ana, bo])
    for number, pressed in enumerate("daddad"):
        catch_up(ana, bo)
        await (ana, bo)[number % 2].press(pressed)
    hall.clock.advance(1)
    await bo.press("y")
    catch_up(ana, bo)
    sent = len(ana.sent)
    await ana.press_at_once(key)
    await pass_time(ana.hall, SEEN_SECONDS, ana)
    assert len(ana.sent) == sent and "You win!" in ana.text()


async def test_a_moment_of_the_last_game_is_not_shown_with_the_scores_of_the_next() -> None:
    ana, bo = await sit_down(Hall((1,)), "double-or-nothing", "ana", "bo", options={"start": 19})
    await begin([ana, bo])
    await ana.press("a")
    assert "2 0 :   E X A C T L Y" in ana.text()
    for sitting in (ana, bo):
        await sitting.peer.tell(Rematch(id=ana.hall.id(), seat=sitting.peer.seat))
    catch_up(ana, bo)
    assert "E X A C T L Y" not in ana.text() and "NUMBER" in ana.text()
