"""How well everybody played: asked for when the game is over, as a panel and as a page, whatever the server answers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dicegames_client.base.glyphs import ASCII, UNICODE
from dicegames_client.guest.events import Lost, News
from dicegames_client.review.cleaned import cleaned
from dicegames_client.review.review_picture import page_lines, panel_lines
from dicegames_client.screens.screen import Size
from dicegames_client.widgets.lines import text_of, width_of
from dicegames_protocol.messages.client import AskReview
from dicegames_protocol.messages.review import GameReview, Review
from dicegames_protocol.messages.server import Error
from support.hall import Hall
from support.reviews import a_review, evil_reviews
from support.sitting import Sitting, begin, catch_up, sit_down


async def lost_by_doubling(hall: Hall, watching: bool = False) -> list[Sitting]:
    """ana doubles 18, where adding one would have won."""
    table = await sit_down(hall, "double-or-nothing", "ana", "bo", options={"start": 18, "target": 19, "first": "1"})
    if watching:
        eva = await hall.peer()
        await eva.watch(hall.room(table[0].peer).code)
        table.append(Sitting(hall, eva))
    await begin(table[:2])
    catch_up(*table)
    await table[0].press("d")
    hall.clock.advance(1)
    await table[0].press("y")
    for sitting in table:
        sitting.catch_up()
        sitting.table.stage.end_moment()
    return table


def asked(sitting: Sitting) -> list[AskReview]:
    return [request for request in sitting.sent if isinstance(request, AskReview)]


async def test_it_is_asked_for_once_and_shown_when_it_comes() -> None:
    ana, _ = await lost_by_doubling(Hall())
    assert not asked(ana)
    assert "[W] Review" in ana.text() and len(asked(ana)) == 1
    assert "is being worked out" in ana.text(100, 30)
    await ana.deliver()
    panel = ana.text(100, 30)
    assert "how well" in panel and "ana, blunder -100 %: Adding one" in panel
    ana.text(), ana.text(120, 40)
    assert len(asked(ana)) == 1
    await ana.press("w")
    page = ana.text()
    assert "How well everybody played" in page and "WHAT COST MOST" in page and len(asked(ana)) == 1
    await ana.press("end")
    assert "MOVE BY MOVE" in ana.text() and "blunder -100 %" in ana.text()
    await ana.press("w")
    assert "[M] Rematch" in ana.text()


async def test_a_spectator_sees_it_as_well() -> None:
    *_, eva = await lost_by_doubling(Hall(), watching=True)
    assert "[W] Review" in eva.text()
    await eva.press("w")
    await eva.deliver()
    assert "blunder -100 %" in eva.text()


async def test_before_the_end_the_key_and_the_command_say_why() -> None:
    table = await sit_down(Hall(), "double-or-nothing", "ana", "bo", options={"first": "1"})
    told = "How well everybody played is told when the game is over."
    for _ in range(2):
        await table[0].press("w")
        assert told in table[0].text()
        await table[0].press("/")
        await table[0].type("/review")
        assert told in table[0].text() and not asked(table[0])
        await begin(table)


async def test_a_typed_command_opens_the_page() -> None:
    ana, _ = await lost_by_doubling(Hall())
    await ana.press("/")
    assert await ana.type("/review")
    assert "WHAT COST MOST" in ana.text() and len(asked(ana)) == 1


async def test_a_refusal_is_a_quiet_sentence_and_w_asks_again() -> None:
    ana, _ = await lost_by_doubling(Hall())
    ana.text()
    (question,) = asked(ana)
    error = Error(id=question.id, code="unavailable", message="That takes too long\x1b[2J here.")
    ana.table.hear(News(error, ana.store, ana.store), ana.now)
    assert "takes too long" not in ana.text() and "That takes too long[2J here." in ana.text(100, 30)
    assert len(asked(ana)) == 1
    await ana.press("w")
    assert len(asked(ana)) == 2 and "WHAT COST MOST" in ana.text()


async def test_after_a_lost_connection_it_is_asked_for_again() -> None:
    ana, _ = await lost_by_doubling(Hall())
    ana.text()
    ana.table.hear(Lost(""), ana.now)
    ana.text()
    assert len(asked(ana)) == 1
    ana.table.stage.lost_at = None
    ana.text()
    assert len(asked(ana)) == 2


async def test_the_next_game_has_a_review_of_its_own() -> None:
    ana, bo = await lost_by_doubling(Hall())
    ana.text()
    await ana.deliver()
    for sitting in (ana, bo):
        await sitting.press("m")
    catch_up(ana, bo)
    assert ana.store.phase == "playing" and "how well" not in ana.text(100, 30)
    mover = ana if ana.store.wanted() is not None else bo
    await mover.press("a")
    catch_up(ana, bo)
    ana.table.stage.end_moment()
    ana.text()
    assert len(asked(ana)) == 2
    await ana.deliver()
    assert ana.table._browsing.review.found and ana.table._browsing.review.found.game_no == 2


@given(evil_reviews())
async def test_a_hostile_review_breaks_no_screen(evil: GameReview) -> None:
    ana, _ = await lost_by_doubling(Hall())
    ana.text()
    ana.table.hear(News(Review(id=asked(ana)[0].id, review=evil), ana.store, ana.store), ana.now)
    for page in (False, True):
        if page:
            ana.table.press("w", ana.now)
        for size in (Size(60, 20), Size(80, 24), Size(100, 30), Size(200, 60)):
            for line in ana.table.paint(size, ana.now):
                assert width_of(line) <= size.columns
                assert "\x1b" not in text_of(line) and "\u202e" not in text_of(line) and "\n" not in text_of(line)


@given(st.integers(2, 230), st.integers(1, 70), st.sampled_from([UNICODE, ASCII]))
def test_any_room_will_do(width: int, rows: int, glyphs: object) -> None:
    review = cleaned(a_review())
    assert len(panel_lines(review, width, rows, glyphs)) <= max(rows, 2)  # type: ignore[arg-type]
    assert page_lines(review, width, glyphs)  # type: ignore[arg-type]


@pytest.mark.parametrize("count", [1, 2, 8, 40])
def test_a_panel_holds_as_many_players_as_fit(count: int) -> None:
    review = a_review()
    many = cleaned(review.but(players=(review.players * count)[:count], curve=()))
    assert 2 <= len(panel_lines(many, 60, 9, UNICODE)) <= 9
