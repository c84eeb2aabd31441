"""The table on the screen, key by key, against the real rules and rooms in memory."""

from dataclasses import replace

import pytest

from client.screens.scenes import THIRD_SEVEN
from dicegames_client.base.terminal.display_options import DisplayOptions
from dicegames_client.guest.events import Alarm, Back, Finished, Lost, News
from dicegames_client.screens.screen import Size
from dicegames_client.screens.table.outcome import Outcome
from dicegames_client.screens.table.stage.interlude import MOMENT_SECONDS
from dicegames_protocol.messages.client import Chat, MakeMove, Start
from dicegames_protocol.messages.server import Ack, Cause, Update
from support.hall import Hall
from support.remembering import Remembering
from support.sitting import STILL, Sitting, begin, catch_up, pass_time, sit_down
from support.views import without_view


def moves(sitting: Sitting) -> list[str]:
    return [request.move.take for request in sitting.sent if isinstance(request, MakeMove)]


async def test_from_the_waiting_room_to_the_rematch() -> None:
    hall = Hall((1,))
    ana, bo = await sit_down(hall, "double-or-nothing", "ana", "bo")
    assert "1 of 2 ready" not in ana.text()
    await begin([ana, bo])
    assert "YOUR MOVE" in ana.text()
    assert "ana's turn" in bo.text()
    for number, key in enumerate("dadd"):
        await (ana, bo)[number % 2].press(key)
        catch_up(ana, bo)
    assert "<12>" in ana.text()
    await ana.press("d")
    assert "Double → 24 loses at once. Really? y/n" in ana.text()
    hall.clock.advance(1)
    await ana.press("y")
    catch_up(ana, bo)
    assert "bo wins!" in ana.text()
    assert "You win!" in bo.text()
    assert "Where it was lost: nowhere" in " ".join(ana.text(120, 40).split())
    await bo.press("m")
    catch_up(ana, bo)
    await pass_time(hall, MOMENT_SECONDS, ana, bo)
    assert "1 of 2 want a rematch" in ana.text()
    await ana.press("m")
    catch_up(ana, bo)
    assert "YOUR MOVE" in bo.text()


async def test_a_move_that_loses_is_asked_about_and_not_answered_by_haste() -> None:
    hall = Hall((1,))
    ana, bo = await sit_down(hall, "double-or-nothing", "ana", "bo", options={"start": 12})
    await begin([ana, bo])
    await ana.press("d", "y")
    assert moves(ana) == []  # a `y` that comes with the question was not meant for it
    await ana.press("x")
    assert "Really?" in ana.text()
    await ana.press("n")
    assert "Really?" not in ana.text()
    await ana.press("d")
    hall.clock.advance(0.31)
    await ana.press("y")
    assert moves(ana) == ["double"]


async def test_farkle_picking() -> None:
    hall = Hall((1, 1, 2, 3, 4, 5), (1, 1, 1, 5, 2, 3))
    ana, bo = await sit_down(hall, "farkle", "ana", "bo")
    await begin([ana, bo])
    await ana.press("r", "b")
    assert "Pick dice first" in ana.text()
    await ana.press("2")
    assert "No 2 can be picked now." in ana.text()
    await ana.press("1", "1")
    assert "PICKED 1 1 = 200      could also take: 5 (+50)" in ana.text()
    await ana.press("1")
    assert "No 1 can be picked now." in ana.text()
    await ana.press("backspace")
    assert "PICKED 1 = 100" in ana.text()
    await ana.press("a")
    assert "PICKED 1 1 5 = 250" in ana.text()
    await ana.press("b")
    assert moves(ana) == ["roll", "bank"]
    assert ana.store.game["seats"]["0"]["score"] == 250
    catch_up(bo)
    await bo.press("r", "1", "1")
    assert "needs more dice" not in bo.text()
    await bo.press("1", "r")
    assert "roll 2" in bo.text()
    assert "PICKED" not in bo.text()


async def test_a_game_without_a_view_can_be_played_to_its_end() -> None:
    with without_view("farkle"):
        hall = Hall((1, 1, 1, 5, 2, 3), (2, 2, 3, 3, 4, 6))
        ana, bo = await sit_down(hall, "farkle", "ana", "bo", options={"target": 1000})
        await begin([ana, bo])
        await ana.press("r", "a", "b")
        catch_up(ana, bo)
        assert "YOUR TURN" in bo.text()
        await bo.press("r")
        catch_up(ana, bo)
        assert "You win!" in ana.text()
        assert "ana wins!" in bo.text()


async def test_doubles_third_seven() -> None:
    hall = Hall(*THIRD_SEVEN, (2, 3))
    table = await sit_down(hall, "doubles", "ana", "bo")
    ana, bo = table
    await begin(table)
    for roller in (ana, bo, ana, bo):
        catch_up(*table)
        await roller.press("r")
    catch_up(*table)
    assert "CASH OUT?  next roll in 10s" in ana.text()
    await ana.press("h")
    catch_up(*table)
    assert "CASH OUT?" not in ana.text()
    assert "holding: ana   undecided: you" in bo.text()
    await pass_time(hall, 6, *table)
    assert "next roll in 4s  [█████░░░░░░░]   1 of 2 holding" in ana.text()
    await bo.press("c")
    catch_up(*table)
    assert "YOU ARE OUT  +625" in bo.text()
    assert "OUT +625" in ana.text()
    await bo.press("r")
    assert "You have cashed out and are in again in the next round." in bo.text()


async def test_a_tumble_shows_the_state_before_and_any_key_skips_it() -> None:
    hall = Hall((4, 4), (5, 2))
    table = await sit_down(hall, "doubles", "ana", "bo", display=DisplayOptions())
    ana, bo = table
    await begin(table)
    await ana.press("r")
    catch_up(bo)
    assert "POT 0" in bo.text(60, 20)
    assert bo.table.stage.pulse(bo.now) == pytest.approx(0.08)
    await bo.press("z")
    assert "POT 400" in bo.text(60, 20)
    assert "does nothing" not in bo.text()
    hall.clock.advance(0.69)
    assert "POT 0" in ana.text(60, 20)
    hall.clock.advance(0.02)
    assert "POT 400" in ana.text(60, 20)
    assert ana.table.stage.pulse(ana.now) is None


async def test_a_key_during_a_tumble_is_a_move_on_what_was_seen() -> None:
    hall = Hall((4, 4), (5, 2))
    table = await sit_down(hall, "doubles", "ana", "bo", display=DisplayOptions())
    ana, bo = table
    await begin(table)
    await ana.press("r")
    catch_up(*table)
    hall.clock.advance(1)
    assert "POT 400" in ana.text(60, 20)
    assert "POT 400" in bo.text(60, 20)
    await bo.press("r")
    catch_up(ana)
    assert "SEVEN #1" not in ana.text()  # still in the air
    await ana.press("c")
    assert "Too late: the dice were already rolling. The pot was 400." in ana.text()
    assert "SEVEN #1" in ana.text()
    assert ana.store.game["seats"]["0"]["score"] == 0


async def test_a_tumble_gives_way_to_the_next_update() -> None:
    hall = Hall((4, 4), (5, 6))
    table = await sit_down(hall, "doubles", "ana", "bo", display=DisplayOptions())
    ana, bo = table
    await begin(table)
    await ana.press("r")
    catch_up(*table)
    ana.text()
    await bo.press("x")
    await bo.press("r")
    catch_up(ana)
    assert "POT 400" in ana.text(60, 20)  # the first roll has landed, the second one is in the air
    assert ana.store.seq == ana.peer.store.seq - 1


async def test_talk_does_not_overtake_the_dice() -> None:
    hall = Hall((4, 4))
    ana, bo = await sit_down(hall, "doubles", "ana", "bo", display=DisplayOptions())
    await begin([ana, bo])
    await ana.press("r")
    await ana.press("t")
    await ana.type("what a roll")
    catch_up(bo)
    assert "what a roll" not in bo.text()
    hall.clock.advance(0.8)
    lines = bo.lines()
    rolled, said = (next(n for n, line in enumerate(lines) if text in line) for text in ("DOUBLES! pot", "what a roll"))
    assert rolled < said


async def test_keys_say_why_not() -> None:
    hall = Hall()
    ana, bo = await sit_down(hall, "sevens", "ana", "bo")
    await bo.press("s")
    assert "Only the host can do that." in bo.text()
    await bo.press("z")
    assert "Z does nothing here. Press ? for the rules and the keys." in bo.text()
    await bo.press("o")
    assert "There are no odds before the game begins." in bo.text()
    await ana.press("s")
    catch_up(ana, bo)
    await ana.press("k")
    assert "There is nothing to keep yet: roll first." in ana.text()
    await ana.press("r")
    await ana.press("r")
    assert "Not your turn" in ana.text()


async def test_a_second_move_waits_for_the_answer_to_the_first() -> None:
    hall = Hall((4, 4))
    ana, bo = await sit_down(hall, "doubles", "ana", "bo")
    await begin([ana, bo])
    ana.table.press("r", ana.now)
    ana.table.press("r", ana.now)
    assert moves(ana) == ["roll"]
    assert "One moment: the server has not answered yet." in ana.text()
    await ana.deliver()
    await ana.press("c")
    assert moves(ana) == ["roll", "cash"]


async def test_a_spectator_can_change_nothing_and_may_sit() -> None:
    hall = Hall((4, 4))
    ana, bo = await sit_down(hall, "doubles", "ana", "bo")
    peer = await hall.peer()
    await peer.watch(ana.store.room or "")
    cy = Sitting(hall, peer, STILL, name="cy")
    await begin([ana, bo])
    catch_up(cy)
    assert cy.lines()[0].startswith(" WATCHING  Doubles")
    for key in "rchyabmx123":
        await cy.press(key)
    assert cy.sent == []
    assert "Nothing you press can change the game." in cy.text()
    await cy.press("s")
    assert cy.table.prompt and cy.table.prompt.text == "cy"
    assert await cy.type("cy")
    assert "You have a seat now, as cy. You play from the next game on." in cy.text()


async def test_a_log_is_saved_after_the_game_with_s_and_by_spectators_with_a_command() -> None:
    hall = Hall((1,))
    ana, bo = await sit_down(hall, "double-or-nothing", "ana", "bo", options={"start": 19})
    peer = await hall.peer()
    await peer.watch(ana.store.room or "")
    asked: list[str] = []
    ana = Sitting(hall, ana.peer, STILL, save=lambda: asked.append("ana"))
    cy = Sitting(hall, peer, STILL, name="cy", save=lambda: asked.append("cy"))
    await begin([ana, bo])
    catch_up(cy)
    await ana.press("s")
    assert asked == [] and "[S] Save" not in ana.text() + cy.text()
    await ana.press("a")
    catch_up(ana, bo, cy)
    assert "You win!" in ana.text() and "[S] Save log" in ana.text()
    await ana.press("s")
    assert asked == ["ana"]
    assert "[S] Sit next game" in cy.text() and "[/save] Log" in cy.text()
    await cy.press("/")
    assert await cy.type("/save")
    assert asked == ["ana", "cy"]
    await cy.press("s")
    assert cy.table.prompt and asked == ["ana", "cy"]


async def test_talk_and_commands() -> None:
    hall = Hall()
    ana, bo = await sit_down(hall, "doubles", "ana", "bo")
    await ana.press("t")
    assert ana.table.prompt is not None
    assert await ana.type("hello\u0301 there")
    assert ana.table.prompt is None
    catch_up(bo)
    assert "<ana> helló there" in bo.text()
    await ana.press("/")
    assert ana.table.prompt is not None
    assert not await ana.type("/frobnicate")
    assert "'frobnicate' is not a command." in ana.text()
    assert ana.table.prompt is not None
    assert await ana.type("/set rounds=3")
    catch_up(ana, bo)
    assert "Doubles, 3 rounds" in bo.lines()[0]
    await ana.press("t")
    assert not await ana.type("bad \x1b[2J")
    assert "can't hold the character U+001B" in ana.text()
    assert not any(isinstance(request, Chat) and "\x1b" in request.text for request in ana.sent)
    assert [word.text for word in ana.table.complete("/k")] == ["kick "]
    assert [word.text for word in ana.table.complete("/kick b")] == ["bo"]
    assert [word.text for word in ana.table.complete("/set ro")] == ["rounds="]
    assert ana.table.complete("hello") == []


async def test_leaving_asks_once_when_somebody_would_be_missed() -> None:
    hall = Hall()
    ana, bo = await sit_down(hall, "doubles", "ana", "bo")
    await begin([ana, bo])
    await ana.press("q")
    assert "Leave? A bot plays on for you. y/n" in ana.text()
    await ana.press("n")
    assert ana.table.result is None
    await ana.press("ctrl-c")
    assert ana.table.result is None
    await ana.press("ctrl-c")
    assert ana.table.result is not None
    await bo.press("t")
    bo.table.cancel(bo.now)
    await bo.press("q")
    hall.clock.advance(1)
    await bo.press("y")
    assert bo.table.result is not None


async def test_pages_scroll_and_close() -> None:
    hall = Hall()
    ana, bo = await sit_down(hall, "farkle", "ana", "bo", options={"preset": "boxed"})
    await begin([ana, bo])
    await ana.press("?")
    assert "Your first bank takes at least 500 points." in ana.text(80, 60)
    assert "three pairs" in ana.text(80, 60)
    assert "opening: 500  (least points of a player's first bank)" in ana.text(80, 100)
    first = ana.text()
    await ana.press("down", "pagedown")
    assert ana.text() != first
    await ana.press("r")
    assert moves(ana) == []
    assert "Press Esc to go back to the table." in ana.text()
    await ana.press("escape", "o")
    assert "a farkle with 6 dice" in ana.text()
    await ana.press("o")
    assert "YOUR TURN" in ana.text()
    assert bo.sent


async def test_a_lost_connection_disables_moves_and_tells_what_was_missed() -> None:
    hall = Hall((4, 4), (5, 6), (1, 2))
    ana, bo = await sit_down(hall, "doubles", "ana", "bo")
    await begin([ana, bo])
    await ana.press("r")
    catch_up(bo)
    ana.table.hear(Lost(), ana.now)
    hall.clock.advance(6)
    assert "RECONNECTING 6s, seat held 14:54" in ana.lines()[0]
    assert "─ OLD ─" in ana.text()
    before = len(ana.sent)
    await ana.press("r", "c", "h")
    assert len(ana.sent) == before
    assert "There is no connection at the moment; nothing was sent." in ana.text()
    await bo.press("r")
    await bo.press("c")
    catch_up(ana)
    ana.table.hear(Back(), ana.now)
    assert "While you were away: 1 roll, bo cashes out 411." in ana.text()
    assert "RECONNECTING" not in ana.text()
    assert "OLD" not in ana.text()


async def test_a_move_that_did_not_arrive_is_told() -> None:
    hall = Hall((4, 4))
    ana, bo = await sit_down(hall, "doubles", "ana", "bo")
    await begin([ana, bo])
    ana.table.press("r", ana.now)  # on its way, and never there
    ana.table.hear(Lost(), ana.now)
    ana.table.hear(Back(), ana.now)
    assert "You are back. Your last move did not arrive." in ana.text()
    await ana.deliver()
    ana.table.hear(Lost(), ana.now)
    ana.table.hear(Back(), ana.now)
    assert "You are back; nothing was missed." in ana.text()
    assert bo.sent


async def test_the_end_closes_questions_and_pages() -> None:
    hall = Hall()
    ana, bo = await sit_down(hall, "doubles", "ana", "bo")
    await begin([ana, bo])
    await ana.press("q")
    await bo.press("?")
    for sitting in (ana, bo):
        sitting.table.hear(Finished("The host has closed the table.", 3), sitting.now)
        assert sitting.lines()[-1] == " The host has closed the table."
        assert "CLOSED" in sitting.lines()[0] and "WATCHING" not in sitting.lines()[0]


async def test_silence_is_told() -> None:
    hall = Hall()
    ana, _ = await sit_down(hall, "doubles", "ana", "bo")
    ana.table.stage.asked_at = ana.now
    hall.clock.advance(1)
    assert "NO ANSWER" not in ana.lines()[0]
    hall.clock.advance(2)
    assert "NO ANSWER 3s" in ana.lines()[0]


async def test_a_move_that_is_not_answered_is_told_without_another_key() -> None:
    hall = Hall((4, 4))
    ana, bo = await sit_down(hall, "doubles", "ana", "bo")
    await begin([ana, bo])
    ana.table.press("r", ana.now)  # on its way
    assert "One moment" not in ana.text() and ana.table.pulse(ana.now) == 1.0
    hall.clock.advance(1)
    assert ana.lines()[-1] == " One moment: the server has not answered yet."
    hall.clock.advance(9)
    assert "NO ANSWER 10s" in ana.lines()[0]
    assert ana.lines()[-1] == " One moment: the server has not answered yet."
    await ana.deliver()
    assert "One moment" not in ana.text() and "NO ANSWER" not in ana.lines()[0]
    assert bo.sent


async def test_the_end_of_the_server_leaves_the_table_to_be_read() -> None:
    hall = Hall()
    ana, bo = await sit_down(hall, "doubles", "ana", "bo")
    await begin([ana, bo])
    bo.table.hear(Finished("The host has closed the table.", 3), bo.now)
    assert "CLOSED" in bo.lines()[0]
    assert bo.lines()[-1] == " The host has closed the table."
    await bo.press("r")
    assert bo.table.result is None
    await bo.press("q")
    assert bo.table.result == Outcome(3, "The host has closed the table.", gave_up=False)
    assert ana.table.result is None


async def test_a_late_comer_gets_the_recap_from_the_log() -> None:
    hall = Hall((4, 4), (5, 6))
    ana, bo = await sit_down(hall, "doubles", "ana", "bo", options={"rounds": 1})
    await begin([ana, bo])
    await ana.press("r")
    peer = await hall.peer()
    await peer.watch(ana.store.room or "")
    late = Sitting(hall, peer)
    await ana.press("c")
    catch_up(ana, bo)
    await bo.press("c")
    catch_up(ana, bo, late)
    assert ana.table.stage.recap.whole and not ana.table.stage.gaps.wanted
    assert late.table.stage.gaps.wanted


async def test_the_bell_rings_when_it_is_my_turn() -> None:
    hall = Hall((4, 4), (5, 6))
    ana, bo = await sit_down(hall, "doubles", "ana", "bo", display=DisplayOptions(motion=False, bell=True))
    await begin([ana, bo])
    assert ana.table.rings == f"Doubles {ana.store.info.code}: your turn" and not bo.table.rings
    await ana.press("r")
    catch_up(bo)
    assert bo.table.rings


async def test_the_bell_rings_once_for_a_turn_of_many_rolls() -> None:
    """While the dice of a roll are waited for, nothing is offered to anybody. That ends nobody's turn."""
    display = DisplayOptions(motion=False, bell=True)
    ana, bo = await sit_down(Hall(), "double-or-nothing", "ana", "bo", display=display, options={"first": "1"})
    await begin([ana, bo])
    ana.table.rings = ""
    mine = ana.store
    pending = {"draw": 1, "seq": mine.seq + 1, "members": [], "count": 2, "sides": 6}
    steps = [(mine, {**mine.table, "offers": {}, "fair": {"pending": pending}}), (mine, mine.table)]
    for number, (store, table) in enumerate(steps, start=1):
        after = replace(store, seq=mine.seq + number, table=table)
        update = Update(seq=after.seq, cause=Cause(kind="move"), events=(), patch={"offers": {}})
        ana.table.hear(News(update, ana.store, after), ana.now)
        assert (ana.store.wanted() is None) == (number == 1)
        assert not ana.table.rings


async def test_several_at_one_keyboard() -> None:
    hall = Hall()
    peer = await hall.peer()
    room = (await peer.create("doubles", "ana", options={"dice": "entered"})).room
    await peer.join(room, "bo")
    us = Sitting(hall, peer)
    await us.press("s")
    us.catch_up()
    assert isinstance(us.sent[-1], Start)
    assert "[Tab] keys: ana  [1-6] Roll" in us.lines()[-3] and "ana ROLLS" in us.text()
    await us.press("7", "0")
    assert "A die has the faces 1 to 6; 0 is none of them." in us.text()
    await us.press("5")
    assert "The roll of ana: 5 _   faces 1 to 6" in us.lines()[-1] and us.store.game["pot"] == 0
    await us.press("backspace", "backspace")
    assert "The roll of" not in us.text()
    await us.press("5", "5")  # two keys, and it is rolled
    assert us.store.game["pot"] == 500
    assert "[Tab] keys: bo  [1-6] Roll  [C] Cash out 500  [U] Take back  [X] Correct" in us.lines()[-3]
    await us.press("u")
    assert us.store.game["pot"] == 0 and "ana takes 5 5 back, to type it again" in " ".join(us.text().split())
    await us.press("4", "4", "1", "1")
    assert us.store.game["pot"] == 800
    await us.press("/")
    assert await us.type("/ana cash")
    assert us.store.game["seats"]["0"]["score"] == 800
    await us.press("/")
    for junk in ("/hello 5 2", "/bo correct 6 x", "/correct 6"):
        assert not await us.type(junk)


async def test_a_hint_does_not_outlive_its_state() -> None:
    hall = Hall((4, 4), (5, 6))
    ana, bo = await sit_down(hall, "doubles", "ana", "bo")
    await begin([ana, bo])
    await bo.press("r")
    assert "There is nothing to cash out before the first roll: ana rolls first." in bo.text()
    await ana.press("r")
    catch_up(ana, bo)
    assert "nothing to cash out" not in bo.text()
    await ana.press("r")
    assert "Not your turn: bo rolls next." in ana.text()


async def test_a_taken_name_can_be_tried_again() -> None:
    hall = Hall()
    ana, _ = await sit_down(hall, "doubles", "ana", "bo")
    peer = await hall.peer()
    await peer.watch(ana.store.room or "")
    cy = Sitting(hall, peer, STILL)
    await cy.press("s")
    assert await cy.type("ana")
    assert 'is already at this table. Press S to sit as "ana2"' in cy.text()
    await cy.press("s")
    assert cy.table.prompt and cy.table.prompt.text == "ana2"
    assert await cy.type("ana2")
    assert "You have a seat now, as ana2." in cy.text()


async def test_next_table_only_where_there_is_one() -> None:
    hall = Hall()
    ana, _ = await sit_down(hall, "doubles", "ana", "bo")
    peer = await hall.peer()
    await peer.watch(ana.store.room or "")
    cy = Sitting(hall, peer, STILL)
    await cy.press("n")
    assert cy.table.result is None
    assert "There is no other table here." in cy.text()
    other = (await (await hall.peer()).create("sevens", "deb")).room
    await cy.press("n")
    assert cy.table.result == Outcome(next_table=other)


async def test_a_question_says_what_to_press() -> None:
    hall = Hall()
    ana, bo = await sit_down(hall, "doubles", "ana", "bo")
    await begin([ana, bo])
    await ana.press("q", "/")
    assert ana.lines()[-2] == " [Y] Yes  [N, Enter] No"
    assert ana.lines()[-1] == " Leave? A bot plays on for you. y/n    Press y or n."
    assert ana.table.prompt is None
    await ana.press("enter")
    assert "Leave?" not in ana.text() and ana.table.result is None


async def test_after_a_game_there_may_be_too_few_for_a_rematch() -> None:
    hall = Hall((1,))
    ana, bo = await sit_down(hall, "double-or-nothing", "ana", "bo", options={"start": 19})
    await begin([ana, bo])
    await ana.press("a")
    catch_up(ana, bo)
    await bo.press("q")
    await bo.peer.hang_up()
    await hall.settle()
    await ana.press("m")
    assert "all want a rematch; more players are needed: B adds a bot" in ana.text()
    await ana.press("b")
    assert "all want a rematch; M starts it" in ana.text()
    await ana.press("m")
    assert ana.store.phase in ("dealing", "playing")


async def test_kept_dice_and_start_rolls_in_sevens_are_not_called_gone() -> None:
    hall = Hall((6,) * 6, (1,) * 6, (1, 2, 4, 6, 3, 3))
    ana, bo = await sit_down(hall, "sevens", "ana", "bo")
    await begin([ana, bo])
    await ana.press("r")
    await bo.press("r")
    catch_up(ana, bo)
    assert "NOTHING IS LEFT" not in ana.text()
    await ana.press("r", "k")
    catch_up(bo)
    for text in (ana.text(), bo.text()):
        assert "5   P O I N T S" in text
        assert "NOTHING" not in text


async def test_too_small_a_window_shows_a_sentence_and_takes_no_move() -> None:
    hall = Hall((4, 4))
    ana, bo = await sit_down(hall, "doubles", "ana", "bo")
    await begin([ana, bo])
    assert "dicegames needs 60x20" in " ".join(ana.lines(59, 24))
    await ana.press("r")
    assert moves(ana) == []
    ana.text()
    await ana.press("r")
    assert moves(ana) == ["roll"]
    assert bo.sent


async def test_an_answer_that_nobody_waits_for_is_harmless() -> None:
    hall = Hall()
    ana, _ = await sit_down(hall, "doubles", "ana", "bo")
    store = ana.store
    ana.table.hear(News(Ack(id="unknown", seq=3), store, store), ana.now)
    assert "Waiting room" in ana.text()


async def test_an_alarm_stays_on_the_screen() -> None:
    hall = Hall()
    ana, bo = await sit_down(hall, "doubles", "ana", "bo")
    await begin([ana, bo])
    ana.table.hear(Alarm("The dice do not follow\x1b from what all have shown."), ana.now)
    assert ana.lines()[-1] == " The dice do not follow from what all have shown."
    await pass_time(hall, 60, ana)
    ana.table.stage.tick(ana.now)
    ((style, text),) = ana.table.footer(Size(80, 24), ana.now)
    assert (style, text) == ("bad", " The dice do not follow from what all have shown.")


@pytest.mark.parametrize("motion", [True, False])
async def test_dice_tumble_while_they_are_waited_for(motion: bool) -> None:
    """They tumble from the decision on, so that waiting for the links of others costs no time of its own."""
    hall = Hall((1, 2), (3, 4))
    peers = [await hall.peer(memory=Remembering()) for _ in range(2)]
    room = (await peers[0].create("doubles", "ana", options={"window": 0, "rounds": 2})).room
    await peers[1].join(room, "bo")
    ana, bo = (Sitting(hall, peer, DisplayOptions(motion=motion)) for peer in peers)
    await begin([ana, bo])
    await ana.press("r")
    stage = ana.table.stage
    assert ana.store.rolling and len(stage.in_the_air(ana.now)) == (2 if motion else 0)
    await ana.press("r")
    assert "The dice are rolling; one moment." in ana.text()
    hall.clock.advance(0.4)
    await hall.links(*peers)
    catch_up(ana, bo)
    assert (stage.tumble is not None) == motion
    hall.clock.advance(0.35)
    ana.table.stage.tick(ana.now)
    assert stage.tumble is None and "POT 3" in ana.text(60, 20)


async def test_who_did_not_answer_is_told() -> None:
    hall = Hall((1, 2))
    peers = [await hall.peer(memory=Remembering()) for _ in range(2)]
    room = (await peers[0].create("doubles", "ana", options={"window": 0, "rounds": 2})).room
    await peers[1].join(room, "bo")
    ana, bo = (Sitting(hall, peer) for peer in peers)
    await begin([ana, bo])
    await ana.press("r")
    await peers[0].show()
    await pass_time(hall, 2.1, ana, bo)
    assert "The dice were drawn anew because bo did not" in " ".join(ana.text(120, 29).split())
